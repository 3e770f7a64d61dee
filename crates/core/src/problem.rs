//! The problem codes of the hosted API, each with its status, title and a way out.

use schemars::JsonSchema;
use serde::Serialize;

use crate::{
    canonical_json::gap::Gap,
    fail_closed::False,
    finding::Finding,
    gate::{AllGates, GateStatuses, Unevidenced},
    journal::receipt::Receipt,
    rules::artifacts,
    words,
};

/// The schema's URN.
pub const SCHEMA: &str = "urn:svc:registry:schema:problem:1.0";

/// The facts of one problem.
#[derive(Clone, Copy, Debug)]
pub struct ProblemSpec {
    /// The HTTP status.
    pub status: u16,
    /// A short title that never changes.
    pub title: &'static str,
    /// What the client can do.
    pub help: &'static str,
}

macro_rules! problems {
    ($($(#[$meta:meta])* $variant:ident = $code:literal, $status:literal, $title:literal, $help:literal;)+) => {
        words! {
            /// A problem code.
            pub enum ProblemCode("problem-code", artifacts::B015) {
                $(#[doc = $title] $variant = $code,)+
            }
        }

        impl ProblemCode {
            /// The problem's row.
            #[must_use]
            pub const fn spec(self) -> ProblemSpec {
                match self {
                    $(Self::$variant => ProblemSpec { status: $status, title: $title, help: $help },)+
                }
            }
        }
    };
}

problems! {
    MalformedJson = "malformed-json", 400, "The body is not strict JSON",
        "Send one JSON object in UTF-8, as svc writes it.";
    MalformedRequest = "malformed-request", 400, "The request is not proper HTTP",
        "Send one Host header and a well-formed request.";
    DuplicateMember = "duplicate-member", 400, "An object names a member twice",
        "Send each member once.";
    NotUtf8 = "not-utf8", 400, "The body is not UTF-8",
        "Send UTF-8 without a byte order mark.";
    Unauthenticated = "unauthenticated", 401, "A token is needed",
        "Send a valid token as `Authorization: Bearer`.";
    InsufficientScope = "insufficient-scope", 403, "The token does not allow this",
        "Use a token with the scope that the detail names.";
    NotFound = "not-found", 404, "There is nothing here",
        "See the links under the base path.";
    MethodNotAllowed = "method-not-allowed", 405, "Another method is needed",
        "Use a method of the Allow header.";
    NotAcceptable = "not-acceptable", 406, "No such representation",
        "Accept application/json.";
    RequestTimeout = "request-timeout", 408, "The request came too slowly",
        "Send the whole request within the served limits.";
    BodyTooLarge = "body-too-large", 413, "The body is too large",
        "Stay below the served limits.";
    UnsupportedMediaType = "unsupported-media-type", 415, "Another media type is needed",
        "Send application/json without a content encoding.";
    ArtifactInvalid = "artifact-invalid", 422, "The artifact does not have its form",
        "Make the artifact again with svc.";
    WrongKind = "wrong-kind", 422, "Another kind of artifact is expected here",
        "Send the artifact to its own endpoint.";
    UnsupportedSchemaVersion = "unsupported-schema-version", 422, "The schema version is not supported",
        "Make the artifact again with a version of svc that writes schema 1.0.";
    DigestMismatch = "digest-mismatch", 422, "A digest does not recompute",
        "Make the bundle again from the package.";
    BindingMismatch = "binding-mismatch", 422, "Parts of the artifact do not belong together",
        "Derive the artifact again from its parent.";
    PostureViolation = "posture-violation", 422, "The artifact makes an open claim",
        "Nothing is accepted, signed or installable here; make the artifact again with svc.";
    ReviewMismatch = "review-mismatch", 422, "The review report is not what the rules give",
        "Run `svc app pack` again.";
    IndexInconsistent = "index-inconsistent", 422, "The index is out of order or names a package twice",
        "Make the index again with `svc app registry`.";
    RateLimited = "rate-limited", 429, "Too many requests",
        "Wait for the time in Retry-After.";
    Internal = "internal", 500, "The service failed",
        "Try again; report it with the request id when it stays.";
    Overloaded = "overloaded", 503, "The service is busy",
        "Wait for the time in Retry-After.";
    JournalUnavailable = "journal-unavailable", 503, "The answer could not be put on record",
        "Wait for the time in Retry-After.";
    ShuttingDown = "shutting-down", 503, "The service is stopping",
        "Try again elsewhere or later.";
}

impl ProblemCode {
    /// The weight when several problems meet in one document: the heaviest names the whole.
    #[must_use]
    pub fn weight(self) -> u8 {
        if self.spec().status != 422 {
            return 0;
        }
        let order = [Self::ReviewMismatch, Self::BindingMismatch, Self::DigestMismatch, Self::PostureViolation];
        order.iter().zip(2..).find(|(code, _)| **code == self).map_or(1, |(_, weight)| weight)
    }
}

/// The body of every refusal: RFC 9457, and closed.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "problem", deny_unknown_fields)]
pub struct Problem {
    accepted: False,
    code: ProblemCode,
    detail: String,
    errors: Vec<ProblemError>,
    gate_statuses: GateStatuses<Unevidenced>,
    installable: False,
    instance: String,
    missing_gates: AllGates,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<Receipt>")]
    receipt: Option<Gap>,
    request_id: String,
    signed: False,
    status: u16,
    title: &'static str,
    #[serde(rename = "type")]
    kind: String,
}

/// One reason of a refusal.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[schemars(rename = "problem-error", deny_unknown_fields)]
pub struct ProblemError {
    code: ProblemCode,
    detail: String,
    pointer: String,
    rule: &'static str,
}

impl Problem {
    /// The refusal of a request.
    #[must_use]
    pub fn new(code: ProblemCode, detail: String, instance: String, request_id: String) -> Self {
        let ProblemSpec { status, title, .. } = code.spec();
        Self {
            accepted: False,
            code,
            detail,
            errors: Vec::new(),
            gate_statuses: GateStatuses::now(),
            installable: False,
            instance,
            missing_gates: AllGates,
            receipt: None,
            request_id,
            signed: False,
            status,
            title,
            kind: format!("/problems/{code}"),
        }
    }

    /// The refusal with a place for the proof that it is on record.
    #[must_use]
    pub fn awaiting_receipt(mut self) -> Self {
        self.receipt = Some(Gap);
        self
    }

    /// The refusal with the findings that led to it.
    #[must_use]
    pub fn with_findings(mut self, findings: &[Finding]) -> Self {
        self.errors = findings.iter().map(ProblemError::of).collect();
        self
    }
}

impl ProblemError {
    fn of(finding: &Finding) -> Self {
        let (place, words) = finding.in_our_words();
        Self {
            code: finding.rule.problem,
            detail: words.to_owned(),
            pointer: place.to_string(),
            rule: finding.rule.code,
        }
    }
}
