//! Recognises a gate wherever an answer names one, and reads what is said next to it.
//!
//! A gate is named by a member above a value, by a member of an object, by the first of a pair, or by a text
//! (`review-storage: unstored`). Everything else in that place is about the gate: every member is read, whatever its name.

use svc_json::tree::{Node, Value};

use crate::{
    check::cut,
    seed,
    vocabulary::{self, Says, plain, words_of},
};

/// Last words in the names of members that name a status of a gate, next to those of [`seed::STANDINGS`].
const STATUS_NAMES: [&str; 5] = ["value", "word", "is", "current", "standing"];

/// Last words in the names of members whose value may be a gate's name and means something else: an endpoint has the name
/// of its gate.
const NAMES_OTHERS: [&str; 13] = [
    "operation",
    "endpoint",
    "kind",
    "path",
    "type",
    "route",
    "url",
    "href",
    "instance",
    "source",
    "artifact",
    "document",
    "algorithm",
];

/// The words that gates' names are made of.
const NOUNS: [&str; 25] = [
    "artifact",
    "package",
    "hash",
    "digest",
    "sha",
    "256",
    "sha256",
    "publisher",
    "identity",
    "verification",
    "review",
    "storage",
    "evidence",
    "signing",
    "signature",
    "host",
    "install",
    "installation",
    "policy",
    "renderer",
    "isolation",
    "gate",
    "server",
    "check",
    "the",
];

/// A gate, and what is said of it.
#[derive(Clone, Debug)]
pub(crate) struct GateRow {
    /// The gate as the answer spells it.
    pub(crate) gate: String,
    /// The gate of the specification that is meant.
    pub(crate) known: Option<&'static str>,
    /// Its status, for a reader that asks whether it has one.
    pub(crate) word: GateWord,
    /// What says that it is cleared.
    pub(crate) yes: Option<String>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum GateWord {
    Text(String),
    Flag(bool),
    /// Anything else, which says nothing.
    None,
}

/// How surely a name is that of a gate, and so which words count as a yes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Naming {
    /// The gate itself: any word for cleared.
    Whole,
    /// A name such as `publisher` that other things have too: only the words that no package may claim.
    Short,
}

/// The gate of the specification that a name means: `publisher-verification`, `publisherVerification`, `Publisher identity`.
pub(crate) fn gate_of(name: &str) -> Option<&'static str> {
    let plain = plain(name);
    seed::GATE_STEMS.iter().find(|(_, stems)| stems.iter().any(|stem| plain.contains(stem))).map(|(gate, _)| *gate)
}

/// The gate that a text is the name of, and nothing else: every word of it is one of gates' names.
pub(crate) fn named(text: &str) -> Option<&'static str> {
    let is_name = words_of(text).iter().all(|word| NOUNS.contains(&word.as_str()));
    gate_of(text).filter(|_| is_name)
}

/// Whether a name is that of a gate as the specification has it.
pub(crate) fn is_its_name(name: &str) -> bool {
    gate_of(name).is_some_and(|gate| plain(name).trim_end_matches("gate") == plain(gate))
}

/// The rows of `gateStatuses`: an object, a list of objects, pairs or texts, or any of these one level below.
pub(crate) fn rows(statuses: &Node<'_>) -> Vec<GateRow> {
    let mut rows = Vec::new();
    for member in statuses.members() {
        let inner = if gate_of(&member.key).is_none() { self::rows(&member.value) } else { Vec::new() };
        if inner.is_empty() {
            rows.extend(
                grouped(&member.key, &member.value).unwrap_or_else(|| vec![of_status(&member.key, &member.value)]),
            );
        }
        rows.extend(inner);
    }
    rows.extend(statuses.elements().iter().filter_map(of_element));
    // A gate whose only status is a `true` is cleared, whatever that flag is called.
    for row in &mut rows {
        let is_cleared = row.word == GateWord::Flag(true) && row.known.is_some_and(|gate| gate != seed::SHOWN_GATE);
        row.yes = row.yes.take().or_else(|| is_cleared.then(|| "is `true`".to_owned()));
    }
    rows
}

