//! Every leaf of manifest and file table, changed without touching the digest, on all six endpoints.

use std::collections::BTreeSet;

use serde_json::{Value, json};

use crate::{
    campaign::{self, Record},
    in_process::{post, registry},
    kit::{ENDPOINTS, assert_closed, parsed, read, valid},
};

/// Values to put in place of a leaf. Some have its form, some have not; every one must be refused.
fn others(current: &Value, words: &BTreeSet<String>) -> Vec<Value> {
    let texts = [
        "x",
        "Other words",
        "other-owner",
        "dev.other.package",
        "9.8.7-rc.1",
        "other/file.txt",
        "https://other.example/page",
        "https://x.other.example:8443",
        "text/x-other",
        ">=1.0.0 <2.0.0",
        "ISC",
        "64x64",
        "pt-BR",
        "other@acme.example",
        "sha256:4a44dc15364204a80fe80e9039455cc1608281820fe2b24f1e5233ade6af1dd5",
    ];
    let mut others: Vec<Value> = texts.iter().map(|text| json!(text)).collect();
    others.extend(words.iter().map(|word| json!(word)));
    if current.is_array() {
        let permission = json!({ "permission": "camera.capture", "purpose": "Looks at you." });
        return others.into_iter().chain([permission]).map(|other| json!([other])).collect();
    }
    others.extend([json!(0), json!(1), json!(7), json!(true), json!(false)]);
    if let Some(text) = current.as_str() {
        others.insert(0, json!(format!("{text}x")));
        others.insert(0, json!(format!("x{text}")));
    }
    others.retain(|other| other != current && other.is_string() == current.is_string());
    others
}

/// Every word that the manifest's schema lists.
fn words(schema: &Value, found: &mut BTreeSet<String>) {
    match schema {
        Value::Object(members) => {
            let listed = members.get("enum").and_then(Value::as_array).into_iter().flatten();
            found.extend(listed.filter_map(Value::as_str).map(str::to_owned));
            members.values().for_each(|member| words(member, found));
        }
        Value::Array(elements) => elements.iter().for_each(|element| words(element, found)),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
    }
}

/// The pointers of all leaves below a place.
fn leaves(value: &Value, pointer: String, found: &mut Vec<String>) {
    match value {
        Value::Object(members) if !members.is_empty() => {
            for (name, member) in members {
                leaves(member, format!("{pointer}/{}", name.replace('~', "~0").replace('/', "~1")), found);
            }
        }
        Value::Array(elements) if !elements.is_empty() => {
            elements.iter().enumerate().for_each(|(at, one)| leaves(one, format!("{pointer}/{at}"), found));
        }
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) | Value::Array(_) | Value::Object(_) => {
            found.push(pointer);
        }
    }
}

fn packages_of(kind: &str) -> &'static [&'static str] {
    match kind {
        "index" => &["/entries/0/submission/packageArtifact", "/entries/1/submission/packageArtifact"],
        _ => &["/packageArtifact"],
    }
}

#[test]
fn no_leaf_of_manifest_or_file_table_changes_under_its_digest() {
    let registry = registry();
    let mut known = BTreeSet::new();
    words(&parsed(&read("contracts/schemas/app-manifest.schema.json")), &mut known);
    let (mut places, mut documents) = (0, 0);
    for (kind, path) in ENDPOINTS {
        let document = parsed(&valid(kind));
        let mut found = Vec::new();
        for package in packages_of(kind) {
            leaves(document.pointer(package).unwrap(), (*package).to_owned(), &mut found);
        }
        assert!(found.len() >= 30, "{kind}: {}", found.len());
        places += found.len();
        let mut of_one_value = Vec::new();
        for pointer in found {
            let (mut mismatches, mut of_its_form) = (0, 0);
            for other in others(document.pointer(&pointer).unwrap(), &known) {
                let place = format!("{kind}{pointer} = {other}");
                let mut changed = document.clone();
                *changed.pointer_mut(&pointer).unwrap() = other;
                documents += 1;
                let answer = post(&registry, path, changed.to_string().as_bytes());
                assert_eq!(answer.status, 422, "{place}");
                let body = assert_closed(422, &answer.body, &place);
                let errors = body["errors"].as_array().unwrap();
                let mismatch = errors.iter().any(|error| error["code"] == "digest-mismatch");
                let misformed = errors.iter().any(|error| error["code"] == "artifact-invalid");
                assert!(mismatch || misformed, "{place}: {body}");
                if !misformed {
                    assert_eq!(body["code"], "digest-mismatch", "{place}: {body}");
                    of_its_form += 1;
                }
                mismatches += usize::from(mismatch);
                if of_its_form == campaign::count(1, 8) {
                    break;
                }
            }
            if of_its_form == 0 {
                of_one_value.push(pointer.rsplit('/').next().unwrap().to_owned());
            } else {
                assert!(mismatches >= of_its_form, "{kind}{pointer}");
            }
        }
        // Their form has one value, so that any other is refused before digests are looked at.
        let expected = ["isolation", "manifestVersion"].repeat(packages_of(kind).len());
        assert_eq!(of_one_value, expected, "{kind}: never a digest-mismatch");
    }
    Record {
        name: "leaves",
        tried: "A leaf of a manifest or a file table is changed, no digest with it, and the document posted to its endpoint.",
        counts: vec![("leaves".to_owned(), places), ("changed documents".to_owned(), documents)],
        found: Vec::new(),
    }
    .close();
}
