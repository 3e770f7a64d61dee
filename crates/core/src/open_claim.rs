//! Whether a document of the registry's claims anything to be open: in any member, at any depth, behind a duplicate.
//!
//! It accuses and never clears: whatever is not found to be open still has to prove what it says.

use svc_json::tree::{Member, Node, Value};

use crate::{
    closed::False,
    gates::{Evidenced, GateStatuses, HashGateStatus as _, Unevidenced},
    words::{gate::Gate, stage::Reached, wire::WireScalar as _},
};

/// The words of an outcome: an answer's and a record's.
const CLOSED_OUTCOMES: [&str; 2] = ["denied", "refused"];

/// Whether anything in a value claims to be open.
#[must_use]
pub fn is_open(node: &Node<'_>) -> bool {
    has_claim(node, claims)
}

/// Whether a member that a host puts around an entry claims anything to be open: by its name, or inside it. A signature is a
/// claim here too, because nothing of ours is signed.
#[must_use]
pub fn is_open_host_member(member: &Member<'_>) -> bool {
    let claims = |member: &Member<'_>| matches!(member.key.as_ref(), "signature" | "signatures") || claims(member);
    claims(member) || has_claim(&member.value, claims)
}

fn has_claim(node: &Node<'_>, claims: fn(&Member<'_>) -> bool) -> bool {
    match &node.value {
        Value::Object(members) => {
            clears_a_gate(node) || members.iter().any(|member| claims(member) || has_claim(&member.value, claims))
        }
        Value::Array(elements) => elements.iter().any(|element| has_claim(element, claims)),
        Value::Null | Value::Bool(_) | Value::Integer(_) | Value::RefusedNumber | Value::String(_) => false,
    }
}

fn claims(Member { key, value, .. }: &Member<'_>) -> bool {
    let word = value.as_str();
    match key.as_ref() {
        "accepted" | "installable" | "signed" => !(False::SCALAR.accepts)(&value.value),
        "outcome" => !word.is_some_and(|word| CLOSED_OUTCOMES.contains(&word)),
        "stage" => word.and_then(Reached::parse).is_none(),
        // A gate that is left out is one that nobody has to clear.
        "gateStatuses" => {
            let named = |gate: &Gate| value.get(gate.as_str()).is_some();
            !Gate::ALL.iter().all(named)
                || value.members().iter().any(|gate| !is_word_of(&gate.key, gate.value.as_str()))
        }
        "missingGates" => {
            let named = || value.elements().iter().map(Node::as_str);
            let are = |gates: Vec<Gate>| named().eq(gates.iter().map(|gate| Some(gate.as_str())));
            !are(Evidenced::missing()) && !are(Unevidenced::missing())
        }
        _ => false,
    }
}

/// Whether an object that speaks of a gate, such as a blocker, gives it a word that the gate does not have.
fn clears_a_gate(node: &Node<'_>) -> bool {
    let gate = node.get("gate").and_then(Node::as_str);
    gate.zip(node.get("status")).is_some_and(|(gate, status)| !is_word_of(gate, status.as_str()))
}

/// Whether an answer says the whole no: every flag, the word of every gate and every missing gate, as a decision or a
/// problem has them.
#[must_use]
pub fn is_whole_no(answer: &Node<'_>) -> bool {
    let flags = ["accepted", "installable", "signed"];
    let is_closed = |flag: &str| answer.get(flag).is_some_and(|node| (False::SCALAR.accepts)(&node.value));
    let is_decided = answer.get("outcome").is_some();
    let word = |gate: Gate| {
        if is_decided {
            GateStatuses::<Evidenced>::now().word(gate)
        } else {
            GateStatuses::<Unevidenced>::now().word(gate)
        }
    };
    let statuses = answer.get("gateStatuses");
    let has_word = |gate: &Gate| statuses.and_then(|it| it.get(gate.as_str())?.as_str()) == Some(word(*gate));
    let missing = if is_decided { Evidenced::missing() } else { Unevidenced::missing() };
    let named = answer.get("missingGates").map(Node::elements).unwrap_or_default();
    flags.iter().all(|flag| is_closed(flag))
        && Gate::ALL.iter().all(has_word)
        && named.iter().map(Node::as_str).eq(missing.iter().map(|gate| Some(gate.as_str())))
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
            r#"{"gateStatuses":{"artifact-hash":"unevidenced","artifact-signing":"unsigned"}}"#,
            r#"{"blockers":[{"gate":"artifact-signing","status":"signed"}]}"#,
            r#"{"gateStatuses":{"a-new-gate":"evidenced"}}"#,
            r#"{"missingGates":[]}"#,
            r#"{"missingGates":"none"}"#,
        ] {
            assert!(open(text), "{text}");
        }
        for text in [
            r#"{"accepted":false,"signed":false,"outcome":"denied","stage":"blueprint"}"#,
            r#"{"blockers":[{"gate":"artifact-signing","status":"unsigned"}],"status":422}"#,
            r#"{"title":"accepted","detail":"installable: true"}"#,
        ] {
            assert!(!open(text), "{text}");
        }
    }
}
