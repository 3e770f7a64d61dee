//! Receipts that prove nothing, each with its reason.

use serde_json::{Value, json};
use svc_core::samples::rules;
use svc_journal::log_key::LogKey;
use svc_proof::{
    public_key::PublicKeys,
    receipt::{Unproven, check_file},
};
use svc_testkit::kit;

use crate::place::Place;

#[test]
fn every_changed_byte_of_a_receipt_is_refused() {
    let place = Place::sqlite();
    let receipts = place.fill(11);
    let keys = place.location.read().unwrap().keys;
    for receipt in [&receipts[0], &receipts[10]] {
        let bytes = serde_json::to_vec(receipt).unwrap();
        assert!(check_file(&bytes, &keys).is_ok());
        for at in 0..bytes.len() {
            for change in [1, 0x20] {
                let mut changed = bytes.clone();
                changed[at] ^= change;
                assert!(check_file(&changed, &keys).is_err(), "byte {at}: {}", String::from_utf8_lossy(&changed));
            }
        }
    }
}

#[test]
fn a_receipt_of_one_log_proves_nothing_about_another() {
    let (one, two) = (Place::sqlite(), Place::sqlite());
    let receipt = serde_json::to_vec(&one.fill(3)[1]).unwrap();
    two.fill(3);
    let keys = two.location.read().unwrap().keys;
    assert_eq!(check_file(&receipt, &keys).unwrap_err(), Unproven::UnknownKey);
}

/// The key signs the log, never a package: its signature fits nothing that an artifact could carry.
#[test]
fn a_signature_of_the_log_is_not_one_of_an_artifact() {
    use ed25519_dalek::{Signature, Verifier as _, VerifyingKey};

    let place = Place::sqlite();
    let receipts = place.fill(2);
    let keys = place.location.read().unwrap().keys;
    let text = receipts[1].checkpoint.as_str();
    let (body, line) = text.split_once("\n\n").unwrap();
    let encoded = line.trim().rsplit(' ').next().unwrap();
    let bytes = data_encoding::BASE64.decode(encoded.as_bytes()).unwrap();
    let signature = Signature::from_slice(&bytes[4..]).unwrap();
    let public = keys.as_slice()[0].as_str().splitn(3, '+').nth(2).unwrap();
    let public = data_encoding::BASE64.decode(public.as_bytes()).unwrap();
    let public = VerifyingKey::try_from(&public[1..]).unwrap();
    assert!(public.verify(format!("{body}\n").as_bytes(), &signature).is_ok(), "it is one over the checkpoint");

    let request = include_bytes!("../../../../conformance/documents/signing-request.json");
    let request: Value = serde_json::from_slice(request).unwrap();
    let payload = request["envelope"]["payload"].as_str().unwrap();
    let statement = data_encoding::BASE64.decode(payload.as_bytes()).unwrap();
    let kind = request["envelope"]["payloadType"].as_str().unwrap();
    let encoded = [format!("DSSEv1 {} {kind} {} ", kind.len(), statement.len()).as_bytes(), &statement].concat();
    let digest = request["documentDigest"].as_str().unwrap();
    for (what, bytes) in [
        ("the envelope's payload", encoded.as_slice()),
        ("the statement", &statement),
        ("the document's digest", digest.as_bytes()),
        ("the record", &receipts[1].record.to_bytes()),
    ] {
        assert!(public.verify(bytes, &signature).is_err(), "{what}");
        assert!(!bytes.starts_with(keys.origin().as_bytes()), "{what} begins like a checkpoint");
    }
    // And the other way round: an artifact that carries it does not parse.
    let mut forged = request.clone();
    forged["envelope"]["signatures"] = json!([{ "keyid": keys.origin(), "sig": encoded_signature(&bytes) }]);
    let spec = svc_core::words::kind::find("svc-registry-signing-request").unwrap();
    assert!(svc_core::read::decide(rules(), spec.artifact, &serde_json::to_vec(&forged).unwrap()).is_err());
}

