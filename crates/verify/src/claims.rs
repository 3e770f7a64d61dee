//! Looks for open claims in a reply, whatever it is: in any member at any depth, behind a duplicate, in an error, in a
//! header, in a page that is no JSON at all.
//!
//! The words are those of [`crate::seed`], held by hand. This only accuses; that a reply is what it should be is judged
//! elsewhere.

use svc_client::exchange::Reply;
use svc_core::verification::FaultCode;
use svc_json::tree::{self, Member, Node, Value};

use crate::{
    check::{CheckFault, cut},
    field::{FieldPlace, fields},
    gates::{self, GateRow, GateWord, shown},
    seed,
    vocabulary::{self, Says},
};

/// What a body is, as far as claims go.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Reading {
    /// A statement about a package, a ledger or a contract: gates in it are claims.
    Statement,
    /// A schema or an API description, which speaks of members without claiming anything by them.
    Description,
}

/// Names of headers whose whole value says where a package stands.
const STANDING: [&str; 6] = [
    "artifact-hash",
    "publisher-verification",
    "review-storage",
    "artifact-signing",
    "host-install-policy",
    "renderer-isolation",
];

pub(crate) fn open_claims(reply: &Reply, reading: Reading) -> Vec<CheckFault> {
    let mut faults = header_claims(reply);
    // Letters of two bytes each are read as well as those of one.
    let body: Vec<u8> = reply.body.iter().copied().filter(|byte| *byte != 0).collect();
    match tree::read(&reply.body) {
        Ok(document) => {
            if document.root.members().is_empty() && reading == Reading::Statement {
                faults.extend(whole_claim(&String::from_utf8_lossy(&body), "the body"));
            }
            walk(&document.root, "", None, reading, &mut faults);
            if !document.faults.is_empty() {
                faults.extend(spoken_claims(&String::from_utf8_lossy(&reply.body), "the body"));
            }
        }
        Err(_) => {
            let text = String::from_utf8_lossy(&body);
            faults.extend(spoken_claims(&text, "the body").or_else(|| whole_claim(&text, "the body")));
        }
    }
    faults
}

