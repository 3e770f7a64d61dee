//! JUnit XML: the steps and the groups of rules as cases, so that a run without findings is not an empty report.

use std::fmt::Write as _;

use svc_core::rules::{self, Rule, Severity};

use super::{escape::Safe, place::Place};
use crate::{
    failure::Failure,
    report::{Report, StepResult},
};

/// A group of rules and whether it speaks of packages or of artifacts.
const GROUPS: &[(&str, &[&Rule], bool)] = &[
    ("syntax", rules::syntax::ALL, true),
    ("manifest", rules::manifest::ALL, true),
    ("files", rules::files::ALL, true),
    ("permissions", rules::permissions::ALL, true),
    ("listing", rules::listing::ALL, true),
    ("artifacts", rules::artifacts::ALL, false),
];

/// The report as XML.
pub(crate) fn render(report: &Report) -> String {
    let mut cases = String::new();
    let mut failures = 0;
    for step in &report.steps {
        failures += usize::from(step.result == StepResult::Failed);
        let inside = match step.result {
            StepResult::Passed => String::new(),
            StepResult::Failed => "<failure message=\"the step failed\"/>".to_owned(),
            StepResult::NotRun => "<skipped message=\"an earlier step failed\"/>".to_owned(),
        };
        push_case(&mut cases, "svc.steps", step.name, &inside);
    }
    for (name, group, of_packages) in GROUPS {
        let (failed, inside) = group_result(report, group, *of_packages);
        failures += usize::from(failed);
        push_case(&mut cases, "svc.rules", name, &inside);
    }
    suite(report.steps.len() + GROUPS.len(), failures, 0, &cases)
}

/// A run that could not start.
pub(crate) fn render_failure(failure: &Failure) -> String {
    let mut cases = String::new();
    push_case(&mut cases, "svc", "run", &format!("<error message=\"{}\"/>", xml(&failure.message)));
    suite(1, 0, 1, &cases)
}

fn suite(tests: usize, failures: usize, errors: usize, cases: &str) -> String {
    let counts = format!("tests=\"{tests}\" failures=\"{failures}\" errors=\"{errors}\"");
    format!(
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites {counts}>\n  <testsuite name=\"svc\" {counts}>\n{cases}  </testsuite>\n</testsuites>\n"
    )
}

fn push_case(cases: &mut String, class: &str, name: &str, inside: &str) {
    let _ = match inside {
        "" => writeln!(cases, "    <testcase classname=\"{class}\" name=\"{name}\"/>"),
        _ => writeln!(cases, "    <testcase classname=\"{class}\" name=\"{name}\">{inside}</testcase>"),
    };
}

/// Errors and blockers fail a group, warnings are told as output, and a group that nothing was held against is skipped.
fn group_result(report: &Report, group: &[&Rule], of_packages: bool) -> (bool, String) {
    let mut failures = String::new();
    let mut output = String::new();
    for (document, finding) in report.located().filter(|(_, finding)| group.contains(&finding.rule)) {
        let place = Place::of(document, finding);
        let position = place.range.map(|(start, _)| format!(":{start}")).unwrap_or_default();
        let (code, message, file) = (finding.rule.code, xml(&finding.message), xml(&place.file));
        let help = xml(&finding.help);
        let _ = match finding.severity() {
            Severity::Error | Severity::Blocker => {
                write!(failures, "<failure type=\"{code}\" message=\"{message}\">{file}{position}: {help}</failure>")
            }
            Severity::Warning | Severity::Note => writeln!(output, "{file}{position}: {code} {message}"),
        };
    }
    if !output.is_empty() {
        output = format!("<system-out>{output}</system-out>");
    }
    let held = report.documents.iter().any(|document| document.is_package == of_packages) || !failures.is_empty();
    if !held && output.is_empty() {
        output = "<skipped message=\"nothing to hold it against\"/>".to_owned();
    }
    (!failures.is_empty(), failures + &output)
}

fn xml(text: &str) -> String {
    let text = Safe(text).to_string();
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;").replace('\'', "&apos;")
}
