//! The API in OpenAPI 3.1, made for generators: every schema, response, header, parameter and example stands once.
//!
//! It says what a client may rely on (`docs/versioning.md`): requests and decisions are closed, problems and read-only
//! documents may grow. It is composed of the table of operations, the schemas of the types that are read and written, and
//! answers that the registry itself gives to a sample. Routes that differ in one part of their path are one operation here.

mod examples;
mod name;
mod responses;
mod schemas;

use serde_json::{Map, Value, json};
use svc_core::{
    contract::contracts,
    journal::event::EventType,
    words::{kind, limits},
};
use svc_json::canonical;

pub use self::responses::statuses;
use self::{
    examples::Examples,
    name::{camel, pascal, reference},
};
use crate::{
    routes::{Method, Operation, Serves, journal::JournalDocument},
    scope::TokenScope,
};

/// The description of these operations.
#[must_use]
pub fn render(operations: &[Operation]) -> Vec<u8> {
    let examples = Examples::of_this_build();
    let mut paths: Map<String, Value> = Map::new();
    for operation in operations.iter().filter(|operation| !is_told_by_another(operation)) {
        let methods = paths.entry(path(operation)).or_insert_with(|| json!({}));
        if let Value::Object(methods) = methods {
            methods.insert(operation.method.as_str().to_ascii_lowercase(), describe(operation, examples));
        }
    }
    let mut description = json!({
        "openapi": "3.1.0",
        "info": {
            "title": "svc registry",
            "version": "1",
            "summary": "Six endpoints that evaluate artifacts and always answer no.",
            "description": ABOUT,
            "license": { "name": "MIT OR Apache-2.0", "identifier": "MIT OR Apache-2.0" },
        },
        "servers": [
            { "url": "/", "description": "The registry that serves this description." },
            { "url": "http://127.0.0.1:8787", "description": "`svc-registry serve` with its default settings." },
        ],
        "tags": tags(),
        "security": [{}, { "token": [] }],
        "paths": paths,
        "components": {
            "schemas": schemas::all(),
            "responses": responses::problems(examples),
            "headers": responses::headers(),
            "parameters": parameters(),
            "examples": examples.components(),
            "securitySchemes": { "token": {
                "type": "http",
                "scheme": "bearer",
                "description": "A token that the operator gives out. A registry without a token file needs none.",
            } },
        },
    });
    schemas::keep_used(&mut description);
    canonical::to_pretty(&description)
}

const ABOUT: &str = "Reads the artifacts of a bundle and answers each with a decision. Every decision is `denied`: \
    `accepted`, `signed` and `installable` are the literal `false`, in decisions and in problems alike. A client that \
    meets another value has met a fault, or another service, and must stop there.\n\nDecisions and requests are closed: \
    no member is ever added to them. Problems and the read-only documents may get new members, and there may be new \
    problem codes; ignore what you do not know.";

pub const TAGS: &[(&str, &str)] = &[
    ("evaluation", "Six questions, one answer."),
    ("documents", "What the registry goes by. These change only with the program."),
    ("journal", "The log of every answer, where it is on, as C2SP tlog-tiles defines it."),
    ("health", "Whether it lives, whether it takes requests, what is running."),
];

fn tags() -> Vec<Value> {
    TAGS.iter().map(|(name, about)| json!({ "name": name, "description": about })).collect()
}

#[must_use]
pub fn tag(operation: &Operation) -> &'static str {
    match operation.serves {
        Serves::Evaluation(_) => "evaluation",
        Serves::Contract(_) | Serves::Schema(_) | Serves::Problem(_) | Serves::Links | Serves::OpenApi => "documents",
        Serves::Journal(_) => "journal",
        Serves::Live | Serves::Ready | Serves::Version | Serves::Metrics => "health",
    }
}

/// Whether another row of the table stands for this one: the first schema for all of them, the first problem page, and
/// the tiles of hashes for those of records.
#[must_use]
pub fn is_told_by_another(operation: &Operation) -> bool {
    match operation.serves {
        Serves::Schema(name) => contracts::schema_sources().first().is_some_and(|(first, _)| *first != name),
        Serves::Problem(code) => svc_core::words::problem_code::ProblemCode::ALL.first() != Some(&code),
        Serves::Journal(wanted) => wanted == JournalDocument::EntryTile,
        Serves::Evaluation(_)
        | Serves::Contract(_)
        | Serves::Links
        | Serves::OpenApi
        | Serves::Live
        | Serves::Ready
        | Serves::Version
        | Serves::Metrics => false,
    }
}

/// The path with its parts in braces, where it stands for several.
#[must_use]
pub fn path(operation: &Operation) -> String {
    let with_last = |part: &str| match operation.path.rsplit_once('/') {
        Some((folder, _)) => format!("{folder}/{part}"),
        None => operation.path.clone(),
    };
    match operation.serves {
        Serves::Schema(_) => with_last("{name}"),
        Serves::Problem(_) => with_last("{code}"),
        Serves::Evaluation(_)
        | Serves::Contract(_)
        | Serves::Links
        | Serves::OpenApi
        | Serves::Live
        | Serves::Ready
        | Serves::Version
        | Serves::Metrics
        | Serves::Journal(_) => operation.path.clone(),
    }
}