/// Gates in a list under their word: `{"missing": ["review-storage"]}`.
fn grouped(word: &str, list: &Node<'_>) -> Option<Vec<GateRow>> {
    let gates: Vec<&str> =
        list.elements().iter().filter_map(Node::as_str).filter(|text| named(text).is_some()).collect();
    (gate_of(word).is_none() && !gates.is_empty()).then(|| gates.into_iter().map(|gate| of_text(gate, word)).collect())
}

/// A member of `gateStatuses`. One that is no gate of the specification is read as a gate all the same.
fn of_status(gate: &str, value: &Node<'_>) -> GateRow {
    let naming = if gate_of(gate).is_some() { Naming::Whole } else { Naming::Short };
    made(gate, naming, &[("", value)])
}

/// An element of a list that names a gate: an object, a pair, or a text with the gate's status.
pub(crate) fn of_element(element: &Node<'_>) -> Option<GateRow> {
    match (&element.value, element.elements(), element.members()) {
        (_, [gate, word], _) => {
            let gate = gate.as_str()?;
            let naming = if gate_of(gate).is_some() { Naming::Whole } else { Naming::Short };
            Some(made(gate, naming, &[("", word)]))
        }
        (_, _, [only]) if gate_of(&only.key).is_some() => Some(of_status(&only.key, &only.value)),
        (Value::String(text), ..) => {
            let (gate, word) = text.split_once([':', '='])?;
            named(gate).map(|_| of_text(gate.trim(), word.trim()))
        }
        _ => of_object(element),
    }
}

