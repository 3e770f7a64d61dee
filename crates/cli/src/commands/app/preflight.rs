//! `svc app preflight`: all thirteen steps, into one folder, as a whole or not at all.

use std::{
    collections::BTreeSet,
    fmt::Write as _,
    io::{self, IsTerminal as _},
    path::PathBuf,
    time::Duration,
};

use clap::{ArgMatches, Command};
use svc_core::{
    bundle::{self, Bundle, Files},
    words::{exit_code::ExitCode, kind},
};

use super::pack::{self, Submitter};
use crate::{
    arguments,
    failure::Failure,
    files::{
        document::{folder_of, read_document},
        folder_swap::{self, Swapped},
        read::Input,
    },
    named::BUNDLE_FOLDER,
    output::{
        concise,
        escape::{Safe, shell_word},
        human, stream,
    },
    report::{Action, ArtifactLine, PackageLine, PreflightStep, ReportedDocument, RunReport, StepResult},
};

const WATCH_INTERVAL: Duration = Duration::from_millis(700);

pub(crate) fn command() -> Command {
    Command::new("preflight")
        .about("Run all thirteen steps and write the seven artifacts")
        .arg(arguments::package())
        .arg(
            arguments::path("out-dir", "DIR").long("out-dir").help("Where to write the bundle [default: svc-registry]"),
        )
        .args(arguments::owner())
        .args(arguments::deny())
        .arg(arguments::flag("check", "Write nothing; exit 5 when the bundle in the folder is not current"))
        .arg(arguments::flag("watch", "Run again whenever the package changes").conflicts_with("check"))
        .after_help(
            "Example\n  svc app preflight weather-board --owner-id acme --owner-name \"Acme Ltd\" --out-dir bundle",
        )
}

/// `svc app check`: the same look, and nothing is written or compared.
pub(crate) fn check_command() -> Command {
    Command::new("check")
        .about("Look at a package as the preflight does, and write nothing")
        .arg(arguments::package())
        .args(arguments::owner())
        .args(arguments::deny())
}

pub(crate) fn check(matches: &ArgMatches) -> Result<RunReport, Failure> {
    Preflight { purpose: Purpose::Look, ..Preflight::given(matches)? }.once()
}

/// What a run is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Purpose {
    Write,
    /// To tell whether the bundle that is there is current.
    Compare,
    Look,
}

pub(crate) fn run(matches: &ArgMatches) -> Result<RunReport, Failure> {
    let preflight = Preflight::given(matches)?;
    if arguments::is_set(matches, "watch") {
        return preflight.watch();
    }
    preflight.once()
}

struct Preflight {
    manifest: Input,
    root: PathBuf,
    out_dir: PathBuf,
    submitter: Submitter,
    deny: crate::report::Deny,
    purpose: Purpose,
}

impl Preflight {
    fn given(matches: &ArgMatches) -> Result<Self, Failure> {
        let manifest = arguments::given_manifest(matches);
        Ok(Self {
            root: folder_of(&manifest),
            manifest,
            out_dir: arguments::given_path(matches, "out-dir").unwrap_or_else(|| PathBuf::from(BUNDLE_FOLDER)),
            submitter: Submitter::given(matches),
            deny: arguments::given_deny(matches)?,
            purpose: if arguments::is_set(matches, "check") { Purpose::Compare } else { Purpose::Write },
        })
    }

    fn once(&self) -> Result<RunReport, Failure> {
        let writes = self.purpose == Purpose::Write;
        let mut report = RunReport { deny: self.deny.clone(), writes, ..RunReport::default() };
        let left_out = folder_swap::with_leftovers(&self.out_dir);
        let packed = pack::pack_into(&mut report, &self.manifest, &self.submitter, &left_out)?;
        let files = match packed.map(|packed| Bundle::of(packed.submission)) {
            None => None,
            Some(Ok(bundle)) => Some(bundle.to_files()),
            Some(Err(findings)) => {
                report.documents.push(ReportedDocument::new(kind::SUBMISSION.file.to_owned(), Vec::new(), findings));
                None
            }
        };
        report.steps = steps(files.is_some());
        let Some(files) = files else { return Ok(report) };
        let Some(bundle) = self.check_steps(&mut report, &files).filter(|_| report.is_valid()) else {
            return Ok(report);
        };
        match self.purpose {
            Purpose::Write => self.write(&mut report, &files, &bundle)?,
            Purpose::Compare => self.compare(&mut report, &files, &bundle)?,
            Purpose::Look => {
                let package = shell_word(&self.root.to_string_lossy());
                report.next = Some(format!("svc app preflight {package}"));
            }
        }
        Ok(report)
    }

    /// The steps that check: every file and the whole chain, as `svc app verify` would.
    fn check_steps(&self, report: &mut RunReport, files: &Files) -> Option<Bundle> {
        match bundle::verify(files) {
            Ok(verified) => {
                report.package = Some(PackageLine::of_bundle(&verified.bundle));
                Some(verified.bundle)
            }
            Err(broken) => {
                report.broken_edge = broken.edge;
                for (spec, findings) in broken.findings {
                    mark_failed(report, spec.make.name);
                    let bytes = files.get(spec.file).cloned().unwrap_or_default();
                    report.documents.push(ReportedDocument::new(spec.file.to_owned(), bytes, findings));
                }
                None
            }
        }
    }

