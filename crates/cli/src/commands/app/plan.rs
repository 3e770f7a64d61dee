//! `svc app plan`: what stands between a submission and the next stage; with two submissions, what changed.

use std::fmt::Write as _;

use clap::{ArgMatches, Command};
use svc_core::{
    artifact::{about_package::AboutPackage as _, checked::Checked, submission::Submission},
    finding::Finding,
    gates::{Evidenced, GateStatuses},
    review::blocker::Blocker,
    scalar::ident::PackageRef,
    words::{gate::Gate, kind},
};
use svc_json::tree;

use crate::{
    arguments,
    artifact_files::read_artifact,
    failure::Failure,
    files::read::Input,
    output::{escape::Safe, show::CommandOutput, uses},
    page::changes::{self, Change, How},
    report::{ReportedDocument, RunReport},
};

pub(crate) fn command() -> Command {
    Command::new("plan")
        .about("Tell what stands between a submission and the next stage; with two, what changed")
        .arg(arguments::input().num_args(1..=2).value_name("SUBMISSION"))
}

pub(crate) fn run(matches: &ArgMatches) -> Result<CommandOutput, Failure> {
    let mut report = RunReport::default();
    let mut submissions = Vec::new();
    for input in arguments::given_inputs(matches) {
        submissions.extend(read(&mut report, &input)?);
    }
    let text = match submissions.as_slice() {
        _ if !report.documents.is_empty() => String::new(),
        [one] => plan(one),
        [before, after] => difference(before, after),
        _ => String::new(),
    };
    Ok(if text.is_empty() { CommandOutput::Report(report) } else { CommandOutput::Text(report, text) })
}

fn read(report: &mut RunReport, input: &Input) -> Result<Option<Checked<Submission>>, Failure> {
    let bytes = read_artifact(input, &kind::SUBMISSION)?;
    match svc_core::read::artifact::<Submission>(&bytes) {
        Ok(submission) => Ok(Some(submission)),
        Err(findings) => {
            report.documents.push(ReportedDocument::new(input.label(), bytes, findings));
            Ok(None)
        }
    }
}

fn plan(submission: &Checked<Submission>) -> String {
    let PackageRef { id, version } = submission.basis().package();
    let mut text = format!("{id} {version}\n");
    let basis = submission.basis();
    if let Ok(manifest) = tree::of(&basis.package_artifact.manifest) {
        text.extend(uses::of_artifact(&manifest, Some(&basis.report.facts)).map(|uses| uses::in_words(&uses)));
    }
    let (author, others): (Vec<&Blocker>, Vec<&Blocker>) =
        own_blockers(submission).iter().partition(|blocker| blocker.gate.is_none());
    for blocker in author {
        let _ = writeln!(text, "\n{}  cleared by the author", blocker.code);
        for finding in own_findings(submission).filter(|finding| finding.rule.code == blocker.code.as_str()) {
            let _ = writeln!(text, "  what     {}\n  do       {}", Safe(&finding.message), Safe(&finding.help));
        }
        let _ = writeln!(text, "  blocks   {}", blocker.blocks_stage);
    }
    for blocker in others {
        let status = blocker.status.as_ref().map_or("", |status| status.as_str());
        let _ = writeln!(text, "\n{} {status}  cleared by the {}", blocker.code, blocker.owner);
        if let Some(gate) = blocker.gate {
            let _ = writeln!(text, "  needs    {}\n  missing  {}", gate.spec().evidence, gate.spec().missing);
        }
        let _ = writeln!(text, "  blocks   {}", blocker.blocks_stage);
    }
    text
}

/// What our own rules find in the way, whatever the submission declares.
fn own_blockers(submission: &Checked<Submission>) -> &[Blocker] {
    submission.packages().first().map(|package| package.blockers()).unwrap_or_default()
}

fn own_findings(submission: &Checked<Submission>) -> impl Iterator<Item = &Finding> {
    submission.packages().iter().flat_map(|package| package.findings())
}

/// What a reviewer asks first of a new version.
fn difference(before: &Checked<Submission>, after: &Checked<Submission>) -> String {
    let (old, new) = (before.basis().package(), after.basis().package());
    let mut text = format!("{} {} -> {} {}\n", old.id, old.version, new.id, new.version);
    for change in changes::between(before, after) {
        push_change(&mut text, &change);
    }
    let gates: Vec<String> =
        Gate::ALL.iter().map(|gate| format!("{gate} {}", GateStatuses::<Evidenced>::now().word(*gate))).collect();
    let _ = writeln!(text, "gates unchanged: {}", gates.join(", "));
    text
}

fn push_change(text: &mut String, change: &Change) {
    let Change { what, name, .. } = change;
    let _ = match &change.how {
        How::Added(detail) | How::Removed(detail) => {
            let line = Safe(&format!("{name}  {detail}")).to_string();
            writeln!(text, "{} {what} {}", change.how.sign(), line.trim_end())
        }
        How::Changed { was, now } => {
            writeln!(
                text,
                "{} {what} {}\n    was  {}\n    now  {}",
                change.how.sign(),
                Safe(name),
                Safe(was),
                Safe(now)
            )
        }
    };
}
