//! `svc app inspect`: every kind in words, and nothing of a document that does not hold.

use std::fs;

use serde_json::Value;

use crate::workplace::{SEVEN_FILES, Workplace};

#[test]
fn a_document_that_does_not_hold_is_not_shown() {
    let here = Workplace::new();
    here.svc(&["app", "preflight", "app"]).exits(0);
    for (from, to, code) in [("\"accepted\": false", "\"accepted\": true", 7), ("Weather Board", "Weather Bored", 4)] {
        for name in SEVEN_FILES {
            let path = here.path("svc-registry").join(name);
            let text = fs::read_to_string(&path).unwrap();
            fs::write(here.path("forged.json"), text.replace(from, to)).unwrap();
            let run = here.svc(&["app", "inspect", "forged.json"]).exits(code);
            assert!(!run.stdout.contains("Package   "), "{name}: {}", run.stdout);
        }
    }
}

#[test]
fn all_seven_kinds_are_shown_with_their_place_in_the_chain() {
    let here = Workplace::new();
    here.svc(&["app", "preflight", "app"]).exits(0);
    for name in SEVEN_FILES {
        let file = format!("svc-registry/{name}");
        let text = here.svc(&["app", "inspect", &file]).exits(0).stdout;
        let document: Value = serde_json::from_slice(&fs::read(here.path(&file)).unwrap()).unwrap();
        let says = |line: &str| assert!(text.contains(line), "{name}: no {line} in\n{text}");
        says(&format!("Kind      {}\n", name.strip_suffix(".json").unwrap()));
        says(&format!("Digest    {}\n", document["documentDigest"].as_str().unwrap()));
        says("Package   dev.acme.weather-board 1.2.0\n");
        says("Owner     acme (Acme Ltd)\n");
        says(&format!("Status    {}\n", document["status"].as_str().unwrap()));
        says("Outcome   accepted no, signed no, installable no\n");
        for parent in document["derivedFrom"].as_array().into_iter().flatten() {
            says(&format!("From      {}  {}\n", parent["digest"].as_str().unwrap(), parent["kind"].as_str().unwrap()));
        }
        for (gate, word) in document["gateStatuses"].as_object().unwrap() {
            let gate = format!("Gate      {gate:<24} {}\n", word.as_str().unwrap());
            says(&gate);
        }
    }
}
