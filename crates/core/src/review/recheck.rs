//! Computes a declared report again and tells where it differs.

use std::collections::BTreeSet;

use svc_json::pointer::Pointer;

use crate::{
    finding::Finding,
    package::artifact::PackageArtifact,
    review::report::{
        Capabilities, CheckResult, Counts, Inventory, ReportFinding, ReviewReport, Said, in_order, said, verdict_of,
    },
    rules::{artifacts, run::package_rules},
    scalar::any_rule_code::AnyRuleCode,
    words::{limits, rule::Needs, severity::Severity},
};

/// Where a report by our own rules differs from what they found over the manifest, the file table and what the report
/// itself claims about bytes.
#[must_use]
pub fn mismatches(report: &ReviewReport, own: &[Finding], artifact: &PackageArtifact) -> Vec<Finding> {
    let mut recheck = Recheck { report, mismatches: refusals(own) };
    recheck.coherence(artifact);
    recheck.own_findings(own);
    recheck.own_checks(own);
    recheck.own_counts(own);
    recheck.mismatches
}

/// Where a report, by whatever rules, contradicts itself or its package.
#[must_use]
pub fn contradictions(report: &ReviewReport, artifact: &PackageArtifact) -> Vec<Finding> {
    let mut recheck = Recheck { report, mismatches: Vec::new() };
    recheck.coherence(artifact);
    recheck.mismatches
}

/// A package with an error has no artifact at all; whatever says otherwise was not made by the rules.
#[must_use]
pub fn refusals(findings: &[Finding]) -> Vec<Finding> {
    let errors = findings.iter().filter(|finding| finding.severity() == Severity::Error);
    let codes: BTreeSet<&str> = errors.map(|finding| finding.rule.code).collect();
    let refusal = |code| Finding::new(&artifacts::B013, format!("the rules refuse the package ({code})"));
    codes.into_iter().map(refusal).collect()
}

struct Recheck<'r> {
    report: &'r ReviewReport,
    mismatches: Vec<Finding>,
}

impl Recheck<'_> {
    /// Notes a member that does not hold, once.
    fn expect(&mut self, member: &str, holds: bool) {
        if holds {
            return;
        }
        let place = Pointer::root().join(member);
        if !self.mismatches.iter().any(|known| known.pointer == place) {
            let message = format!("`{member}` is not what the rules give");
            self.mismatches.push(Finding::new(&artifacts::B013, message).at(place));
        }
    }

    /// What holds of every report, whatever rules made it.
    fn coherence(&mut self, artifact: &PackageArtifact) {
        let report = self.report;
        let listed = &report.findings;
        let sound = listed.iter().all(ReportFinding::is_sound);
        let sorted = listed.is_sorted_by(|left, right| left.place_in_list() <= right.place_in_list());
        self.expect("findings", sound && sorted && listed.len() <= limits::REPORT_FINDINGS);
        self.expect("checks", checks_agree(report));
        self.expect("counts", counts_agree(report));
        self.expect("verdict", report.verdict == verdict_of(&report.counts));
        self.expect("capabilities", report.capabilities == Capabilities::of(&artifact.manifest));
        self.expect("inventory", report.inventory == Inventory::of(&artifact.files));
    }

    /// What our rules find is listed, in our words and in order, and nothing else is; a full list is cut at its end.
    fn own_findings(&mut self, own: &[Finding]) {
        let listed: Vec<Said<'_>> = self.report.findings.iter().map(ReportFinding::said).collect();
        let expected = in_order(own);
        let complete = self.report.truncated || expected.len() == listed.len();
        let mut expected: Vec<Said<'_>> = expected.into_iter().take(listed.len()).map(said).collect();
        // Findings at one place come in the order of the author's source text, which only the author has.
        let mut listed = listed;
        listed.sort();
        expected.sort();
        self.expect("findings", complete && listed == expected);
    }

    fn own_checks(&mut self, own: &[Finding]) {
        let rules: Vec<_> = package_rules().collect();
        let checks = &self.report.checks;
        let same_rules = checks.iter().map(|check| check.code).eq(rules.iter().map(|rule| AnyRuleCode::of(rule.code)));
        let results_hold = checks.iter().zip(&rules).all(|(check, rule)| {
            let found = own.iter().any(|finding| std::ptr::eq(finding.rule, *rule));
            // What was cut off cannot be claimed, so that only the result is left of it.
            let cut_off = rule.needs == Needs::FileBytes && self.report.truncated;
            let failed = found || (cut_off && check.result == CheckResult::Failed);
            check.result == if failed { CheckResult::Failed } else { CheckResult::Passed }
        });
        self.expect("checks", same_rules && results_hold);
    }

    /// The numbers of a list that was not cut are its own, which was compared.
    fn own_counts(&mut self, own: &[Finding]) {
        let (counted, found) = (numbers(&self.report.counts), numbers(&Counts::of(own)));
        let holds = counted.iter().zip(&found).all(|(counted, found)| counted >= found);
        self.expect("counts", holds || !self.report.truncated);
    }
}

fn numbers(counts: &Counts) -> [u64; 3] {
    [counts.blockers.get(), counts.warnings.get(), counts.notes.get()]
}

/// Each rule once and in order; a rule that found something has failed, and one that failed has found something, which a
/// list that was cut may not show.
fn checks_agree(report: &ReviewReport) -> bool {
    let in_order = report.checks.is_sorted_by(|left, right| left.code < right.code);
    let is_listed = |code: AnyRuleCode| report.findings.iter().any(|finding| finding.code == code);
    let results = report.checks.iter().all(|check| {
        let failed = check.result == CheckResult::Failed;
        failed == is_listed(check.code) || (failed && report.truncated)
    });
    let was_run = |code: &AnyRuleCode| report.checks.binary_search_by(|check| check.code.cmp(code)).is_ok();
    !report.checks.is_empty() && in_order && results && report.findings.iter().all(|finding| was_run(&finding.code))
}

/// The numbers are those of the list; of a list that was cut, what is lighter than its end is only counted.
fn counts_agree(report: &ReviewReport) -> bool {
    let of = |severity| report.findings.iter().filter(|finding| finding.severity == severity).count() as u64;
    let listed = [of(Severity::Blocker), of(Severity::Warning), of(Severity::Note)];
    let counted = numbers(&report.counts);
    if !report.truncated {
        return counted == listed;
    }
    let last = listed.iter().rposition(|number| *number > 0).unwrap_or_default();
    let pairs = || counted.iter().zip(&listed);
    report.findings.len() == limits::REPORT_FINDINGS
        && report.counts.total() > limits::REPORT_FINDINGS as u64
        && pairs().take(last).all(|(counted, listed)| counted == listed)
        && pairs().all(|(counted, listed)| counted >= listed)
}
