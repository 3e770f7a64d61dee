//! The typed read decides, the explaining walk finds the words: they must not drift apart.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Value, json};
use svc_core::samples::rules;
use svc_core::{
    explain::{form::Form, scalars, shape},
    findings::Findings,
    manifest::model::Manifest,
    pack,
};
use svc_json::{tree, typed};
use svc_testkit::kit;

use crate::{
    documents::{KINDS, Kind, escaped, is_own, names_in, parsed, read, remove, schema, set, written},
    leaves::{every_leaf, leaf, sampled},
    packages::Source,
};

/// What the checker says when the typed read refused and the walk found nothing to say.
const FALLBACKS: &[&str] = &["the document does not have the form of its kind", "the manifest does not have its form"];

/// Titles of constants that depend on the kind of artifact; the walk has a rule for each.
const CONSTANTS: &[&str] = &["kind", "schema-urn", "status", "gate-statuses", "no-signatures"];

/// Pointers to every value of a document but the root. Of a long list the first two and the last element are looked at.
pub(crate) fn nodes(document: &Value) -> Vec<String> {
    let mut pointers = Vec::new();
    collect(document, String::new(), &mut pointers);
    pointers
}

fn collect(value: &Value, pointer: String, pointers: &mut Vec<String>) {
    let inner: Vec<(String, &Value)> = match value {
        Value::Object(members) => members.iter().map(|(name, value)| (escaped(name), value)).collect(),
        Value::Array(elements) => {
            sampled(elements.len()).into_iter().map(|at| (at.to_string(), &elements[at])).collect()
        }
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => Vec::new(),
    };
    for (name, value) in inner {
        let place = format!("{pointer}/{name}");
        pointers.push(place.clone());
        collect(value, place, pointers);
    }
}

/// One change at one place.
struct Mutant {
    /// Where the finding must be.
    pointer: String,
    what: String,
    document: Value,
}

/// Every way to take out, add or retype one value of a document.
fn mutants(document: &Value) -> Vec<Mutant> {
    let mut mutants = Vec::new();
    let mut push = |pointer: &str, what: String, change: &dyn Fn(&mut Value)| {
        let mut changed = document.clone();
        change(&mut changed);
        if changed != *document {
            mutants.push(Mutant { pointer: pointer.to_owned(), what, document: changed });
        }
    };
    push("/zzz", "added".into(), &|document| set(document, "/zzz", json!(1)));
    for pointer in nodes(document) {
        let (parent, _) = pointer.rsplit_once('/').unwrap();
        if document.pointer(parent).unwrap().is_object() {
            push(&pointer, "removed".into(), &|document| remove(document, &pointer));
        }
        if document.pointer(&pointer).unwrap().is_object() {
            let inside = format!("{pointer}/zzz");
            push(&inside, "added".into(), &|document| set(document, &inside, json!("x")));
        }
        for value in [json!(null), json!(true), json!(1), json!("x"), json!([]), json!({})] {
            push(&pointer, format!("set to {value}"), &|document| set(document, &pointer, value.clone()));
        }
    }
    mutants
}

/// Some error finding stands at the changed place, inside it, or at a leaf around it; and none says nothing.
fn assert_explained(findings: &Findings, mutant: &Mutant, document: &str) {
    let place = format!("{document} {} {}", mutant.pointer, mutant.what);
    assert!(findings.has_errors(), "{place}: nothing is said");
    let vague = findings.iter().any(|finding| FALLBACKS.contains(&finding.message.as_str()));
    assert!(!vague, "{place}: only the fallback is said");
    let near = findings.iter().any(|finding| {
        let at = finding.pointer.as_str();
        at == mutant.pointer
            || at.starts_with(&format!("{}/", mutant.pointer))
            || (!at.is_empty() && mutant.pointer.starts_with(&format!("{at}/")))
    });
    let told: Vec<_> = findings.iter().map(|finding| (&finding.rule.code, finding.pointer.as_str())).collect();
    assert!(near, "{place}: told elsewhere, at {told:?}");
}

