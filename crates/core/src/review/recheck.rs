//! Computes a declared report again and tells where it differs.

use std::collections::BTreeSet;

use super::report::{
    Capabilities, CheckResult, Counts, Inventory, ReportFinding, ReviewReport, RuleCode, Verdict, places,
};
use crate::{
    finding::Finding,
    limits,
    package::PackageArtifact,
    pointer::Pointer,
    rules::{Needs, Severity, artifacts, review::package_rules},
};

/// Where a declared report differs from what the rules found over the manifest and the file table.
///
/// Rules that need the files themselves cannot be run again here; their lines must only agree with the findings.
#[must_use]
pub fn mismatches(report: &ReviewReport, own: Vec<Finding>, artifact: &PackageArtifact) -> Vec<Finding> {
    let mut recheck = Recheck { report, mismatches: refusals(&own), own };
    recheck.findings();
    recheck.checks();
    recheck.totals();
    recheck.expect("capabilities", report.capabilities == Capabilities::of(&artifact.manifest));
    recheck.expect("inventory", report.inventory == Inventory::of(&artifact.files));
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
    own: Vec<Finding>,
    mismatches: Vec<Finding>,
}

impl Recheck<'_> {
    fn expect(&mut self, member: &str, holds: bool) {
        if !holds {
            let message = format!("`{member}` is not what the rules give");
            self.mismatches.push(Finding::new(&artifacts::B013, message).at(Pointer::root().join(member)));
        }
    }

    /// What the rules find here must be listed, in order and nothing twice; only what sorts behind a full list is cut.
    fn findings(&mut self) {
        let listed = &self.report.findings;
        let sound = listed.iter().all(ReportFinding::is_sound);
        let sorted = listed.is_sorted_by(|left, right| left.place_in_list() <= right.place_in_list());
        let mut expected = places(&self.own).into_iter();
        let mut again = listed.iter().filter(|finding| !finding.needs_bytes()).map(ReportFinding::place_in_list);
        let same = again.all(|finding| expected.next() == Some(finding));
        let last = listed.last().filter(|_| self.report.truncated).map(ReportFinding::place_in_list);
        let complete = expected.next().is_none_or(|left_out| last.is_some_and(|last| last <= left_out));
        self.expect("findings", sound && sorted && same && complete);
    }

    fn checks(&mut self) {
        let rules: Vec<_> = package_rules().collect();
        let same_rules =
            self.report.checks.iter().map(|check| check.code).eq(rules.iter().map(|rule| RuleCode::of(rule)));
        let lines = self.report.checks.iter().zip(&rules);
        let results_hold = lines.into_iter().all(|(check, rule)| {
            let listed = self.report.findings.iter().any(|finding| finding.code == check.code);
            let failed = match rule.needs {
                Needs::FileBytes => listed || (self.report.truncated && check.result == CheckResult::Failed),
                Needs::Text | Needs::Manifest | Needs::Owner | Needs::FileTable | Needs::Artifact => {
                    self.own.iter().any(|finding| std::ptr::eq(finding.rule, *rule))
                }
            };
            check.result == if failed { CheckResult::Failed } else { CheckResult::Passed }
        });
        self.expect("checks", same_rules && results_hold);
    }

    fn totals(&mut self) {
        let counts = &self.report.counts;
        let of = |severity| self.report.findings.iter().filter(|finding| finding.severity == severity).count() as u64;
        let listed = [of(Severity::Blocker), of(Severity::Note), of(Severity::Warning)];
        let counted = [counts.blockers.get(), counts.notes.get(), counts.warnings.get()];
        let found = Counts::of(&self.own);
        let found = [found.blockers.get(), found.notes.get(), found.warnings.get()];
        let holds = if self.report.truncated {
            counted.iter().zip(&listed).all(|(counted, listed)| counted >= listed)
                && counted.iter().zip(&found).all(|(counted, found)| counted >= found)
                && counts.total() > limits::REPORT_FINDINGS as u64
                && self.report.findings.len() == limits::REPORT_FINDINGS
        } else {
            counted == listed
        };
        let verdict = self.report.verdict == Verdict::of(counts);
        self.expect("counts", holds);
        self.expect("verdict", verdict);
    }
}
