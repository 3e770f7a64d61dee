//! Looks for open claims in a reply, whatever it is: in any member at any depth, behind a duplicate, in an error, in a
//! header, in a page that is no JSON at all.
//!
//! The words are those of [`crate::seed`], held by hand. This only accuses; that a reply is what it should be is judged
//! elsewhere.

use svc_core::verification::FaultCode;
use svc_json::tree::{self, Member, Node, Value};

use crate::{
    check::{CheckFault, cut},
    denial::{self, GateRow, GateWord},
    exchange::Reply,
    seed,
};

/// What a body is, as far as claims go.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Reading {
    /// A statement about a package, a ledger or a contract: gates in it are claims.
    Statement,
    /// A schema or an API description, which speaks of members without claiming anything by them.
    Description,
}

/// Names that make a header or a line of text a claim beside the flags.
const SPOKEN: [&str; 4] = ["accepted", "signed", "installable", "approved"];

/// Names of headers whose whole value says where a package stands.
const STANDING: [&str; 10] = [
    "outcome",
    "status",
    "stage",
    "decision",
    "artifact-hash",
    "publisher-verification",
    "review-storage",
    "artifact-signing",
    "host-install-policy",
    "renderer-isolation",
];

/// What an open flag looks like in text that is no JSON.
const YES: [&str; 3] = ["true", "yes", "1"];

pub(crate) fn open_claims(reply: &Reply, reading: Reading) -> Vec<CheckFault> {
    let mut faults = header_claims(reply);
    match tree::read(&reply.body) {
        Ok(document) => {
            walk(&document.root, "", reading, &mut faults);
            if !document.faults.is_empty() {
                faults.extend(spoken_claims(&String::from_utf8_lossy(&reply.body), "the body"));
            }
        }
        Err(_) => faults.extend(spoken_claims(&String::from_utf8_lossy(&reply.body), "the body")),
    }
    faults
}

fn header_claims(reply: &Reply) -> Vec<CheckFault> {
    let mut faults = Vec::new();
    for (name, value) in &reply.headers {
        let value = value.trim();
        let speaks = name.split(['-', '_']).any(|part| SPOKEN.contains(&part));
        let closed = ["false", "no", "0", seed::DENIED].iter().any(|word| value.eq_ignore_ascii_case(word));
        let stands = STANDING.iter().any(|standing| name == standing || name.ends_with(&format!("-{standing}")));
        let is_decision = (name == "svc-decision" || stands) && is_open_word(value);
        if is_decision || (speaks && !closed) {
            let message = format!("the header `{}` says `{}`", cut(name), cut(value));
            faults.push(CheckFault::new(FaultCode::OpenClaim, message));
        }
        faults.extend(spoken_claims(value, &format!("the header `{}`", cut(name))));
    }
    faults
}

/// A claim in running text: a flag's name, a colon or an equals sign, and a yes. Marks of a page may stand between.
fn spoken_claims(text: &str, place: &str) -> Option<CheckFault> {
    let plain: String =
        text.chars().filter(|character| !character.is_whitespace() && !"\"'\\".contains(*character)).collect();
    let plain = plain.to_lowercase();
    let claimed = spoken_flag(&plain).or_else(|| spoken_flag(&without_marks(&plain)))?;
    Some(CheckFault::new(FaultCode::OpenClaim, format!("{place} says that something is {claimed}")))
}

fn spoken_flag(text: &str) -> Option<&'static str> {
    SPOKEN.into_iter().find(|name| {
        text.match_indices(name).any(|(at, name)| {
            let rest = text.get(at + name.len()..).and_then(|rest| rest.strip_prefix([':', '=']));
            rest.is_some_and(|rest| YES.iter().any(|yes| rest.starts_with(yes)))
        })
    })
}

fn without_marks(text: &str) -> String {
    text.split('<').map(|part| part.split_once('>').map_or(part, |(_, after)| after)).collect()
}

