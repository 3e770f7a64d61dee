//! The commands that check one artifact of a given kind.

use svc_core::artifact::table::ArtifactSpec;

use super::make::read_artifact;
use crate::{
    failure::Failure,
    files::read::Input,
    report::{Action, ArtifactLine, Deny, Document, Report},
};

/// Runs the command that checks an artifact of this kind.
pub(crate) fn run(spec: &'static ArtifactSpec, input: &Input, deny: Deny) -> Result<Report, Failure> {
    let mut report = Report { deny, ..Report::default() };
    let bytes = read_artifact(input, spec)?;
    look_at(&mut report, spec, input.label(), bytes);
    Ok(report)
}

/// Checks a document and notes what was found.
pub(crate) fn look_at(report: &mut Report, spec: &'static ArtifactSpec, label: String, bytes: Vec<u8>) {
    match (spec.verify)(&bytes) {
        Ok(artifact) => {
            report.artifacts.push(ArtifactLine::new(Action::Checked, label.clone(), &artifact));
            report.documents.push(Document::new(label, bytes, artifact.warnings));
        }
        Err(findings) => report.documents.push(Document::new(label, bytes, findings)),
    }
}
