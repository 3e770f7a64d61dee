//! `svc.diagnostics/v1`: the report of a run for machines. The command line fills it; its schema is generated.

use std::borrow::Cow;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Serialize, Serializer};
use svc_json::{digest::Digest, position::Position};

use crate::{
    closed::ClosedOutcome,
    gates::{Evidenced, GateStatuses, HashGateStatus as _, Unevidenced},
    scalar::ruleset_ref::RulesetRef,
    wire_enum,
    words::{gate::Gate, review_depth::ReviewDepth, severity::Severity, stage::Stage},
};

/// The schema's URN.
pub const SCHEMA: &str = "urn:svc:registry:schema:diagnostics:1.0";

wire_enum! {
    /// The name of the format.
    pub enum DiagnosticsSchema("diagnostics-schema", B002) {
        /// The only one.
        V1 = "svc.diagnostics/v1",
    }
}

wire_enum! {
    /// Something that a run can check.
    pub enum ScopePart("scope-part", B002) {
        /// The manifest by itself.
        Manifest = "manifest",
        /// Every file of the package, hashed and read.
        PackageFiles = "package-files",
        /// The form and the closed words of each artifact.
        ArtifactShape = "artifact-shape",
        /// The digests of each artifact, recomputed.
        ArtifactDigests = "artifact-digests",
        /// That each artifact is made of the one before.
        Chain = "chain",
        /// The findings of the rules; `reviewed` says from what.
        Review = "review",
        /// That the index of a collection has its bundles and no other.
        CollectionIndex = "collection-index",
        /// That the bundle on disk is the one that the package gives.
        BundleOnDisk = "bundle-on-disk",
        /// A digest that the user gave.
        ExpectedDigest = "expected-digest",
        /// The answers of registries that are kept next to a bundle.
        KeptAnswers = "kept-answers",
        /// That the receipts of kept answers are signed with a key that the user gave.
        LogKey = "log-key",
        /// Files in the folder of a bundle that are no part of it.
        OtherFiles = "other-files",
        /// Files in the folder of a package that its manifest or `.svcignore` leaves out.
        LeftOutFiles = "left-out-files",
        /// All of it: the run stopped.
        Everything = "everything",
        /// Who made the package and the bundle. No digest shows that.
        Maker = "maker",
        /// That the report is the one that its rules give.
        DeclaredReport = "declared-report",
        /// That a receipt's record is in the tree that its checkpoint signs.
        Receipt = "receipt",
        /// That the answer around a receipt is the one on record.
        Answer = "answer",
        /// That the documents at hand get the same decision again.
        Decisions = "decisions",
        /// Every record of a log: each is a no.
        Records = "records",
        /// The tree over the records, and the states of it that are signed.
        LogTree = "log-tree",
        /// That the log has grown from a state that was known before.
        LogGrowth = "log-growth",
        /// That the witnesses of a policy have seen the log.
        Cosignatures = "cosignatures",
        /// The signatures in a folder of evidence against a log.
        Evidence = "evidence",
    }
}

