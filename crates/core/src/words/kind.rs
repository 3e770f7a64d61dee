//! The table of artifacts. Commands, routes, contracts, schemas and the verifier derive from it.

use std::fmt;

use crate::{wire_enum, wire_string, words::limits};

/// Every artifact, in the order in which the commands make them.
pub static ALL: &[&ArtifactSpec] = &[
    &SUBMISSION,
    &INDEX,
    &ACCEPTANCE_REQUEST,
    &PUBLISHER_VERIFICATION,
    &REVIEW_EVIDENCE,
    &SIGNING_REQUEST,
    &INSTALL_POLICY,
];

pub static SUBMISSION: ArtifactSpec = ArtifactSpec {
    artifact: ArtifactKind::Submission,
    kind: "svc-registry-submission",
    file: "svc-registry-submission.json",
    name: "submission",
    schema: "urn:svc:registry:schema:submission:1.0",
    status: "submitted-locally",
    evidences: "Owner, visibility, package artifact, review report, blockers, next gate, and unsigned artifact digests.",
    make: MakeCommand { order: 1, name: "pack", about: "Check a package and make its submission" },
    check: None,
    endpoint: None,
    source: Source::Package,
    most_bytes: limits::ARTIFACT_BYTES,
};

pub static INDEX: ArtifactSpec = ArtifactSpec {
    artifact: ArtifactKind::Index,
    kind: "svc-registry-index",
    file: "svc-registry-index.json",
    name: "index",
    schema: "urn:svc:registry:schema:index:1.0",
    status: "indexed-locally",
    evidences: "Deterministic local index covering one or more submissions.",
    make: MakeCommand { order: 2, name: "registry", about: "Make an index of one or more submissions" },
    check: Some(CheckCommand { order: 3, name: "registry-validate", about: "Check an index" }),
    endpoint: Some(Endpoint { operation: "validate-index", path: "/indexes/validate" }),
    source: Source::Submissions,
    most_bytes: limits::INDEX_BYTES,
};

pub static ACCEPTANCE_REQUEST: ArtifactSpec = ArtifactSpec {
    artifact: ArtifactKind::AcceptanceRequest,
    kind: "svc-registry-acceptance-request",
    file: "svc-registry-acceptance-request.json",
    name: "acceptance-request",
    schema: "urn:svc:registry:schema:acceptance-request:1.0",
    status: "requested",
    evidences: "Request shape for a future hosted API, with the required server gates.",
    make: MakeCommand {
        order: 4,
        name: "registry-acceptance",
        about: "Derive the acceptance request from a submission",
    },
    check: Some(CheckCommand { order: 5, name: "registry-acceptance-validate", about: "Check an acceptance request" }),
    endpoint: Some(Endpoint { operation: "evaluate-acceptance-request", path: "/acceptance-requests" }),
    source: Source::Artifact { parent: &SUBMISSION },
    most_bytes: limits::ARTIFACT_BYTES,
};

pub static PUBLISHER_VERIFICATION: ArtifactSpec = ArtifactSpec {
    artifact: ArtifactKind::PublisherVerification,
    kind: "svc-registry-publisher-verification",
    file: "svc-registry-publisher-verification.json",
    name: "publisher-verification",
    schema: "urn:svc:registry:schema:publisher-verification:1.0",
    status: "unverified",
    evidences: "Declared publisher identity; its status is `unverified`.",
    make: MakeCommand {
        order: 6,
        name: "registry-publisher-verification",
        about: "Derive the publisher's declared identity from a submission",
    },
    check: Some(CheckCommand {
        order: 7,
        name: "registry-publisher-verification-validate",
        about: "Check a publisher's declared identity",
    }),
    endpoint: Some(Endpoint { operation: "evaluate-publisher-verification", path: "/publisher-verification" }),
    source: Source::Artifact { parent: &SUBMISSION },
    most_bytes: limits::ARTIFACT_BYTES,
};

pub static REVIEW_EVIDENCE: ArtifactSpec = ArtifactSpec {
    artifact: ArtifactKind::ReviewEvidence,
    kind: "svc-registry-review-evidence",
    file: "svc-registry-review-evidence.json",
    name: "review-evidence",
    schema: "urn:svc:registry:schema:review-evidence:1.0",
    status: "unstored",
    evidences: "Prepared review evidence; its status is `unstored`.",
    make: MakeCommand {
        order: 8,
        name: "registry-review-evidence",
        about: "Derive the review evidence from a submission",
    },
    check: Some(CheckCommand { order: 9, name: "registry-review-evidence-validate", about: "Check review evidence" }),
    endpoint: Some(Endpoint { operation: "evaluate-review-evidence", path: "/review-evidence" }),
    source: Source::Artifact { parent: &SUBMISSION },
    most_bytes: limits::ARTIFACT_BYTES,
};

