//! `svc app preflight`: all thirteen steps, for one package or several, into one folder, as a whole or not at all.

use std::{
    collections::{BTreeMap, BTreeSet},
    ffi::OsString,
    fmt::Write as _,
    io::{self, IsTerminal as _},
    path::{Path, PathBuf},
    slice,
    time::Duration,
};

use clap::{ArgMatches, Command};
use svc_cli::{
    arguments,
    failure::Failure,
    files::{
        document::{folder_of, read_document},
        folder_swap::{self, SwapError, Swapped},
        fresh_folder::Contents,
        read::Input,
    },
    output::{
        escape::{Safe, shell_word},
        stop, stream,
    },
    scope::Why,
};
use svc_core::{
    bundle::{self, Bundle},
    collection::{self, Collection},
    diagnostics::ScopePart,
    explain::shape,
    findings::Findings,
    read,
    words::{
        exit_code::ExitCode,
        kind::{self, ArtifactSpec},
    },
};
use svc_json::digest::Digest;

use super::{
    bundle_folder::has_others,
    pack::{self, Submitter},
};
use crate::{
    named::BUNDLE_FOLDER,
    output::{concise, human},
    package, package_arguments,
    report::{
        Action, ArtifactLine, Deny, PackageLine, PreflightStep, ReportedDocument, RunReport, StepResult, UsedSettings,
    },
    settings::{
        PackageSettings, Settings,
        place::{Place, own_folders},
    },
};
use svc_cli::rules::rules;

const WATCH_INTERVAL: Duration = Duration::from_millis(700);

pub(crate) fn command() -> Command {
    Command::new("preflight")
        .about("Run all thirteen steps and write the seven artifacts")
        .arg(package_arguments::packages())
        .arg(
            arguments::path("out-dir", "DIR").long("out-dir").help("Where to write the bundle [default: svc-registry]"),
        )
        .args(package_arguments::owner())
        .args(package_arguments::deny())
        .arg(arguments::flag("check", "Write nothing; exit 5 when the bundle in the folder is not current"))
        .arg(arguments::flag("watch", "Run again whenever the package changes").conflicts_with("check"))
        .after_help(
            "Example\n  svc app preflight weather-board --owner-id acme --owner-name \"Acme Ltd\" --out-dir bundle",
        )
}

/// `svc app check`: the same look, and nothing is written or compared.
pub(crate) fn check_command() -> Command {
    Command::new("check")
        .about("Look at a package as the preflight does, and write no bundle")
        .arg(package_arguments::packages())
        .arg(
            arguments::path("out-dir", "DIR")
                .long("out-dir")
                .help("Where a preflight would write the bundle, which is left out [default: svc-registry]"),
        )
        .args(package_arguments::owner())
        .args(package_arguments::deny())
}

pub(crate) fn check(matches: &ArgMatches, settings: Option<&Settings>) -> Result<RunReport, Failure> {
    Preflight { purpose: Purpose::Look, ..Preflight::given(matches, settings)? }.once()
}

/// What a run is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Purpose {
    Write,
    /// To tell whether the bundle that is there is current.
    Compare,
    Look,
}

pub(crate) fn run(matches: &ArgMatches, settings: Option<&Settings>) -> Result<RunReport, Failure> {
    let preflight = Preflight::given(matches, settings)?;
    if arguments::is_set(matches, "watch") {
        return preflight.watch();
    }
    preflight.once()
}

/// The settings of the current folder. A package that is checked does not bring them: from a folder inside it, there are
/// none.
pub(crate) fn settings(matches: &ArgMatches) -> Result<Option<Settings>, Failure> {
    let manifests = package_arguments::given_manifests(matches);
    let is_inside = |manifest: &Input| Place::of_current_folder(&folder_of(manifest)) == Place::Inside;
    if manifests.iter().any(is_inside) { Ok(None) } else { Settings::of_current_folder() }
}

