//! The specification's own words, written by hand.
//!
//! Nothing here comes from a table of the project, so that a change of the tables, with everything generated from them,
//! still differs from something. Whoever moves a gate on has to change this file too, in the open.

/// Gate, local status, status word (2.3, and 1.5 for the last).
pub(crate) const LEDGER: [(&str, &str, &str); 6] = [
    ("artifact-hash", "evidenced", "evidenced"),
    ("publisher-verification", "declared", "unverified"),
    ("review-storage", "prepared", "unstored"),
    ("artifact-signing", "prepared", "unsigned"),
    ("host-install-policy", "planned", "not-applied"),
    ("renderer-isolation", "planned", "not-isolated"),
];

/// The word of the first gate in every refusal, where nothing was shown.
pub(crate) const UNEVIDENCED: &str = "unevidenced";

/// What every answer says no to (4.2).
pub(crate) const FLAGS: [&str; 3] = ["accepted", "signed", "installable"];

/// Words that claim something when they are all that an outcome, a status, a stage or a gate says (1.5, 4.2).
pub(crate) const OPEN_WORDS: [&str; 12] = [
    "accepted",
    "approved",
    "verified",
    "stored",
    "signed",
    "installable",
    "applied",
    "isolated",
    "published",
    "granted",
    "installed",
    "released",
];

/// Words that say of a gate that nothing is left to do there (1.5).
pub(crate) const CLEARED_WORDS: [&str; 49] = [
    "complete",
    "completed",
    "cleared",
    "pass",
    "passed",
    "done",
    "satisfied",
    "fulfilled",
    "met",
    "ok",
    "okay",
    "yes",
    "true",
    "1",
    "on",
    "success",
    "successful",
    "succeeded",
    "valid",
    "validated",
    "green",
    "evidenced",
    "waived",
    "skipped",
    "exempt",
    "not-required",
    "active",
    "enabled",
    "confirmed",
    "recorded",
    "enforced",
    "finished",
    "proven",
    "resolved",
    "checked",
    "present",
    "available",
    "in-force",
    "granted",
    "100%",
    "not-missing",
    "certified",
    "clear",
    "bypassed",
    "overridden",
    "ignored",
    "allowed",
    "trusted",
    "✓",
];

/// Stages that nothing outside reaches (2.1).
pub(crate) const UNREACHED_STAGES: [&str; 3] = ["signed-package", "public-listing", "installed"];

/// Names that claim something by a yes, next to the flags.
pub(crate) const SPOKEN: [&str; 7] =
    ["accepted", "signed", "installable", "approved", "published", "installed", "released"];

/// What each gate is known by, however an answer spells it (2.3, and 1.5 for the last): letters and digits, in lower case.
pub(crate) const GATE_STEMS: [(&str, &[&str]); 6] = [
    ("renderer-isolation", &["isolat", "renderer"]),
    ("artifact-hash", &["hash", "digest", "sha256"]),
    ("publisher-verification", &["publisher", "identity"]),
    ("review-storage", &["review", "storage"]),
    ("artifact-signing", &["signing", "signature", "artifactsign"]),
    ("host-install-policy", &["policy", "install"]),
];

/// Members whose whole value may be such a word.
pub(crate) const STANDINGS: [&str; 9] =
    ["outcome", "status", "stage", "decision", "verdict", "result", "state", "conclusion", "disposition"];

/// The one gate that shows something.
pub(crate) const SHOWN_GATE: &str = "artifact-hash";

/// The one outcome of a completed evaluation.
pub(crate) const DENIED: &str = "denied";

/// Where the endpoints lie (4.2).
pub(crate) const BASE_PATH: &str = "/api/sdk/registry";

/// Path and payload of the six endpoints, all POST (4.2).
pub(crate) const SIX_POSTS: [(&str, &str); 6] = [
    ("/acceptance-requests", "svc-registry-acceptance-request.json"),
    ("/indexes/validate", "svc-registry-index.json"),
    ("/publisher-verification", "svc-registry-publisher-verification.json"),
    ("/review-evidence", "svc-registry-review-evidence.json"),
    ("/signing-requests", "svc-registry-signing-request.json"),
    ("/install-policy", "svc-registry-install-policy.json"),
];

/// How an external package may be described (1.5).
pub(crate) const PACKAGES_ARE: [&str; 2] = ["validated artifact", "showcase preview"];

/// Words that would describe it as more (1.5). Gates and fields whose fixed names hold one are no words of prose.
pub(crate) const MORE_THAN_IT_IS: [&str; 5] = ["marketplace", "approved", "verified", "trusted", "safe"];

/// The gates that are missing in every completed evaluation: all but the first.
pub(crate) fn missing() -> impl Iterator<Item = &'static str> {
    LEDGER.iter().skip(1).map(|(gate, ..)| *gate)
}

/// The gates of the ledger of the specification (2.3). The last of ours is in 1.5 alone.
pub(crate) fn ledger_gates() -> impl Iterator<Item = &'static str> {
    LEDGER.iter().take(5).map(|(gate, ..)| *gate)
}

pub(crate) fn word(gate: &str) -> Option<&'static str> {
    LEDGER.iter().find(|(name, ..)| *name == gate).map(|(_, _, word)| *word)
}
