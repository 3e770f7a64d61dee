//! The committed JSON Schemas, judged by a validator that is not ours.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Value, json};
use svc_core::samples::rules;
use svc_core::{contract::contracts as contract, problem::Problem};
use svc_testkit::{
    jsonschema::{self, Validator},
    kit,
};

use crate::{
    documents::{KINDS, names_in, parsed, read, remove, schema, with},
    explained_reads::each_subschema,
    leaves::{accepts, corpus, leaf, resolved},
    packages::variants,
};

const FLAGS: &[&str] = &["accepted", "installable", "signed"];

fn validator(schema: &Value) -> Validator {
    jsonschema::draft202012::new(schema).unwrap()
}

/// The names of the committed schemas.
fn names() -> Vec<String> {
    let files = names_in("contracts/schemas");
    files.iter().map(|file| file.strip_suffix(".schema.json").unwrap().to_owned()).collect()
}

#[test]
fn every_attack_on_form_is_refused_by_the_schema_too() {
    let of_form = ["SVC-B001", "SVC-B002", "SVC-B004", "SVC-B006", "SVC-B007", "SVC-B012", "SVC-B014", "SVC-B015"];
    // What a schema cannot say: that a list is sorted.
    let beyond_schemas = ["files-unsorted"];
    let mut refused = 0;
    let mut let_in = BTreeSet::new();
    for kind in KINDS {
        let validator = validator(&kind.schema());
        for case in kit::names(kind.spec.name) {
            let expect = kit::expected(kind.spec.name, &case);
            let caught_by = expect["caughtBy"].as_str().unwrap_or_default();
            if expect["seenIn"] != "document" || !of_form.contains(&caught_by) {
                continue;
            }
            if validator.is_valid(&parsed(&kind.case(&case))) {
                let_in.insert(case);
            } else {
                refused += 1;
            }
        }
    }
    assert_eq!(let_in.iter().map(String::as_str).collect::<Vec<_>>(), beyond_schemas);
    assert!(refused > 130, "{refused}");
}

#[test]
fn no_schema_lets_a_flag_be_anything_but_false() {
    let values = [json!(true), json!("false"), json!(0), json!(null), json!([]), json!({})];
    let mut flags = 0;
    for name in names() {
        let root = schema(&name);
        each_subschema(&root, "", &mut |subschema, _| {
            for flag in FLAGS {
                let Some(property) = subschema.pointer(&format!("/properties/{flag}")) else { continue };
                assert_eq!(resolved(&root, property)["const"], false, "{name}: {flag}");
                let required = subschema["required"].as_array().unwrap();
                assert!(required.contains(&json!(flag)), "{name}: {flag} may be left out");
                flags += 1;
            }
        });
    }
    // Seven kinds, the submission inside the index, the decision, the problem and the outcomes of two reports; the record of
    // the journal by itself, in an entry, in a delivery, in a receipt, and in the receipts of decision and problem.
    assert_eq!(flags, FLAGS.len() * (7 + 1 + 1 + 1 + 2 + 6));
    for kind in KINDS {
        let validator = validator(&kind.schema());
        for flag in FLAGS {
            for value in &values {
                let open = with(&kind.base_json(), &format!("/{flag}"), value.clone());
                assert!(!validator.is_valid(&open), "{} {flag}: {value}", kind.spec.name);
            }
            let mut silent = kind.base_json();
            remove(&mut silent, &format!("/{flag}"));
            assert!(!validator.is_valid(&silent), "{} without {flag}", kind.spec.name);
        }
    }
}

#[test]
fn the_decision_and_problem_schemas_cannot_say_yes() {
    let decision = schema("decision");
    let answer = (KINDS[2].deny)(&KINDS[2].base()).unwrap();
    let judged = validator(&decision);
    assert!(judged.is_valid(&answer));
    for (pointer, value) in [
        ("/accepted", json!(true)),
        ("/installable", json!(true)),
        ("/signed", json!(true)),
        ("/outcome", json!("accepted")),
        ("/stage", json!("signed-package")),
        ("/gateStatuses/artifact-signing", json!("signed")),
        ("/gateStatuses/publisher-verification", json!("evidenced")),
        ("/digestCheck/matches", json!(false)),
        ("/approvedBy", json!("nobody")),
    ] {
        assert!(!judged.is_valid(&with(&answer, pointer, value.clone())), "{pointer}: {value}");
    }
}