fn walk(node: &Node<'_>, place: &str, reading: Reading, faults: &mut Vec<CheckFault>) {
    for member in node.members() {
        let here = format!("{place}/{}", cut(&member.key));
        faults.extend(flag_claim(member, &here, reading));
        if reading == Reading::Statement {
            match member.key.as_ref() {
                "gateStatuses" => faults.extend(gate_claims(&member.value, &here)),
                "missingGates" => faults.extend(missing_claim(&member.value, &here)),
                _ => {}
            }
        }
        walk(&member.value, &here, reading, faults);
    }
    for (index, element) in node.elements().iter().enumerate() {
        walk(element, &format!("{place}/{index}"), reading, faults);
    }
}

/// Only the literal `false` is closed. A schema describes a flag by an object, which claims nothing.
fn flag_claim(member: &Member<'_>, place: &str, reading: Reading) -> Option<CheckFault> {
    let is_flag = seed::FLAGS.iter().any(|flag| member.key.eq_ignore_ascii_case(flag));
    let closed = match &member.value.value {
        Value::Bool(flag) => !flag,
        Value::Null | Value::Integer(_) | Value::RefusedNumber | Value::String(_) => false,
        Value::Array(_) | Value::Object(_) => reading == Reading::Description,
    };
    if is_flag && !closed {
        let message = format!("{place} is {}, not `false`", shown(&member.value));
        return Some(CheckFault::new(FaultCode::OpenClaim, message));
    }
    let is_standing = seed::STANDINGS.iter().any(|standing| member.key.eq_ignore_ascii_case(standing));
    let open = member.value.as_str().filter(|word| is_standing && is_open_word(word))?;
    Some(CheckFault::new(FaultCode::OpenClaim, format!("{place} is `{}`", cut(open))))
}

fn is_open_word(word: &str) -> bool {
    seed::OPEN_WORDS.iter().any(|open| word.trim().eq_ignore_ascii_case(open))
}

fn gate_claims(statuses: &Node<'_>, place: &str) -> Vec<CheckFault> {
    let mut faults: Vec<CheckFault> =
        denial::gate_rows(statuses).iter().filter_map(|row| cleared(row, place)).collect();
    if statuses.members().is_empty() {
        faults.push(differs(format!("{place} must be an object with a word for each gate")));
        return faults;
    }
    for member in statuses.members() {
        let word = member.value.as_str().unwrap_or(member.value.type_name());
        let gate = cut(&member.key);
        match seed::word(&member.key) {
            None => faults.push(differs(format!("{place} has a gate `{gate}` that does not exist"))),
            Some(known) if word == known => {}
            Some("evidenced") if word == seed::UNEVIDENCED => {}
            Some(known) => {
                faults.push(differs(format!("{place}: the gate `{gate}` has the word `{}`, not `{known}`", cut(word))));
            }
        }
    }
    let absent = seed::LEDGER.iter().filter(|(gate, ..)| statuses.get(gate).is_none());
    faults.extend(absent.map(|(gate, ..)| differs(format!("{place}: the gate `{gate}` is missing"))));
    faults
}

/// A gate that is said to be cleared, however the gates are spelled. The one that shows something may say so.
fn cleared(row: &GateRow, place: &str) -> Option<CheckFault> {
    let gate = denial::gate_of(&row.gate);
    if gate == Some(seed::SHOWN_GATE) {
        return None;
    }
    let is_word_of = |words: &[&str], word: &str| words.iter().any(|open| word.trim().eq_ignore_ascii_case(open));
    let word = match &row.word {
        GateWord::Text(word) if is_open_word(word) || (gate.is_some() && is_word_of(&seed::CLEARED_WORDS, word)) => {
            word.as_str()
        }
        GateWord::Flag(true) if gate.is_some() => "true",
        GateWord::Text(_) | GateWord::Flag(_) | GateWord::None => return None,
    };
    let message = format!("{place}: the gate `{}` is `{}`", cut(&row.gate), cut(word));
    Some(CheckFault::new(FaultCode::OpenClaim, message))
}

