//! `svc.verification/v1`: the scorecard of a verification for machines, and everything that can be wrong in one.
//!
//! The verifier fills it; its schema is generated. There is no grade in it: a registry is closed as declared, or not.

use crate::{
    closed::ClosedOutcome,
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
    ($($variant:ident = $code:literal, $exit:ident, $title:literal, $help:literal;)+) => {
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
    OpenClaim = "open-claim", OpenClaim, "Something claims to be open",
        "Take the registry out of service and find out who changed it.";
    GateDiffers = "gate-differs", OpenClaim, "A gate is missing, is extra or has another word",
        "Five gates have one word each; take the registry out of service and find out who changed it.";
    DigestVerdict = "digest-verdict", Digest, "A digest, or the verdict on one, is wrong",
        "Compare the digest by hand; do not use a registry that does not recompute.";
    AttackEvaluated = "attack-evaluated", Findings, "A tampered document was evaluated instead of refused",
        "Compare the registry's build with yours.";
    WrongStatus = "wrong-status", Findings, "An answer has a status that the contract does not give",
        "Check what is between you and the registry, such as a proxy, and compare its build with yours.";
    WrongAnswer = "wrong-answer", Findings, "An answer holds something else than the contract gives",
        "Compare the registry's build with yours.";
    WrongProblem = "wrong-problem", Findings, "A refusal gives a reason that the contract does not give",
        "Compare the registry's build with yours.";
    WrongHeader = "wrong-header", Findings, "A header is missing, is there twice or has another value",
        "Check what is between you and the registry, such as a proxy or a cache.";
    NotStrict = "not-strict", Findings, "An answer is not strict JSON",
        "Check what is between you and the registry, such as a proxy or a cache.";
    Redirected = "redirected", Findings, "The registry answers with a redirect, which is not followed",
        "Give the address that the registry itself answers at.";
    RepeatedAnswer = "repeated-answer", Findings, "An answer was given before",
        "Remove the cache that is between you and the registry.";
    OverBounds = "over-bounds", Findings, "An answer is larger than the verifier reads",
        "Check what is between you and the registry, such as a proxy or a cache.";
    NoEntry = "no-entry", Findings, "The token is missing, or does not allow this",
        "Give a token with the scopes `preflight` and `read` by SVC_TOKEN or --token-file.";
    EvidenceMissing = "evidence-missing", Findings, "The ledger names evidence that is not there",
        "Change the ledger, the artifacts and the contract together, in one generated change.";
    WrongWording = "wrong-wording", Findings, "A package is described as more than it is",
        "An external package is a validated artifact or a showcase preview.";
    ChecksMissing = "checks-missing", Findings, "Another number of checks ran than this build has",
        "The result shows nothing; use an unchanged build.";
    Unreachable = "unreachable", Registry, "The registry cannot be reached",
        "Check the address, the port and the certificate.";
    NoAnswer = "no-answer", Registry, "No whole answer came in time",
        "Try again; then check what is between you and the registry, such as a proxy.";
    ServerError = "server-error", Registry, "The registry failed or is busy",
        "Try again later; read the registry's log by the request id.";
    ContractDrift = "contract-drift", Drift, "A contract differs from the one of this build",
        "Use the svc that the registry was built from; in a checkout run `cargo xtask generate`.";
    FileMissing = "file-missing", Drift, "A committed contract is missing",
        "Restore it, or run `cargo xtask generate`.";
    FileExtra = "file-extra", Drift, "A file lies among the contracts that nothing generates",
        "Remove it.";
}

wire_struct! {
    /// The scorecard of one verification.
    VerificationReport "verification-report" {
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
        /// Which of the two verifications.
        mode: Mode,
        /// Never anything but no.
        outcome: ClosedOutcome,
        /// What it comes to.
        posture: Posture,
        /// How many checks ran.
        ran_checks: usize,
        /// This format.
        schema: VerificationSchema,
        /// What was looked at.
        target: String,
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