#[test]
fn the_problem_schema_lets_later_members_and_codes_pass_and_no_yes() {
    let judged = validator(&schema("problem"));
    let findings = (KINDS[2].findings)(b"{\"accepted\":true}");
    let problem = Problem::of_findings(&findings, "/somewhere".into(), "request".into());
    let problem = serde_json::to_value(problem).unwrap();
    assert!(judged.is_valid(&problem));
    for (pointer, value) in [
        ("/accepted", json!(true)),
        ("/installable", json!("false")),
        ("/signed", json!(null)),
        ("/gateStatuses/artifact-signing", json!("signed")),
        ("/gateStatuses/a-new-gate", json!("unevidenced")),
        ("/missingGates", json!([])),
        ("/code", json!("Fine!")),
        ("/code", json!("")),
        ("/code", json!(422)),
        ("/errors/0/code", json!("a".repeat(65))),
        ("/errors/0/detail", json!(1)),
        ("/receipt", json!({})),
    ] {
        assert!(!judged.is_valid(&with(&problem, pointer, value.clone())), "{pointer}: {value}");
    }
    for (pointer, value) in [
        ("/code", json!("quota-exceeded")),
        ("/errors/0/code", json!("quota-exceeded")),
        ("/later", json!({ "version": 2 })),
        ("/errors/0/later", json!([])),
    ] {
        let later = with(&problem, pointer, value.clone());
        assert!(judged.is_valid(&later), "{pointer}: {value}");
    }
}

#[test]
fn the_decision_schema_wants_every_missing_gate() {
    let judged = validator(&schema("decision"));
    let answer = (KINDS[2].deny)(&KINDS[2].base()).unwrap();
    for gates in [json!([]), json!(["artifact-signing"]), json!(["artifact-hash"])] {
        assert!(!judged.is_valid(&with(&answer, "/missingGates", gates.clone())), "{gates}");
    }
}

#[test]
fn every_object_is_closed_but_what_a_later_version_may_add_to() {
    let mut open = BTreeSet::new();
    let mut closed = 0;
    for name in names() {
        each_subschema(&schema(&name), "", &mut |subschema, _| {
            if subschema.get("type").is_none_or(|kind| kind != "object") {
                assert!(subschema.get("properties").is_none(), "{name}: members without a type in {subschema}");
                return;
            }
            if subschema.get("additionalProperties") == Some(&json!(false)) {
                closed += 1;
            } else {
                let named = subschema["title"].as_str().or(subschema["description"].as_str());
                open.insert(named.and_then(|text| text.split('.').next()).unwrap_or_default().to_owned());
            }
        });
    }
    // Problems and read-only documents (docs/versioning.md), and the free strings of a manifest.
    assert_eq!(
        open.iter().map(String::as_str).collect::<Vec<_>>(),
        ["One reason of a refusal", "Who asked, and about which package", "journal-entry", "meta", "problem",]
    );
    assert!(closed > 150, "{closed}");
    let meta = &schema("app-manifest")["$defs"]["meta"];
    assert_eq!(meta["additionalProperties"]["type"], "string", "only strings");
}

#[test]
fn the_free_strings_of_a_manifest_hold_nothing_but_plain_strings() {
    let judged = validator(&schema("app-manifest"));
    let manifest = parsed(&read("examples/weather-board/svc-app.json"));
    for meta in [
        json!({ "a": 1 }),
        json!({ "a": null }),
        json!({ "a": {} }),
        json!({ "__proto__": "x" }),
        json!({ "constructor": "x" }),
        json!({ "prototype": "x" }),
        json!({ "é": "x" }),
        json!({ "": "x" }),
        json!([]),
        json!("x"),
    ] {
        assert!(!judged.is_valid(&with(&manifest, "/_meta", meta.clone())), "{meta}");
    }
    assert!(judged.is_valid(&with(&manifest, "/_meta", json!({ "dev.acme.x": "true" }))));
}

#[test]
fn every_good_document_is_valid_by_its_schema_and_by_no_other() {
    let validators: Vec<(&str, Validator)> =
        KINDS.iter().map(|kind| (kind.spec.name, validator(&kind.schema()))).collect();
    for kind in KINDS {
        let document = kind.base_json();
        for (name, validator) in &validators {
            assert_eq!(validator.is_valid(&document), *name == kind.spec.name, "{} by {name}", kind.spec.name);
        }
    }
    let manifest = validator(&schema("app-manifest"));
    for example in ["minimal", "weather-board"] {
        assert!(manifest.is_valid(&parsed(&read(&format!("examples/{example}/svc-app.json")))), "{example}");
    }
}

#[test]
fn whatever_svc_makes_is_valid_by_its_schema() {
    let validators: Vec<Validator> = KINDS.iter().map(|kind| validator(&kind.schema())).collect();
    for (name, source) in variants() {
        let bundle = source.bundle();
        for (kind, validator) in KINDS.iter().zip(&validators) {
            let document = parsed(&bundle[kind.spec.file]);
            let errors: Vec<String> = validator.iter_errors(&document).map(|error| error.to_string()).collect();
            assert!(errors.is_empty(), "{name}, {}: {errors:?}", kind.spec.name);
        }
    }
}

