//! JUnit XML: the steps and the groups of rules as cases, so that a run without findings is not an empty report.

use std::fmt::Write as _;

use svc_core::rules::{self, Rule, Severity};

use super::{escape::Safe, place::Place};
use crate::{
    failure::Failure,
    report::{Report, StepResult},
};

const GROUPS: &[(&str, &[&Rule])] = &[
    ("syntax", rules::syntax::ALL),
    ("manifest", rules::manifest::ALL),
    ("files", rules::files::ALL),
    ("permissions", rules::permissions::ALL),
    ("listing", rules::listing::ALL),
    ("artifacts", rules::artifacts::ALL),
];

/// The report as XML.
pub(crate) fn render(report: &Report) -> String {
    let mut cases = String::new();
    let mut failures = 0;
    for step in &report.steps {
        let failed = step.result == StepResult::Failed;
        failures += usize::from(failed);
        let inside = match step.result {
            StepResult::Passed => String::new(),
            StepResult::Failed => "<failure message=\"the step failed\"/>".to_owned(),
            StepResult::NotRun => "<skipped message=\"an earlier step failed\"/>".to_owned(),
        };
        push_case(&mut cases, "svc.steps", step.name, &inside);
    }
    for (name, group) in GROUPS {
        let inside = group_failures(report, group);
        failures += usize::from(!inside.is_empty());
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

/// Errors and blockers fail a group; warnings are told as output.
fn group_failures(report: &Report, group: &[&Rule]) -> String {
    let mut failures = String::new();
    for (document, finding) in report.located().filter(|(_, finding)| group.contains(&finding.rule)) {
        if !matches!(finding.severity(), Severity::Error | Severity::Blocker) {
            continue;
        }
        let place = Place::of(document, finding);
        let position = place.range.map(|(start, _)| format!(":{start}")).unwrap_or_default();
        let _ = write!(
            failures,
            "<failure type=\"{}\" message=\"{}\">{}{position}: {}</failure>",
            finding.rule.code,
            xml(&finding.message),
            xml(&place.file),
            xml(&finding.help)
        );
    }
    failures
}

fn xml(text: &str) -> String {
    let text = Safe(text).to_string();
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;").replace('\'', "&apos;")
}
