//! JUnit XML: the steps and the groups of rules as cases, so that a run without findings is not an empty report.

use std::fmt::Write as _;

use svc_core::{
    rules,
    words::{rule::Rule, severity::Severity},
};

use super::{escape::Safe, place::FindingPlace};
use crate::{
    failure::Failure,
    report::{RunReport, StepResult},
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

/// How many cases ended in which way.
#[derive(Default)]
pub(super) struct CaseCounts {
    tests: usize,
    failures: usize,
    errors: usize,
    skipped: usize,
}

/// The report as XML.
pub(crate) fn render(report: &RunReport) -> String {
    let mut cases = String::new();
    let mut counts = CaseCounts::default();
    for step in &report.steps {
        let inside = match step.result {
            StepResult::Passed => String::new(),
            StepResult::Failed => "<failure message=\"the step failed\"/>".to_owned(),
            StepResult::NotRun => "<skipped message=\"an earlier step failed\"/>".to_owned(),
        };
        push_case(&mut cases, &mut counts, ("svc.steps", step.name), &inside);
    }
    for (name, group, of_packages) in GROUPS {
        let inside = group_result(report, group, *of_packages);
        push_case(&mut cases, &mut counts, ("svc.rules", name), &inside);
    }
    for stale in &report.stale {
        let inside = "<failure message=\"stale: run svc app preflight again\"/>";
        push_case(&mut cases, &mut counts, ("svc.bundle", &xml(&FindingPlace::of_file(stale).file)), inside);
    }
    suite(&counts, &cases)
}

/// A run that could not start.
pub(crate) fn render_failure(failure: &Failure) -> String {
    let mut cases = String::new();
    let mut counts = CaseCounts::default();
    let inside = format!("<error message=\"{}\"/>", xml(&failure.message));
    push_case(&mut cases, &mut counts, ("svc", "run"), &inside);
    suite(&counts, &cases)
}

pub(super) fn suite(counts: &CaseCounts, cases: &str) -> String {
    let CaseCounts { tests, failures, errors, skipped } = counts;
    let counts = format!("tests=\"{tests}\" failures=\"{failures}\" errors=\"{errors}\" skipped=\"{skipped}\"");
    format!(
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites {counts}>\n  <testsuite name=\"svc\" {counts}>\n{cases}  </testsuite>\n</testsuites>\n"
    )
}

pub(super) fn push_case(cases: &mut String, counts: &mut CaseCounts, (class, name): (&str, &str), inside: &str) {
    counts.tests += 1;
    counts.failures += usize::from(inside.starts_with("<failure"));
    counts.errors += usize::from(inside.starts_with("<error"));
    counts.skipped += usize::from(inside.starts_with("<skipped"));
    let _ = match inside {
        "" => writeln!(cases, "    <testcase classname=\"{class}\" name=\"{name}\"/>"),
        _ => writeln!(cases, "    <testcase classname=\"{class}\" name=\"{name}\">{inside}</testcase>"),
    };
}

/// Errors, blockers and what was denied fail a group, in one element, as many readers take only one; other warnings are
/// told as output, and a group that nothing was held against is skipped.
fn group_result(report: &RunReport, group: &[&Rule], of_packages: bool) -> String {
    let (mut failed, mut failures, mut output) = (0, String::new(), String::new());
    for (document, finding) in report.located().filter(|(_, finding)| group.contains(&finding.rule)) {
        let fails = matches!(finding.severity(), Severity::Error | Severity::Blocker) || report.denies(finding);
        let lines = if fails { &mut failures } else { &mut output };
        failed += usize::from(fails);
        let place = FindingPlace::of(document, finding);
        let position = place.range.map(|(start, _)| format!(":{start}")).unwrap_or_default();
        let (severity, code) = (finding.severity(), finding.rule.code);
        let (file, message, help) = (xml(&place.file), xml(&finding.message), xml(&finding.help));
        let _ = writeln!(lines, "{file}{position}: {severity}[{code}] {message} ({help})");
    }
    let made = report.steps.iter().any(|step| step.result == StepResult::Passed);
    let held = report.documents.iter().any(|document| document.is_package == of_packages) || (made && !of_packages);
    if !failures.is_empty() {
        failures = format!("<failure message=\"{failed} finding(s)\">{failures}</failure>");
    }
    if !output.is_empty() {
        output = format!("<system-out>{output}</system-out>");
    }
    match failures + &output {
        inside if inside.is_empty() && !held => "<skipped message=\"nothing to hold it against\"/>".to_owned(),
        inside => inside,
    }
}

pub(super) fn xml(text: &str) -> String {
    let text = Safe(text).to_string();
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;").replace('\'', "&apos;")
}
