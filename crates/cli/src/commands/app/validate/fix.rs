//! `svc app validate --fix`: mends what has exactly one sure mend.
//!
//! A misspelt member or word is replaced by the one that was meant; an artifact in another layout is written as svc
//! writes it. A change that would make the document worse is not made.

use std::{fmt::Write as _, path::PathBuf};

use svc_core::{
    finding::{self, Finding},
    pack,
    rules::artifacts,
    words::kind,
};
use svc_json::tree;

use crate::{
    failure::Failure,
    files::{read::Input, write::write_atomic},
    output::escape::Safe,
    report::{ReportedDocument, RunReport},
};

/// A document that can be mended.
#[derive(Debug)]
pub(crate) struct DocumentFix {
    path: PathBuf,
    label: String,
    before: Vec<u8>,
    after: Vec<u8>,
    mends: usize,
}

/// The changes that would mend the documents of a report.
pub(crate) fn plan(inputs: &[Input], report: &RunReport) -> Vec<DocumentFix> {
    let paths = inputs.iter().filter_map(|input| match input {
        Input::Stdin => None,
        Input::Path(path) => Some((path.clone(), input.label())),
    });
    let changes = paths.filter_map(|(path, label)| {
        let document = report.documents.iter().find(|document| document.label == label)?;
        let (after, mends) = mended(document)?;
        Some(DocumentFix { path, label, before: document.bytes.clone(), after, mends })
    });
    changes.collect()
}

/// The changes as a diff of lines.
pub(crate) fn describe(changes: &[DocumentFix]) -> String {
    if changes.is_empty() {
        return "nothing to correct\n".to_owned();
    }
    let mut text = String::new();
    for change in changes {
        let _ = writeln!(text, "--- {0}\n+++ {0}", Safe(&change.label));
        let (before, after) = (String::from_utf8_lossy(&change.before), String::from_utf8_lossy(&change.after));
        if before.lines().count() == after.lines().count() {
            let lines = before.lines().zip(after.lines()).enumerate();
            for (number, (old, new)) in lines.filter(|(_, (old, new))| old != new) {
                let _ = writeln!(text, "@@ line {} @@\n-{}\n+{}", number + 1, Safe(old), Safe(new));
            }
        } else {
            let _ = writeln!(text, "@@ the whole file, in the canonical layout @@");
        }
    }
    text
}

/// Writes the changes and tells what was done.
pub(crate) fn apply(changes: &[DocumentFix]) -> Result<String, Failure> {
    let mut told = String::new();
    for change in changes {
        write_atomic(&change.path, &change.after).map_err(|error| Failure::writing(&change.label, &error))?;
        let _ = writeln!(told, "mended    {}  {} place(s)", Safe(&change.label), change.mends);
    }
    Ok(told)
}

fn mended(document: &ReportedDocument) -> Option<(Vec<u8>, usize)> {
    let relaid = document.findings.iter().any(|finding| *finding.rule == artifacts::B009);
    if relaid {
        let parsed = tree::read(&document.bytes).ok()?;
        let spec = kind::find(parsed.root.get("kind")?.as_str()?)?;
        return Some((svc_core::read::any(spec.artifact, &document.bytes).ok()?.to_file(), 1));
    }
    let text = std::str::from_utf8(&document.bytes).ok()?;
    let mut mends: Vec<(&Finding, &str)> =
        document.findings.iter().filter_map(|finding| Some((finding, finding.fix.as_deref()?))).collect();
    // From the end, so that earlier places stay where they are.
    mends.sort_by_key(|(finding, _)| std::cmp::Reverse(finding.span.map(|span| span.start)));
    let mut after = text.to_owned();
    for (finding, replacement) in &mends {
        let span = finding.span?;
        after.replace_range(span.start..span.end, replacement);
    }
    (!mends.is_empty() && !is_worse(document, after.as_bytes())).then(|| (after.into_bytes(), mends.len()))
}

/// Whether a mended manifest has more shape errors than before, as when two members become one.
fn is_worse(document: &ReportedDocument, after: &[u8]) -> bool {
    let errors = |bytes: &[u8]| match pack::read_manifest(bytes) {
        Ok(draft) => draft.shape_findings().iter().filter(|finding| is_error(finding)).count(),
        Err(findings) => findings.len() + 1,
    };
    errors(after) > errors(&document.bytes)
}

fn is_error(finding: &Finding) -> bool {
    finding::has_errors(std::slice::from_ref(finding))
}