#[test]
fn only_the_log_that_is_named_counts() {
    let place = Place::sqlite();
    let receipt = serde_json::to_vec(&place.fill(1)[0]).unwrap();
    let keys = place.location.read().unwrap().keys;
    let stranger = LogKey::generate_for(keys.origin()).unwrap();
    let stranger = PublicKeys::one(stranger.public().clone());
    assert_eq!(check_file(&receipt, &stranger).unwrap_err(), Unproven::UnknownKey);
    assert!(check_file(b"", &keys).is_err() && check_file(b"{}", &keys).is_err() && check_file(b"[]", &keys).is_err());
}

fn encoded_signature(bytes: &[u8]) -> String {
    data_encoding::BASE64.encode(bytes)
}

/// Every place of a value, but for what is below one member.
fn leaves(value: &Value, place: String, beside: &str, found: &mut Vec<String>) {
    match value {
        Value::Object(members) if !members.is_empty() => {
            for (name, member) in members.iter().filter(|(name, _)| !place.is_empty() || *name != beside) {
                leaves(member, format!("{place}/{}", name.replace('~', "~0").replace('/', "~1")), beside, found);
            }
        }
        Value::Array(elements) if !elements.is_empty() => {
            for (index, element) in elements.iter().enumerate() {
                leaves(element, format!("{place}/{index}"), beside, found);
            }
        }
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) | Value::Array(_) | Value::Object(_) => {
            found.push(place)
        }
    }
}

/// Another value of the same type, and one of another.
fn others(value: &Value) -> Vec<Value> {
    match value {
        Value::String(text) => vec![json!(format!("{text}x")), json!("approved"), json!(1)],
        Value::Bool(flag) => vec![json!(!flag), json!("false")],
        Value::Number(number) => vec![json!(number.as_i64().unwrap_or_default() + 1), json!("1")],
        Value::Null | Value::Array(_) | Value::Object(_) => vec![json!([true]), json!({ "accepted": true })],
    }
}

#[test]
fn every_receipt_of_the_kit_proves_a_no_or_is_refused_with_its_reason() {
    for name in kit::names("receipts") {
        let expect = kit::expected("receipts", &name);
        let keys = PublicKeys::parse(expect["publicKeys"][0].as_str().unwrap()).unwrap();
        let reason = check_file(&kit::case("receipts", &name), &keys).err().map(Unproven::code);
        assert_eq!((reason.is_none(), reason), (expect["proven"] == true, expect["reason"].as_str()), "{name}");
    }
}

#[test]
fn every_changed_leaf_of_an_answer_around_a_good_receipt_is_refused() {
    let opening = ["/accepted", "/installable", "/signed", "/stage", "/gateStatuses", "/missingGates", "/outcome"];
    for name in ["whole-decision", "whole-problem"] {
        let (document, expect) = (kit::case("receipts", name), kit::expected("receipts", name));
        let keys = PublicKeys::parse(expect["publicKeys"][0].as_str().unwrap()).unwrap();
        let answer: Value = serde_json::from_slice(&document).unwrap();
        assert!(check_file(&document, &keys).unwrap().with_answer);
        let mut places = Vec::new();
        leaves(&answer, String::new(), "receipt", &mut places);
        assert!(places.len() > 20, "{}", places.len());
        for place in places {
            for other in others(answer.pointer(&place).unwrap()) {
                let mut changed = answer.clone();
                *changed.pointer_mut(&place).unwrap() = other.clone();
                let reason = check_file(changed.to_string().as_bytes(), &keys).unwrap_err();
                let opens = opening.iter().any(|name| place.starts_with(name)) || other == json!({ "accepted": true });
                let expected = if opens { Unproven::NotARefusal } else { Unproven::OtherAnswer };
                // A blocker's gate with a word that is not the gate's is a claim, and one without its gate is only wrong.
                let of_gate =
                    place.starts_with("/blockers") && (place.ends_with("/gate") || place.ends_with("/status"));
                assert!(
                    reason == expected || (of_gate && reason == Unproven::NotARefusal),
                    "{place} {other}: {reason:?}"
                );
            }
        }
        for name in answer.as_object().unwrap().keys().filter(|name| *name != "receipt") {
            let mut without = answer.clone();
            without.as_object_mut().unwrap().remove(name);
            assert!(check_file(without.to_string().as_bytes(), &keys).is_err(), "without {name}");
        }
        let mut more = answer.clone();
        more["note"] = json!("a word more");
        assert_eq!(check_file(more.to_string().as_bytes(), &keys).unwrap_err(), Unproven::OtherAnswer);
    }
}