fn describe(operation: &Operation, examples: &Examples) -> Value {
    let (id, summary, about) = words(operation);
    let mut description = json!({
        "operationId": id,
        "summary": summary,
        "description": about,
        "tags": [tag(operation)],
        "responses": responses::all(operation, examples),
        "x-problems": responses::problems_of(operation).collect::<Vec<_>>(),
    });
    let Value::Object(members) = &mut description else { return description };
    if operation.scope.is_none() {
        members.insert("security".into(), json!([]));
    }
    let parameters = parameters_of(operation);
    if !parameters.is_empty() {
        let references = parameters.iter().map(|name| reference("parameters", name));
        members.insert("parameters".into(), references.collect());
    }
    if let Serves::Evaluation(spec) = operation.serves {
        members.insert(
            "requestBody".into(),
            json!({
                "required": true,
                "description": format!("`{}`, as it is.", spec.file),
                "content": { "application/json": {
                    "schema": reference("schemas", &pascal(spec.name)),
                    "examples": examples.named(&[pascal(spec.name)]),
                } },
            }),
        );
    }
    description
}

/// What an operation is for, in one line.
#[must_use]
pub fn summary(operation: &Operation) -> String {
    words(operation).1
}

/// The name in code, one line, and the rest.
fn words(operation: &Operation) -> (String, String, String) {
    let (id, summary) = match operation.serves {
        Serves::Schema(_) => ("schema", "A JSON Schema by its name"),
        Serves::Problem(_) => ("problem", "The page of a problem code"),
        Serves::Journal(JournalDocument::Tile) => ("journal-tile", "A tile of the log"),
        Serves::Evaluation(_)
        | Serves::Contract(_)
        | Serves::Links
        | Serves::OpenApi
        | Serves::Live
        | Serves::Ready
        | Serves::Version
        | Serves::Metrics
        | Serves::Journal(_) => (operation.id.as_str(), operation.about.as_str()),
    };
    let id = match operation.method {
        Method::Get => format!("get{}", pascal(id)),
        Method::Post => camel(id),
    };
    (id, summary.to_owned(), format!("{} {}", about(operation), who_may(operation)))
}

fn about(operation: &Operation) -> &'static str {
    match operation.serves {
        Serves::Evaluation(_) => {
            "Recomputes the digests of the document, evaluates it by the registry's own rules, and answers with a \
             decision. Every decision is `denied`. A document that does not hold is refused with a problem, which is \
             closed too."
        }
        Serves::Contract(_) | Serves::Schema(_) | Serves::Problem(_) | Serves::Links | Serves::OpenApi => {
            "Changes only with the program: ask again with `If-None-Match`."
        }
        Serves::Live => "Answers as long as the process does.",
        Serves::Ready => {
            "Says no, and why in `reason`, while the service is leaving, cannot put answers on record, or lacks a quorum of \
             witnesses that it requires. The store of the journal is asked about once a second, not for each request."
        }
        Serves::Version => "The version of the program, and the rules it goes by.",
        Serves::Metrics => "Counters for scrapers.",
        Serves::Journal(JournalDocument::Checkpoint) => {
            "A C2SP signed checkpoint: the newest, with the cosignatures that there are for it."
        }
        Serves::Journal(JournalDocument::WitnessedCheckpoint) => {
            "A C2SP signed checkpoint with cosignatures. It may be a little behind the newest. Not found where no state has the \
             quorum of witnesses."
        }
        Serves::Journal(JournalDocument::Keys) => "C2SP verifier keys, one a line.",
        Serves::Journal(JournalDocument::HandOvers) => {
            "For each key but the first, a C2SP signed note of the key before that names it. Not found where there is none."
        }
        Serves::Journal(JournalDocument::MinimumIndex) => {
            "A C2SP signed note with the number of the first record whose bytes are kept. Not found where nothing was pruned."
        }
        Serves::Journal(JournalDocument::Tile | JournalDocument::EntryTile) => {
            "A tile of hashes, or of records at the level `entries`. Numbers from 1000 on and partial tiles have more \
             parts in their paths, as tlog-tiles says."
        }
        Serves::Journal(JournalDocument::Proof) => {
            "A C2SP tlog-proof: the record as `extra`, its index, the audit path and the newest checkpoint, or the newest one that the \
             quorum of witnesses has seen where that covers the record."
        }
        Serves::Journal(JournalDocument::Entries) => {
            "Records in order, and the cursor to go on with when there are more: the next `after`, or the next `before` of \
             who reads backwards. With `wait` the answer comes when there is a record, or when that time is over. Who asked \
             is told to those who read with a token."
        }
        Serves::Journal(JournalDocument::Stream) => {
            "Server-sent events. Of each record `id` is its index, `event` its type and `data` its RFC 8785 bytes, whose leaf \
             hash is SHA-256 over a zero byte and them. When all records of a newer signed state were sent, and once at the \
             start, the event `checkpoint` has that state line by line, without an id. Begins behind `Last-Event-ID`, else by \
             `after` or `from`, else at the end of the log. A comment is sent when nothing else was for ten seconds. It ends \
             after fifteen minutes, when the service stops and when its token does, which is normal: come back with the last \
             id. A reader that was ahead of the log is refused with `ahead-of-log`."
        }
    }
}

