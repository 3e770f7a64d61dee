//! Seed 2.2 and 3: what the seven files say.

use std::collections::BTreeSet;

use serde_json::{Value, json};

use crate::bundle::{Bundle, example, read_json};
use crate::words::{FLAGS, LEDGER, SEVEN_FILES, SIGNING_REQUEST, SUBMISSION};

#[test]
fn every_produced_artifact_is_closed() {
    let bundle = Bundle::of_the_example();
    let words: Value = LEDGER.iter().map(|(gate, _, word)| ((*gate).to_owned(), json!(word))).collect();
    for file in &SEVEN_FILES {
        let document = bundle.json(file.name);
        for flag in FLAGS {
            assert_eq!(document[flag], json!(false), "{flag} in {}", file.name);
        }
        assert_eq!(document["gateStatuses"], words, "{}", file.name);
        assert_eq!(document["status"], file.status, "{}", file.name);
        assert_eq!(document["kind"], file.name.strip_suffix(".json").unwrap());
        assert_eq!(document["schemaVersion"], "1.0", "{}", file.name);
        assert_no_claim_at_any_depth(&document, file.name);
    }
    assert_eq!(bundle.json(SIGNING_REQUEST)["envelope"]["signatures"], json!([]));
}

fn assert_no_claim_at_any_depth(value: &Value, place: &str) {
    if let Value::Object(members) = value {
        for (name, member) in members {
            let place = format!("{place}/{name}");
            if FLAGS.contains(&name.as_str()) {
                assert_eq!(member, &json!(false), "{place}");
            }
            assert_no_claim_at_any_depth(member, &place);
        }
    } else if let Value::Array(items) = value {
        for (index, item) in items.iter().enumerate() {
            assert_no_claim_at_any_depth(item, &format!("{place}/{index}"));
        }
    }
}

#[test]
fn the_submission_holds_what_the_seed_lists() {
    let submission = Bundle::of_the_example().json(SUBMISSION);
    assert_eq!(submission["owner"], json!({ "id": "acme", "name": "Acme Ltd" }));
    assert_eq!(submission["visibility"], "unlisted");
    assert_eq!(submission["nextGate"], "publisher-verification");
    let verdict = submission["reviewReport"]["verdict"].as_str().unwrap();
    assert!(["validated", "validated-with-warnings", "blocked"].contains(&verdict), "{verdict}");

    let manifest = read_json(&example().join("svc-app.json"));
    assert_eq!(submission["packageArtifact"]["manifest"], manifest);
    assert_eq!(submission["package"], json!({ "id": manifest["id"], "version": manifest["version"] }));

    let blockers = submission["blockers"].as_array().unwrap();
    for (gate, _, word) in LEDGER.iter().skip(1) {
        let names_it = |blocker: &Value| blocker["gate"] == *gate && blocker["status"] == *word;
        assert!(blockers.iter().any(names_it), "no blocker says {gate} {word}: {blockers:?}");
    }

    let names = texts(&submission["artifactDigests"], "name");
    assert_eq!(names, ["manifest", "package-artifact", "review-report"]);
    for digest in texts(&submission["artifactDigests"], "digest") {
        assert_is_digest(&digest);
    }
}

#[test]
fn the_package_artifact_lists_the_files_of_the_package_in_order() {
    let submission = Bundle::of_the_example().json(SUBMISSION);
    let package = &submission["packageArtifact"];
    let paths = texts(&package["files"], "path");
    let sorted: Vec<String> = paths.iter().cloned().collect::<BTreeSet<_>>().into_iter().collect();
    assert_eq!(paths, sorted, "sorted by bytes, each path once");
    let manifest = &package["manifest"];
    let mut named = texts(&manifest["icons"], "src");
    named.push(manifest["entry"]["renderer"].as_str().unwrap().to_owned());
    for path in named {
        assert!(paths.contains(&path), "{path} is in the manifest and not in {paths:?}");
    }
    for digest in texts(&package["files"], "digest") {
        assert_is_digest(&digest);
    }
}

#[test]
fn every_file_is_pretty_printed_in_one_layout() {
    let bundle = Bundle::of_the_example();
    for file in &SEVEN_FILES {
        let mut document = bundle.json(file.name);
        document.sort_all_objects();
        let expected = serde_json::to_string_pretty(&document).unwrap() + "\n";
        assert_eq!(bundle.text(file.name), expected, "{}", file.name);
    }
}

/// The text under `member` of every item of a list, which must not be empty.
fn texts(list: &Value, member: &str) -> Vec<String> {
    let items = list.as_array().unwrap_or_else(|| panic!("no list: {list}"));
    assert!(!items.is_empty(), "an empty list of {member}");
    items.iter().map(|item| item[member].as_str().unwrap().to_owned()).collect()
}

fn assert_is_digest(text: &str) {
    let hex = text.strip_prefix("sha256:").unwrap_or_else(|| panic!("{text}"));
    let lower_hex = |byte: u8| byte.is_ascii_digit() || (b'a'..=b'f').contains(&byte);
    assert!(hex.len() == 64 && hex.bytes().all(lower_hex), "{text}");
}