    fn write(&self, report: &mut RunReport, files: &Files, bundle: &Bundle) -> Result<(), Failure> {
        let swapped = folder_swap::write_whole(&self.out_dir, files);
        let swapped = swapped.map_err(|error| Failure {
            exit: ExitCode::InputOutput,
            message: format!("{}: {}", self.out_dir.to_string_lossy(), error.message()),
            help: error.help().map(str::to_owned),
        })?;
        let action = match swapped {
            Swapped::Created => Action::Created,
            Swapped::Replaced => Action::Replaced,
            Swapped::Unchanged => Action::Unchanged,
        };
        self.note_artifacts(report, bundle, action);
        let out = self.out_dir.to_string_lossy().into_owned();
        let package = self.root.to_string_lossy().into_owned();
        report.next = Some(format!("svc app verify {} --package {}", shell_word(&out), shell_word(&package)));
        Ok(())
    }

    /// Compares the bundle on disk with the one that would be written.
    fn compare(&self, report: &mut RunReport, files: &Files, bundle: &Bundle) -> Result<(), Failure> {
        for spec in kind::ALL {
            let path = self.out_dir.join(spec.file);
            let found = read_document(&Input::Path(path.clone()), spec.most_bytes as u64).ok();
            if found.as_ref() != files.get(spec.file) {
                report.stale.push(path.to_string_lossy().into_owned());
            }
        }
        if report.stale.is_empty() {
            self.note_artifacts(report, bundle, Action::Unchanged);
        } else {
            let [package, out] = [&self.root, &self.out_dir].map(|path| shell_word(&path.to_string_lossy()));
            report.next = Some(format!("svc app preflight {} --out-dir {}", package, out));
        }
        Ok(())
    }

    fn note_artifacts(&self, report: &mut RunReport, bundle: &Bundle, action: Action) {
        for (spec, digest) in bundle.digests() {
            let label = self.out_dir.join(spec.file).to_string_lossy().into_owned();
            report.artifacts.push(ArtifactLine::new(action, label, spec, digest));
        }
    }

    /// Runs until the process is stopped; speaks only when something changed.
    fn watch(&self) -> Result<RunReport, Failure> {
        let mut last = None;
        loop {
            let (told, state) = match self.once() {
                Ok(report) => (human::findings(&report, false) + &human::result(&report), state_of(&report)),
                Err(failure) => (human::failure(&failure), failure.message),
            };
            if last.as_ref() != Some(&state) {
                let changed = last.as_deref().map(|last: &str| what_changed(last, &state)).unwrap_or_default();
                let clear = if io::stdout().is_terminal() { CLEAR_SCREEN } else { "" };
                let root = Safe(&self.root.to_string_lossy()).to_string();
                stream::result(format!("{clear}{told}\n{changed}watching {root}\n\n").as_bytes())?;
                last = Some(state);
            }
            std::thread::sleep(WATCH_INTERVAL);
        }
    }
}

/// On a terminal a run takes the place of the one before.
const CLEAR_SCREEN: &str = "\x1b[H\x1b[2J\x1b[3J";

/// What came and what went since the last run, one line each.
fn what_changed(before: &str, after: &str) -> String {
    let (before, after): (BTreeSet<&str>, BTreeSet<&str>) = (findings_of(before), findings_of(after));
    let mut text = String::new();
    for (mark, lines) in [("gone", before.difference(&after)), ("new ", after.difference(&before))] {
        for line in lines {
            let _ = writeln!(text, "{mark}      {line}");
        }
    }
    if text.is_empty() { "the package changed, its findings did not\n".to_owned() } else { text }
}

/// The lines of a state that are findings.
fn findings_of(state: &str) -> BTreeSet<&str> {
    state.lines().filter(|line| line.contains("SVC-")).collect()
}

/// What must differ for a run to be worth telling: the findings or the package.
fn state_of(report: &RunReport) -> String {
    concise::render(report) + report.package.as_ref().map_or("", |package| &package.digest)
}

/// The thirteen steps in order, before their checks ran.
fn steps(made: bool) -> Vec<PreflightStep> {
    let mut steps: Vec<PreflightStep> = Vec::new();
    for spec in kind::ALL {
        let result = match (made, spec.make.order) {
            (true, _) => StepResult::Passed,
            (false, 1) => StepResult::Failed,
            (false, _) => StepResult::NotRun,
        };
        steps.push(PreflightStep { order: spec.make.order, name: spec.make.name, result });
        steps.extend(spec.check.map(|check| {
            let result = if made { StepResult::Passed } else { StepResult::NotRun };
            PreflightStep { order: check.order, name: check.name, result }
        }));
    }
    steps.sort_by_key(|step| step.order);
    steps
}

fn mark_failed(report: &mut RunReport, name: &str) {
    for step in report.steps.iter_mut().filter(|step| step.name == name) {
        step.result = StepResult::Failed;
    }
}