fn header_claims(reply: &Reply) -> Vec<CheckFault> {
    let mut faults = Vec::new();
    for field in fields(reply) {
        let (name, value) = (field.name, field.value.trim());
        let speaks = name.split(['-', '_']).any(|part| seed::SPOKEN.contains(&part));
        let closed = ["false", "no", "0", seed::DENIED].iter().any(|word| value.eq_ignore_ascii_case(word));
        let mut standings = STANDING.iter().chain(&seed::STANDINGS);
        let stands = standings.any(|standing| name == *standing || name.ends_with(&format!("-{standing}")));
        let mut said = value.split([',', ';']);
        let is_decision = stands && said.clone().any(|word| vocabulary::is_open_word(word) || vocabulary::is_yes(word));
        let is_row = said.any(|pair| {
            let row = pair.split_once(['=', ':']);
            row.is_some_and(|(gate, word)| {
                named_gate(gate).is_some() && gates::is_its_name(gate) && vocabulary::is_cleared_word(word)
            })
        });
        let is_stage = vocabulary::is_stage_name(name) && vocabulary::is_unreached_stage(value);
        let is_cleared =
            is_row || is_stage || (vocabulary::list_says(name) == Says::Yes && named_gate(value).is_some());
        // What stands around an answer has no other business than to say something of it.
        let is_aside = field.place != FieldPlace::Header && vocabulary::is_open_word(value);
        if is_cleared || is_decision || is_aside || (speaks && !closed) {
            let message = format!("{} says `{}`", field.shown(), cut(value));
            faults.push(CheckFault::new(FaultCode::OpenClaim, message));
        }
        faults.extend(spoken_claims(value, &field.shown()));
    }
    if let Some(reason) = &reply.reason {
        let place = "the reason phrase";
        faults.extend(spoken_claims(reason, place).or_else(|| whole_claim(reason, place)));
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
    seed::SPOKEN.into_iter().find(|name| {
        text.match_indices(name).any(|(at, name)| {
            let rest = text.get(at + name.len()..).and_then(|rest| rest.strip_prefix([':', '=', '>']));
            rest.is_some_and(|rest| vocabulary::YES.iter().any(|yes| rest.starts_with(yes)))
        })
    })
}

fn without_marks(text: &str) -> String {
    text.split('<').map(|part| part.split_once('>').map_or(part, |(_, after)| after)).collect()
}

/// A text or a value that is nothing but an open word.
fn whole_claim(text: &str, place: &str) -> Option<CheckFault> {
    let word = text.trim().trim_matches(['"', '\'', '[', ']', ' ']);
    let claim = || CheckFault::new(FaultCode::OpenClaim, format!("{place} is `{}`", cut(word)));
    (vocabulary::is_open_word(word) || vocabulary::is_yes(word)).then(claim)
}

fn walk(node: &Node<'_>, place: &str, about: Option<&'static str>, reading: Reading, faults: &mut Vec<CheckFault>) {
    let is_statement = reading == Reading::Statement;
    for member in node.members() {
        let here = format!("{place}/{}", cut(&member.key));
        // What says something of a gate is read as that.
        let row = gates::of_member(&member.key, &member.value).or_else(|| gates::of_object(&member.value));
        let inner = row.as_ref().and_then(|row| row.known).or(about);
        let stage = is_statement.then(|| stage_claim(node, member, &here)).flatten();
        faults.extend(stage.or_else(|| flag_claim(member, &here, about, reading)));
        if is_statement {
            // Those of `gateStatuses` are judged as rows of it.
            if member.key == "gateStatuses" {
                faults.extend(gate_claims(&member.value, &here));
            } else if !is_in_statuses(&here) {
                faults.extend(row.and_then(|row| cleared(&row, &here)));
            }
            match member.key.as_ref() {
                "gateStatuses" => {}
                "missingGates" => faults.extend(missing_claim(&member.value, &here)),
                _ => faults.extend(other_claim(member, &here)),
            }
        }
        walk(&member.value, &here, inner, reading, faults);
    }
    for (index, element) in node.elements().iter().enumerate() {
        let here = format!("{place}/{index}");
        let row = gates::of_element(element);
        let inner = row.as_ref().and_then(|row| row.known).or(about);
        if is_statement {
            let of_gate = row.filter(|_| !is_in_statuses(&here)).and_then(|row| cleared(&row, &here));
            faults.extend(of_gate.or_else(|| named_flag(element, &here)));
        }
        walk(element, &here, inner, reading, faults);
    }
}

fn is_in_statuses(place: &str) -> bool {
    place.contains("/gateStatuses/")
}

/// Only the literal `false` is closed. A schema describes a flag by an object, which claims nothing.
fn flag_claim(member: &Member<'_>, place: &str, about: Option<&str>, reading: Reading) -> Option<CheckFault> {
    let closed = match &member.value.value {
        Value::Bool(flag) => !flag,
        Value::Null | Value::Integer(_) | Value::RefusedNumber | Value::String(_) => false,
        Value::Array(_) | Value::Object(_) => reading == Reading::Description,
    };
    if vocabulary::is_flag(&member.key) && !closed {
        let text = if member.value.as_str().is_some() { "the text " } else { "" };
        return claim(format!("{place} is {text}{}, not `false`", shown(&member.value)));
    }
    // A stage that is blocked, or comes next, is not where a package stands.
    let is_standing = vocabulary::is_standing(&member.key) && !vocabulary::points_on(&member.key);
    let name = vocabulary::plain(&member.key);
    let is_decision = ["outcome", "decision", "verdict"].contains(&name.as_str());
    // A word about the digest is no word about the package, and those about other gates are read with the gate.
    let is_of_gate = |word: &str| about.is_some() && !seed::SPOKEN.contains(&vocabulary::normal(word).as_str());
    let is_open = |word: &&str| {
        (vocabulary::is_open_word(word) && !is_of_gate(word)) || (is_decision && vocabulary::is_yes(word))
    };
    let open = said_in(&member.value).into_iter().find(is_open);
    let open = open.filter(|_| is_standing && reading == Reading::Statement)?;
    claim(format!("{place} is `{}`", cut(open)))
}

/// A stage that nothing outside reaches, unless the member beside it says that it was not reached.
fn stage_claim(object: &Node<'_>, member: &Member<'_>, place: &str) -> Option<CheckFault> {
    let is_reached = |name: &str| matches!(vocabulary::plain(name).trim_start_matches("is"), "reached" | "current");
    let mut beside = object.members().iter();
    let is_denied = beside.any(|member| is_reached(&member.key) && matches!(member.value.value, Value::Bool(false)));
    let is_stage = vocabulary::is_stage_name(&member.key) && !is_denied;
    let stage = said_in(&member.value).into_iter().find(|word| is_stage && vocabulary::is_unreached_stage(word))?;
    claim(format!("{place} is `{}`", cut(stage)))
}

/// The texts that a member says: itself, those of a list, or those of an object with a name or a value.
fn said_in<'n>(value: &'n Node<'_>) -> Vec<&'n str> {
    let inner = ["value", "code", "id", "name"].iter().filter_map(|name| value.get(name));
    [value].into_iter().chain(value.elements()).chain(inner).filter_map(Node::as_str).collect()
}

/// What no specification names and everybody understands: a flag under a longer name, a gate outside of `gateStatuses`, a
/// list of gates that are cleared, a document as a text.
fn other_claim(member: &Member<'_>, place: &str) -> Option<CheckFault> {
    let (name, value) = (member.key.as_ref(), &member.value);
    let is_denied = vocabulary::is_denied_name(name) && matches!(value.value, Value::Bool(false));
    let is_flag = vocabulary::is_flag(name);
    if is_denied || (!is_flag && vocabulary::is_spoken(name) && vocabulary::says_yes(value)) {
        return claim(format!("{place} is {}", shown(value)));
    }
    // Those of `gateStatuses` are judged as rows, and the flags by themselves.
    let gate = gates::gate_of(name).filter(|gate| !is_in_statuses(place) && !is_flag && *gate != seed::SHOWN_GATE);
    if let Some(gate) = gate.filter(|_| says_cleared(name, value)) {
        return claim(format!("{place}: the gate `{gate}` is {}", shown(value)));
    }
    if vocabulary::list_says(name) == Says::Yes
        && let Some(gate) = listed(value)
    {
        return claim(format!("{place} names `{gate}` as cleared"));
    }
    let text = value.as_str()?.trim_start();
    if text.starts_with(['{', '[']) {
        return spoken_claims(text, place);
    }
    None
}

/// Whether a value that is no object clears the gate in the name above it. Only the gate's own name takes every word.
fn says_cleared(name: &str, value: &Node<'_>) -> bool {
    let is_its_name = gates::is_its_name(name);
    match &value.value {
        Value::String(text) => vocabulary::is_open_word(text) || (is_its_name && vocabulary::is_cleared_word(text)),
        Value::Bool(flag) => *flag && (is_its_name || vocabulary::list_says(name) == Says::Yes),
        Value::Integer(number) => is_its_name && vocabulary::is_cleared_word(&number.to_string()),
        Value::Null | Value::RefusedNumber | Value::Array(_) | Value::Object(_) => false,
    }
}

/// A gate that a list names, but for the one that shows something. A row that says no lists nothing.
fn listed(list: &Node<'_>) -> Option<&'static str> {
    let inner = list.elements().iter().flat_map(Node::elements);
    let of_rows = list.elements().iter().chain(inner).filter_map(|element| match element.as_str() {
        Some(text) => Some(text.to_owned()),
        None => gates::of_element(element).filter(|row| row.word != GateWord::Flag(false)).map(|row| row.gate),
    });
    let members = list.members().iter().filter(|member| vocabulary::says_yes(&member.value));
    let of_members = members.map(|member| member.key.to_string());
    let mut texts = list.as_str().map(str::to_owned).into_iter().chain(of_rows).chain(of_members);
    texts.find_map(|text| named_gate(&text))
}

/// A gate that a text names, but for the one that shows something.
fn named_gate(text: &str) -> Option<&'static str> {
    text.split([',', ';', ' ']).filter_map(gates::gate_of).find(|gate| *gate != seed::SHOWN_GATE)
}

/// A row of a list that names a flag, and says yes of it in another member.
fn named_flag(row: &Node<'_>, place: &str) -> Option<CheckFault> {
    let name = ["name", "key", "flag", "id"].iter().find_map(|name| row.get(name)?.as_str())?;
    let value = ["value", "status", "state", "is"].iter().find_map(|name| row.get(name))?;
    let is_yes = vocabulary::is_spoken(name) && vocabulary::says_yes(value);
    is_yes.then(|| claim(format!("{place}: `{}` is {}", cut(name), shown(value)))).flatten()
}

/// A gate that is said to be cleared, however the gates are spelled.
fn cleared(row: &GateRow, place: &str) -> Option<CheckFault> {
    let yes = row.yes.as_ref()?;
    claim(format!("{place}: the gate `{}` {yes}", cut(&row.gate)))
}

#[expect(clippy::unnecessary_wraps, reason = "every caller gives an option")]
fn claim(message: String) -> Option<CheckFault> {
    Some(CheckFault::new(FaultCode::OpenClaim, message))
}

fn gate_claims(statuses: &Node<'_>, place: &str) -> Vec<CheckFault> {
    let mut faults: Vec<CheckFault> = gates::rows(statuses).iter().filter_map(|row| cleared(row, place)).collect();
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

fn differs(message: String) -> CheckFault {
    CheckFault::new(FaultCode::GateDiffers, message)
}

/// The list of missing gates names the five that nothing clears.
fn missing_claim(list: &Node<'_>, place: &str) -> Option<CheckFault> {
    let named: Vec<&str> = list.elements().iter().filter_map(Node::as_str).collect();
    let absent = seed::missing().find(|gate| !named.contains(gate))?;
    Some(CheckFault::new(FaultCode::GateDiffers, format!("{place} does not name `{absent}`, as if it were cleared")))
}

#[cfg(test)]
mod tests;
