//! What each operation may answer: the statuses, and in each the body, the headers and examples.

use std::collections::BTreeSet;

use serde_json::{Map, Value, json};
use svc_core::words::problem_code::ProblemCode;

use super::{
    examples::{self, Examples},
    name::reference,
};
use crate::routes::{Method, Operation, Serves, journal::JournalDocument};

/// Headers that an answer may have, beside those that only protect browsers: name, schema, what it says.
fn header_table() -> [(&'static str, Value, &'static str); 11] {
    let text = json!({ "type": "string" });
    [
        ("Svc-Registry-Api", json!({ "type": "string", "const": "1" }), "The version of the API."),
        (
            "Svc-Request-Id",
            reference("schemas", "RequestId"),
            "The id of this one request. Quote it when you ask the operator.",
        ),
        (
            "Svc-Decision",
            json!({ "type": "string", "const": "denied" }),
            "The outcome, for those who only see headers.",
        ),
        ("Cache-Control", text.clone(), "How long the answer may be kept."),
        ("ETag", text.clone(), "The entity tag of the document, for `If-None-Match`."),
        ("Retry-After", json!({ "type": "integer", "minimum": 0 }), "After how many seconds to try again."),
        ("WWW-Authenticate", text.clone(), "How to authenticate."),
        ("Allow", text.clone(), "The methods of this path."),
        (
            "Access-Control-Allow-Origin",
            json!({ "type": "string", "const": "*" }),
            "Where the operator publishes the log.",
        ),
        (
            "Content-Encoding",
            json!({ "type": "string", "const": "gzip" }),
            "For tiles of records, when the client takes gzip and it makes them smaller.",
        ),
        ("Vary", text, "For tiles of records: they may be compressed."),
    ]
}

const EVERYWHERE: &[&str] = &["Svc-Registry-Api", "Svc-Request-Id", "Cache-Control"];

/// Headers that an answer has at times.
const SOMETIMES: &[&str] = &["Retry-After", "Access-Control-Allow-Origin", "Content-Encoding", "Vary"];

/// The headers, as components. An answer that has one at all always has it, but for those of [`SOMETIMES`].
pub(super) fn headers() -> Value {
    let described = header_table().into_iter().map(|(name, schema, about)| {
        let always = !SOMETIMES.contains(&name);
        (name.to_owned(), json!({ "description": about, "required": always, "schema": schema }))
    });
    Value::Object(described.collect())
}

fn with_headers(more: &[&str]) -> Value {
    let names = EVERYWHERE.iter().chain(more);
    Value::Object(names.map(|name| ((*name).to_owned(), reference("headers", name))).collect())
}

/// The problems by their status, as components.
pub(super) fn problems(examples: &Examples) -> Value {
    let mut described = Map::new();
    for status in ProblemCode::ALL.iter().map(|code| code.spec().status) {
        described.entry(problem_name(status)).or_insert_with(|| problem(status, examples));
    }
    Value::Object(described)
}

fn problem_name(status: u16) -> String {
    format!("Problem{status}")
}

fn problem(status: u16, examples: &Examples) -> Value {
    let of_status = || ProblemCode::ALL.iter().copied().filter(|code| code.spec().status == status);
    let codes: Vec<String> = of_status().map(|code| format!("`{code}`: {}.", code.spec().title)).collect();
    let more: &[&str] = match status {
        401 => &["WWW-Authenticate"],
        405 => &["Allow"],
        429 | 503 => &["Retry-After"],
        _ => &[],
    };
    let shown: Vec<String> = of_status().map(examples::problem).collect();
    let mut content = json!({ "schema": reference("schemas", "Problem") });
    add_examples(&mut content, examples, &shown);
    json!({
        "description": format!("Refused, and closed. The operation lists in `x-problems` which it sends. {}", codes.join(" ")),
        "headers": with_headers(more),
        "content": { "application/problem+json": content },
    })
}

/// The statuses that an operation may answer with.
#[must_use]
pub fn statuses(operation: &Operation) -> BTreeSet<u16> {
    let known = may_be_known(operation).then_some(304);
    // A service that is not ready says so in a body of its own.
    let unready = matches!(operation.serves, Serves::Ready).then_some(503);
    let refusals = problems_of(operation).map(|code| code.spec().status).chain(unready);
    [200].into_iter().chain(known).chain(refusals).collect()
}

/// The answers of an operation by status.
pub(super) fn all(operation: &Operation, examples: &Examples) -> Value {
    let mut responses = Map::new();
    responses.insert("200".into(), success(operation, examples));
    if may_be_known(operation) {
        let known = json!({ "description": "The client has it already.", "headers": with_headers(&["ETag"]) });
        responses.insert("304".into(), known);
    }
    if matches!(operation.serves, Serves::Ready) {
        responses.insert("503".into(), body("Not ready.", "application/json", "Readiness", &[]));
    }
    for status in problems_of(operation).map(|code| code.spec().status) {
        responses.entry(status.to_string()).or_insert_with(|| reference("responses", &problem_name(status)));
    }
    Value::Object(responses)
}

/// Whether it has an entity tag.
pub(super) fn may_be_known(operation: &Operation) -> bool {
    operation.method == Method::Get
        && !matches!(
            operation.serves,
            Serves::Live | Serves::Ready | Serves::Version | Serves::Journal(JournalDocument::Stream)
        )
}

