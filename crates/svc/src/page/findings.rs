//! What our own rules found, with source lines where the folder of the package has them.

use svc_core::{
    artifact::{about_package::AboutPackage as _, checked::Checked, submission::Submission},
    finding::Finding,
    findings::Findings,
    manifest,
    review::report::fitting,
    words::{kind, severity::Severity},
};
use svc_json::tree;

use super::{
    model::{ExcerptRow, FindingList, FindingRow},
    package_files::PackageFiles,
    text::{counted, cut, shown},
};
use crate::{
    output::{
        excerpt::{self, Excerpt},
        remarks,
    },
    report::{Located, ReportedDocument},
};

/// The most findings that are shown, of each rule some.
const MOST_FINDINGS: usize = 100;

pub(super) fn build(submission: &Checked<Submission>, package: Option<PackageFiles>) -> FindingList {
    let mut found = Findings::of_package();
    submission.packages().iter().for_each(|package| found.append(package.findings().clone()));
    let has_package = package.is_some();
    let document = document(submission, found, package);
    let mut all: Vec<Located<'_>> = document.findings.iter().map(|finding| (&document, finding)).collect();
    all.sort_by_key(|(_, finding)| finding.severity());
    let rows = fitting(all.clone(), MOST_FINDINGS, |(_, finding)| &finding.rule.code);
    let excerpts = if has_package { excerpt::excerpts(&rows) } else { Vec::new() };
    let left_out = remarks::left_out(all.iter().map(|(_, one)| *one), rows.iter().map(|(_, one)| *one));
    let mut excerpts = excerpts.into_iter();
    let total = document.findings.total();
    FindingList {
        counts: counts(&document.findings),
        left_out: (rows.len() < total).then(|| {
            let more = counted(total - rows.len(), "more finding", "more findings");
            if document.findings.is_truncated() { more } else { format!("{more}: {left_out}") }
        }),
        total,
        lines: lines(has_package, total),
        rows: rows.iter().map(|located| row(located, excerpts.next().flatten())).collect(),
    }
}

fn lines(has_package: bool, total: usize) -> Option<String> {
    let why = if has_package {
        "A line is shown when its file in the folder is that of the bundle and holds no secret."
    } else {
        "Files were not looked at, so no source line is shown."
    };
    (total > 0).then(|| why.to_owned())
}

/// The document that the findings are about: the manifest on disk where that is the bundle's, with the files beside it; else
/// the submission, of which no line is shown.
fn document(submission: &Checked<Submission>, mut found: Findings, package: Option<PackageFiles>) -> ReportedDocument {
    let Some(package) = package else {
        return ReportedDocument::new(kind::SUBMISSION.file.to_owned(), submission.to_file(), found);
    };
    let files = submission.basis().package_artifact.files.iter();
    let digests = files.map(|file| (file.path.to_string(), file.digest)).collect();
    let (label, manifest, source) = package.into_parts();
    let bytes = manifest.unwrap_or_default();
    if let Ok(document) = tree::read(&bytes) {
        // A member that is missing has no line: that of the object which lacks it shows nothing.
        let stands = |finding: &&mut Finding| document.root.at(&finding.pointer).is_some();
        found.listed_mut().iter_mut().filter(stands).for_each(|finding| finding.locate(&document.root));
    }
    ReportedDocument::package(label, bytes, found, source).only_with(digests)
}

fn row((document, finding): &Located<'_>, excerpt: Option<Excerpt>) -> FindingRow {
    FindingRow {
        code: finding.rule.code.to_string(),
        excerpt: excerpt.map(excerpt_row),
        help: shown(&finding.help),
        message: shown(&remarks::message(finding)),
        place: place(document, finding),
        severity: finding.severity(),
    }
}

/// The file with line and column, or the pointer into the manifest: paths of the package, never of the machine.
fn place(document: &ReportedDocument, finding: &Finding) -> String {
    let text = if document.is_package { document.text() } else { None };
    let in_manifest = text.zip(finding.span).map(|(text, span)| text.position(span.start));
    let position = finding.position.or(in_manifest.filter(|_| finding.file.is_none()));
    let at = position.map(|position| format!(":{}:{}", position.line, position.column)).unwrap_or_default();
    match &finding.file {
        Some(file) => format!("{}{at}", shown(file)),
        None => format!("{}{at} {}", manifest::FILE_NAME, shown(finding.pointer.as_str())).trim_end().to_owned(),
    }
}

fn excerpt_row(excerpt: Excerpt) -> ExcerptRow {
    let part = |range: std::ops::Range<usize>| cut(excerpt.line.get(range).unwrap_or_default(), 400);
    ExcerptRow {
        after: part(excerpt.marked.end..excerpt.line.len()),
        before: part(0..excerpt.marked.start),
        line: excerpt.range.0.line,
        marked: part(excerpt.marked.clone()),
    }
}

fn counts(findings: &Findings) -> String {
    let words = Severity::ALL.iter().filter_map(|severity| {
        let number = findings.classes().filter(|(class, _)| class.severity == *severity).map(|(_, count)| count).sum();
        (number > 0).then(|| counted(number, severity.as_str(), &format!("{severity}s")))
    });
    let words: Vec<String> = words.collect();
    if words.is_empty() { "none".to_owned() } else { words.join(", ") }
}
