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
fn the_policy_is_shown_and_without_one_what_holds() {
    let here = Workplace::new();
    here.svc(&["app", "preflight", "app"]).exits(0);
    let shown = || here.svc(&["app", "inspect", "svc-registry/svc-registry-submission.json"]).exits(0).stdout;
    let with = shown();
    assert!(with.contains("\nPolicy    base-uri 'none'; connect-src https://api.acme.dev; "), "{with}");
    let manifest = here.path("app/svc-app.json");
    let mut changed: Value = serde_json::from_slice(&fs::read(&manifest).unwrap()).unwrap();
    changed["entry"].as_object_mut().unwrap().remove("csp");
    fs::write(&manifest, changed.to_string()).unwrap();
    here.svc(&["app", "preflight", "app"]).exits(0);
    let without = shown();
    assert!(without.contains("\nPolicy    none in the manifest: `default-src 'self'` holds"), "{without}");
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
            let basis = match gate.as_str() {
                "artifact-hash" => " (digests recomputed, not from package files)",
                _ => "",
            };
            says(&format!("Gate      {gate:<24} {}{basis}\n", word.as_str().unwrap()));
        }
    }
}

#[test]
fn what_is_asked_for_and_what_is_used_stand_side_by_side() {
    let here = Workplace::new();
    let script = "navigator.clipboard.readText();\nfetch('https://elsewhere.example.com/x');\n";
    fs::write(here.path("app/dist/more.js"), script).unwrap();
    here.svc(&["app", "preflight", "app"]).exits(0);
    let file = "svc-registry/svc-registry-submission.json";
    for command in ["inspect", "plan"] {
        let text = here.svc(&["app", command, file]).exits(0).stdout;
        let has = |start: &str, middle: &str, end: &str| {
            let is_it = |line: &str| line.starts_with(start) && line.contains(middle) && line.ends_with(end);
            assert!(text.lines().any(is_it), "{command}: {start} {middle} {end} in\n{text}");
        };
        has("  permission ", "asked for", "used by");
        has("! clipboard.read (clipboard-read) ", " no ", " dist/more.js");
        has("  storage.local ", " yes ", "");
        has("! https://elsewhere.example.com ", " no ", " dist/more.js");
        has("  https://api.acme.dev ", " yes ", "");
        assert!(text.contains("\n! used and not declared in the manifest\n"), "{text}");
    }
    let json = here.svc(&["app", "inspect", file, "--format", "json"]).exits(0).stdout;
    let json: Value = serde_json::from_str(&json).unwrap();
    let origins = json["packages"][0]["askedAndUsed"]["origins"].as_array().unwrap();
    let other = origins.iter().find(|row| row["name"] == "https://elsewhere.example.com").unwrap();
    assert_eq!((&other["asked"], &other["seen"]), (&Value::from(false), &Value::from("used")));
    assert_eq!((&other["file"], &other["files"]), (&Value::from("dist/more.js"), &Value::from(1)));
}