/// Whether the command line leaves it to the current folder which packages are checked.
fn names_current_folder(matches: &ArgMatches) -> bool {
    let given: Vec<PathBuf> = matches.get_many::<OsString>("package").unwrap_or_default().map(PathBuf::from).collect();
    match given.as_slice() {
        [] => true,
        [one] => one.is_dir() && Place::of_current_folder(one) == Place::Same,
        _ => false,
    }
}

struct Preflight {
    manifests: Vec<Input>,
    out_dir: PathBuf,
    submitter: Submitter,
    deny: Deny,
    purpose: Purpose,
    /// Whether a folder stands for its packages, however many there are.
    is_collection: bool,
    settings: Vec<UsedSettings>,
}

impl Preflight {
    fn given(matches: &ArgMatches, settings: Option<&Settings>) -> Result<Self, Failure> {
        let mut manifests = package_arguments::given_manifests(matches);
        let wished = settings.cloned().unwrap_or_default();
        let mut used: Vec<UsedSettings> = settings.map(|settings| settings.used.clone()).into_iter().collect();
        let names_packages = names_current_folder(matches) && !wished.packages.is_empty();
        if names_packages {
            manifests = wished.packages.into_iter().map(Input::Path).collect();
        }
        let mut deny = package_arguments::given_deny(matches)?;
        deny.add(wished.deny);
        let is_collection = names_packages || manifests.len() > 1;
        for folder in own_folders(&manifests) {
            let own = PackageSettings::read(&folder)?;
            if let Some(own) = own.filter(|own| !own.deny.is_empty() || !own.used.ignored.is_empty()) {
                deny.add(own.deny);
                used.push(own.used);
            }
        }
        let out_dir = arguments::given_path(matches, "out-dir").or(wished.out_dir);
        let given = Submitter::given(matches);
        Ok(Self {
            manifests,
            out_dir: out_dir.unwrap_or_else(|| PathBuf::from(BUNDLE_FOLDER)),
            submitter: Submitter {
                id: given.id.or(wished.owner_id),
                name: given.name.or(wished.owner_name),
                visibility: given.visibility.or(wished.visibility),
            },
            deny,
            purpose: if arguments::is_set(matches, "check") { Purpose::Compare } else { Purpose::Write },
            is_collection,
            settings: used,
        })
    }

    fn once(&self) -> Result<RunReport, Failure> {
        let writes = self.purpose == Purpose::Write;
        let settings = self.settings.clone();
        let mut report = RunReport { deny: self.deny.clone(), writes, settings, ..RunReport::default() };
        let made = self.make(&mut report)?;
        report.steps = steps(made.is_some());
        report.packages.clear();
        let Some(made) = made else {
            let why = if report.count(svc_core::words::severity::Severity::Error) > 0 {
                Why::FailedBefore
            } else {
                Why::DeniedBefore
            };
            for part in [ScopePart::ArtifactShape, ScopePart::ArtifactDigests, ScopePart::Chain] {
                report.scope.skip(part, why);
            }
            return Ok(report);
        };
        check_steps(&mut report, &made);
        if !report.is_valid() {
            report.packages.clear();
            return Ok(report);
        }
        match self.purpose {
            Purpose::Write => self.write(&mut report, &made)?,
            Purpose::Compare => self.compare(&mut report, &made),
            Purpose::Look => {
                report.next = Some(format!("svc app preflight{}{}", self.named(), self.submitter.in_words()))
            }
        }
        Ok(report)
    }

    /// Everything in memory. Every package is looked at, also when one before it fails.
    fn make(&self, report: &mut RunReport) -> Result<Option<Made>, Failure> {
        let is_inside = |manifest: &Input| package::beneath(&folder_of(manifest), &self.out_dir).is_some();
        if self.manifests.iter().any(is_inside) {
            folder_swap::require_bundle_only(&self.out_dir).map_err(|error| self.not_written(&error))?;
        }
        let left_out = folder_swap::with_leftovers(&self.out_dir);
        let mut bundles: Vec<Bundle> = Vec::new();
        for manifest in &self.manifests {
            let Some(packed) = pack::pack_into(report, manifest, &self.submitter, &left_out)? else { continue };
            match Bundle::from_submission(packed.submission) {
                Ok(bundle) => bundles.push(bundle),
                Err(findings) => refuse(report, kind::SUBMISSION.file, findings),
            }
        }
        if bundles.len() != self.manifests.len() {
            return Ok(None);
        }
        self.refuse_twins(&bundles)?;
        if !self.is_collection {
            return Ok(bundles.pop().map(|bundle| Made::One(Box::new(bundle))));
        }
        match Collection::from_bundles(rules(), bundles) {
            Ok(collection) => Ok(Some(Made::Several(Box::new(collection)))),
            Err(findings) => {
                refuse(report, kind::INDEX.file, findings);
                Ok(None)
            }
        }
    }

