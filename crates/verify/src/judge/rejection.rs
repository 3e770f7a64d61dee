//! Whether a payload whose package artifact has another digest was rejected (4.2, 7).
//!
//! The specification gives no status code and no shape of an error. So a request counts as rejected when its status is of
//! the 4xx or 5xx kind and differs from that of the valid payload, or when the body says so: artifact-hash is missing or has
//! another status, two digests differ, or there is a member, a word or a text that the answer to the valid payload does not
//! have. An answer that is the same to both shows that nothing was recomputed.

use std::collections::BTreeSet;

use svc_client::exchange::Reply;
use svc_core::verification::{FaultCode, Level};
use svc_json::tree::{Node, Value};

use super::{
    closed::is_unread,
    words::{shown_code, wrong_status},
};
use crate::{
    check::CheckFault,
    denial::Denial,
    gates::{self, GateWord},
    seed,
    vocabulary::{self, Says},
};

/// Parts of words that say that something was rejected.
const REJECTED: [&str; 13] = [
    "reject",
    "refus",
    "mismatch",
    "invalid",
    "error",
    "unevidenced",
    "t match",
    "tamper",
    "broken",
    "differ",
    "fail",
    "wrong",
    "corrupt",
];

/// Parts of names of members that say so by `false`.
const MATCHES: [&str; 7] = ["match", "valid", "equal", "verified", "intact", "pass", "ok"];

/// Parts of names of members with the digest that was declared, and with the one that was found.
const DECLARED: [&str; 5] = ["declar", "expect", "claim", "given", "sent"];
const FOUND: [&str; 5] = ["comput", "actual", "calculat", "found", "received"];

/// What an answer said, to be compared with others.
#[derive(Clone, Debug)]
pub(crate) struct Said {
    status: u16,
    leaves: BTreeSet<(String, String)>,
    /// The status of artifact-hash, in `gateStatuses`.
    hash: Option<GateWord>,
    /// Whether it shows two digests that differ.
    has_two_digests: bool,
    /// Whether the body is a text that is neither JSON nor a page.
    is_text: bool,
}

impl Said {
    pub(super) fn of(reply: &Reply) -> Self {
        let body = serde_json::from_slice::<serde_json::Value>(&reply.body).map(Node::from);
        let Ok(body) = body else {
            let first = reply.body.iter().find(|byte| !byte.is_ascii_whitespace());
            let is_text = first.is_some_and(|first| *first != b'<');
            let leaves = BTreeSet::new();
            return Self { status: reply.status, leaves, hash: None, has_two_digests: false, is_text };
        };
        let mut leaves = BTreeSet::new();
        collect(&body, "", &mut leaves);
        let mut statuses = Denial::read(&body).statuses.unwrap_or_default().into_iter();
        let hash = statuses.find(|row| row.known == Some(seed::SHOWN_GATE)).map(|row| row.word);
        Self { status: reply.status, leaves, hash, has_two_digests: has_two_digests(&body), is_text: false }
    }
}

/// What is wrong with the answer to a payload whose digest does not recompute, beside the answer to the valid one.
pub(super) fn fault(reply: &Reply, valid: Option<&Said>) -> Option<CheckFault> {
    if is_unread(reply.status) {
        let message = format!(
            "a payload whose digest does not recompute was answered with {}{}, which says that nothing looked at it",
            reply.status,
            shown_code(reply)
        );
        return Some(CheckFault::new(wrong_status(422, reply).code, message).at(Level::Closed));
    }
    let said = Said::of(reply);
    // Whoever says nothing to either has let nothing through: it is a wall, and told as one.
    if said.leaves.is_empty() && !said.is_text && valid.is_some_and(|valid| valid.leaves.is_empty()) {
        let message = "a payload whose digest does not recompute was answered like the valid one: with nothing";
        return Some(CheckFault::new(FaultCode::NotAnswered, message).at(Level::Closed));
    }
    let has_own_status = reply.status >= 400 && valid.is_none_or(|valid| valid.status != reply.status);
    if has_own_status || says_so(&said, valid) {
        return None;
    }
    let is_same = |valid: &Said| valid.status == reply.status && !said.leaves.is_empty() && valid.leaves == said.leaves;
    let message = if valid.is_some_and(is_same) {
        "a digest that does not recompute was let through: the answer is that to the valid payload"
    } else {
        "a digest that does not recompute was let through: the answer does not say that it was rejected"
    };
    Some(CheckFault::new(FaultCode::DigestVerdict, message))
}

