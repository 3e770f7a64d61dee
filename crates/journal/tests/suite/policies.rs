//! The policies and the hand-overs of the conformance kit, which the SDK runs as well.

use std::fs;

use serde_json::{Value, json};
use svc_proof::{
    cosignature::TimeWindow, fault::JournalFaultKind, hand_over::HandOverNotes, policy::Policy, public_key::PublicKeys,
};
use svc_testkit::kit;

#[test]
fn every_policy_of_the_kit_holds_or_is_refused_with_its_reason_and_line() {
    let kit = kit::committed();
    for row in kit.rows("policies") {
        let (name, expect) = (kit::name_of(row), &row["expect"]);
        let keys = PublicKeys::parse(expect["publicKeys"][0].as_str().unwrap()).unwrap();
        let (mut reason, mut line, mut cosigned) = (Value::Null, Value::Null, Value::Null);
        match Policy::parse(kit.text(row, "policy").as_bytes()) {
            Err(error) => (reason, line) = (error.code.code().into(), error.line.into()),
            Ok(policy) => {
                let now = TimeWindow::until(expect["now"].as_u64().unwrap());
                match policy.check(&kit.text(row, "checkpoint"), &keys, now) {
                    Err(refused) => reason = refused.code().into(),
                    Ok(seen) => {
                        let by = seen.seen().cosigned.iter();
                        cosigned = by.map(|by| json!({ "name": by.name, "time": by.cosignature.time() })).collect();
                    }
                }
            }
        }
        assert_eq!(expect["holds"].as_bool(), Some(reason.is_null()), "{name}");
        assert_eq!((&expect["reason"], &expect["line"], &expect["cosigned"]), (&reason, &line, &cosigned), "{name}");
    }
    assert_eq!(kit.rows("policies").len(), 53);
}

#[test]
fn every_hand_over_of_the_kit_leads_to_its_keys_or_is_refused_with_its_reason() {
    let rows: Vec<Value> =
        serde_json::from_slice(&fs::read(kit::folder().join("vectors/hand-overs.json")).unwrap()).unwrap();
    let keys = |texts: &Value| {
        let lines = texts.as_array().unwrap().iter().map(|key| format!("{}\n", key.as_str().unwrap()));
        PublicKeys::parse(&lines.collect::<String>()).unwrap()
    };
    for row in &rows {
        let notes = kit::committed().text(row, "notes");
        let led = HandOverNotes::parse(&notes).and_then(|notes| notes.extend(&keys(&row["publicKeys"])));
        let is_fork = |kind| kind == JournalFaultKind::Rewound;
        let led = led.map_err(|fault| if is_fork(fault.kind) { "forked-keys" } else { "malformed-hand-over" });
        let expected = match row["reason"].as_str() {
            Some(reason) => Err(reason),
            None => Ok(keys(&row["leadsTo"])),
        };
        assert_eq!(led, expected, "{}", row["name"]);
    }
    assert_eq!(rows.len(), 18);
}
