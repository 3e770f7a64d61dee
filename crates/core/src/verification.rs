//! `svc.verification/v1`: the scorecard of a verification for machines, and everything that can be wrong in one.
//!
//! The verifier fills it; its schema is generated. There is no grade in it: each level holds, or does not.

use crate::{
    closed::ClosedOutcome,
    journal::scalars::ProbeId,
    scalar::ruleset_ref::RulesetRef,
    wire_enum, wire_struct,
    words::{exit_code::ExitCode, gate::Gate},
};

/// The schema's URN.
pub const SCHEMA: &str = "urn:svc:registry:schema:verification:1.0";

wire_enum! {
    /// The name of the format.
    pub enum VerificationSchema("verification-schema", B002) {
        /// The only one.
        V1 = "svc.verification/v1",
    }
}

wire_enum! {
    /// Which of the two verifications.
    pub enum Mode("verification-mode", B015) {
        /// The committed contracts and the routes of this build, in-process.
        Local = "local",
        /// A running registry.
        Hosted = "hosted",
    }
}

wire_enum! {
    /// How much of a registry is asked for, the least first.
    pub enum Level("verification-level", B015) {
        /// The specification's own words: every valid payload is answered no, with its gates, and a wrong digest is rejected.
        Closed = "closed",
        /// And the shapes, status codes and problem codes of the API contract, for the whole conformance kit, and the ledger.
        Contract = "contract",
        /// And what this build itself answers, every answer on record.
        Build = "build",
    }
}

wire_enum! {
    /// What a verification shows of a level.
    pub enum LevelResult("verification-level-result", B015) {
        /// Everything that it asks for was checked, and nothing is wrong.
        Passed = "passed",
        /// Something is wrong.
        Failed = "failed",
        /// It was not asked for, or not everything was checked: nothing is known of it.
        NotChecked = "not-checked",
    }
}

wire_enum! {
    /// What a verification comes to.
    pub enum Posture("verification-posture", B015) {
        /// Every check ran, and each came out as declared.
        ClosedAsDeclared = "closed-as-declared",
        /// Anything else.
        NotAsDeclared = "not-as-declared",
    }
}

wire_enum! {
    /// How a check ended.
    pub enum CheckEnd("verification-check-end", B015) {
        /// As declared.
        Passed = "passed",
        /// Not as declared.
        Failed = "failed",
        /// It never ran, so it shows nothing.
        NotRun = "not-run",
    }
}

macro_rules! faults {
    ($($variant:ident = $code:literal, $level:ident, $exit:ident, $title:literal, $help:literal;)+) => {
        wire_enum! {
            /// What can be wrong in a verification.
            pub enum FaultCode("verification-fault", B015) {
                $(#[doc = $title] $variant = $code,)+
            }
        }

        impl FaultCode {
            /// The exit code that it asks for.
            #[must_use]
            pub const fn exit(self) -> ExitCode {
                match self { $(Self::$variant => ExitCode::$exit,)+ }
            }

            /// The lowest level that it breaks, unless a check says otherwise.
            #[must_use]
            pub const fn level(self) -> Level {
                match self { $(Self::$variant => Level::$level,)+ }
            }

            /// What it means.
            #[must_use]
            pub const fn title(self) -> &'static str {
                match self { $(Self::$variant => $title,)+ }
            }

            /// The way out.
            #[must_use]
            pub const fn help(self) -> &'static str {
                match self { $(Self::$variant => $help,)+ }
            }
        }
    };
}