macro_rules! reports {
    ($($(#[$meta:meta])* $name:ident {
        $($(#[$member_meta:meta])* $member:ident: $type:ty,)+
    })+) => {
        $(
            $(#[$meta])*
            #[derive(Clone, Debug, Serialize, JsonSchema)]
            #[serde(rename_all = "camelCase")]
            #[schemars(deny_unknown_fields)]
            pub struct $name<'a> {
                $($(#[$member_meta])* pub $member: $type,)+
            }
        )+
    };
}

reports! {
    /// The report of one run.
    Diagnostics {
        /// What was made or checked.
        artifacts: Vec<ArtifactResult<'a>>,
        /// The first edge of a chain that does not hold.
        #[serde(skip_serializing_if = "Option::is_none")]
        broken_edge: Option<BrokenEdge<'a>>,
        /// The exit code of the run.
        exit_code: u8,
        /// What was found: errors first, then blockers, warnings and notes, each in source order.
        findings: Vec<DiagnosticFinding<'a>>,
        /// The status of every gate.
        gate_statuses: ReportedGates,
        /// The gates that are missing; five of the six always are.
        #[schemars(length(min = 5, max = 6))]
        missing_gates: Vec<Gate>,
        /// Never anything but no.
        outcome: ClosedOutcome,
        /// The packages behind it.
        #[serde(skip_serializing_if = "Vec::is_empty", default)]
        packages: Vec<PackageResult<'a>>,
        /// This format.
        schema: DiagnosticsSchema,
        /// What was checked and what was not.
        scope: RunScope<'a>,
        /// The settings files that were read.
        #[serde(skip_serializing_if = "Vec::is_empty", default)]
        settings: Vec<SettingsFile<'a>>,
        /// Files of a bundle that are not current.
        #[serde(skip_serializing_if = "Vec::is_empty", default)]
        stale: Vec<&'a str>,
        /// The steps of a preflight.
        #[serde(skip_serializing_if = "Vec::is_empty", default)]
        steps: Vec<StepLine<'a>>,
        /// Why the run stopped before there was anything to report on.
        #[serde(skip_serializing_if = "Option::is_none")]
        stopped: Option<Stopped<'a>>,
        /// How many findings are counted and not listed, where there are any: a document lists 200, a package 200 of each rule.
        #[serde(skip_serializing_if = "is_zero", default)]
        unlisted: usize,
        /// Whether everything that was looked at holds.
        valid: bool,
    }
    /// An artifact that was made or checked.
    ArtifactResult {
        /// What was done.
        action: &'a str,
        /// The document digest.
        #[serde(skip_serializing_if = "Option::is_none")]
        digest: Option<&'a str>,
        /// The file.
        file: &'a str,
        /// The kind of document.
        kind: &'a str,
    }
    /// A step from one file to the next that does not hold.
    BrokenEdge {
        /// The child's file.
        child: &'a str,
        /// The parent's file.
        parent: &'a str,
    }
    /// One finding.
    DiagnosticFinding {
        /// The rule.
        code: &'a str,
        /// The row of the manifest's `exceptions` that speaks of it.
        #[serde(skip_serializing_if = "Option::is_none")]
        exception: Option<usize>,
        /// The file, from the current folder on; the first of them where several have it.
        file: Cow<'a, str>,
        /// How many files have it, where that is more than one.
        #[serde(skip_serializing_if = "Option::is_none")]
        files: Option<usize>,
        /// A name that stays when lines move, and that no other finding of the report has.
        fingerprint: Digest,
        /// What to put in place of the range, where only one correction is possible.
        #[serde(skip_serializing_if = "Option::is_none")]
        fix: Option<Cow<'a, str>>,
        /// The way out.
        help: &'a str,
        /// What is wrong.
        message: &'a str,
        /// Where in the document.
        pointer: &'a str,
        /// Where in the file.
        #[serde(skip_serializing_if = "Option::is_none")]
        range: Option<DiagnosticRange>,
        /// A second place that explains the first.
        #[serde(skip_serializing_if = "Option::is_none")]
        related: Option<DiagnosticRange>,
        /// How much it weighs.
        severity: Severity,
    }
    /// The package behind a report.
    PackageResult {
        /// Bytes of all files together.
        bytes: u64,
        /// The package digest.
        digest: &'a str,
        /// Files.
        files: usize,
        /// The package's id.
        id: &'a str,
        /// The stage above.
        next_stage: Stage,
        /// What the stage is based on.
        reviewed: ReviewDepth,
        /// Where it stands.
        stage: Stage,
        /// The package's version.
        version: &'a str,
    }
    /// What a run checked, what it did not check, and what it checked with.
    RunScope {
        /// The version of svc.
        build: &'a str,
        /// What was checked for every document of the run.
        checked: Vec<ScopePart>,
        /// What was not checked.
        not_checked: Vec<NotChecked<'a>>,
        /// What statements about packages are based on, the least of them; `evidenced` means no more than this. Absent
        /// when nothing is stated about any.
        #[serde(skip_serializing_if = "Option::is_none")]
        reviewed: Option<ReviewDepth>,
        /// The rules of this build.
        ruleset: &'a RulesetRef,
    }
    /// A part that was not checked.
    NotChecked {
        /// The part.
        what: ScopePart,
        /// Why, or what to do to have it checked.
        why: &'a str,
    }
    /// A settings file that was read.
    SettingsFile {
        /// The file.
        file: &'a str,
        /// The members that a file in this place cannot set, and that had no effect.
        ignored: Vec<&'a str>,
    }
    /// One step of a preflight.
    StepLine {
        /// The command.
        name: &'a str,
        /// Its place in the order.
        order: u8,
        /// How it ended: `passed`, `failed` or `not-run`.
        result: &'a str,
    }
    /// Why a run stopped.
    Stopped {
        /// The way out.
        #[serde(skip_serializing_if = "Option::is_none")]
        help: Option<&'a str>,
        /// What is wrong.
        message: &'a str,
    }
}

/// A stretch of a file, counted from one, columns in characters.
#[derive(Clone, Copy, Debug, Serialize, JsonSchema)]
#[schemars(rename = "diagnostic-range", deny_unknown_fields)]
pub struct DiagnosticRange {
    end: DiagnosticPlace,
    start: DiagnosticPlace,
}

#[derive(Clone, Copy, Debug, Serialize, JsonSchema)]
#[schemars(rename = "diagnostic-place", deny_unknown_fields)]
struct DiagnosticPlace {
    column: usize,
    line: usize,
}

impl DiagnosticRange {
    /// A stretch between two positions.
    #[must_use]
    pub fn between(start: Position, end: Position) -> Self {
        let place = |position: Position| DiagnosticPlace { column: position.column, line: position.line };
        Self { end: place(end), start: place(start) }
    }
}

/// The status of every gate after a run: only a run that recomputed digests and found them equal shows the hash.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ReportedGates {
    /// Digests recomputed and matched.
    Evidenced,
    /// Nothing was shown.
    Unevidenced,
}

impl ReportedGates {
    /// The word of a gate.
    #[must_use]
    pub fn word(self, gate: Gate) -> &'static str {
        match self {
            Self::Evidenced => GateStatuses::<Evidenced>::now().word(gate),
            Self::Unevidenced => GateStatuses::<Unevidenced>::now().word(gate),
        }
    }

    /// The gates that are missing then.
    #[must_use]
    pub fn missing(self) -> Vec<Gate> {
        match self {
            Self::Evidenced => Evidenced::missing(),
            Self::Unevidenced => Unevidenced::missing(),
        }
    }
}

impl Serialize for ReportedGates {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Evidenced => GateStatuses::<Evidenced>::now().serialize(serializer),
            Self::Unevidenced => GateStatuses::<Unevidenced>::now().serialize(serializer),
        }
    }
}