pub static SIGNING_REQUEST: ArtifactSpec = ArtifactSpec {
    artifact: ArtifactKind::SigningRequest,
    kind: "svc-registry-signing-request",
    file: "svc-registry-signing-request.json",
    name: "signing-request",
    schema: "urn:svc:registry:schema:signing-request:1.0",
    status: "unsigned",
    evidences: "Unsigned package digests intended for a future signer controlled by the host.",
    make: MakeCommand {
        order: 10,
        name: "registry-signing-request",
        about: "Derive the signing request from an acceptance request",
    },
    check: Some(CheckCommand {
        order: 11,
        name: "registry-signing-request-validate",
        about: "Check a signing request",
    }),
    endpoint: Some(Endpoint { operation: "evaluate-signing-request", path: "/signing-requests" }),
    source: Source::Artifact { parent: &ACCEPTANCE_REQUEST },
    most_bytes: limits::ARTIFACT_BYTES,
};

pub static INSTALL_POLICY: ArtifactSpec = ArtifactSpec {
    artifact: ArtifactKind::InstallPolicy,
    kind: "svc-registry-install-policy",
    file: "svc-registry-install-policy.json",
    name: "install-policy",
    schema: "urn:svc:registry:schema:install-policy:1.0",
    status: "not-applied",
    evidences: "Install-policy preflight; its status is `not-applied`; the package stays non-installable.",
    make: MakeCommand {
        order: 12,
        name: "registry-install-policy",
        about: "Derive the install-policy preflight from a signing request",
    },
    check: Some(CheckCommand {
        order: 13,
        name: "registry-install-policy-validate",
        about: "Check an install-policy preflight",
    }),
    endpoint: Some(Endpoint { operation: "evaluate-install-policy", path: "/install-policy" }),
    source: Source::Artifact { parent: &SIGNING_REQUEST },
    most_bytes: limits::ARTIFACT_BYTES,
};

/// The row of one kind.
#[derive(Debug)]
pub struct ArtifactSpec {
    pub artifact: ArtifactKind,
    /// The kind on the wire.
    pub kind: &'static str,
    /// The file it is written to.
    pub file: &'static str,
    /// The short name: of its schema, its conformance cases and its source file.
    pub name: &'static str,
    /// The schema's URN.
    pub schema: &'static str,
    /// The one status word.
    pub status: &'static str,
    /// What it evidences locally, for people.
    pub evidences: &'static str,
    /// The command that makes it.
    pub make: MakeCommand,
    /// The command that checks it; the submission has none of its own.
    pub check: Option<CheckCommand>,
    /// The endpoint that takes it; the submission has none.
    pub endpoint: Option<Endpoint>,
    /// What it is made from.
    pub source: Source,
    /// The most bytes that are read.
    pub most_bytes: usize,
}

/// A command that makes an artifact.
#[derive(Clone, Copy, Debug)]
pub struct MakeCommand {
    /// Its place in the order of the thirteen.
    pub order: u8,
    /// Its name below `svc app`.
    pub name: &'static str,
    /// What it does.
    pub about: &'static str,
}

/// A command that checks an artifact.
#[derive(Clone, Copy, Debug)]
pub struct CheckCommand {
    /// Its place in the order of the thirteen.
    pub order: u8,
    /// Its name below `svc app`.
    pub name: &'static str,
    /// What it does.
    pub about: &'static str,
}

/// An endpoint below the base path.
#[derive(Clone, Copy, Debug)]
pub struct Endpoint {
    /// The operation's id.
    pub operation: &'static str,
    /// The path below the base path.
    pub path: &'static str,
}

/// What an artifact is made from.
#[derive(Clone, Copy, Debug)]
pub enum Source {
    /// A package on disk.
    Package,
    /// One or more submissions.
    Submissions,
    /// One artifact.
    Artifact {
        /// The parent's row.
        parent: &'static ArtifactSpec,
    },
}

/// The row of a kind.
#[must_use]
pub fn find(kind: &str) -> Option<&'static ArtifactSpec> {
    ALL.iter().copied().find(|spec| spec.kind == kind)
}

/// One of the seven kinds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ArtifactKind {
    Submission,
    Index,
    AcceptanceRequest,
    PublisherVerification,
    ReviewEvidence,
    SigningRequest,
    InstallPolicy,
}

impl ArtifactKind {
    /// The row of the kind.
    #[must_use]
    pub const fn spec(self) -> &'static ArtifactSpec {
        match self {
            Self::Submission => &SUBMISSION,
            Self::Index => &INDEX,
            Self::AcceptanceRequest => &ACCEPTANCE_REQUEST,
            Self::PublisherVerification => &PUBLISHER_VERIFICATION,
            Self::ReviewEvidence => &REVIEW_EVIDENCE,
            Self::SigningRequest => &SIGNING_REQUEST,
            Self::InstallPolicy => &INSTALL_POLICY,
        }
    }

    /// Reads the word.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        find(text).map(|spec| spec.artifact)
    }

    fn with_text<R>(&self, write: impl FnOnce(&str) -> R) -> R {
        write(self.spec().kind)
    }
}

impl fmt::Display for ArtifactKind {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.spec().kind)
    }
}

wire_string! {
    ArtifactKind {
        name: "artifact-kind",
        rule: B015,
        expected: "the kind of an artifact",
        pattern: "^svc-registry-[a-z]+(-[a-z]+)*$",
        max_length: 64,
    }
}

wire_enum! {
    /// The version of the schemas.
    pub enum SchemaVersion("schema-version", B002) {
        /// The only one.
        V1_0 = "1.0",
    }
}
