//! `svc app plan`: what stands between a submission and the next stage: the author's own first, then the gates.

use std::fmt::Write as _;

use clap::{ArgMatches, Command};
use serde::Serialize;
use svc_cli::{
    arguments,
    failure::Failure,
    files::read::Input,
    output::{escape::Safe, format::Format},
    scope::Scope,
};
use svc_core::{
    artifact::{about_package::AboutPackage as _, checked::Checked, submission::Submission},
    diagnostics::RunScope,
    finding::Finding,
    review::blocker::Blocker,
    scalar::ident::PackageRef,
    words::{kind, review_depth::ReviewDepth, severity::Severity},
};
use svc_json::{printable, tree};

use super::inspect::InspectedPackage;
use crate::{
    artifact_files::read_artifact,
    output::{show::CommandOutput, uses},
    package_arguments,
    report::{Action, ArtifactLine, ReportedDocument, RunReport},
};
use svc_cli::rules::rules;

pub(crate) fn command() -> Command {
    Command::new("plan")
        .about("Tell what a package lacks for the next stage, and who clears it")
        .arg(arguments::input().value_name("BUNDLE|SUBMISSION"))
}

pub(crate) fn run(matches: &ArgMatches, format: Format) -> Result<CommandOutput, Failure> {
    let mut report = RunReport::default();
    let mut text = String::new();
    for input in package_arguments::given_artifacts(matches, &kind::SUBMISSION)? {
        let Some(submission) = read_submission(&mut report, &input)? else { continue };
        text.push_str(&if format == Format::Json { in_json(&submission, &report) } else { plan(&submission) });
    }
    Ok(if text.is_empty() { CommandOutput::Report(report) } else { CommandOutput::Text(report, text) })
}

/// A plan, as programs read it: blockers without a gate are the author's.
#[derive(Serialize)]
struct Plan<'a> {
    package: InspectedPackage<'a>,
    scope: RunScope<'a>,
}

fn in_json(submission: &Checked<Submission>, report: &RunReport) -> String {
    let manifest = tree::from_value(&submission.basis().package_artifact.manifest).ok();
    let uses = manifest.and_then(|manifest| uses::of_artifact(&manifest, Some(&submission.basis().report.facts)));
    let Some(package) = submission.packages().first() else { return String::new() };
    let plan = Plan { package: InspectedPackage::new(package, uses), scope: report.scope.to_report() };
    String::from_utf8_lossy(&printable::pretty(&plan)).into_owned()
}

/// The submission, or what is wrong with it in the report.
pub(super) fn read_submission(report: &mut RunReport, input: &Input) -> Result<Option<Checked<Submission>>, Failure> {
    let bytes = read_artifact(input, &kind::SUBMISSION)?;
    match svc_core::read::artifact::<Submission>(rules(), &bytes) {
        Ok(submission) => {
            report.scope.add(Scope::of_artifact(submission.packages()).with_rules_of(submission.has_own_rules()));
            let digest = submission.digest_matches().digest();
            report.artifacts.push(ArtifactLine::new(Action::Checked, input.label(), &kind::SUBMISSION, digest));
            Ok(Some(submission))
        }
        Err(findings) => {
            report.scope.add(Scope::of_broken_artifact());
            report.documents.push(ReportedDocument::new(input.label(), bytes, findings));
            Ok(None)
        }
    }
}

fn plan(submission: &Checked<Submission>) -> String {
    let PackageRef { id, version } = submission.basis().package();
    let mut text = format!("{id} {version}\n");
    if let Some(package) = submission.packages().first() {
        let reviewed = ReviewDepth::from(package.reviewed());
        let _ = writeln!(text, "reviewed {reviewed}: {}", reviewed.meaning());
    }
    let basis = submission.basis();
    if let Ok(manifest) = tree::from_value(&basis.package_artifact.manifest) {
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
    for finding in own_findings(submission).filter(|finding| finding.severity() == Severity::Warning) {
        let _ = writeln!(text, "\n{}  worth correcting by the author", finding.rule.code);
        let _ = writeln!(text, "  what     {}\n  do       {}", Safe(&finding.message), Safe(&finding.help));
        text.push_str("  blocks   nothing\n");
    }
    if !own_findings(submission).any(|finding| finding.severity() != Severity::Note) {
        text.push_str("\nNothing is left for the author to do. What follows is cleared by others.\n");
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
