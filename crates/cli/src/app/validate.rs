//! `svc app validate`: checks manifests and artifacts, told apart by what they say they are, never by file name.

use svc_core::{
    artifact::{index, table},
    finding::Finding,
    pack,
    strict_json::tree,
};

use super::{check, make};
use crate::{
    failure::Failure,
    files::read::{Input, read_bounded},
    package,
    report::{Deny, Document, Report},
};

/// Runs the command.
pub(crate) fn run(inputs: &[Input], deny: Deny) -> Result<Report, Failure> {
    let mut report = Report { deny, ..Report::default() };
    for input in inputs {
        let bytes = read_bounded(input, index::SPEC.most_bytes as u64);
        let bytes = bytes.map_err(|error| Failure::reading(&input.label(), &error))?;
        look_at(&mut report, input, bytes);
    }
    Ok(report)
}

fn look_at(report: &mut Report, input: &Input, bytes: Vec<u8>) {
    let label = input.label();
    let kind = match tree::read(&bytes) {
        Ok(document) => document.root.get("kind").map(|kind| kind.as_str().unwrap_or_default().to_owned()),
        Err(faults) => {
            let findings = faults.iter().map(Finding::of_fault).collect();
            return report.documents.push(Document::new(label, bytes, findings));
        }
    };
    match kind.as_deref().map(table::find) {
        Some(Some(spec)) => check::look_at(report, spec, label, bytes),
        Some(None) => report.documents.push(Document::new(label, bytes, vec![make::unknown_kind()])),
        None => {
            let findings = manifest_findings(input, &bytes);
            report.documents.push(Document::new(label, bytes, findings));
        }
    }
}

fn manifest_findings(input: &Input, bytes: &[u8]) -> Vec<Finding> {
    match pack::read_manifest(bytes) {
        Ok(draft) => {
            let walked = package::walk(&package::root_of(input), &draft, &[]);
            draft.review(walked, None).findings
        }
        Err(findings) => findings,
    }
}
