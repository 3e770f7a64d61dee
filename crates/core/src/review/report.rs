//! The review report.

use std::collections::BTreeMap;

use svc_json::digest::Digest;

use crate::{
    finding::{self, Finding},
    findings::Findings,
    manifest::{
        self,
        model::Manifest,
        vocabulary::{DataCollection, Isolation, Permission, Risk},
    },
    package::{
        artifact::{FileEntry, PackageArtifact},
        fact::{Fact, Place},
    },
    rules::package::Package,
    scalar::{
        any_rule_code::AnyRuleCode, json_pointer::JsonPointer, path::PackagePath, size::Size, subject::Subject,
        url::Origin,
    },
    wire_enum, wire_struct,
    words::{limits, rule::Rule, severity::Severity, verdict::Verdict},
};

wire_enum! {
    /// How one rule ended. Only `passed` is passed.
    pub enum CheckResult("check-result", B015) {
        /// It ran and found nothing.
        Passed = "passed",
        /// It ran and found something.
        Failed = "failed",
        /// It ran, and the manifest excepts all that it found.
        Excepted = "excepted",
        /// It could not look at everything that it goes by.
        Skipped = "skipped",
        /// It broke.
        Error = "error",
    }
}

wire_struct! {
    /// The report.
    ReviewReport "review-report" {
        /// What the package asks for.
        capabilities: Capabilities,
        /// Every rule that speaks of packages, once, in order of code.
        #[schemars(length(max = 500))]
        checks: Vec<CheckLine>,
        /// How many findings there are, also those that did not fit.
        counts: Counts,
        /// What the bytes of the package told, as the author's machine read them.
        #[schemars(length(max = 2000))]
        facts: Vec<Fact>,
        /// The findings, 200 at most: of each rule some, and the heaviest first.
        #[schemars(length(max = 200))]
        findings: Vec<ReportFinding>,
        /// What the package holds.
        inventory: Inventory,
        /// Whether findings were left out.
        truncated: bool,
        /// The verdict.
        verdict: Verdict,
    }
    /// What the package asks for.
    Capabilities "capabilities" {
        /// What it collects.
        data_collection: Vec<DataCollection>,
        /// How its renderer asks to be kept apart.
        isolation: Isolation,
        /// What it may talk to.
        origins: Vec<Origin>,
        /// What it asks for; why stands in the manifest.
        permissions: Vec<RatedPermission>,
    }
    /// A permission with its risk.
    RatedPermission "rated-permission" {
        /// The permission.
        permission: Permission,
        /// How much it opens.
        risk: Risk,
    }
    /// One rule and how it ended.
    CheckLine "check" {
        /// The rule.
        code: AnyRuleCode,
        /// How many findings it has, also those that did not fit.
        #[serde(skip_serializing_if = "Option::is_none")]
        count: Option<Size>,
        /// How it ended.
        result: CheckResult,
    }
    /// How many findings there are.
    Counts "counts" {
        /// Findings that block the author.
        blockers: Size,
        /// Notes.
        notes: Size,
        /// Warnings.
        warnings: Size,
    }
    /// One finding: which rule, where and about what. What it means, every reader says in its own words.
    ReportFinding "finding" {
        /// The rule.
        code: AnyRuleCode,
        /// The row of the manifest's `exceptions` that asks a reviewer to look at it.
        #[serde(skip_serializing_if = "Option::is_none")]
        exception: Option<Size>,
        /// The file it is about, when it is not the manifest; the first of them where several have it.
        #[serde(skip_serializing_if = "Option::is_none")]
        file: Option<PackagePath>,
        /// How many files have it, where that is more than one.
        #[serde(skip_serializing_if = "Option::is_none")]
        files: Option<Size>,
        /// A name that stays when lines move: SHA-256 of code, file, pointer and subject with a line feed between each, where
        /// what is absent is empty, and the pointer too when there is a file.
        fingerprint: Digest,
        /// Where in that file.
        #[serde(skip_serializing_if = "Option::is_none")]
        place: Option<Place>,
        /// Where in the manifest, or the row of the file.
        pointer: JsonPointer,
        /// How much it weighs.
        severity: Severity,
        /// What it is about, where several stand at one place.
        #[serde(skip_serializing_if = "Option::is_none")]
        subject: Option<Subject>,
    }
    /// What the package holds.
    Inventory "inventory" {
        /// Bytes of all files together.
        bytes: Size,
        /// Files.
        files: Size,
    }
}

