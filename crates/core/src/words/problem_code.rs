//! The problem codes of the hosted API, each with its status, title and a way out.

use crate::wire_enum;

/// The path below which all endpoints lie, and the pages of the problems.
pub const BASE_PATH: &str = "/api/sdk/registry";

/// Where the service refuses, and so which operations can answer with a problem.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RefusedAt {
    /// Every operation: its request line and headers, or a fault inside the service.
    Request,
    /// Every operation but the health checks: the name of the host, and the rate.
    Admission,
    /// Operations that take a token.
    Token,
    /// Operations that answer in JSON, which are all but those of the journal.
    Accept,
    /// Every operation but health checks and metrics: a turn, or room for an answer.
    Capacity,
    /// Evaluations: how the body comes.
    Body,
    /// Evaluations: what the body is.
    Document,
    /// The evaluation of an index.
    Index,
    /// Evaluations, and what reads the journal.
    Journal,
    /// Evaluations: the quorum of witnesses.
    Witnesses,
    /// Evaluations, and what follows the log.
    Shutdown,
    /// What follows the log: its stream, and pages that wait.
    Following,
}

/// The facts of one problem.
#[derive(Clone, Copy, Debug)]
pub struct ProblemSpec {
    /// Where it is made.
    pub refused_at: RefusedAt,
    /// The HTTP status.
    pub status: u16,
    /// A short title that never changes.
    pub title: &'static str,
    /// What the client can do.
    pub help: &'static str,
}

macro_rules! problems {
    ($($(#[$meta:meta])* $variant:ident = $code:literal, $status:literal, $place:ident, $title:literal, $help:literal;)+) => {
        wire_enum! {
            /// A problem code.
            pub enum ProblemCode("problem-code", B015) {
                $(#[doc = $title] $variant = $code,)+
            }
        }

        impl ProblemCode {
            /// The problem's row.
            #[must_use]
            pub const fn spec(self) -> ProblemSpec {
                match self {
                    $(Self::$variant => ProblemSpec {
                        refused_at: RefusedAt::$place,
                        status: $status,
                        title: $title,
                        help: $help,
                    },)+
                }
            }
        }
    };
}

problems! {
    MalformedJson = "malformed-json", 400, Document, "The body is not strict JSON",
        "Send one JSON object in UTF-8, as svc writes it.";
    MalformedRequest = "malformed-request", 400, Request, "The request is not proper HTTP",
        "Send one Host header and a well-formed request.";
    DuplicateMember = "duplicate-member", 400, Document, "An object names a member twice",
        "Send each member once.";
    NotUtf8 = "not-utf8", 400, Document, "The body is not UTF-8",
        "Send UTF-8 without a byte order mark.";
    Unauthenticated = "unauthenticated", 401, Token, "A token is needed",
        "Send a valid token as `Authorization: Bearer`.";
    InsufficientScope = "insufficient-scope", 403, Token, "The token does not allow this",
        "Use a token with the scope that the detail names.";
    NotFound = "not-found", 404, Request, "There is nothing here",
        "See the links under the base path.";
    MethodNotAllowed = "method-not-allowed", 405, Request, "Another method is needed",
        "Use a method of the Allow header.";
    NotAcceptable = "not-acceptable", 406, Accept, "No such representation",
        "Accept application/json.";
    RequestTimeout = "request-timeout", 408, Body, "The request came too slowly",
        "Send the whole request within the served limits.";
    AheadOfLog = "ahead-of-log", 409, Following, "The log is shorter than what was seen of it",
        "Keep what you have as evidence: the log was put back, or it is another one.";
    Pruned = "pruned", 410, Following, "The log no longer keeps these records",
        "Begin at the index that the detail names, or read an export that was kept.";
    BodyTooLarge = "body-too-large", 413, Body, "The body is too large",
        "Stay below the served limits.";
    UnsupportedMediaType = "unsupported-media-type", 415, Body, "Another media type is needed",
        "Send application/json without a content encoding.";
    ArtifactInvalid = "artifact-invalid", 422, Document, "The artifact does not have its form",
        "Make the artifact again with svc.";
    WrongKind = "wrong-kind", 422, Document, "Another kind of artifact is expected here",
        "Send the artifact to its own endpoint.";
    UnsupportedSchemaVersion = "unsupported-schema-version", 422, Document, "The schema version is not supported",
        "Make the artifact again with a version of svc that writes schema 1.0.";
    DigestMismatch = "digest-mismatch", 422, Document, "A digest does not recompute",
        "Make the bundle again from the package.";
    BindingMismatch = "binding-mismatch", 422, Document, "Parts of the artifact do not belong together",
        "Derive the artifact again from its parent.";
    PostureViolation = "posture-violation", 422, Document, "The artifact makes an open claim",
        "Nothing is accepted, signed or installable here; make the artifact again with svc.";
    ReviewMismatch = "review-mismatch", 422, Document, "The review report is not what the rules give",
        "Run `svc app pack` again.";
    IndexInconsistent = "index-inconsistent", 422, Index, "The index is out of order or names a package twice",
        "Make the index again with `svc app registry`.";
    Misdirected = "misdirected-request", 421, Admission, "The registry does not answer to this name",
        "Use an address that the operator has listed.";
    RateLimited = "rate-limited", 429, Admission, "Too many requests",
        "Wait for the time in Retry-After.";
    Internal = "internal", 500, Request, "The service failed",
        "Try again; report it with the request id when it stays.";
    Overloaded = "overloaded", 503, Capacity, "The service is busy",
        "Wait for the time in Retry-After.";
    JournalUnavailable = "journal-unavailable", 503, Journal, "The answer could not be put on record",
        "Wait for the time in Retry-After.";
    QuorumLacking = "quorum-lacking", 503, Witnesses, "Too few witnesses have seen the log",
        "Wait for the time in Retry-After.";
    ShuttingDown = "shutting-down", 503, Shutdown, "The service is stopping",
        "Try again elsewhere or later.";
}

impl ProblemCode {
    /// The path of the page about it, which is its type.
    #[must_use]
    pub fn page(self) -> String {
        format!("{BASE_PATH}/problems/{self}")
    }

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
