//! Computes a declared report again and tells where it differs.

use std::collections::BTreeSet;

use svc_json::pointer::Pointer;

use crate::{
    finding::Finding,
    findings::{Class, Findings},
    package::{
        artifact::PackageArtifact,
        fact,
        fact_table::{IMAGE, PATTERN},
    },
    review::report::{self, Capabilities, CheckResult, Counts, Inventory, ReportFinding, ReviewReport},
    rules::{package::Package, ruleset::Rules},
    scalar::{any_rule_code::AnyRuleCode, subject::Subject},
    words::{limits, rule_code::RuleCode, severity::Severity},
};

/// Where a report by our own rules differs from the one that they give over the same manifest, file table and facts.
/// Each member is held against what [`ReviewReport::new`] would put there.
#[must_use]
pub fn mismatches(
    report: &ReviewReport,
    package: &Package<'_>,
    artifact: &PackageArtifact,
    own: &Findings,
) -> Vec<Finding> {
    let counts = Counts::of(own);
    let mut recheck = Recheck::by(package.rules);
    recheck.expect("capabilities", report.capabilities == Capabilities::of(&artifact.manifest));
    recheck.expect("checks", report.checks.iter().cloned().eq(report::checks(package, own)));
    recheck.expect("counts", report.counts == counts);
    recheck.expect("facts", facts_agree(report, artifact) && are_ours(report, artifact));
    recheck.expect("findings", report.findings.iter().cloned().eq(report::listed(own)));
    recheck.expect("inventory", report.inventory == Inventory::of(&artifact.files));
    recheck.expect("truncated", report.truncated == report::is_truncated(own));
    recheck.expect("verdict", report.verdict == counts.verdict());
    recheck.mismatches
}

/// Where a report, by whatever rules, contradicts itself or its package.
#[must_use]
pub fn contradictions(rules: &Rules, report: &ReviewReport, artifact: &PackageArtifact) -> Vec<Finding> {
    let listed = &report.findings;
    let sound = listed.len() <= limits::REPORT_FINDINGS && listed.iter().all(ReportFinding::is_sound);
    let is_there = |finding: &ReportFinding| {
        finding.file.as_ref().is_none_or(|file| fact::row_of(&artifact.files, file.as_str()).is_some())
    };
    let sorted = listed.is_sorted_by(|left, right| left.place_in_list() < right.place_in_list());
    let mut recheck = Recheck::by(rules);
    recheck.expect("capabilities", report.capabilities == Capabilities::of(&artifact.manifest));
    recheck.expect("checks", checks_agree(report));
    recheck.expect("counts", counts_agree(report));
    recheck.expect("facts", facts_agree(report, artifact));
    recheck.expect("findings", sound && sorted && listed.iter().all(is_there));
    recheck.expect("inventory", report.inventory == Inventory::of(&artifact.files));
    recheck.expect("verdict", report.verdict == report.counts.verdict());
    recheck.mismatches
}

/// A package with an error has no artifact at all; whatever says otherwise was not made by the rules.
#[must_use]
pub fn refusals<'f>(rules: &Rules, classes: impl Iterator<Item = Class<'f>>) -> Vec<Finding> {
    let errors = classes.filter(|class| class.severity == Severity::Error);
    let codes: BTreeSet<&str> = errors.map(|class| class.rule.code.as_ref()).collect();
    let refusal = |code| rules.finding(RuleCode::B013, format!("the rules refuse the package ({code})"));
    codes.into_iter().map(refusal).collect()
}

struct Recheck<'r> {
    rules: &'r Rules,
    mismatches: Vec<Finding>,
}

impl<'r> Recheck<'r> {
    fn by(rules: &'r Rules) -> Self {
        Self { rules, mismatches: Vec::new() }
    }

    /// Notes a member that does not hold.
    fn expect(&mut self, member: &str, holds: bool) {
        if !holds {
            let message = format!("`{member}` is not what the rules give");
            self.mismatches.push(self.rules.finding(RuleCode::B013, message).at(Pointer::root().join(member)));
        }
    }
}

fn facts_agree(report: &ReviewReport, artifact: &PackageArtifact) -> bool {
    fact::are_sound(&report.facts, &artifact.files)
}

/// Whether the reader of this build can have told these facts of this package.
fn are_ours(report: &ReviewReport, artifact: &PackageArtifact) -> bool {
    let rows = artifact.manifest.files.len();
    // An icon is one picture of one size.
    let mut icons: BTreeSet<&str> = artifact.manifest.icons.iter().map(|icon| icon.src.as_str()).collect();
    report.facts.iter().all(|fact| {
        fact.known().is_some()
            && match (fact.kind.as_str(), &fact.subject, &fact.file) {
                (PATTERN, Some(subject), _) => Subject::as_number(subject).is_some_and(|row| row < rows),
                (IMAGE, Some(_), Some(file)) => icons.remove(file.as_str()),
                _ => true,
            }
    })
}

fn numbers(counts: &Counts) -> [u64; 3] {
    [counts.blockers.get(), counts.warnings.get(), counts.notes.get()]
}

/// Each rule once and in order; a rule that found something says how often and has not passed, and the list shows it,
/// unless it was cut.
fn checks_agree(report: &ReviewReport) -> bool {
    // Each check is looked up in the list, so neither may be longer than a report's.
    if report.checks.len() > limits::REPORT_CHECKS || report.findings.len() > limits::REPORT_FINDINGS {
        return false;
    }
    let in_order = report.checks.is_sorted_by(|left, right| left.code < right.code);
    let is_listed = |code: AnyRuleCode| report.findings.iter().any(|finding| finding.code == code);
    let results = report.checks.iter().all(|check| {
        let found = matches!(check.result, CheckResult::Failed | CheckResult::Excepted);
        let counted = check.count.is_some_and(|count| count.get() > 0);
        found == check.count.is_some()
            && found == counted
            && (found == is_listed(check.code) || (found && report.truncated))
    });
    let was_run = |code: &AnyRuleCode| report.checks.binary_search_by(|check| check.code.cmp(code)).is_ok();
    !report.checks.is_empty() && in_order && results && report.findings.iter().all(|finding| was_run(&finding.code))
}

/// The numbers are those of the list, or more where it was cut.
fn counts_agree(report: &ReviewReport) -> bool {
    let of = |severity| report.findings.iter().filter(|finding| finding.severity == severity).count() as u64;
    let listed = [of(Severity::Blocker), of(Severity::Warning), of(Severity::Note)];
    let counted = numbers(&report.counts);
    if !report.truncated {
        return counted == listed;
    }
    report.findings.len() <= limits::REPORT_FINDINGS
        && report.counts.total() > report.findings.len() as u64
        && counted.iter().zip(&listed).all(|(counted, listed)| counted >= listed)
}