faults! {
    OpenClaim = "open-claim", Closed, OpenClaim, "Something claims to be open",
        "Take the registry out of service and find out who changed it.";
    NoMissing = "no-missing", Closed, Findings, "An answer is not a complete denial",
        "Every answer to a valid payload says `accepted` and `installable` false, lists the missing gates, and has a status for each gate in `gateStatuses`.";
    NotAnswered = "not-answered", Closed, Findings, "A valid payload was not answered",
        "Every valid payload is answered with `accepted` and `installable` false, the missing gates and `gateStatuses`. Check the address and what is in front of the registry.";
    DigestVerdict = "digest-verdict", Closed, Digest, "A digest, or the verdict on one, is wrong",
        "Compare the digest by hand; do not use a registry that does not recompute.";
    ReceiptUnproven = "receipt-unproven", Closed, Digest, "A receipt does not prove its answer",
        "Keep the answer as evidence, and ask the operator for the log that it should be in.";
    LogRewritten = "log-rewritten", Closed, Digest, "The log is not one growing log",
        "Keep both signed states as evidence: the registry shows different logs.";
    KeyDiffers = "key-differs", Closed, Digest, "The log is signed with another key",
        "Check that the key is this log's: compare both key ids with the key that the operator publishes. If yours is the published one, keep the answers as evidence.";
    QuorumLacking = "quorum-lacking", Closed, Digest, "Too few witnesses have seen the log",
        "Try again in a moment; if it stays, ask the operator and the witnesses: the log may show others another history.";
    ReceiptMissing = "receipt-missing", Build, Findings, "An answer has no receipt",
        "Turn the journal of the registry on; without it nobody can prove what was answered.";
    GateDiffers = "gate-differs", Contract, Drift, "A gate is missing, is extra or has another word",
        "Five gates have one word each; compare the registry's ledger with the specification.";
    AttackEvaluated = "attack-evaluated", Contract, Findings, "A tampered document was evaluated instead of refused",
        "Compare the registry's build with yours.";
    WordsRepeated = "words-repeated", Contract, Findings, "An answer repeats words of the author",
        "Say rules and places in your own words: what an author wrote must not come back under the name of the registry.";
    WrongStatus = "wrong-status", Contract, Findings, "An answer has a status that the contract does not give",
        "Check what is between you and the registry, such as a proxy, and compare its build with yours.";
    WrongAnswer = "wrong-answer", Contract, Findings, "An answer holds something else than the contract gives",
        "Compare the registry's build with yours.";
    WrongProblem = "wrong-problem", Contract, Findings, "A refusal gives a reason that the contract does not give",
        "Compare the registry's build with yours.";
    WrongHeader = "wrong-header", Build, Findings, "A header is missing, is there twice or has another value",
        "Check what is between you and the registry, such as a proxy or a cache.";
    CrossOrigin = "cross-origin", Contract, Findings, "Pages of other sites may read an answer",
        "Send no `access-control-allow-…` header, but `access-control-allow-origin: *` with the public files of the journal.";
    NotStrict = "not-strict", Contract, Findings, "An answer is not strict JSON",
        "Check what is between you and the registry, such as a proxy or a cache.";
    Redirected = "redirected", Contract, Findings, "The registry answers with a redirect, which is not followed",
        "Give the address that the registry itself answers at.";
    RepeatedAnswer = "repeated-answer", Contract, Findings, "An answer was given before",
        "Remove the cache that is between you and the registry.";
    OverBounds = "over-bounds", Closed, Findings, "An answer is larger than the verifier reads",
        "Check what is between you and the registry, such as a proxy or a cache.";
    NoEntry = "no-entry", Closed, Findings, "The token is missing, or does not allow this",
        "Give a token with the scopes `preflight` and `read` by SVC_TOKEN or --token-file.";
    EvidenceMissing = "evidence-missing", Closed, Findings, "The ledger names evidence that is not there",
        "Change the ledger, the artifacts and the contract together, in one generated change.";
    WrongWording = "wrong-wording", Closed, Findings, "A package is described as more than it is",
        "An external package is a validated artifact or a showcase preview.";
    ChecksMissing = "checks-missing", Closed, Findings, "Another number of checks ran than this build has",
        "The result shows nothing; use an unchanged build.";
    Unreachable = "unreachable", Closed, Registry, "The registry cannot be reached",
        "Check the address, the port and the certificate.";
    NoAnswer = "no-answer", Closed, Registry, "No whole answer came in time",
        "Try again; then check what is between you and the registry, such as a proxy.";
    ServerError = "server-error", Closed, Registry, "The registry failed or is busy",
        "Try again later; read the registry's log by the request id.";
    ContractDrift = "contract-drift", Contract, Drift, "A contract differs from the one of this build",
        "Use the svc that the registry was built from; in a checkout run `cargo xtask generate`.";
    FileMissing = "file-missing", Closed, Drift, "A committed contract is missing",
        "Restore it, or run `cargo xtask generate`.";
    FileExtra = "file-extra", Closed, Drift, "A file lies among the contracts that nothing generates",
        "Remove it.";
}

