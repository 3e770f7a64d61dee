//! Whether a document of the registry's claims anything to be open: in any member, at any depth, behind a duplicate.
//!
//! It accuses and never clears: whatever is not found to be open still has to prove what it says.

use svc_json::tree::{Member, Node, Value};

use crate::{
    closed::False,
    gates::{Evidenced, GateStatuses, HashStanding as _, Unevidenced},
    words::{gate::Gate, stage::Reached, wire::WireScalar as _},
};

/// The words of an outcome: an answer's and a record's.
const CLOSED_OUTCOMES: [&str; 2] = ["denied", "refused"];

/// Whether anything in a value claims to be open.
#[must_use]
pub fn is_open(node: &Node<'_>) -> bool {
    match &node.value {
        Value::Object(members) => members.iter().any(|member| claims(member) || is_open(&member.value)),
        Value::Array(elements) => elements.iter().any(is_open),
        Value::Null | Value::Bool(_) | Value::Integer(_) | Value::RefusedNumber | Value::String(_) => false,
    }
}

fn claims(Member { key, value, .. }: &Member<'_>) -> bool {
    let word = value.as_str();
    match key.as_ref() {
        "accepted" | "installable" | "signed" => !(False::SCALAR.accepts)(&value.value),
        "outcome" => !word.is_some_and(|word| CLOSED_OUTCOMES.contains(&word)),
        "stage" => word.and_then(Reached::parse).is_none(),
        "gateStatuses" => value.members().iter().any(|gate| !is_word_of(&gate.key, gate.value.as_str())),
        "missingGates" => {
            let named = || value.elements().iter().map(Node::as_str);
            let are = |gates: Vec<Gate>| named().eq(gates.iter().map(|gate| Some(gate.as_str())));
            !are(Evidenced::missing()) && !are(Unevidenced::missing())
        }
        _ => false,
    }
}

fn is_word_of(gate: &str, word: Option<&str>) -> bool {
    let words = |gate| [GateStatuses::<Evidenced>::now().word(gate), GateStatuses::<Unevidenced>::now().word(gate)];
    Gate::parse(gate).zip(word).is_some_and(|(gate, word)| words(gate).contains(&word))
}

#[cfg(test)]
mod tests {
    use svc_json::tree;

    use super::*;

    fn open(text: &str) -> bool {
        is_open(&tree::read(text.as_bytes()).unwrap().root)
    }

    #[test]
    fn a_claim_is_seen_wherever_it_stands_and_a_no_is_none() {
        for text in [
            r#"{"accepted":true}"#,
            r#"{"accepted":false,"accepted":true}"#,
            r#"{"a":[{"b":{"installable":"false"}}]}"#,
            r#"{"signed":null}"#,
            r#"{"outcome":"accepted"}"#,
            r#"{"stage":"signed-package"}"#,
            r#"{"gateStatuses":{"artifact-signing":"signed"}}"#,
            r#"{"gateStatuses":{"a-new-gate":"evidenced"}}"#,
            r#"{"missingGates":[]}"#,
            r#"{"missingGates":"none"}"#,
        ] {
            assert!(open(text), "{text}");
        }
        for text in [
            r#"{"accepted":false,"signed":false,"outcome":"denied","stage":"blueprint"}"#,
            r#"{"gateStatuses":{"artifact-hash":"unevidenced","artifact-signing":"unsigned"}}"#,
            r#"{"title":"accepted","detail":"installable: true"}"#,
        ] {
            assert!(!open(text), "{text}");
        }
    }
}