/// The problems that an operation may answer with.
pub(super) fn problems_of(operation: &Operation) -> impl Iterator<Item = ProblemCode> {
    ProblemCode::ALL.iter().copied().filter(|code| operation.may_refuse_with(*code))
}

fn success(operation: &Operation, examples: &Examples) -> Value {
    let document = |about, schema| body(about, "application/json", schema, &["ETag"]);
    let mut success = match operation.serves {
        Serves::Evaluation(_) => body(
            "The evaluation was completed, and the answer is no.",
            "application/json",
            "Decision",
            &["Svc-Decision"],
        ),
        Serves::Schema(_) => body("A JSON Schema.", "application/schema+json", "Document", &["ETag"]),
        Serves::Contract("api") => document("The six endpoints.", "ApiContract"),
        Serves::Contract("readiness") => document("The state of each gate.", "ReadinessLedger"),
        Serves::Contract("lifecycle") => document("The stages.", "LifecycleCatalog"),
        Serves::Contract("ruleset") => document("Every rule.", "RuleCatalog"),
        Serves::Contract(_) => document("Every limit.", "Limits"),
        Serves::Problem(_) => document("What the code means.", "ProblemPage"),
        Serves::Links => document("Every route.", "Links"),
        Serves::OpenApi => document("This description.", "Document"),
        Serves::Live => body("It lives.", "application/json", "Liveness", &[]),
        Serves::Ready => body("It takes requests.", "application/json", "Readiness", &[]),
        Serves::Version => body("What is running.", "application/json", "RunningVersion", &[]),
        Serves::Metrics => bytes("What was counted.", "text/plain", json!({ "type": "string" })),
        Serves::Journal(JournalDocument::Entries) => document("Records in order.", "JournalPage"),
        Serves::Journal(JournalDocument::Checkpoint | JournalDocument::WitnessedCheckpoint) => {
            bytes("A C2SP signed checkpoint.", "text/plain", json!({ "type": "string" }))
        }
        Serves::Journal(JournalDocument::Keys) => {
            bytes("C2SP verifier keys, one a line.", "text/plain", json!({ "type": "string" }))
        }
        Serves::Journal(JournalDocument::HandOvers | JournalDocument::MinimumIndex) => {
            bytes("C2SP signed notes.", "text/plain", json!({ "type": "string" }))
        }
        Serves::Journal(JournalDocument::Tile | JournalDocument::EntryTile) => {
            bytes("A C2SP tile.", "application/octet-stream", json!({ "type": "string", "format": "binary" }))
        }
        Serves::Journal(JournalDocument::Proof) => {
            bytes("A C2SP tlog-proof.", "text/plain", json!({ "type": "string" }))
        }
        Serves::Journal(JournalDocument::Stream) => json!({
            "description": "Server-sent events, until the stream ends.",
            "headers": with_headers(&[]),
            "content": { "text/event-stream": { "schema": { "type": "string" } } },
        }),
    };
    if let (Serves::Journal(wanted), Some(Value::Object(headers))) = (operation.serves, success.get_mut("headers")) {
        let coded: &[&str] = if wanted == JournalDocument::Tile { &["Content-Encoding", "Vary"] } else { &[] };
        let open: &[&str] = if wanted.is_public() { &["Access-Control-Allow-Origin"] } else { &[] };
        headers.extend(coded.iter().chain(open).map(|name| ((*name).to_owned(), reference("headers", name))));
    }
    let shown = match operation.serves {
        Serves::Evaluation(spec) => examples::decision(spec),
        Serves::Problem(_) => examples::document("/problems/digest-mismatch"),
        Serves::Contract(_)
        | Serves::Schema(_)
        | Serves::Links
        | Serves::OpenApi
        | Serves::Live
        | Serves::Ready
        | Serves::Version
        | Serves::Metrics
        | Serves::Journal(_) => {
            let below = operation.path.strip_prefix(svc_core::contract::contracts::BASE_PATH);
            examples::document(below.unwrap_or(&operation.path))
        }
    };
    if let Some(Value::Object(contents)) = success.get_mut("content") {
        contents.values_mut().for_each(|content| add_examples(content, examples, std::slice::from_ref(&shown)));
    }
    success
}

fn add_examples(content: &mut Value, examples: &Examples, names: &[String]) {
    let named = examples.named(names);
    if let Value::Object(content) = content
        && named.as_object().is_some_and(|named| !named.is_empty())
    {
        content.insert("examples".into(), named);
    }
}

fn body(about: &str, media_type: &str, schema: &str, more: &[&str]) -> Value {
    let content = json!({ "schema": reference("schemas", schema) });
    json!({ "description": about, "headers": with_headers(more), "content": { media_type: content } })
}

fn bytes(about: &str, media_type: &str, schema: Value) -> Value {
    let content = json!({ "schema": schema });
    json!({ "description": about, "headers": with_headers(&["ETag"]), "content": { media_type: content } })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_statuses_are_those_of_the_answers() {
        for operation in crate::routes::all() {
            let described = all(&operation, Examples::of_this_build());
            let described = described.as_object().unwrap().keys().map(|status| status.parse().unwrap());
            assert_eq!(statuses(&operation), described.collect(), "{}", operation.id);
        }
    }
}
