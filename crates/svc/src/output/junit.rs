//! JUnit XML: the steps and the groups of rules as cases, so that a run without findings is not an empty report.

use std::{fmt::Write as _, sync::Arc};

use svc_cli::{failure::Failure, output::escape::Safe};
use svc_core::{
    finding::Finding,
    findings::Class,
    words::{
        rule::{Needs, Rule},
        severity::Severity,
    },
};

use super::{place::FindingPlace, remarks};
use crate::report::{Located, ReportedDocument, RunReport, StepResult};
use svc_cli::rules::rules;

/// The families of rules in the order of the report, and whether they speak of packages or of artifacts.
const GROUPS: &[(&str, bool)] = &[
    ("syntax", true),
    ("manifest", true),
    ("files", true),
    ("permissions", true),
    ("listing", true),
    ("artifacts", false),
    (CHANGES, false),
];

/// Only a comparison of two versions has changes to tell.
const CHANGES: &str = "changes";

/// The rules of a group, where the report speaks of it.
fn reported(report: &RunReport, name: &str) -> Option<&'static [Arc<Rule>]> {
    let group = rules().families().find(|family| family.name == name)?.rules;
    (name != CHANGES || report.findings().any(|finding| group.contains(&finding.rule))).then_some(group)
}

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
    let located = report.located();
    for (name, of_packages) in GROUPS {
        let Some(group) = reported(report, name) else { continue };
        let found = located.iter().copied().filter(|(_, finding)| group.contains(&finding.rule));
        let (failed, told): (Vec<Located<'_>>, Vec<Located<'_>>) =
            found.partition(|(_, finding)| fails(report, finding));
        for (document, finding) in &failed {
            push_finding(&mut cases, &mut counts, name, document, finding);
        }
        let inside = group_result(report, group, (&failed, &told), *of_packages);
        push_case(&mut cases, &mut counts, ("svc.rules", name), &inside);
    }
    if let Some(more) = remarks::unlisted(report.unlisted()) {
        let inside = match report.unlisted().any(|(class, _)| class_fails(report, &class)) {
            true => format!("<failure message=\"{}\"/>", xml(&more)),
            false => format!("<system-out>{}</system-out>", xml(&more)),
        };
        push_case(&mut cases, &mut counts, ("svc.rules", "not listed"), &inside);
    }
    for stale in &report.stale {
        let inside = "<failure message=\"stale: run svc app preflight again\"/>";
        push_case(&mut cases, &mut counts, ("svc.bundle", &xml(&FindingPlace::of_file(stale).file)), inside);
    }
    suite(&counts, &properties(report), &cases)
}

/// What was checked, where readers of the format look for what is said of the whole run.
fn properties(report: &RunReport) -> String {
    let scope = xml(&report.scope.in_one_line());
    format!("    <properties><property name=\"svc.scope\" value=\"{scope}\"/></properties>\n")
}

/// A run that could not start.
pub(crate) fn render_failure(failure: &Failure) -> String {
    let mut cases = String::new();
    let mut counts = CaseCounts::default();
    let inside = match &failure.help {
        Some(help) => format!("<error message=\"{}\">help: {}</error>", xml(&failure.message), xml(help)),
        None => format!("<error message=\"{}\"/>", xml(&failure.message)),
    };
    push_case(&mut cases, &mut counts, ("svc", "run"), &inside);
    suite(&counts, "", &cases)
}

pub(super) fn suite(counts: &CaseCounts, properties: &str, cases: &str) -> String {
    let CaseCounts { tests, failures, errors, skipped } = counts;
    let counts = format!("tests=\"{tests}\" failures=\"{failures}\" errors=\"{errors}\" skipped=\"{skipped}\"");
    format!(
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites {counts}>\n  <testsuite name=\"svc\" {counts}>\n{properties}{cases}  </testsuite>\n</testsuites>\n"
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

/// Errors, blockers and what was denied.
fn fails(report: &RunReport, finding: &Finding) -> bool {
    matches!(finding.severity(), Severity::Error | Severity::Blocker) || report.denies(finding)
}

/// The same of findings that are counted and not listed.
fn class_fails(report: &RunReport, class: &Class<'_>) -> bool {
    matches!(class.severity, Severity::Error | Severity::Blocker) || report.deny.denies_class(class)
}

/// A finding that fails is a case of its own, with its file and line, under a name that stays when lines move.
fn push_finding(
    cases: &mut String,
    counts: &mut CaseCounts,
    group: &str,
    document: &ReportedDocument,
    finding: &Finding,
) {
    counts.tests += 1;
    counts.failures += 1;
    let place = FindingPlace::new(document, finding);
    let line = place.range.map(|(start, _)| format!(" line=\"{}\"", start.line)).unwrap_or_default();
    let about = match (&finding.file, &finding.subject) {
        (Some(_), Some(subject)) => format!("{} {}", place.file, subject.as_str()),
        (Some(_), None) => place.file.clone(),
        (None, Some(subject)) => format!("{} {} {}", place.file, finding.pointer.as_str(), subject.as_str()),
        (None, None) => format!("{} {}", place.file, finding.pointer.as_str()),
    };
    let (code, about, file) = (&finding.rule.code, xml(about.trim_end()), xml(&place.file));
    let (message, told) = (xml(&remarks::message(finding)), in_one_line(document, finding));
    let _ = writeln!(
        cases,
        "    <testcase classname=\"svc.rules.{group}\" name=\"{code} {about}\" file=\"{file}\"{line}><failure message=\"{message}\" type=\"{code}\">{told}</failure></testcase>"
    );
}

fn in_one_line(document: &ReportedDocument, finding: &Finding) -> String {
    let place = FindingPlace::new(document, finding);
    let position = place.range.map(|(start, _)| format!(":{start}")).unwrap_or_default();
    let (severity, code) = (finding.severity(), &finding.rule.code);
    let (file, message, help) = (xml(&place.file), xml(&remarks::message(finding)), xml(&finding.help));
    format!("{file}{position}: {severity}[{code}] {message} ({help})")
}

/// A group fails with its findings, in one element, as many readers take only one; warnings that were not denied are told
/// as output, and a group that nothing was held against is skipped.
fn group_result(
    report: &RunReport,
    group: &[Arc<Rule>],
    (failed, told): (&[Located<'_>], &[Located<'_>]),
    of_packages: bool,
) -> String {
    let lines = |list: &[Located<'_>]| -> String {
        list.iter().map(|(document, finding)| in_one_line(document, finding) + "\n").collect()
    };
    let made = report.steps.iter().any(|step| step.result == StepResult::Passed);
    let held = report.documents.iter().any(|document| document.is_package == of_packages) || (made && !of_packages);
    let mut inside = String::new();
    if !failed.is_empty() {
        let _ = write!(inside, "<failure message=\"{} finding(s)\">{}</failure>", failed.len(), lines(failed));
    }
    if !told.is_empty() {
        let _ = write!(inside, "<system-out>{}</system-out>", lines(told));
    }
    // A file that was not read to its end is one that rules on code were not held against.
    let needs_facts = || group.iter().any(|rule| rule.needs == Needs::Facts);
    if inside.is_empty() && !held {
        "<skipped message=\"nothing to hold it against\"/>".to_owned()
    } else if inside.is_empty() && report.scope.has_unread() && needs_facts() {
        "<skipped message=\"some code was not read to its end: SVC-F020 names the files\"/>".to_owned()
    } else {
        inside
    }
}

pub(super) fn xml(text: &str) -> String {
    let text = Safe(text).to_string();
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;").replace('\'', "&apos;")
}