fn who_may(operation: &Operation) -> String {
    let Some(scope) = operation.scope else { return "No token is needed.".to_owned() };
    let is_published = matches!(operation.serves, Serves::Journal(wanted) if wanted.is_public());
    let unless = if is_published { ", unless the operator publishes the log" } else { "" };
    format!("Where tokens are in use, one of the scope `{}` is needed{unless}.", TokenScope::as_str(scope))
}

/// The names of an operation's parameters among the components.
fn parameters_of(operation: &Operation) -> Vec<&'static str> {
    let mut names = match operation.serves {
        Serves::Schema(_) => vec!["SchemaName"],
        Serves::Problem(_) => vec!["ProblemCode"],
        Serves::Journal(JournalDocument::Tile | JournalDocument::EntryTile) => vec!["TileLevel", "TileNumber"],
        Serves::Journal(JournalDocument::Entries) => vec!["After", "Before", "Limit", "Wait"],
        Serves::Journal(JournalDocument::Stream) => vec!["After", "From", "EventTypes", "Probes", "LastEventId"],
        Serves::Journal(JournalDocument::Proof) => vec!["RecordIndex"],
        Serves::Evaluation(_)
        | Serves::Contract(_)
        | Serves::Links
        | Serves::OpenApi
        | Serves::Live
        | Serves::Ready
        | Serves::Version
        | Serves::Metrics
        | Serves::Journal(_) => Vec::new(),
    };
    if responses::may_be_known(operation) {
        names.push("IfNoneMatch");
    }
    if !operation.is_probe() {
        names.push("Probe");
    }
    names
}

fn parameters() -> Value {
    let schemas: Vec<&str> = contracts::schema_sources().into_iter().map(|(name, _)| name).collect();
    let levels = ["entries", "0", "1", "2", "3", "4", "5", "6"];
    let number = json!({ "type": "integer", "format": "int64", "minimum": 0, "maximum": limits::JSON_INTEGER });
    json!({
        "SchemaName": {
            "name": "name", "in": "path", "required": true, "example": kind::ALL.first().map(|spec| spec.name),
            "description": "The name of a schema.", "schema": { "type": "string", "enum": schemas },
        },
        "ProblemCode": {
            "name": "code", "in": "path", "required": true, "example": "digest-mismatch",
            "description": "The code of a problem.", "schema": reference("schemas", "ProblemCode"),
        },
        "TileLevel": {
            "name": "level", "in": "path", "required": true, "example": "0",
            "description": "The level of hashes, or `entries` for the records.",
            "schema": { "type": "string", "enum": levels },
        },
        "TileNumber": {
            "name": "tile", "in": "path", "required": true, "example": "000", "description": "The number of the tile.",
            "schema": { "type": "string", "pattern": "^[0-9]{3}$" },
        },
        "RecordIndex": {
            "name": "index", "in": "path", "required": true, "example": 0, "description": "The number of the record, from 0.",
            "schema": number,
        },
        "After": { "name": "after", "in": "query", "description": "The last record that was seen.", "schema": number },
        "Before": {
            "name": "before", "in": "query",
            "description": "The records before this one, the last of them; not with `after` or `wait`.", "schema": number,
        },
        "From": {
            "name": "from", "in": "query", "description": "The first record to be sent; not with `after`.", "schema": number,
        },
        "Wait": {
            "name": "wait", "in": "query", "description": "How many seconds to wait for the first record.",
            "schema": { "type": "integer", "minimum": 0, "maximum": limits::WAIT_SECONDS },
        },
        "EventTypes": {
            "name": "type", "in": "query", "explode": true,
            "description": "The types of records to be sent; all without it. Who leaves records out cannot compute roots.",
            "schema": { "type": "array", "uniqueItems": true, "items": { "type": "string", "enum": EventType::ALL } },
        },
        "Probes": {
            "name": "probes", "in": "query",
            "description": "Whether records of probes are sent too. A stream with them and without `type` has every record.",
            "schema": { "type": "boolean", "default": false },
        },
        "LastEventId": {
            "name": "Last-Event-ID", "in": "header", "description": "The last record that was seen; wins over the query.",
            "schema": number,
        },
        "Limit": { "name": "limit", "in": "query", "description": "How many records, 1000 at most.", "schema": number },
        "Probe": {
            "name": "Svc-Probe", "in": "header", "example": "00112233445566778899aabbccddeeff",
            "description": "The run of a verifier: the answer is the same, and counts and lists leave it out. Taken from \
                loopback, or where tokens are in use with the scope `probe`; else it changes nothing.",
            "schema": { "type": "string", "pattern": "^[0-9a-f]{32}$" },
        },
        "IfNoneMatch": {
            "name": "If-None-Match", "in": "header", "description": "The entity tag of the copy that the client has.",
            "schema": { "type": "string" },
        },
    })
}