#[test]
fn every_change_of_one_value_is_refused_and_told_where_it_is() {
    std::thread::scope(|scope| {
        let kinds: Vec<_> = KINDS.iter().map(|kind| scope.spawn(move || check_mutants_of(kind))).collect();
        let tried: usize = kinds.into_iter().map(|kind| kind.join().unwrap()).sum();
        assert!(tried > 3_000, "{tried}");
    });
}

fn check_mutants_of(kind: &Kind) -> usize {
    let base = kind.base_json();
    let schema = kind.schema();
    let mut mutants = mutants(&base);
    // Of what several kinds embed, one place in twelve is enough outside the submission.
    let mut embedded = 0_usize;
    mutants.retain(|mutant| {
        embedded += usize::from(!is_own(kind, &mutant.pointer));
        is_own(kind, &mutant.pointer) || embedded.is_multiple_of(12)
    });
    for mutant in &mutants {
        let bytes = written(&mutant.document);
        let document = tree::read(&bytes).unwrap();
        let told = shape::explain(rules(), document.text, &Form::from_schema(&schema), &shape::ARTIFACT);
        let place = format!("{} {} {}", kind.spec.name, mutant.pointer, mutant.what);
        if (kind.reads)(&bytes) {
            // The form is right, so only the digests know; the walk may count what the type does not.
            let only_counts = told.iter().all(|finding| finding.message.starts_with("the list is too"));
            assert!(only_counts, "{place}: the typed read took what the walk refuses: {told:?}");
            assert!((kind.findings)(&bytes).has_errors(), "{place} was let in");
        } else {
            assert_explained(&told, mutant, kind.spec.name);
        }
    }
    mutants.len()
}

#[test]
fn the_whole_check_refuses_every_retyped_value_with_the_words_of_the_walk() {
    for kind in KINDS {
        // The schema is made anew for each refusal, so one change in thirty goes through the whole check.
        for mutant in mutants(&kind.base_json()).iter().step_by(30) {
            let findings = (kind.findings)(&written(&mutant.document));
            assert!(findings.has_errors(), "{} {} was let in", kind.spec.name, mutant.pointer);
            let vague = findings.iter().any(|finding| FALLBACKS.contains(&finding.message.as_str()));
            assert!(!vague, "{} {} {}", kind.spec.name, mutant.pointer, mutant.what);
        }
    }
}

#[test]
fn every_document_of_the_kit_that_the_typed_read_refuses_is_explained() {
    let mut refused = 0;
    for kind in KINDS {
        for case in kit::names(kind.spec.name) {
            let bytes = kind.case(&case);
            if (kind.reads)(&bytes) {
                continue;
            }
            let findings = (kind.findings)(&bytes);
            assert!(findings.has_errors(), "{} {case}", kind.spec.name);
            assert!(findings.iter().all(|finding| !FALLBACKS.contains(&finding.message.as_str())), "{case}");
            refused += 1;
        }
    }
    assert!(refused > 100, "{refused}");
}

#[test]
fn every_change_of_one_value_of_a_manifest_is_told_where_it_is() {
    let mut refused = 0;
    let schema = pack::manifest_schema();
    for manifest in [Source::weather_board().manifest, parsed(&read("examples/minimal/svc-app.json"))] {
        for mutant in mutants(&manifest) {
            let bytes = written(&mutant.document);
            let told = pack::read_manifest(rules(), &bytes).unwrap().shape_findings().clone();
            if typed::from_slice::<Manifest>(&bytes).is_ok() {
                assert!(told.is_empty(), "{} {}: {told:?}", mutant.pointer, mutant.what);
            } else {
                assert_explained(&told, &mutant, "svc-app.json");
                refused += 1;
            }
        }
        let document = written(&manifest);
        assert!(
            shape::explain(rules(), tree::read(&document).unwrap().text, &Form::from_schema(&schema), &shape::MANIFEST)
                .is_empty()
        );
    }
    assert!(refused > 700, "{refused}");
}

#[test]
fn the_committed_schemas_are_those_that_explain() {
    for kind in KINDS {
        assert_eq!(kind.schema(), svc_core::artifact::any::json_schema(kind.spec.artifact), "{}", kind.spec.name);
    }
    assert_eq!(schema("app-manifest"), pack::manifest_schema());
}