#[test]
fn no_leaf_reads_what_its_schema_refuses() {
    let mut schemas: BTreeMap<String, Value> = BTreeMap::new();
    for name in names() {
        each_subschema(&schema(&name), "", &mut |subschema, _| {
            let title = subschema.get("title").and_then(Value::as_str).unwrap_or_default();
            if leaf(title).is_some() {
                let first = schemas.entry(title.to_owned()).or_insert_with(|| subschema.clone());
                assert_eq!(first["pattern"], subschema["pattern"], "{name}: {title} has two forms");
            }
        });
    }
    let (mut taken, mut refused) = (0, 0);
    for (title, schema) in &schemas {
        let leaf = leaf(title).unwrap();
        assert_eq!(leaf.pattern, schema["pattern"].as_str().unwrap_or_default(), "{title}");
        let judged = validator(schema);
        for value in corpus().iter().chain(&edge_values()) {
            let reads = accepts(leaf, value);
            assert!(!reads || judged.is_valid(value), "{title} reads {value}, which its schema refuses");
            taken += usize::from(reads);
            refused += usize::from(!reads);
        }
    }
    assert!(schemas.len() > 50 && taken > 500 && refused > 2_000, "{} {taken} {refused}", schemas.len());
}

/// Values at the edges of forms.
fn edge_values() -> Vec<Value> {
    let texts = [
        "a.b.c",
        "a.b",
        "1.2.3-",
        "1.2.3-0",
        "1.2.3-01",
        "1.2.3--",
        "1.2.3-a.-",
        "1.2.3+",
        "1.2",
        "v1.2.3",
        "999999999999999.999999999999999.999999999999999",
        "1000000000000000.0.0",
        "a--b",
        "-a",
        "a-",
        "A",
        "*",
        ">=1",
        "<1.0.0-beta.1",
        "=1.0.0",
        "~1.2",
        "1.x",
        "1.*",
        "GPL-2.0+",
        "GPL-2.0-or-later",
        "Apache-2.0+",
        "(MIT)",
        "DocumentRef-a:LicenseRef-b",
        "MIT AND Apache-2.0 OR ISC",
        "mit",
        "512x512",
        "0x0",
        "00512x512",
        "en",
        "eng",
        "e",
        "en-US-x-y",
        "https://a.dev",
        "https://a.dev/",
        "https://a.dev/%20?x=~",
        "https://A.dev",
        "https://xn--nxasmq6b.example",
        "https://a.dev:1",
        "https://a.dev:65535",
        "text/plain",
        "a/b/c",
        "/",
        "/~",
        "SVC-A000",
        "svc-a000",
        "a",
        "a/b",
        "a/b/c.d",
        "ﬀ",
        "x\u{301}",
        "com10",
        "dist/**",
        "!x",
        "[a]",
        "QQ==",
        "QQ",
        "QUI=",
        "\u{3000}x",
        "x\u{a0}y",
        "x\u{2003}",
    ];
    let mut values: Vec<Value> = texts.iter().map(|text| json!(text)).collect();
    for (piece, most) in
        [("a", 64), ("a", 65), ("é", 45), ("é", 46), ("a", 100), ("a", 101), ("a", 128), ("x", 200), ("x", 201)]
    {
        values.push(json!(piece.repeat(most)));
    }
    for most in [300, 301, 1000, 1001, 1024, 1025, 2048, 2049, 4000, 4001] {
        values.push(json!("x".repeat(most)));
        values.push(json!(format!("https://a.dev/{}", "x".repeat(most))));
        values.push(json!("x/".repeat(most / 40) + "x"));
    }
    values.extend([-1_i64, 2, 1 << 40].map(|number| json!(number)));
    values.extend([json!(true), json!(false), json!(null), json!([])]);
    values
}

#[test]
fn the_committed_schemas_are_those_of_this_build() {
    let mut built: Vec<&str> = contract::schema_sources().into_iter().map(|(name, _)| name).collect();
    built.sort_unstable();
    assert_eq!(built, names());
    for name in built {
        let bytes = contract::schema(name).unwrap();
        assert!(bytes == read(&format!("contracts/schemas/{name}.schema.json")), "{name} is stale");
        let schema = parsed(&bytes);
        assert_eq!(schema["$id"], format!("urn:svc:registry:schema:{name}:1.0"));
        assert_eq!(schema["$schema"], "https://json-schema.org/draft/2020-12/schema");
        assert!(jsonschema::meta::is_valid(&schema), "{name}");
    }
}

#[test]
fn the_committed_contracts_are_those_of_this_build() {
    for contract in contract::CONTRACTS {
        assert!(
            (contract.render)(rules()) == read(&format!("contracts/{}", contract.file)),
            "{} is stale",
            contract.file
        );
    }
}