    /// Each package has a folder that bears its id.
    fn refuse_twins(&self, bundles: &[Bundle]) -> Result<(), Failure> {
        let mut labels: BTreeMap<String, String> = BTreeMap::new();
        for (bundle, manifest) in bundles.iter().zip(&self.manifests) {
            let id = collection::folder_of(bundle);
            if let Some(first) = labels.insert(id.clone(), manifest.label()) {
                let message = format!("two packages have the id `{id}`: {first} and {}", manifest.label());
                return Err(Failure::usage(message, "give one of them another id, or look at one of them only"));
            }
        }
        Ok(())
    }

    /// The packages, as they are named on a command line: not at all where the settings name them.
    fn named(&self) -> String {
        let folders = self.manifests.iter().map(folder_of);
        let words = folders.map(|folder| format!(" {}", shell_word(folder)));
        words.collect()
    }

    fn write(&self, report: &mut RunReport, made: &Made) -> Result<(), Failure> {
        let swapped = folder_swap::write_whole(&self.out_dir, &made.to_files());
        let swapped = swapped.map_err(|error| self.not_written(&error))?;
        let action = match swapped {
            Swapped::Created => Action::Created,
            Swapped::Replaced => Action::Replaced,
            Swapped::Unchanged => Action::Unchanged,
        };
        self.note_artifacts(report, made, action);
        let out = shell_word(&self.out_dir);
        report.next = Some(match made {
            Made::One(_) => format!("svc app verify {out} --package{}", self.named()),
            Made::Several(_) => format!("svc app verify {out}"),
        });
        Ok(())
    }

    fn not_written(&self, error: &SwapError) -> Failure {
        Failure {
            exit: ExitCode::InputOutput,
            message: format!("{}: {}", self.out_dir.to_string_lossy(), error.message()),
            help: error.help().map(str::to_owned),
        }
    }

    /// Compares the bundles on disk with those that would be written.
    fn compare(&self, report: &mut RunReport, made: &Made) {
        if self.out_dir.is_dir() {
            report.scope.check(ScopePart::BundleOnDisk);
        } else {
            report.scope.skip(ScopePart::BundleOnDisk, Why::NoneThere);
        }
        if has_other_files(&self.out_dir, &made.to_files()) {
            report.scope.note_other_files();
        }
        report.stale = folder_swap::differing(&self.out_dir, &made.to_files());
        report.documents.extend(report.stale.iter().filter_map(|file| open_claims_in(Path::new(file))));
        if report.stale.is_empty() {
            self.note_artifacts(report, made, Action::Unchanged);
        } else {
            let out = shell_word(&self.out_dir);
            let submitter = self.submitter.in_words();
            report.next = Some(format!("svc app preflight{}{submitter} --out-dir {out}", self.named()));
        }
    }

    fn note_artifacts(&self, report: &mut RunReport, made: &Made, action: Action) {
        let mut note = |folder: &Path, spec: &ArtifactSpec, digest: &Digest| {
            let label = folder.join(spec.file).to_string_lossy().into_owned();
            report.artifacts.push(ArtifactLine::new(action, label, spec, digest));
        };
        if let Made::Several(collection) = made {
            note(&self.out_dir, &kind::INDEX, collection.index.digest_matches().digest());
        }
        for bundle in made.bundles() {
            let folder = match made {
                Made::One(_) => self.out_dir.clone(),
                Made::Several(_) => self.out_dir.join(collection::folder_of(bundle)),
            };
            for (spec, digest) in bundle.digests() {
                note(&folder, spec, digest);
            }
        }
    }