impl JsonSchema for ReportedGates {
    fn schema_name() -> Cow<'static, str> {
        "reported-gates".into()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        let evidenced = generator.subschema_for::<GateStatuses<Evidenced>>();
        let unevidenced = generator.subschema_for::<GateStatuses<Unevidenced>>();
        json_schema!({ "oneOf": [evidenced, unevidenced] })
    }
}

#[allow(clippy::trivially_copy_pass_by_ref, reason = "serde passes what it asks about by reference")]
const fn is_zero(count: &usize) -> bool {
    *count == 0
}

impl<'a> Diagnostics<'a> {
    /// A report about nothing: closed, like every other.
    #[must_use]
    pub fn empty(exit_code: u8, valid: bool, scope: RunScope<'a>) -> Self {
        Self {
            artifacts: Vec::new(),
            broken_edge: None,
            exit_code,
            findings: Vec::new(),
            gate_statuses: ReportedGates::Unevidenced,
            missing_gates: Unevidenced::missing(),
            outcome: ClosedOutcome::default(),
            packages: Vec::new(),
            schema: DiagnosticsSchema::V1,
            scope,
            settings: Vec::new(),
            stale: Vec::new(),
            steps: Vec::new(),
            stopped: None,
            unlisted: 0,
            valid,
        }
    }
}
