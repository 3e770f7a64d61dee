//! The review report.

use std::borrow::Cow;

use svc_json::{digest::Digest, position::Position};

use crate::{
    finding::{self, Finding},
    manifest::{
        self,
        model::Manifest,
        vocabulary::{DataCollection, Isolation, Permission, Risk},
    },
    package::artifact::{FileEntry, PackageArtifact},
    rules::{package::Package, ruleset, run::package_rules},
    scalar::{any_rule_code::AnyRuleCode, json_pointer::JsonPointer, prose::Prose, size::Size, url::Origin},
    wire_enum, wire_struct,
    words::{limits, rule::Needs, severity::Severity, verdict::Verdict},
};

wire_enum! {
    /// How one rule ended. Only `passed` is passed.
    pub enum CheckResult("check-result", B015) {
        /// It ran and found nothing.
        Passed = "passed",
        /// It ran and found something.
        Failed = "failed",
        /// It could not run.
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
        /// The findings, 200 at most.
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
    /// One finding.
    ReportFinding "finding" {
        /// The rule.
        code: AnyRuleCode,
        /// The file it is about.
        file: Prose,
        /// A name that stays when lines move.
        fingerprint: Digest,
        /// The way out.
        help: Prose,
        /// What is wrong.
        message: Prose,
        /// Where in the manifest.
        pointer: JsonPointer,
        /// Where in the source, when it is the manifest.
        #[serde(skip_serializing_if = "Option::is_none")]
        range: Option<Range>,
        /// How much it weighs.
        severity: Severity,
    }
    /// A stretch of source text.
    Range "range" {
        /// After the last character.
        end: Place,
        /// The first character.
        start: Place,
    }
    /// A place in source text, counted from one.
    Place "place" {
        /// The column.
        column: Size,
        /// The line.
        line: Size,
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
    pub(crate) fn of(findings: &[Finding]) -> Self {
        let of = |severity| count(findings.iter().filter(|finding| finding.severity() == severity).count() as u64);
        Self { blockers: of(Severity::Blocker), notes: of(Severity::Note), warnings: of(Severity::Warning) }
    }

    pub(super) fn total(&self) -> u64 {
        self.blockers.get() + self.notes.get() + self.warnings.get()
    }
}

/// What the numbers of findings come to.
pub(crate) fn verdict_of(counts: &Counts) -> Verdict {
    match (counts.blockers.get(), counts.total()) {
        (0, 0) => Verdict::Validated,
        (0, _) => Verdict::ValidatedWithWarnings,
        _ => Verdict::Blocked,
    }
}

impl ReviewReport {
    /// The report of a package that no rule refused.
    #[must_use]
    pub fn of(package: &Package<'_>, artifact: &PackageArtifact, findings: &[Finding], source: &str) -> Self {
        let counts = Counts::of(findings);
        let listed = in_order(findings).into_iter().take(limits::REPORT_FINDINGS);
        Self {
            capabilities: Capabilities::of(&artifact.manifest),
            checks: package_rules().map(|rule| check_line(rule, package, findings)).collect(),
            verdict: verdict_of(&counts),
            counts,
            findings: listed.map(|finding| ReportFinding::of(finding, source)).collect(),
            inventory: Inventory::of(&artifact.files),
            truncated: findings.len() > limits::REPORT_FINDINGS,
        }
    }

    /// Whether the author must act.
    #[must_use]
    pub fn blocks_author(&self) -> bool {
        self.counts.blockers.get() > 0
    }
}

/// What the list of findings is sorted by.
pub(super) type PlaceInList<'f> = (Severity, &'f str, Option<Cow<'f, str>>, &'f str);

/// Findings in the order of a list: the heaviest first, so that the bound never cuts off what weighs more.
pub(crate) fn in_order(findings: &[Finding]) -> Vec<&Finding> {
    let mut ordered: Vec<(PlaceInList<'_>, &Finding)> = findings.iter().map(|one| (place_of(one), one)).collect();
    ordered.sort_by(|(left, _), (right, _)| left.cmp(right));
    ordered.into_iter().map(|(_, finding)| finding).collect()
}

/// Everything that a listed finding says but its place in the author's source text, which only the author has.
pub(super) type Said<'f> = (PlaceInList<'f>, Cow<'f, str>, Cow<'f, str>);

/// What a finding says when it is listed.
pub(super) fn said(finding: &Finding) -> Said<'_> {
    let prose = |text: &str| Cow::Owned(Prose::of(text).into_string());
    (place_of(finding), prose(&finding.message), prose(&finding.help))
}

