//! Every limit of the system, once. Documents, messages and served limits come from here.

use svc_json::bounds;

/// A limit as it is shown to people and served.
#[derive(Clone, Copy, Debug)]
pub struct Limit {
    /// The name on the wire.
    pub name: &'static str,
    /// The number.
    pub value: u64,
    /// The unit.
    pub unit: &'static str,
    /// What it bounds.
    pub what: &'static str,
}

macro_rules! limits {
    ($($(#[$meta:meta])* $constant:ident: $type:ty = $value:expr, $name:literal, $unit:literal, $what:literal;)+) => {
        $($(#[$meta])* #[doc = $what] pub const $constant: $type = $value;)+

        /// All limits, in the order of this table.
        pub static ALL: &[Limit] = &[
            $(Limit { name: $name, value: $constant as u64, unit: $unit, what: $what },)+
        ];
    };
}

limits! {
    JSON_DEPTH: usize = bounds::DEPTH, "json-depth", "levels", "Nesting of objects and lists in any document.";
    JSON_STRING_BYTES: usize = bounds::STRING_BYTES, "json-string", "bytes", "Length of one string in any document.";
    JSON_KEY_BYTES: usize = bounds::MEMBER_NAME_BYTES, "json-member-name", "bytes", "Length of one member name in any document.";
    JSON_INTEGER: i64 = bounds::INTEGER, "json-integer", "absolute value", "Integers in any document.";
    MANIFEST_BYTES: usize = 256 * 1024, "manifest", "bytes", "Size of a package manifest.";
    ARTIFACT_BYTES: usize = 4 * 1024 * 1024, "artifact", "bytes", "Size of an artifact other than the index.";
    INDEX_BYTES: usize = 16 * 1024 * 1024, "index", "bytes", "Size of an index.";
    INDEX_ENTRIES: usize = 1000, "index-entries", "entries", "Submissions in one index.";
    FILE_BYTES: u64 = 25 * 1024 * 1024, "file", "bytes", "Size of one file of a package.";
    PACKAGE_BYTES: u64 = 100 * 1024 * 1024, "package", "bytes", "Size of all files of a package together.";
    PACKAGE_FILES: usize = 10_000, "package-files", "files", "Files in a package.";
    PATH_BYTES: usize = 1024, "path", "bytes", "Length of a path in a package.";
    PATH_PART_BYTES: usize = 255, "path-part", "bytes", "Length of one part of a path.";
    PATH_DEPTH: usize = 32, "path-depth", "parts", "Parts of a path.";
    REPORT_FINDINGS: usize = 200, "report-findings", "findings", "Findings listed for a document, in a review report or a refusal.";
    MESSAGE_BYTES: usize = 4 * 1024, "message", "bytes", "Length of the message of one finding.";
    REPORT_CHECKS: usize = 500, "report-checks", "rules", "Rules that a review report lists.";
    REPORT_FACTS: usize = 2000, "report-facts", "rows", "Facts kept in a review report.";
    REPORT_FACT_BYTES: usize = 256 * 1024, "report-fact-bytes", "bytes", "Facts kept in a review report, in their RFC 8785 form.";
    CODE_AT_ONCE_BYTES: usize = 8 * 1024 * 1024, "code-at-once", "bytes", "Size of all code of a package that is parsed at once; a larger file is parsed alone.";
    CODE_SECONDS: u64 = 120, "code-time", "seconds", "Processor time for parsing all code of a package; what is left then is unread.";
    EXCEPTIONS: usize = 100, "exceptions", "rows", "Exceptions in a manifest.";
    META_BYTES: usize = 4 * 1024, "manifest-meta", "bytes", "Strings in a manifest's `_meta`.";
    HEADER_BYTES: usize = 16 * 1024, "headers", "bytes", "Size of a request's headers.";
    HEADER_SECONDS: u64 = 10, "header-read", "seconds", "Time for a request's headers to arrive.";
    BODY_SECONDS: u64 = 30, "body-read", "seconds", "Time for a request's body to arrive.";
    LEAST_RATE: usize = 1024, "least-rate", "bytes per second", "Rate at which a body has to arrive, and an answer to be read.";
    LEAST_RATE_SECONDS: u64 = 5, "least-rate-window", "seconds", "Time over which the rate of a body is taken; that of an answer over the time of a stall.";
    STALL_SECONDS: u64 = 20, "stall", "seconds", "Time in which nothing moves on a connection before it is closed.";
    EVALUATION_SECONDS: u64 = 10, "evaluation", "seconds", "Time for one evaluation.";
    CONCURRENT_REQUESTS: usize = 512, "concurrent-requests", "requests", "Requests at work before others are turned away.";
    JOURNAL_READS: usize = 16, "journal-reads", "requests", "Requests with a token that read the journal at once, before more of them wait.";
    PUBLIC_READS: usize = 16, "public-reads", "requests", "Requests to a public journal at work, beside the others, before more of them wait.";
    PUBLIC_READS_PER_ADDRESS: usize = 4, "public-reads-per-address", "requests", "Those of one address; all of them behind a proxy.";
    EVENT_STREAMS: usize = 1280, "event-streams", "streams", "Event streams and waiting readers of the log, beside requests, before the client with most of them gives way.";
    EVENT_STREAMS_PER_CLIENT: usize = 64, "event-streams-per-client", "streams", "Those of one token, or of one address; without tokens all of them behind a proxy.";
    EVENT_STREAM_SECONDS: u64 = 900, "event-stream", "seconds", "Time after which an event stream ends, and its reader comes back.";
    EVENT_COMMENT_SECONDS: u64 = 10, "event-stream-comment", "seconds", "Time without an event after which an event stream sends a comment.";
    WAIT_SECONDS: u64 = 15, "entries-wait", "seconds", "Time that a reader of the log may wait for the next record.";
    CONNECTIONS: usize = 4096, "connections", "connections", "Open connections before those that wait for their client give way to others.";
    CONNECTIONS_PER_ADDRESS: usize = 1024, "connections-per-address", "connections", "Open connections of one address before its own give way; off behind a proxy.";
    BODIES_IN_FLIGHT: usize = 256 * 1024 * 1024, "bodies-in-flight", "bytes", "Size of all bodies in flight together.";
    ANSWERS_IN_FLIGHT: usize = 64 * 1024 * 1024, "answers-in-flight", "bytes", "Size of all answers together that their clients have not read yet.";
    PAGES_IN_FLIGHT: usize = 8 * 1024 * 1024, "pages-in-flight", "bytes", "Size of all pages of the console together that their readers have not read yet.";
    INLINE_BYTES: usize = 64 * 1024, "inline-evaluation", "bytes", "Size of a body that is evaluated without going to the pool.";
    RATE_PER_MINUTE: u32 = 60, "rate", "requests per minute", "Requests of one client; off on loopback.";
    RATE_BURST: u32 = 30, "rate-burst", "requests", "Requests of one client at once; off on loopback.";
    ANSWER_BYTES: usize = 8 * 1024 * 1024, "answer", "bytes", "Size of an answer about a document, which clients read whole.";
    ANSWER_SECONDS: u64 = 15, "answer-read", "seconds", "Time for a request of `svc verify` and its whole answer.";
    DRAIN_SECONDS: u64 = 10, "drain", "seconds", "Time for open requests when the service stops.";
}