/// Schemas of documents that are written and never read: their own leaves need no explanation.
const ANSWERS: &[&str] = &[
    "decision",
    "diagnostics",
    "event-delivery",
    "event-test",
    "journal-entry",
    "journal-record",
    "problem",
    "receipt",
    "verification",
];

#[test]
fn every_leaf_of_every_schema_is_known_to_the_walk() {
    let mut unknown: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    let mut known = BTreeSet::new();
    for file in names_in("contracts/schemas") {
        let name = file.strip_suffix(".schema.json").unwrap();
        let schema = schema(name);
        each_subschema(&schema, "", &mut |subschema, inside| {
            let title = subschema.get("title").and_then(Value::as_str).unwrap_or_default();
            if leaf(title).is_some() {
                known.insert(title.to_owned());
            } else if is_leaf(subschema) && !CONSTANTS.contains(&title) && !CONSTANTS.contains(&inside) {
                unknown.entry(name.to_owned()).or_default().insert(format!("{title}:{}", subschema["type"]));
            }
        });
    }
    for answer in ANSWERS {
        unknown.remove(*answer);
    }
    // `truncated` and a setting's `required`: plain booleans, which the walk knows by their type.
    let booleans = BTreeSet::from([":\"boolean\"".to_owned()]);
    assert!(unknown.values().all(|titles| *titles == booleans), "not in the table of scalars: {unknown:?}");
    assert!(known.len() > 50, "{}", known.len());
    for scalar in scalars::all() {
        assert!(known.contains(scalar.name), "{} is in the table, but in no schema", scalar.name);
    }
}

/// Whether a schema describes something that has no parts of its own.
fn is_leaf(schema: &Value) -> bool {
    let is_container = schema.get("properties").is_some() || schema.get("items").is_some();
    schema.get("$ref").is_none() && !is_container
}

/// Visits every schema inside a schema, with the title of the object it is a member of.
pub(crate) fn each_subschema(schema: &Value, inside: &str, visit: &mut dyn FnMut(&Value, &str)) {
    visit(schema, inside);
    let title = schema.get("title").and_then(Value::as_str).unwrap_or_default();
    // What a leaf holds inside is the leaf's own matter.
    if leaf(title).is_some() {
        return;
    }
    for group in ["properties", "$defs"] {
        for inner in schema.get(group).and_then(Value::as_object).into_iter().flat_map(|members| members.values()) {
            each_subschema(inner, title, visit);
        }
    }
    for single in ["items", "additionalProperties"] {
        if let Some(inner) = schema.get(single).filter(|inner| inner.is_object()) {
            each_subschema(inner, title, visit);
        }
    }
}

#[test]
fn the_walk_knows_every_keyword_that_the_schemas_of_read_documents_use() {
    // Keywords that `shape` reads, that only speak to people, or that stand inside a leaf, which reads itself.
    let read = ["$ref", "title", "const", "type", "properties", "required", "items", "maxItems", "minItems", "$defs"];
    let told = ["$id", "$schema", "description", "additionalProperties"];
    for file in names_in("contracts/schemas") {
        let name = file.strip_suffix(".schema.json").unwrap();
        if ANSWERS.contains(&name) {
            continue;
        }
        each_subschema(&schema(name), "", &mut |subschema, _| {
            let title = subschema.get("title").and_then(Value::as_str).unwrap_or_default();
            if leaf(title).is_some() {
                return;
            }
            for keyword in subschema.as_object().unwrap().keys() {
                let fine = read.contains(&keyword.as_str()) || told.contains(&keyword.as_str());
                assert!(fine, "{name}: `{keyword}` in {subschema}");
            }
        });
    }
}

#[test]
fn a_leaf_has_the_name_of_its_schema_and_says_what_it_expects() {
    for (title, leaf) in every_leaf() {
        assert_eq!(title, leaf.name);
        assert!(!leaf.expected.is_empty(), "{}", leaf.name);
        assert!(leaf.words.iter().all(|word| crate::leaves::accepts(leaf, &json!(word))), "{}", leaf.name);
        assert!(!CONSTANTS.contains(&leaf.name), "{} would hide a constant", leaf.name);
    }
}