fn place_of(finding: &Finding) -> PlaceInList<'_> {
    let file =
        finding.file.as_deref().map(|file| Prose::of(file).into_string()).filter(|file| file != manifest::FILE_NAME);
    (finding.severity(), finding.rule.code, file.map(Cow::Owned), finding.pointer.as_str())
}

fn check_line(rule: &'static crate::words::rule::Rule, package: &Package<'_>, findings: &[Finding]) -> CheckLine {
    let failed = findings.iter().any(|finding| finding.rule == rule);
    let result = match (failed, package.can_run(rule)) {
        (true, _) => CheckResult::Failed,
        (false, true) => CheckResult::Passed,
        (false, false) => CheckResult::Skipped,
    };
    CheckLine { code: AnyRuleCode::of(rule.code), result }
}

impl ReportFinding {
    fn of(finding: &Finding, source: &str) -> Self {
        let mut listed = Self {
            code: AnyRuleCode::of(finding.rule.code),
            file: Prose::of(finding.file.as_deref().unwrap_or(manifest::FILE_NAME)),
            fingerprint: Digest::from_bytes([0; 32]),
            help: Prose::of(&finding.help),
            message: Prose::of(&finding.message),
            pointer: JsonPointer::of(&finding.pointer),
            range: Range::of(finding, source),
            severity: finding.severity(),
        };
        // Over what the report says, which may be a name that was cut, so that every reader can compute it again.
        listed.fingerprint = listed.recompute_fingerprint();
        listed
    }

    fn other_file(&self) -> Option<&str> {
        Some(self.file.as_str()).filter(|file| *file != manifest::FILE_NAME)
    }

    pub(super) fn place_in_list(&self) -> PlaceInList<'_> {
        (self.severity, self.code.as_str(), self.other_file().map(Cow::Borrowed), self.pointer.as_str())
    }

    /// The fingerprint as [`Finding::fingerprint`] makes it.
    fn recompute_fingerprint(&self) -> Digest {
        finding::fingerprint(self.code.as_str(), self.other_file(), self.pointer.as_str(), self.message.as_str())
    }

    /// What it says.
    pub(super) fn said(&self) -> Said<'_> {
        (self.place_in_list(), Cow::Borrowed(self.message.as_str()), Cow::Borrowed(self.help.as_str()))
    }

    /// Whether rules, of whatever set, can have said it. Errors are never in a report: they leave no package to report on.
    pub(super) fn is_sound(&self) -> bool {
        let in_order = |range: &Range| {
            let place = |place: &Place| (place.line.get(), place.column.get());
            place(&range.start) <= place(&range.end) && range.start.line.get() > 0 && range.start.column.get() > 0
        };
        self.severity != Severity::Error
            && self.range.as_ref().is_none_or(in_order)
            && self.fingerprint == self.recompute_fingerprint()
    }

    pub(super) fn needs_bytes(&self) -> bool {
        ruleset::exact(self.code.as_str()).is_some_and(|rule| rule.needs == Needs::FileBytes)
    }
}

impl Range {
    /// The stretch of the manifest, or the one place in another file.
    fn of(finding: &Finding, source: &str) -> Option<Self> {
        let (start, end) = match (finding.span, finding.position) {
            (Some(span), _) => (Position::of(source, span.start), Position::of(source, span.end)),
            (None, Some(position)) => (position, position),
            (None, None) => return None,
        };
        Some(Self { end: Place::of(end), start: Place::of(start) })
    }
}

impl Place {
    fn of(position: Position) -> Self {
        Self { column: count(position.column as u64), line: count(position.line as u64) }
    }

    pub(super) fn position(&self) -> Position {
        let number = |size: &Size| usize::try_from(size.get()).unwrap_or(usize::MAX);
        Position { line: number(&self.line), column: number(&self.column) }
    }
}