impl Capabilities {
    /// What a manifest asks for.
    #[must_use]
    pub fn of(manifest: &Manifest) -> Self {
        Self {
            data_collection: manifest.data_collection.clone(),
            isolation: manifest.entry.isolation,
            origins: manifest.network.allow.clone(),
            permissions: manifest.permissions.iter().map(rated).collect(),
        }
    }
}

fn rated(request: &manifest::model::PermissionRequest) -> RatedPermission {
    RatedPermission { permission: request.permission, risk: request.permission.risk() }
}

impl Inventory {
    pub(super) fn of(files: &[FileEntry]) -> Self {
        let bytes = files.iter().map(|file| file.size.get()).fold(0, u64::saturating_add);
        Self { bytes: count(bytes), files: count(files.len() as u64) }
    }
}

/// A count that fits JSON; larger ones cannot occur below the limits and stop at the bound.
fn count(number: u64) -> Size {
    Size::new(number).unwrap_or(Size::MOST)
}

impl Counts {
    pub(crate) fn of(findings: &Findings) -> Self {
        let of = |severity| {
            let such = findings.classes().filter(|(class, _)| class.severity == severity);
            count(such.map(|(_, count)| count as u64).sum())
        };
        Self { blockers: of(Severity::Blocker), notes: of(Severity::Note), warnings: of(Severity::Warning) }
    }

    /// What the numbers of findings come to.
    pub(super) fn verdict(&self) -> Verdict {
        match (self.blockers.get(), self.total()) {
            (0, 0) => Verdict::Validated,
            (0, _) => Verdict::ValidatedWithWarnings,
            _ => Verdict::Blocked,
        }
    }

    pub(super) fn total(&self) -> u64 {
        self.blockers.get() + self.notes.get() + self.warnings.get()
    }
}

/// What findings come to. An error of ours, in a package that other rules let through, blocks as well.
pub(crate) fn verdict_of(findings: &Findings) -> Verdict {
    match findings.classes().map(|(class, _)| class.severity).min() {
        None => Verdict::Validated,
        Some(Severity::Warning | Severity::Note) => Verdict::ValidatedWithWarnings,
        Some(Severity::Error | Severity::Blocker) => Verdict::Blocked,
    }
}

impl ReviewReport {
    /// The report on a package: a function of manifest, file table and facts, which gave the findings.
    #[must_use]
    pub fn new(package: &Package<'_>, artifact: &PackageArtifact, findings: &Findings) -> Self {
        let counts = Counts::of(findings);
        Self {
            capabilities: Capabilities::of(&artifact.manifest),
            checks: checks(package, findings).collect(),
            verdict: counts.verdict(),
            counts,
            facts: package.facts.unwrap_or_default().to_vec(),
            findings: listed(findings).collect(),
            inventory: Inventory::of(&artifact.files),
            truncated: is_truncated(findings),
        }
    }
}

/// Every rule that speaks of packages, and how it ended.
pub(super) fn checks(package: &Package<'_>, findings: &Findings) -> impl Iterator<Item = CheckLine> {
    package.rules.about_packages().map(move |rule| check_line(rule, package, findings))
}

/// The findings that a report lists.
pub(super) fn listed(findings: &Findings) -> impl Iterator<Item = ReportFinding> {
    bounded(findings, limits::REPORT_FINDINGS).into_iter().map(ReportFinding::from_finding)
}

/// As many findings as there is room for, in order: no rule takes the room of another that finds less.
#[must_use]
pub fn bounded(findings: &[Finding], room: usize) -> Vec<&Finding> {
    fitting(in_order(findings), room, |finding| &finding.rule.code)
}

