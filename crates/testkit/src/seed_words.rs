//! What the seed says, written a second time by hand. Never fill this file from the project's own tables.

/// Stands in the command table for the path that the seed calls `<package_manifest>`.
pub const PACKAGE_MANIFEST: &str = "<package_manifest>";

pub const SUBMISSION: &str = "svc-registry-submission.json";
pub const INDEX: &str = "svc-registry-index.json";
pub const ACCEPTANCE_REQUEST: &str = "svc-registry-acceptance-request.json";
pub const PUBLISHER_VERIFICATION: &str = "svc-registry-publisher-verification.json";
pub const REVIEW_EVIDENCE: &str = "svc-registry-review-evidence.json";
pub const SIGNING_REQUEST: &str = "svc-registry-signing-request.json";
pub const INSTALL_POLICY: &str = "svc-registry-install-policy.json";

/// One row of seed 4.1: `svc app <subcommand> <input> [options]`.
pub struct Command {
    pub subcommand: &'static str,
    pub input: &'static str,
    pub options: &'static [&'static str],
    /// `None` where the seed says "validation result".
    pub output: Option<&'static str>,
}

/// Seed 4.1, in its order.
pub const THIRTEEN_COMMANDS: [Command; 13] = [
    Command {
        subcommand: "pack",
        input: PACKAGE_MANIFEST,
        options: &["--owner-id", "acme", "--owner-name", "Acme Ltd", "--visibility", "unlisted"],
        output: Some("svc-registry-submission.json"),
    },
    Command {
        subcommand: "registry",
        input: "svc-registry-submission.json",
        options: &["--out", "svc-registry-index.json"],
        output: Some("svc-registry-index.json"),
    },
    Command { subcommand: "registry-validate", input: "svc-registry-index.json", options: &[], output: None },
    Command {
        subcommand: "registry-acceptance",
        input: "svc-registry-submission.json",
        options: &["--out", "svc-registry-acceptance-request.json"],
        output: Some("svc-registry-acceptance-request.json"),
    },
    Command {
        subcommand: "registry-acceptance-validate",
        input: "svc-registry-acceptance-request.json",
        options: &[],
        output: None,
    },
    Command {
        subcommand: "registry-publisher-verification",
        input: "svc-registry-submission.json",
        options: &["--out", "svc-registry-publisher-verification.json"],
        output: Some("svc-registry-publisher-verification.json"),
    },
    Command {
        subcommand: "registry-publisher-verification-validate",
        input: "svc-registry-publisher-verification.json",
        options: &[],
        output: None,
    },
    Command {
        subcommand: "registry-review-evidence",
        input: "svc-registry-submission.json",
        options: &["--out", "svc-registry-review-evidence.json"],
        output: Some("svc-registry-review-evidence.json"),
    },
    Command {
        subcommand: "registry-review-evidence-validate",
        input: "svc-registry-review-evidence.json",
        options: &[],
        output: None,
    },
    Command {
        subcommand: "registry-signing-request",
        input: "svc-registry-acceptance-request.json",
        options: &["--out", "svc-registry-signing-request.json"],
        output: Some("svc-registry-signing-request.json"),
    },
    Command {
        subcommand: "registry-signing-request-validate",
        input: "svc-registry-signing-request.json",
        options: &[],
        output: None,
    },
    Command {
        subcommand: "registry-install-policy",
        input: "svc-registry-signing-request.json",
        options: &["--out", "svc-registry-install-policy.json"],
        output: Some("svc-registry-install-policy.json"),
    },
    Command {
        subcommand: "registry-install-policy-validate",
        input: "svc-registry-install-policy.json",
        options: &[],
        output: None,
    },
];

/// One of the seven files of seed 2.2.
pub struct File {
    pub name: &'static str,
    pub status: &'static str,
    /// The subcommand of `svc app` that judges it; the seed names none for the submission.
    pub validate: &'static str,
    /// The kind it is derived from (seed 4.1, rule 1); the submission comes from the package.
    pub parent: Option<&'static str>,
}

/// Seed 2.2, in its order.
pub static SEVEN_FILES: [File; 7] = [
    File { name: SUBMISSION, status: "submitted-locally", validate: "validate", parent: None },
    File {
        name: INDEX,
        status: "indexed-locally",
        validate: "registry-validate",
        parent: Some("svc-registry-submission"),
    },
    File {
        name: ACCEPTANCE_REQUEST,
        status: "requested",
        validate: "registry-acceptance-validate",
        parent: Some("svc-registry-submission"),
    },
    File {
        name: PUBLISHER_VERIFICATION,
        status: "unverified",
        validate: "registry-publisher-verification-validate",
        parent: Some("svc-registry-submission"),
    },
    File {
        name: REVIEW_EVIDENCE,
        status: "unstored",
        validate: "registry-review-evidence-validate",
        parent: Some("svc-registry-submission"),
    },
    File {
        name: SIGNING_REQUEST,
        status: "unsigned",
        validate: "registry-signing-request-validate",
        parent: Some("svc-registry-acceptance-request"),
    },
    File {
        name: INSTALL_POLICY,
        status: "not-applied",
        validate: "registry-install-policy-validate",
        parent: Some("svc-registry-signing-request"),
    },
];

/// Seed 4.2.3: what every answer and every artifact says no to.
pub const FLAGS: [&str; 3] = ["accepted", "signed", "installable"];

/// Seed 2.3 (and 1.5 for the last row): gate, local status, status word.
pub const LEDGER: [(&str, &str, &str); 6] = [
    ("artifact-hash", "evidenced", "evidenced"),
    ("publisher-verification", "declared", "unverified"),
    ("review-storage", "prepared", "unstored"),
    ("artifact-signing", "prepared", "unsigned"),
    ("host-install-policy", "planned", "not-applied"),
    ("renderer-isolation", "planned", "not-isolated"),
];

pub const BASE_PATH: &str = "/api/sdk/registry";

/// Seed 4.2: method, path, payload.
pub const SIX_POSTS: [(&str, &str, &str); 6] = [
    ("POST", "/acceptance-requests", "svc-registry-acceptance-request.json"),
    ("POST", "/indexes/validate", "svc-registry-index.json"),
    ("POST", "/publisher-verification", "svc-registry-publisher-verification.json"),
    ("POST", "/review-evidence", "svc-registry-review-evidence.json"),
    ("POST", "/signing-requests", "svc-registry-signing-request.json"),
    ("POST", "/install-policy", "svc-registry-install-policy.json"),
];

pub const CATALOG_NAME: &str = "SDK_DISTRIBUTION_LIFECYCLE_CATALOG";

/// Seed 2.1: id, label, meaning.
pub const FIVE_STAGES: [(&str, &str, &str); 5] = [
    ("blueprint", "Blueprint", "Draft app source."),
    ("showcase-preview", "Showcase preview", "Discoverable metadata; preview only."),
    ("review-report", "Review report", "Validation evidence and remaining blockers."),
    ("collection-entry", "Collection entry", "Listing scoped to a user or to a space."),
    ("signed-package", "Signed package", "Installable only when host policy allows it."),
];