fn differs(message: String) -> CheckFault {
    CheckFault::new(FaultCode::GateDiffers, message)
}

/// The list of missing gates names the five that nothing clears.
fn missing_claim(list: &Node<'_>, place: &str) -> Option<CheckFault> {
    let named: Vec<&str> = list.elements().iter().filter_map(Node::as_str).collect();
    let absent = seed::missing().find(|gate| !named.contains(gate))?;
    Some(CheckFault::new(FaultCode::GateDiffers, format!("{place} does not name `{absent}`, as if it were cleared")))
}

fn shown(node: &Node<'_>) -> String {
    match &node.value {
        Value::Bool(flag) => format!("`{flag}`"),
        Value::Integer(number) => format!("`{number}`"),
        Value::String(text) => format!("the text `{}`", cut(text)),
        Value::Null | Value::RefusedNumber | Value::Array(_) | Value::Object(_) => node.type_name().to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn claims(body: &str) -> Vec<FaultCode> {
        let reply = Reply { status: 200, headers: Vec::new(), body: body.as_bytes().to_vec(), ..Reply::default() };
        open_claims(&reply, Reading::Statement).into_iter().map(|fault| fault.code).collect()
    }

    #[test]
    fn an_open_word_is_a_claim_wherever_something_stands_and_no_other_word_is() {
        for standing in seed::STANDINGS {
            for word in seed::OPEN_WORDS {
                for body in [
                    format!("{{\"{standing}\":\"{word}\"}}"),
                    format!("{{\"receipt\":{{\"record\":{{\"{standing}\":\" {} \"}}}}}}", word.to_uppercase()),
                ] {
                    assert_eq!(claims(&body), [FaultCode::OpenClaim], "{body}");
                }
                assert_eq!(claims(&format!("{{\"{standing}\":\"un{word}\"}}")), []);
                assert_eq!(claims(&format!("{{\"{standing}\":\"not yet {word}\"}}")), []);
            }
            for word in ["denied", "refused", "allowed", "complete", "prepared", "signed-package"] {
                assert_eq!(claims(&format!("{{\"{standing}\":\"{word}\"}}")), [], "{word}");
            }
        }
        assert_eq!(claims("{\"operation\":\"approved\"}"), []);
        let recorded = "{\"receipt\":{\"record\":{\"outcome\":\"refused\",\"accepted\":true}}}";
        assert_eq!(claims(recorded), [FaultCode::OpenClaim]);
    }

    #[test]
    fn only_a_description_may_say_something_else_of_a_flag_than_false() {
        let body = "{\"properties\":{\"accepted\":{\"const\":false}}}";
        assert_eq!(claims(body), [FaultCode::OpenClaim]);
        let reply = Reply { body: body.as_bytes().to_vec(), ..Reply::default() };
        assert_eq!(open_claims(&reply, Reading::Description), []);
    }

    #[test]
    fn a_gate_with_an_open_word_is_a_claim_but_for_the_one_that_shows_something() {
        for word in seed::OPEN_WORDS {
            let statuses = |gate: &str| claims(&format!("{{\"gateStatuses\":{{\"{gate}\":\"{word}\"}}}}"));
            for gate in seed::missing().chain(["self-review"]) {
                assert_eq!(statuses(gate).first(), Some(&FaultCode::OpenClaim), "{gate} {word}");
            }
            assert!(!statuses(seed::SHOWN_GATE).contains(&FaultCode::OpenClaim), "{word}");
        }
    }

    #[test]
    fn every_spelling_of_an_open_flag_is_seen() {
        for flag in seed::FLAGS {
            for value in ["true", "1", "0", "null", "\"false\"", "\"true\"", "\"\"", "1.5", "[]", "{}"] {
                for body in [format!("{{\"{flag}\":{value}}}"), format!("{{\"a\":[{{\"b\":{{\"{flag}\":{value}}}}}]}}")]
                {
                    assert_eq!(claims(&body).first(), Some(&FaultCode::OpenClaim), "{body}");
                }
            }
            assert_eq!(claims(&format!("{{\"{flag}\":false}}")), []);
            assert!(claims(&format!("{{\"{flag}\":false,\"{flag}\":true}}")).contains(&FaultCode::OpenClaim));
            assert!(claims(&format!("{{\"{flag}\":false}}{{\"{flag}\":true}}")).contains(&FaultCode::OpenClaim));
            assert_eq!(claims(&format!("<p>{flag} = TRUE</p>")), [FaultCode::OpenClaim]);
            assert_eq!(claims(&format!("<p>{flag}: <b>yes</b></p>")), [FaultCode::OpenClaim]);
            assert_eq!(claims(&format!("<p>{flag}: no</p>")), []);
        }
    }

    #[test]
    fn a_gate_with_another_word_is_seen_wherever_it_stands() {
        let all: Vec<String> = seed::LEDGER.iter().map(|(gate, _, word)| format!("\"{gate}\":\"{word}\"")).collect();
        let statuses = |gates: &[String]| format!("{{\"x\":{{\"gateStatuses\":{{{}}}}}}}", gates.join(","));
        assert_eq!(claims(&statuses(&all)), []);
        for (index, (gate, ..)) in seed::LEDGER.iter().enumerate() {
            let mut other = all.clone();
            other[index] = format!("\"{gate}\":\"pending\"");
            assert_eq!(claims(&statuses(&other)), [FaultCode::GateDiffers], "{gate}");
            other.remove(index);
            assert_eq!(claims(&statuses(&other)), [FaultCode::GateDiffers], "{gate}");
        }
        assert_eq!(claims("{\"missingGates\":[]}"), [FaultCode::GateDiffers]);
    }

    #[test]
    fn a_cleared_gate_is_a_claim_in_every_shape_and_spelling() {
        for (gate, word) in
            [("publisherVerification", "\"done\""), ("Artifact signing", "true"), ("review", "\"Stored\"")]
        {
            for body in [
                format!("{{\"gateStatuses\":{{\"{gate}\":{word}}}}}"),
                format!("{{\"gateStatuses\":{{\"{gate}\":{{\"state\":{word}}}}}}}"),
                format!("{{\"gateStatuses\":[{{\"name\":\"{gate}\",\"status\":{word}}}]}}"),
                format!("{{\"gateStatuses\":[[\"{gate}\",{word}]]}}"),
            ] {
                assert_eq!(claims(&body).first(), Some(&FaultCode::OpenClaim), "{body}");
            }
        }
        for body in [
            "{\"gateStatuses\":[[\"artifactHash\",\"verified\"]]}",
            "{\"gateStatuses\":[[\"malware-scan\",\"done\"]]}",
            "{\"gateStatuses\":[[\"publisher\",\"unverified\"]]}",
        ] {
            assert!(!claims(body).contains(&FaultCode::OpenClaim), "{body}");
        }
    }

    #[test]
    fn a_header_is_a_claim_too() {
        let claims = |name: &str, value: &str| {
            let reply = Reply {
                status: 500,
                headers: vec![(name.into(), value.into())],
                body: b"{}".to_vec(),
                ..Reply::default()
            };
            open_claims(&reply, Reading::Statement).len()
        };
        assert_eq!(claims("svc-decision", "denied"), 0);
        assert_eq!(claims("svc-decision", "granted"), 0);
        assert_eq!(claims("svc-decision", "Approved"), 1);
        assert_eq!(claims("x-package-accepted", "1"), 1);
        assert_eq!(claims("x-package-accepted", "false"), 0);
        assert_eq!(claims("x-note", "installable=true"), 1);
        assert_eq!(claims("content-type", "application/json"), 0);
    }
}
