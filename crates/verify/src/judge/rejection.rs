//! Whether a payload whose package artifact has another digest was rejected (4.2, 7).
//!
//! The specification gives no status code and no shape of an error. So a request counts as rejected when its status is of
//! the 4xx or 5xx kind and differs from that of the valid payload, or when the body says so in a member that the answer to
//! the valid payload does not have. An answer that is the same to both shows that nothing was recomputed.

use std::collections::BTreeSet;

use svc_core::verification::{FaultCode, Level};
use svc_json::tree::{Node, Value};

use super::{
    closed::is_unread,
    words::{shown_code, wrong_status},
};
use crate::{check::CheckFault, exchange::Reply};

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

/// What an answer said, to be compared with others.
#[derive(Clone, Debug)]
pub(crate) struct Said {
    status: u16,
    leaves: BTreeSet<(String, String)>,
}

impl Said {
    pub(super) fn of(reply: &Reply) -> Self {
        let mut leaves = BTreeSet::new();
        if let Ok(body) = serde_json::from_slice::<serde_json::Value>(&reply.body) {
            collect(&Node::from(body), "", &mut leaves);
        }
        Self { status: reply.status, leaves }
    }
}

/// What is wrong with the answer to a payload whose digest does not recompute, beside the answer to the valid one.
pub(super) fn fault(reply: &Reply, valid: Option<&Said>) -> Option<CheckFault> {
    // A place that is there for the valid payload and not for this one was looked at.
    if is_unread(reply.status) && !matches!(reply.status, 404 | 405 | 410) {
        let message = format!(
            "a payload whose digest does not recompute was answered with {}{}, which says that nothing looked at it",
            reply.status,
            shown_code(reply)
        );
        return Some(CheckFault::new(wrong_status(422, reply).code, message).at(Level::Closed));
    }
    let said = Said::of(reply);
    // Whoever says nothing to either has let nothing through: it is a wall, and told as one.
    if said.leaves.is_empty() && valid.is_some_and(|valid| valid.leaves.is_empty()) {
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

/// Whether an answer says that it rejects, in a member that the answer to the valid payload does not have.
fn says_so(said: &Said, valid: Option<&Said>) -> bool {
    let mut own = said.leaves.iter().filter(|leaf| valid.is_none_or(|valid| !valid.leaves.contains(*leaf)));
    own.any(|(name, value)| {
        let is_empty = ["false", "null", "0", "\"\"", "\"none\"", "\"no\"", "\"ok\""].contains(&value.as_str());
        let named = !is_empty && REJECTED.iter().any(|word| name.contains(word));
        let denied = value == "false" && MATCHES.iter().any(|word| name.contains(word));
        named || denied || REJECTED.iter().any(|word| value.contains(word))
    })
}

/// Name and value of everything that is neither an object nor a list, in lower case.
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
        collect(&member.value, &member.key.to_lowercase(), leaves);
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
        for status in [400, 403, 404, 409, 422, 500, 501] {
            assert_eq!(told(status, "", 200), None, "{status}");
        }
        assert_eq!(told(422, "", 501), None);
        for (status, code) in [(401, FaultCode::NoEntry), (429, FaultCode::ServerError), (503, FaultCode::ServerError)]
        {
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
            ] {
                assert_eq!(told(status, body, status), None, "{status} {body}");
            }
            for body in [DENIAL, r#"{"accepted":false,"installable":false,"id":"2"}"#, "", "{}", r#"{"error":null}"#] {
                assert_eq!(told(status, body, status), Some(FaultCode::DigestVerdict), "{status} {body}");
            }
        }
        assert_eq!(told(200, DENIAL, 501), Some(FaultCode::DigestVerdict));
    }
}