/// As many of these as there is room for, in their order: no rule takes the room of another that finds less.
#[must_use]
pub fn fitting<T>(ordered: Vec<T>, room: usize, code_of: impl Fn(&T) -> &str) -> Vec<T> {
    if ordered.len() <= room {
        return ordered;
    }
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    for one in &ordered {
        *counts.entry(code_of(one)).or_default() += 1;
    }
    let listed = |each: usize| counts.values().map(|count| *count.min(&each)).sum::<usize>();
    let each = (1..=room).rev().find(|each| listed(*each) <= room).unwrap_or(1);
    let mut taken: BTreeMap<&str, usize> = BTreeMap::new();
    let fits = ordered.iter().map(|one| {
        let taken = taken.entry(code_of(one)).or_default();
        *taken += 1;
        *taken <= each
    });
    let fits: Vec<bool> = fits.collect();
    ordered.into_iter().zip(fits).filter_map(|(one, fits)| fits.then_some(one)).take(room).collect()
}

/// Whether there are more findings than a report lists.
pub(super) fn is_truncated(findings: &Findings) -> bool {
    findings.total() > limits::REPORT_FINDINGS
}

/// Findings in the order of a list: the heaviest first, so that the bound never cuts off what weighs more.
pub(crate) fn in_order(findings: &[Finding]) -> Vec<&Finding> {
    let mut ordered: Vec<&Finding> = findings.iter().collect();
    ordered.sort_by(|left, right| left.place_in_list().cmp(&right.place_in_list()));
    ordered
}

/// As many findings as there is room for, in order, with the count of all.
#[must_use]
pub fn within(findings: &Findings, room: usize) -> Findings {
    Findings::cut(bounded(findings, room).into_iter().cloned().collect(), findings.classes())
}

fn check_line(rule: &Rule, package: &Package<'_>, findings: &Findings) -> CheckLine {
    let found = || findings.classes().filter(|(class, _)| **class.rule == *rule);
    let number: usize = found().map(|(_, count)| count).sum();
    let result = if found().any(|(class, _)| !class.is_excepted) {
        CheckResult::Failed
    } else if number > 0 {
        CheckResult::Excepted
    } else if package.can_run(rule) && !package.is_blind(rule) {
        CheckResult::Passed
    } else {
        CheckResult::Skipped
    };
    CheckLine { code: AnyRuleCode::from_rule(rule), count: (number > 0).then(|| count(number as u64)), result }
}

impl ReportFinding {
    fn from_finding(finding: &Finding) -> Self {
        Self {
            code: AnyRuleCode::from_rule(&finding.rule),
            exception: finding.exception.map(|row| count(row as u64)),
            files: (finding.files > 1).then(|| count(finding.files as u64)),
            file: finding.other_file().and_then(PackagePath::parse),
            fingerprint: finding.fingerprint(),
            place: finding.position.map(Place::from_position),
            pointer: JsonPointer::from_pointer(&finding.pointer),
            severity: finding.severity(),
            subject: finding.subject.clone(),
        }
    }

    pub(super) fn place_in_list(&self) -> finding::PlaceInList<'_> {
        let subject = self.subject.as_ref().map(Subject::as_str);
        (self.severity, self.code.as_str(), self.file_name(), self.pointer.as_str(), subject)
    }

    fn file_name(&self) -> Option<&str> {
        self.file.as_ref().map(PackagePath::as_str)
    }

    /// Whether rules, of whatever set, can have said it. Errors are never in a report: they leave no package to report on.
    pub(super) fn is_sound(&self) -> bool {
        let subject = self.subject.as_ref().map(Subject::as_str);
        let name = finding::fingerprint(self.code.as_str(), self.file_name(), self.pointer.as_str(), subject);
        self.severity != Severity::Error
            && self.place.as_ref().is_none_or(|place| self.file.is_some() && place.is_sound())
            && self.fingerprint == name
    }
}