    /// Runs until the process is stopped; speaks only when something changed.
    fn watch(&self) -> Result<RunReport, Failure> {
        let mut last = None;
        loop {
            let (told, state) = match self.once() {
                Ok(report) => (human::findings(&report, false) + &human::result(&report), state_of(&report)),
                Err(failure) => (stop::in_words(&failure), failure.message),
            };
            if last.as_ref() != Some(&state) {
                let changed = last.as_deref().map(|last: &str| what_changed(last, &state)).unwrap_or_default();
                let clear = if io::stdout().is_terminal() { CLEAR_SCREEN } else { "" };
                let packages = Safe(&self.named()).to_string();
                stream::result(format!("{clear}{told}\n{changed}watching{packages}\n\n").as_bytes())?;
                last = Some(state);
            }
            std::thread::sleep(WATCH_INTERVAL);
        }
    }
}

/// What a run has made: the bundle of one package, or those of several with one index.
enum Made {
    One(Box<Bundle>),
    Several(Box<Collection>),
}

impl Made {
    fn bundles(&self) -> &[Bundle] {
        match self {
            Self::One(bundle) => slice::from_ref(bundle),
            Self::Several(collection) => &collection.bundles,
        }
    }

    fn to_files(&self) -> Contents {
        match self {
            Self::One(bundle) => bundle.to_files().into_iter().map(|(file, bytes)| (file.to_owned(), bytes)).collect(),
            Self::Several(collection) => collection.to_files(),
        }
    }
}

/// The open claims of an artifact on disk, which no other difference hides.
/// Whether the folder has something that these files do not name.
fn has_other_files(folder: &Path, files: &Contents) -> bool {
    let own: Vec<&str> = files.keys().filter_map(|path| path.split('/').next()).collect();
    folder.is_dir() && has_others(folder, &own).unwrap_or(true)
}

fn open_claims_in(path: &Path) -> Option<ReportedDocument> {
    let spec = kind::ALL.iter().find(|spec| path.file_name().is_some_and(|name| name == spec.file))?;
    let bytes = read_document(&Input::Path(path.to_path_buf()), spec.most_bytes as u64).ok()?;
    let found = read::verify(rules(), spec.artifact, &bytes).err()?;
    let claims: Findings = found.into_iter().filter(shape::is_open_claim).collect();
    (!claims.is_empty()).then(|| ReportedDocument::new(path.to_string_lossy().into_owned(), bytes, claims))
}

/// The steps that check: every file and the whole chain of each bundle, as `svc app verify` would.
fn check_steps(report: &mut RunReport, made: &Made) {
    for part in [ScopePart::ArtifactShape, ScopePart::ArtifactDigests, ScopePart::Chain] {
        report.scope.check(part);
    }
    for bundle in made.bundles() {
        let files = bundle.to_files();
        match bundle::verify(rules(), &files) {
            Ok(verified) => report.packages.push(PackageLine::of_bundle(&verified.bundle).read_here()),
            Err(broken) => {
                report.broken_edge = broken.edge;
                for (spec, findings) in broken.findings {
                    mark_failed(report, spec.make.name);
                    let bytes = files.get(spec.file).cloned().unwrap_or_default();
                    report.documents.push(ReportedDocument::new(spec.file.to_owned(), bytes, findings));
                }
            }
        }
    }
    if let Made::Several(several) = made {
        report.scope.check(ScopePart::CollectionIndex);
        let faults = match read::artifact(rules(), &several.index.to_file()) {
            Ok(index) => collection::faults(&index, &several.bundles),
            Err(findings) => findings,
        };
        if !faults.is_empty() {
            mark_failed(report, kind::INDEX.make.name);
            refuse(report, kind::INDEX.file, faults);
        }
    }
}

fn refuse(report: &mut RunReport, file: &str, findings: Findings) {
    report.documents.push(ReportedDocument::new(file.to_owned(), Vec::new(), findings));
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
    let digests: String = report.packages.iter().map(|package| package.digest.as_str()).collect();
    concise::render(report) + &digests
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