/// Whether an answer says that it rejects, in something that the answer to the valid payload does not say.
fn says_so(said: &Said, valid: Option<&Said>) -> bool {
    let is_new_text = said.is_text && valid.is_none_or(|valid| !valid.is_text);
    let are_new_digests = said.has_two_digests && valid.is_none_or(|valid| !valid.has_two_digests);
    let is_cleared = matches!(&said.hash, Some(GateWord::Text(word)) if vocabulary::is_cleared_word(word));
    let is_new_hash = said.hash.is_some() && !is_cleared && valid.is_some_and(|valid| valid.hash != said.hash);
    let is_named = |name: &str| valid.is_some_and(|valid| valid.leaves.iter().any(|(other, _)| other == name));
    let mut own = said.leaves.iter().filter(|leaf| valid.is_none_or(|valid| !valid.leaves.contains(*leaf)));
    is_new_text
        || are_new_digests
        || is_new_hash
        || own.any(|(name, value)| {
            let is_empty = ["false", "null", "0", "\"\"", "\"none\"", "\"no\"", "\"ok\""].contains(&value.as_str());
            let lower = name.to_lowercase();
            let named = !is_empty && REJECTED.iter().any(|word| lower.contains(word));
            let denied = value == "false" && MATCHES.iter().any(|word| lower.contains(word));
            let is_new = !is_empty && valid.is_some() && !is_named(name) && !is_of_denial(name);
            // artifact-hash in a list that the valid answer leaves it out of.
            let is_hash = vocabulary::may_list_missing(name) && gates::named(value) == Some(seed::SHOWN_GATE);
            named || denied || is_new || is_hash || REJECTED.iter().any(|word| value.contains(word))
        })
}

/// A member that every denial may have: it says nothing of the digest.
fn is_of_denial(name: &str) -> bool {
    let is_list = vocabulary::list_says(name) != Says::Nothing;
    vocabulary::is_flag(name) || name == "gateStatuses" || gates::gate_of(name).is_some() || is_list
}

/// Whether a declared digest and a recomputed one stand next to each other, and differ.
fn has_two_digests(node: &Node<'_>) -> bool {
    let text_of = |parts: &[&str]| {
        let is_it = |name: &str| parts.iter().any(|part| name.to_lowercase().contains(part));
        node.members().iter().find(|member| is_it(&member.key)).and_then(|member| member.value.as_str())
    };
    let differ = text_of(&DECLARED).zip(text_of(&FOUND)).is_some_and(|(declared, found)| declared != found);
    let mut inner = node.members().iter().map(|member| &member.value).chain(node.elements());
    differ || inner.any(has_two_digests)
}

/// Name and value of everything that is neither an object nor a list, the value in lower case.
fn collect(node: &Node<'_>, name: &str, leaves: &mut BTreeSet<(String, String)>) {
    let text = match &node.value {
        Value::Bool(flag) => flag.to_string(),
        Value::Integer(number) => number.to_string(),
        Value::String(text) => format!("\"{}\"", text.to_lowercase()),
        Value::Null | Value::RefusedNumber => "null".to_owned(),
        Value::Array(_) | Value::Object(_) => String::new(),
    };
    if !text.is_empty() {
        leaves.insert((name.to_owned(), text));
    }
    for member in node.members() {
        collect(&member.value, &member.key, leaves);
    }
    for element in node.elements() {
        collect(element, name, leaves);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const DENIAL: &str = r#"{"accepted":false,"installable":false,"id":"1"}"#;

    fn told(status: u16, body: &str, valid: u16) -> Option<FaultCode> {
        let reply = |status, body: &str| Reply { status, body: body.as_bytes().to_vec(), ..Reply::default() };
        fault(&reply(status, body), Some(&Said::of(&reply(valid, DENIAL)))).map(|fault| fault.code)
    }

    #[test]
    fn a_status_of_its_own_rejects_whatever_the_body() {
        for status in [400, 403, 409, 422, 500, 501] {
            assert_eq!(told(status, "", 200), None, "{status}");
        }
        assert_eq!(told(422, "", 501), None);
        for (status, code) in [
            (301, FaultCode::Redirected),
            (401, FaultCode::NoEntry),
            (404, FaultCode::WrongStatus),
            (405, FaultCode::WrongStatus),
            (410, FaultCode::WrongStatus),
            (429, FaultCode::ServerError),
            (503, FaultCode::ServerError),
        ] {
            assert_eq!(told(status, "", 200), Some(code), "{status}");
        }
    }

    #[test]
    fn with_the_status_of_the_valid_payload_the_body_must_say_so() {
        for status in [200, 422, 501] {
            for body in [
                r#"{"accepted":false,"error":"digest"}"#,
                r#"{"accepted":false,"outcome":"rejected"}"#,
                r#"{"accepted":false,"digestMatches":false}"#,
                r#"{"accepted":false,"reasons":["the SHA-256 does not match"]}"#,
                r#"{"accepted":false,"gateStatuses":{"artifact-hash":"unevidenced"}}"#,
                r#"{"accepted":false,"gateStatuses":[{"gate":"Artifact hash","status":"missing"}]}"#,
                r#"{"accepted":false,"missingGates":["artifact-hash"]}"#,
                r#"{"accepted":false,"digest":{"declared":"sha256:a","recomputed":"sha256:b"}}"#,
                r#"{"accepted":false,"fehler":"falsch"}"#,
                "SHA-256",
            ] {
                assert_eq!(told(status, body, status), None, "{status} {body}");
            }
            for body in [
                DENIAL,
                r#"{"accepted":false,"installable":false,"id":"2"}"#,
                "",
                "{}",
                r#"{"error":null}"#,
                r#"{"accepted":false,"missingGates":["artifact-signing"]}"#,
                r#"{"accepted":false,"clearedGates":["artifact-hash"]}"#,
                "<h1>Welcome</h1>",
            ] {
                assert_eq!(told(status, body, status), Some(FaultCode::DigestVerdict), "{status} {body}");
            }
        }
        assert_eq!(told(200, DENIAL, 501), Some(FaultCode::DigestVerdict));
    }
}
