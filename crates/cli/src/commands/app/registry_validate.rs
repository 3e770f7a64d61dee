//! Every `svc app registry-…-validate`, and `registry-validate`: one for each row of the artifact table that has a check.

use clap::{ArgMatches, Command};
use svc_core::words::kind::{self, ArtifactSpec, CheckCommand};

use crate::{
    arguments,
    artifact_files::read_artifact,
    failure::Failure,
    report::{Action, ArtifactLine, ReportedDocument, RunReport},
    scope::Scope,
};

pub(crate) fn command(check: CheckCommand) -> Command {
    Command::new(check.name).about(check.about).arg(arguments::input()).args(arguments::deny())
}

pub(crate) fn run(name: &str, matches: &ArgMatches) -> Result<RunReport, Failure> {
    let mut report = RunReport { deny: arguments::given_deny(matches)?, ..RunReport::default() };
    let spec = kind::ALL.iter().find(|spec| spec.check.is_some_and(|check| check.name == name));
    let Some(spec) = spec else { return Ok(report) };
    for input in arguments::given_artifacts(matches, spec)? {
        let bytes = read_artifact(&input, spec)?;
        look_at(&mut report, spec, input.label(), bytes);
    }
    Ok(report)
}

/// Checks a document and notes what was found.
pub(crate) fn look_at(report: &mut RunReport, spec: &'static ArtifactSpec, label: String, bytes: Vec<u8>) {
    match svc_core::read::verify(spec.artifact, &bytes) {
        Ok(artifact) => {
            let scope = Scope::of_artifact(artifact.checked.packages());
            report.scope.add(scope.with_rules_of(artifact.checked.has_own_rules()));
            report.artifacts.push(ArtifactLine::new(Action::Checked, label.clone(), spec, artifact.checked.digest()));
            report.documents.push(ReportedDocument::new(label, bytes, artifact.warnings));
        }
        Err(findings) => {
            report.scope.add(Scope::of_broken_artifact());
            report.documents.push(ReportedDocument::new(label, bytes, findings));
        }
    }
}
