//! Workflow commands that a CI service turns into annotations, and a summary of the step.

use std::fmt::Write as _;

use svc_cli::{failure::Failure, output::escape::Safe};
use svc_core::{
    finding::Finding,
    review::report::fitting,
    words::{gate::Gate, severity::Severity},
};

use super::{markdown, place::FindingPlace, remarks};
use crate::report::{Located, RunReport};

/// The service shows this many annotations of a level in one step and drops the rest. Of each rule some are among
/// them.
pub(super) const MAX_PER_LEVEL: usize = 10;

/// Rows of the summary, of each rule some; a service takes a megabyte.
const MAX_IN_SUMMARY: usize = 500;

pub(crate) fn annotations(report: &RunReport) -> String {
    let mut text = String::new();
    for level in ["error", "warning", "notice"] {
        let mut all = report.located();
        all.retain(|(_, finding)| level_of(report, finding) == level);
        let shown = fitting(all.clone(), MAX_PER_LEVEL, |(_, finding)| &finding.rule.code);
        for (document, finding) in &shown {
            let place = FindingPlace::new(document, finding);
            let range = place.range.map(|(start, end)| {
                format!(",line={},col={},endLine={},endColumn={}", start.line, start.column, end.line, end.column)
            });
            let _ = writeln!(
                text,
                "::{level} file={}{},title={}::{} ({})",
                property(&place.file),
                range.unwrap_or_default(),
                property(&finding.rule.code),
                data(&remarks::message(finding)),
                data(&finding.help)
            );
        }
        if all.len() > shown.len() {
            let (more, of) = (all.len() - shown.len(), left_out(&all, &shown));
            let _ = writeln!(
                text,
                "::notice::and {more} more of level {level} ({of}); see the job's log or the SARIF report"
            );
        }
    }
    text.extend(remarks::unlisted(report.unlisted()).map(|more| format!("::notice::{more}\n")));
    for stale in &report.stale {
        let _ = writeln!(
            text,
            "::error file={}::stale: run svc app preflight again",
            property(&FindingPlace::of_file(stale).file)
        );
    }
    if !report.scope.is_empty() {
        let valid = if report.is_valid() { "yes" } else { "no" };
        let _ = writeln!(text, "::notice title=svc::valid: {valid}; {}", data(&report.scope.in_one_line()));
    }
    text
}

/// A run that could not start.
pub(crate) fn failure(failure: &Failure) -> String {
    let help = failure.help.as_ref().map(|help| format!("%0Ahelp: {}", data(help))).unwrap_or_default();
    format!("::error::{}{help}\n", data(&failure.message))
}

/// The summary of the step, in Markdown.
pub(crate) fn summary(report: &RunReport) -> String {
    let mut text = format!("### svc: valid {}\n\n", if report.is_valid() { "yes" } else { "no" });
    let _ = writeln!(text, "{}\n", report.scope.in_one_line());
    for package in &report.packages {
        let _ = writeln!(text, "Package `{} {}`, artifact `{}`\n", package.id, package.version, package.digest);
    }
    let all = report.located();
    if !all.is_empty() {
        let shown = fitting(all.clone(), MAX_IN_SUMMARY, |(_, finding)| &finding.rule.code);
        text.push_str("| severity | place | rule | finding |\n|---|---|---|---|\n");
        for (document, finding) in &shown {
            let place = FindingPlace::new(document, finding);
            let line = place.range.map(|(start, _)| format!(":{}", start.line)).unwrap_or_default();
            let (severity, code) = (finding.severity(), &finding.rule.code);
            let message = cell(&remarks::message(finding));
            let _ = writeln!(text, "| {severity} | {} | {code} | {message} |", cell(&format!("{}{line}", place.file)));
        }
        if all.len() > shown.len() {
            let (more, of) = (all.len() - shown.len(), left_out(&all, &shown));
            let _ = writeln!(text, "\nand {more} more: {of}");
        }
        text.extend(remarks::unlisted(report.unlisted()).map(|more| format!("\n{more}\n")));
        text.push('\n');
    }
    text.push_str("Outcome: accepted no, signed no, installable no. Gates:\n\n");
    for gate in Gate::ALL {
        let _ = writeln!(text, "- {gate}: {}", report.gates().word(*gate));
    }
    text
}

fn left_out(all: &[Located<'_>], shown: &[Located<'_>]) -> String {
    remarks::left_out(all.iter().map(|(_, one)| *one), shown.iter().map(|(_, one)| *one))
}

/// What fails the run is an error, also where only the one who runs it says so.
fn level_of(report: &RunReport, finding: &Finding) -> &'static str {
    match finding.severity() {
        _ if report.denies(finding) => "error",
        Severity::Error => "error",
        Severity::Blocker | Severity::Warning => "warning",
        Severity::Note => "notice",
    }
}

/// The escapes that workflow commands ask for.
pub(super) fn data(text: &str) -> String {
    Safe(text).to_string().replace('%', "%25").replace('\r', "%0D").replace('\n', "%0A")
}

pub(super) fn property(text: &str) -> String {
    data(text).replace(':', "%3A").replace(',', "%2C")
}

/// A foreign text in a cell of a table: a code span, in which no renderer looks for names, links or emphasis.
pub(super) fn cell(text: &str) -> String {
    markdown::code(&Safe(text).to_string())
}

/// The CI service names a file for the summary; without one there is nothing to append to.
pub(super) fn append_step_summary(summary: &str) {
    use std::io::Write as _;

    let Some(path) = std::env::var_os("GITHUB_STEP_SUMMARY").filter(|path| !path.is_empty()) else { return };
    let file = std::fs::OpenOptions::new().append(true).create(true).open(path);
    let _ = file.and_then(|mut file| file.write_all(summary.as_bytes()));
}
