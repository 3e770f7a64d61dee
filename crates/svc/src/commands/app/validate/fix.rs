//! `svc app validate --fix`: fixes what has exactly one suggested fix.
//!
//! A misspelt member or word is replaced by the one that was meant, a member that can say one thing only is added, what
//! stands twice is taken out; an artifact in another layout is written as svc writes it. A change that would make the document worse is not made.

use std::{fmt::Write as _, path::PathBuf};

use svc_cli::{
    failure::Failure,
    files::{read::Input, write::write_atomic},
    output::escape::Safe,
};
use svc_core::words::rule_code::RuleCode;
use svc_core::{
    finding::Finding,
    fix::Edit,
    pack,
    words::{kind, severity::Severity},
};
use svc_json::tree;

use crate::report::{ReportedDocument, RunReport};
use svc_cli::rules::rules;

/// A document that can be fixed.
#[derive(Debug)]
pub(crate) struct DocumentFix {
    path: PathBuf,
    label: String,
    before: Vec<u8>,
    after: Vec<u8>,
    fixes: usize,
    relaid: bool,
}

/// The changes that would fix the documents of a report.
pub(crate) fn plan(inputs: &[Input], report: &RunReport) -> Vec<DocumentFix> {
    let paths = inputs.iter().filter_map(|input| match input {
        Input::Stdin => None,
        Input::Path(path) => Some((path.clone(), input.label())),
    });
    let changes = paths.filter_map(|(path, label)| {
        let document = report.documents.iter().find(|document| document.label == label)?;
        let before = document.bytes.clone();
        if is_in_another_layout(document) {
            return Some(DocumentFix { path, label, before, after: relaid(document)?, fixes: 1, relaid: true });
        }
        let (after, fixes) = fixed(document)?;
        Some(DocumentFix { path, label, before, after, fixes, relaid: false })
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
        if change.relaid {
            let _ = writeln!(text, "@@ the whole file, in the canonical layout @@");
        } else {
            describe_lines(&mut text, &before.lines().collect::<Vec<_>>(), &after.lines().collect::<Vec<_>>());
        }
    }
    text
}

/// The lines that differ. Fixes are few and small: behind each, the nearest line that both texts have is looked for.
fn describe_lines(text: &mut String, before: &[&str], after: &[&str]) {
    let (mut old, mut new) = (0, 0);
    while old < before.len() || new < after.len() {
        let (removed, added) = change_at(before.get(old..).unwrap_or_default(), after.get(new..).unwrap_or_default());
        if removed + added == 0 {
            (old, new) = (old + 1, new + 1);
            continue;
        }
        let _ = writeln!(text, "@@ line {} @@", old + 1);
        for line in before.iter().skip(old).take(removed) {
            let _ = writeln!(text, "-{}", Safe(line));
        }
        for line in after.iter().skip(new).take(added) {
            let _ = writeln!(text, "+{}", Safe(line));
        }
        (old, new) = (old + removed, new + added);
    }
}

/// How many lines of each text come before the first that they share.
fn change_at(before: &[&str], after: &[&str]) -> (usize, usize) {
    let shared = |removed: usize, added: usize| before.get(removed) == after.get(added);
    let nearest = (0..=before.len() + after.len())
        .flat_map(|lines| (0..=lines).map(move |added| (lines - added, added)))
        .filter(|(removed, added)| *removed <= before.len() && *added <= after.len())
        .find(|(removed, added)| shared(*removed, *added));
    nearest.unwrap_or((before.len(), after.len()))
}

/// Writes the changes and tells what was done.
pub(crate) fn apply(changes: &[DocumentFix]) -> Result<String, Failure> {
    let mut told = String::new();
    for change in changes {
        write_atomic(&change.path, &change.after).map_err(|error| Failure::writing(&change.label, &error))?;
        let _ = writeln!(told, "mended    {}  {} place(s)", Safe(&change.label), change.fixes);
    }
    Ok(told)
}

fn is_in_another_layout(document: &ReportedDocument) -> bool {
    document.findings.iter().any(|finding| finding.rule.is(RuleCode::B009))
}

fn relaid(document: &ReportedDocument) -> Option<Vec<u8>> {
    let parsed = tree::read(&document.bytes).ok()?;
    let spec = kind::find(parsed.root.get("kind")?.as_str()?)?;
    Some(svc_core::read::any(rules(), spec.artifact, &document.bytes).ok()?.to_file())
}

fn fixed(document: &ReportedDocument) -> Option<(Vec<u8>, usize)> {
    let text = std::str::from_utf8(&document.bytes).ok()?;
    let mut edits: Vec<Edit> = document.findings.iter().filter_map(|finding| finding.edit(text)).collect();
    // From the end, so that earlier places stay where they are.
    edits.sort_by_key(|edit| std::cmp::Reverse((edit.span.start, edit.span.end)));
    let mut after = text.to_owned();
    for edit in &edits {
        after.replace_range(edit.span.start..edit.span.end, &edit.text);
    }
    (!edits.is_empty() && !is_worse(document, after.as_bytes())).then(|| (after.into_bytes(), edits.len()))
}

/// Whether a fixed manifest has more shape errors than before, as when two members become one.
fn is_worse(document: &ReportedDocument, after: &[u8]) -> bool {
    let errors = |bytes: &[u8]| match pack::read_manifest(rules(), bytes) {
        Ok(draft) => draft.shape_findings().iter().filter(|finding| is_error(finding)).count(),
        Err(findings) => findings.len() + 1,
    };
    errors(after) > errors(&document.bytes)
}

fn is_error(finding: &Finding) -> bool {
    finding.severity() == Severity::Error
}
