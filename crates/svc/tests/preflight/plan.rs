//! `svc app plan`: who must act.

use std::fs;

use serde_json::{Value, json};

use crate::workplace::Workplace;

/// The gates that nothing here clears, with their words and who would clear them.
const MISSING: [(&str, &str, &str); 5] = [
    ("publisher-verification", "unverified", "registry"),
    ("review-storage", "unstored", "registry"),
    ("artifact-signing", "unsigned", "host"),
    ("host-install-policy", "not-applied", "host"),
    ("renderer-isolation", "not-isolated", "host"),
];

#[test]
fn what_is_no_submission_is_refused() {
    let here = Workplace::new();
    here.svc(&["app", "preflight", "app"]).exits(0);
    here.svc(&["app", "plan", "svc-registry/svc-registry-index.json"]).exits(1);
    here.svc(&["app", "plan", "app/svc-app.json"]).exits(1);
    here.svc(&["app", "plan", "no-such.json"]).exits(3);
    here.svc(&["app", "plan"]).exits(2);
}

#[test]
fn each_missing_gate_tells_who_clears_it_and_what_it_blocks() {
    let here = Workplace::new();
    here.svc(&["app", "preflight", "app"]).exits(0);
    let run = here.svc(&["app", "plan", "svc-registry/svc-registry-submission.json"]).exits(0);
    for (gate, word, owner) in MISSING {
        let heading = format!("\n{gate} {word}  cleared by the {owner}\n");
        let (_, part) = run.stdout.split_once(&heading).unwrap_or_else(|| panic!("{heading} in {}", run.stdout));
        let part = part.split("\n\n").next().unwrap();
        assert!(part.contains("  needs    ") && part.contains("  blocks   signed-package"), "{part}");
    }
    assert!(!run.stdout.contains("cleared by the author"), "{}", run.stdout);
}

#[test]
fn the_author_comes_first() {
    let here = Workplace::new();
    change(&here, |manifest| manifest["categories"] = json!(["weather"]));
    here.svc(&["app", "preflight", "app"]).exits(0);
    let run = here.svc(&["app", "plan", "svc-registry/svc-registry-submission.json"]).exits(0);
    let author = run.stdout.find("SVC-M022  cleared by the author").unwrap();
    assert!(author < run.stdout.find("cleared by the registry").unwrap(), "{}", run.stdout);
    assert!(run.stdout.contains("  blocks   collection-entry\n"), "{}", run.stdout);
}

fn change(here: &Workplace, change: impl FnOnce(&mut Value)) {
    let path = here.path("app/svc-app.json");
    let mut manifest: Value = serde_json::from_slice(&fs::read(&path).unwrap()).unwrap();
    change(&mut manifest);
    fs::write(path, serde_json::to_vec_pretty(&manifest).unwrap()).unwrap();
}