wire_struct! {
    /// The scorecard of one verification.
    VerificationReport "verification-report" {
        /// The version of svc that looked.
        build: String,
        /// Every check, in order.
        checks: Vec<CheckLine>,
        /// What was asked for, one sentence each.
        criteria: Vec<String>,
        /// The exit code of the run.
        exit_code: u8,
        /// How many checks this build has.
        expected_checks: usize,
        /// What is wrong with the run as a whole.
        faults: Vec<FaultLine>,
        /// Every gate, as each side tells it.
        gates: Vec<GateLine>,
        /// The highest level that was checked and passed, if one did.
        #[serde(skip_serializing_if = "Option::is_none")]
        highest: Option<Level>,
        /// Each level up to the one that was asked for, and beyond it.
        levels: Vec<LevelLine>,
        /// Which of the two verifications.
        mode: Mode,
        /// Never anything but no.
        outcome: ClosedOutcome,
        /// How the log was looked at.
        #[serde(skip_serializing_if = "Option::is_none")]
        log: Option<LogLine>,
        /// What it comes to.
        posture: Posture,
        /// The name of this run: its requests carried it, and so do their records where the registry took it.
        #[serde(skip_serializing_if = "Option::is_none")]
        probe: Option<ProbeId>,
        /// How many checks ran.
        ran_checks: usize,
        /// The rules of that version.
        ruleset: RulesetRef,
        /// This format.
        schema: VerificationSchema,
        /// What was looked at.
        target: String,
    }
    /// One level: what was shown of it, and if it failed, the first reason.
    LevelLine "verification-level-line" {
        /// Which one.
        level: Level,
        /// Whether it was asked for.
        demanded: bool,
        /// What was shown of it.
        result: LevelResult,
        /// The first reason why it does not.
        #[serde(skip_serializing_if = "Option::is_none")]
        reason: Option<String>,
        /// The request that shows it, for a shell.
        #[serde(skip_serializing_if = "Option::is_none")]
        request: Option<String>,
    }
    /// What was seen of the registry's log.
    LogLine "verification-log" {
        /// Whether the key was given, and not taken from the registry itself.
        pinned: bool,
        /// How many answers had a receipt.
        receipts: usize,
        /// The size of the log at the end.
        #[serde(skip_serializing_if = "Option::is_none")]
        size: Option<u64>,
        /// What is to be known of it.
        note: String,
    }
    /// One check.
    CheckLine "verification-check" {
        /// Where it belongs: an endpoint, the documents, the ledger.
        area: String,
        /// How it ended.
        end: CheckEnd,
        /// What is wrong.
        faults: Vec<FaultLine>,
        /// What was tried.
        name: String,
    }
    /// Something that is wrong.
    FaultLine "verification-fault-line" {
        /// Which kind of fault.
        code: FaultCode,
        /// The lowest level that it breaks.
        level: Level,
        /// The way out.
        help: String,
        /// What is wrong.
        message: String,
    }
    /// One gate, as each side tells it.
    GateLine "verification-gate" {
        /// What the contract's schema allows.
        contract: String,
        /// What shows it.
        evidence: String,
        /// The gate.
        gate: Gate,
        /// What the ledger records.
        ledger: String,
        /// What the routes answer.
        server: String,
        /// What the specification says, held by hand.
        specified: String,
    }
}
