//! Every `svc app registry-…-validate`, and `registry-validate`: one for each row of the artifact table that has a check.

use clap::{ArgMatches, Command};
use svc_cli::{arguments, failure::Failure, scope::Scope};
use svc_core::{
    artifact::checked::ReviewedPackage,
    finding::Finding,
    scalar::ident::PackageRef,
    words::{
        kind::{self, ArtifactSpec, CheckCommand},
        review_depth::ClaimedDepth,
    },
};

use crate::{
    artifact_files::read_artifact,
    package_arguments,
    report::{Action, ArtifactLine, Deny, Judged, ReportedDocument, RunReport},
};
use svc_cli::rules::rules;

pub(crate) fn command(check: CheckCommand) -> Command {
    Command::new(check.name).about(check.about).arg(arguments::input()).args(package_arguments::deny())
}

pub(crate) fn run(name: &str, matches: &ArgMatches) -> Result<RunReport, Failure> {
    let mut report = RunReport { deny: package_arguments::given_deny(matches)?, ..RunReport::default() };
    let spec = kind::ALL.iter().find(|spec| spec.check.is_some_and(|check| check.name == name));
    let Some(spec) = spec else { return Ok(report) };
    for input in package_arguments::given_artifacts(matches, spec)? {
        let bytes = read_artifact(&input, spec)?;
        look_at(&mut report, spec, input.label(), bytes);
    }
    require_judged(&report)?;
    Ok(report)
}

/// Refuses to pass what was denied where no document has what it takes to find it.
pub(crate) fn require_judged(report: &RunReport) -> Result<(), Failure> {
    if report.deny.is_empty() || !report.is_valid() || report.judged != Judged::Nothing {
        return Ok(());
    }
    let message =
        "`--deny`, `--deny-blockers` and `--deny-warnings` need a package or a report, and no document carries one";
    Err(Failure::usage(message, "check the package or its submission instead, or leave the option out"))
}

/// Checks a document and notes what was found.
pub(crate) fn look_at(report: &mut RunReport, spec: &'static ArtifactSpec, label: String, bytes: Vec<u8>) {
    match svc_core::read::verify(rules(), spec.artifact, &bytes) {
        Ok(artifact) => {
            let scope = Scope::of_artifact(artifact.checked.packages());
            report.scope.add(scope.with_rules_of(artifact.checked.has_own_rules()));
            report.artifacts.push(ArtifactLine::new(Action::Checked, label.clone(), spec, artifact.checked.digest()));
            let mut findings = artifact.warnings;
            if !report.deny.is_empty() {
                findings.extend(denied(&report.deny, artifact.checked.packages()));
            }
            let has_facts = artifact.checked.packages().iter().any(|one| one.reviewed() == ClaimedDepth::AsClaimed);
            report.judged = report.judged.max(if has_facts { Judged::Reports } else { Judged::Nothing });
            report.documents.push(ReportedDocument::new(label, bytes, findings));
        }
        Err(findings) => {
            report.scope.add(Scope::of_broken_artifact());
            report.documents.push(ReportedDocument::new(label, bytes, findings));
        }
    }
}

/// The findings about the packages of an artifact that are denied. Those of an index are in its entries.
fn denied(deny: &Deny, packages: &[ReviewedPackage]) -> Vec<Finding> {
    let mut denied = Vec::new();
    for package in packages {
        let found = package.findings().iter().filter(|finding| deny.denies(finding));
        for finding in found {
            let mut finding = finding.clone();
            let PackageRef { id, version } = package.package();
            finding.message = format!("{id} {version}: {}", finding.message);
            // Those places are in the manifest, not in this document.
            (finding.span, finding.related, finding.fix) = (None, None, None);
            denied.push(finding);
        }
    }
    denied
}