/// An object with a member that is a gate's name. The answer as a whole is about no single gate.
pub(crate) fn of_object(object: &Node<'_>) -> Option<GateRow> {
    let members = object.members();
    let is_answer =
        members.iter().any(|member| vocabulary::is_flag(&member.key) || plain(&member.key) == "gatestatuses");
    let names_gate = |key: &str| words_of(key).iter().any(|word| word == "gate");
    let naming = members.iter().find(|member| {
        let words = words_of(&member.key);
        let is_other = words.last().is_some_and(|word| NAMES_OTHERS.contains(&word.as_str()));
        let says_gate = member.value.as_str().and_then(named).is_some();
        !is_other && !vocabulary::points_on(&member.key) && says_gate && (!is_answer || plain(&member.key) == "gate")
    });
    let by_name =
        || members.iter().find(|member| names_gate(&member.key) && member.value.as_str().and_then(gate_of).is_some());
    let naming = naming.or_else(by_name).filter(|naming| !is_answer || plain(&naming.key) == "gate")?;
    let gate = naming.value.as_str()?;
    let is_name = |text: &str| named(text).is_some() && named(text) == gate_of(gate);
    let said: Vec<(&str, &Node<'_>)> = members
        .iter()
        .filter(|member| member.key != naming.key && !member.value.as_str().is_some_and(is_name))
        .map(|member| (member.key.as_ref(), &member.value))
        .collect();
    let is_whole = is_its_name(gate) || names_gate(&naming.key);
    Some(made(gate, if is_whole { Naming::Whole } else { Naming::Short }, &said))
}

/// A member whose name is a gate's and whose value is an object.
pub(crate) fn of_member(key: &str, value: &Node<'_>) -> Option<GateRow> {
    let is_object = matches!(value.value, Value::Object(_));
    let naming = if is_its_name(key) { Naming::Whole } else { Naming::Short };
    (is_object && named(key).is_some()).then(|| made(key, naming, &[("", value)]))
}

fn of_text(gate: &str, word: &str) -> GateRow {
    let known = gate_of(gate);
    let is_yes = known != Some(seed::SHOWN_GATE) && vocabulary::is_cleared_word(word);
    let yes = is_yes.then(|| format!("is `{}`", cut(word)));
    GateRow { gate: gate.to_owned(), known, word: GateWord::Text(word.to_owned()), yes }
}

fn made(gate: &str, naming: Naming, said: &[(&str, &Node<'_>)]) -> GateRow {
    let known = gate_of(gate);
    let yes = said.iter().find_map(|(name, value)| yes_in(name, value, naming));
    let word = status_in(said);
    let yes = yes.filter(|_| known != Some(seed::SHOWN_GATE)).map(|yes| match &word {
        GateWord::Text(word) if yes.starts_with("has") && !vocabulary::is_cleared_word(word) => {
            format!("{yes} next to `{}`", cut(word))
        }
        GateWord::Text(_) | GateWord::Flag(_) | GateWord::None => yes,
    });
    GateRow { gate: gate.to_owned(), known, word, yes }
}

/// The status among what is said of a gate: a member that is called so, another text, or a flag.
fn status_in(said: &[(&str, &Node<'_>)]) -> GateWord {
    let word = |name: &str, value: &Node<'_>| match &value.value {
        Value::String(text) if !text.trim().is_empty() => GateWord::Text(text.clone().into_owned()),
        Value::Bool(flag) => GateWord::Flag(*flag != (vocabulary::member_says(name) == Says::No || name == "open")),
        Value::Integer(number) => GateWord::Text(number.to_string()),
        Value::Object(_) => {
            let inner: Vec<_> = value.members().iter().map(|member| (member.key.as_ref(), &member.value)).collect();
            status_in(&inner)
        }
        Value::String(_) | Value::Null | Value::RefusedNumber | Value::Array(_) => GateWord::None,
    };
    let called = said.iter().filter(|(name, _)| is_status(name)).map(|(name, value)| word(name, value));
    let others = || said.iter().filter(|(name, _)| !vocabulary::points_on(name)).map(|(name, value)| word(name, value));
    let texts = others().filter(|word| matches!(word, GateWord::Text(_)));
    called.chain(texts).chain(others()).find(|word| *word != GateWord::None).unwrap_or(GateWord::None)
}

fn is_status(name: &str) -> bool {
    let words = words_of(name);
    let is_called = words.last().is_none_or(|word| STATUS_NAMES.contains(&word.as_str()));
    (is_called || vocabulary::is_standing(name)) && !vocabulary::points_on(name)
}

/// How a member says that the gate it stands next to is cleared.
fn yes_in(name: &str, value: &Node<'_>, naming: Naming) -> Option<String> {
    // `digestVerified` is about another gate.
    if !name.is_empty() && gate_of(name) == Some(seed::SHOWN_GATE) {
        return None;
    }
    let is_whole = naming == Naming::Whole;
    let claim = || {
        let shown = shown(value);
        Some(if name.is_empty() || is_status(name) {
            format!("is {shown}")
        } else {
            format!("has `{}: {}`", cut(name), shown.trim_matches('`'))
        })
    };
    let is_yes = match vocabulary::member_says(name) {
        Says::Yes if is_whole || words_of(name).iter().any(|word| vocabulary::is_open_word(word)) => {
            vocabulary::says_yes(value)
        }
        Says::No => is_whole && vocabulary::says_no(value),
        Says::Yes | Says::Nothing if vocabulary::points_on(name) => false,
        Says::Yes | Says::Nothing => match &value.value {
            Value::String(text) if is_status(name) && is_whole => vocabulary::is_cleared_word(text),
            Value::String(text) => vocabulary::is_open_word(text) || (is_whole && vocabulary::is_whole_yes(text)),
            Value::Bool(flag) => *flag && is_whole && is_status(name),
            Value::Integer(number) => is_whole && is_status(name) && vocabulary::is_cleared_word(&number.to_string()),
            Value::Object(members) => {
                return members.iter().find_map(|member| yes_in(&member.key, &member.value, naming));
            }
            Value::Array(elements) if name.is_empty() => {
                return elements.iter().find_map(|element| yes_in("", element, naming));
            }
            Value::Array(_) | Value::Null | Value::RefusedNumber => false,
        },
    };
    if is_yes { claim() } else { None }
}

/// A value as a message shows it.
pub(crate) fn shown(node: &Node<'_>) -> String {
    match &node.value {
        Value::Bool(flag) => format!("`{flag}`"),
        Value::Integer(number) => format!("`{number}`"),
        Value::String(text) => format!("`{}`", cut(text)),
        Value::Null | Value::RefusedNumber | Value::Array(_) | Value::Object(_) => node.type_name().to_owned(),
    }
}
