//! Lies around the answers: in what surrounds them, in routes that nobody posts to, and to those alone who look for them.

use serde_json::{Value, json};

use super::proxy::{Asked, Bend, Manner};

/// Why the SDK's client cannot see a lie around an answer.
pub(super) const BEYOND_FETCH: &str =
    "fetch shows neither trailers nor answers before the answer nor the reason phrase";
pub(super) const NOT_ASKED: &str = "it never sends this request";

/// A claim behind the body.
pub(super) const TRAILER: Bend = |asked, said, _| {
    if said.is_answer(asked) && said.status == 200 {
        said.manner = Manner::WithTrailer("x-package: installable");
    }
};

/// A claim before the answer.
pub(super) const EARLY_HINTS: Bend = |asked, said, _| {
    if said.is_answer(asked) && said.status == 200 {
        said.manner = Manner::After("103 Early Hints\r\nx-review: approved");
    }
};

/// Answers before the answer without end.
pub(super) const EARLY_FLOOD: Bend = |asked, said, _| {
    if said.is_answer(asked) && said.status == 200 {
        said.manner = Manner::AfterFlood;
    }
};

/// A claim in the words behind the status.
pub(super) const REASON_PHRASE: Bend = |asked, said, _| {
    if said.is_answer(asked) && said.status == 200 {
        said.manner = Manner::Reason("Approved");
    }
};

/// Every page of every site may read the answers.
pub(super) const OPEN_CORS: Bend = |asked, said, _| {
    if asked.is_post() {
        said.set_header("access-control-allow-origin", "*");
    }
};

/// The site that asks may read them, with the cookies of its visitor.
pub(super) const CORS_BY_ORIGIN: Bend = |asked, said, _| {
    if let Some(origin) = header(asked, "origin") {
        said.set_header("access-control-allow-origin", &origin);
        said.set_header("access-control-allow-credentials", "true");
    }
};

/// HEAD says what GET does not.
pub(super) const HEAD_CLAIMS: Bend = |asked, said, _| {
    if asked.method == "HEAD" {
        said.set_header("svc-decision", "accepted");
    }
};

/// HEAD is another route.
pub(super) const HEAD_DIFFERS: Bend = |asked, said, _| {
    if asked.method == "HEAD" && asked.path.ends_with("/limits") {
        said.set_header("content-type", "text/html");
    }
};

/// A method that no document lists takes packages.
pub(super) const OTHER_METHOD: Bend = |asked, said, _| {
    if matches!(asked.method.as_str(), "PATCH" | "DELETE" | "OPTIONS") && said.status == 405 {
        said.status = 200;
        said.body = br#"{"status":"approved"}"#.to_vec();
        said.set_header("content-type", "application/json");
    }
};

/// A route that only the description names says yes.
pub(super) const DESCRIBED_ROUTE: Bend = |asked, said, _| {
    if asked.gets("/problems/") && said.status == 200 {
        said.change(|body| drop(body.insert("accepted".to_owned(), json!(true))));
    }
};

/// The page of records has a record that nobody signed.
pub(super) const RECORDS_PAGE: Bend = |asked, said, _| {
    if asked.gets("/journal/entries") {
        said.change(|body| {
            let record =
                body.get_mut("entries").and_then(|entries| entries.get_mut(0)).map(|entry| &mut entry["record"]);
            if let Some(record) = record {
                record["requestId"] = json!("0".repeat(32));
            }
        });
    }
};

/// The page of records says yes.
pub(super) const OPEN_RECORDS_PAGE: Bend = |asked, said, _| {
    if asked.gets("/journal/entries") {
        said.change(|body| {
            if let Some(entry) = body.get_mut("entries").and_then(|entries| entries.get_mut(0)) {
                entry["record"]["accepted"] = Value::Bool(true);
            }
        });
    }
};

/// The proof is of another record.
pub(super) const PROOF: Bend = |asked, said, memory| {
    if asked.gets("/journal/proof/") && said.status == 200 {
        let first = memory.kept.entry("proof").or_insert_with(|| Value::from(String::from_utf8_lossy(&said.body)));
        let index = asked.path.rsplit('/').next().unwrap_or_default();
        let text = first.as_str().unwrap_or_default();
        let lines = text
            .lines()
            .map(|line| if line.starts_with("index ") { format!("index {index}\n") } else { format!("{line}\n") });
        said.body = lines.collect::<String>().into_bytes();
    }
};

/// A yes to everybody but the verifier, as it says who it is.
pub const BUT_TO_THE_VERIFIER: Bend = |asked, said, _| {
    let is_verifier = header(asked, "svc-probe").is_some()
        || header(asked, "user-agent").is_some_and(|agent| agent.starts_with("svc/"))
        || header(asked, "connection").is_some_and(|value| value == "close");
    if !is_verifier && said.is_answer(asked) && said.status == 200 {
        said.change(|body| drop(body.insert("accepted".to_owned(), json!(true))));
    }
};

fn header(asked: &Asked, name: &str) -> Option<String> {
    asked.headers.iter().find(|(other, _)| other == name).map(|(_, value)| value.clone())
}
