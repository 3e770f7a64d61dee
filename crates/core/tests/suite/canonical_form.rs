//! The RFC 8785 form: our writer against an independent one, and digests that see meaning and nothing else.

use std::collections::BTreeSet;

use proptest::{
    prelude::{Strategy, any},
    sample::Index,
    strategy::ValueTree,
    test_runner::{Config, RngAlgorithm, TestRng, TestRunner},
};
use serde_json::{Value, json};
use svc_core::samples::rules;
use svc_core::{manifest::model::Manifest, package::artifact::PackageArtifact, review::report::ReviewReport};
use svc_json::{canonical, typed};

use crate::{
    documents::{KINDS, codes, is_own, parsed, reference_canonical, schema, set, subjects, with, written},
    leaves::{alternatives, leaves, resolved},
    packages::{Source, base_submission, variants},
    scramble::{Dice, scrambled},
};

/// Every kind's document of every variant of the example, by kind, so that optional members and findings occur too.
fn documents() -> Vec<(usize, Value)> {
    let mut documents: Vec<(usize, Value)> = KINDS.iter().map(|kind| kind.base_json()).enumerate().collect();
    for (_, source) in variants()
        .into_iter()
        .filter(|(name, _)| ["an author blocker", "an exception", "facts", "warnings"].contains(name))
    {
        let bundle = source.bundle();
        documents.extend(KINDS.iter().enumerate().map(|(at, kind)| (at, parsed(&bundle[kind.spec.file]))));
    }
    documents
}

#[test]
fn our_writer_gives_the_bytes_of_an_independent_one_whatever_a_leaf_holds() {
    let mut compared = 0;
    for (at, document) in documents() {
        let kind = &KINDS[at];
        for place in leaves(&kind.schema(), &document).iter().filter(|place| is_own(kind, &place.pointer)) {
            let current = document.pointer(&place.pointer).unwrap();
            for other in alternatives(&place.title, current) {
                // Three of each form are enough: the first, the oddest and the last.
                if !is_representative(&place.title, other) {
                    continue;
                }
                let changed = with(&document, &place.pointer, other.clone());
                let ours = (kind.canonical)(&written(&changed)).unwrap_or_else(|| panic!("{place:?} refuses {other}"));
                assert!(ours == reference_canonical(&changed), "{} {place:?} {other}", kind.spec.name);
                compared += 1;
            }
        }
    }
    assert!(compared > 1_000, "{compared}");
}

fn is_representative(title: &str, value: &Value) -> bool {
    let known = alternatives(title, &Value::Null);
    let odd = known.iter().position(|value| value.as_str().is_some_and(|text| !text.is_ascii()));
    [Some(0), odd, Some(known.len() - 1)].into_iter().flatten().any(|at| known[at] == value)
}

#[test]
fn every_member_of_every_object_was_written_by_the_comparison() {
    let mut unseen = BTreeSet::new();
    let mut documents = documents();
    let directives = every_directive();
    documents.iter_mut().for_each(|(_, document)| {
        for subject in subjects(document) {
            set(document, &format!("{subject}/packageArtifact/manifest/entry/csp"), directives.clone());
        }
        if document.pointer("/policy/csp").is_some() {
            set(document, "/policy/csp", directives.clone());
        }
        if let Some(Value::Array(proofs)) = document.pointer_mut("/proofs") {
            let claim = json!({ "name": "repository", "value": "acme/weather-board" });
            let issuer = "https://token.actions.githubusercontent.com";
            let proof = json!({ "claim": claim, "issuer": issuer, "method": "oidc-claim", "status": "unchecked" });
            proofs.push(proof);
        }
    });
    for (at, document) in &documents {
        let ours = (KINDS[*at].canonical)(&written(document)).unwrap();
        assert!(ours == reference_canonical(document), "{}", KINDS[*at].spec.name);
    }
    for (at, kind) in KINDS.iter().enumerate() {
        let schema = kind.schema();
        let mut members = BTreeSet::new();
        declared_members(&schema, &schema, &mut BTreeSet::new(), &mut members);
        for (_, document) in documents.iter().filter(|(of, _)| *of == at) {
            drop_written(&schema, &schema, document, &mut members);
        }
        unseen.extend(members.into_iter().map(|member| (kind.spec.name, member)));
    }
    // A submission has no parent, so the members of one cannot be written.
    unseen.retain(|(kind, (_, member))| *kind != "submission" || !["digest", "kind"].contains(&member.as_str()));
    assert!(unseen.is_empty(), "{unseen:?}");
}

/// A policy that names every directive.
fn every_directive() -> Value {
    let manifest = schema("app-manifest");
    let directives = manifest["$defs"]["csp"]["properties"].as_object().unwrap();
    assert_eq!(directives.len(), 12);
    directives.keys().map(|name| (name.clone(), json!(["'none'"]))).collect::<serde_json::Map<_, _>>().into()
}

/// Title of the object and name of the member, for every object that a schema can lead to.
type Members = BTreeSet<(String, String)>;

fn declared_members(root: &Value, schema: &Value, visited: &mut BTreeSet<String>, members: &mut Members) {
    let reference = schema.get("$ref").and_then(Value::as_str);
    if reference.is_some_and(|reference| !visited.insert(reference.to_owned())) {
        return;
    }
    let schema = resolved(root, schema);
    for (name, inner) in schema.get("properties").and_then(Value::as_object).into_iter().flatten() {
        members.insert((title(schema), name.clone()));
        declared_members(root, inner, visited, members);
    }
    if let Some(items) = schema.get("items") {
        declared_members(root, items, visited, members);
    }
}

fn drop_written(root: &Value, schema: &Value, value: &Value, members: &mut Members) {
    let schema = resolved(root, schema);
    for (name, member) in value.as_object().into_iter().flatten() {
        if let Some(inner) = schema.pointer(&format!("/properties/{name}")) {
            members.remove(&(title(schema), name.clone()));
            drop_written(root, inner, member, members);
        }
    }
    for element in value.as_array().into_iter().flatten() {
        drop_written(root, schema.get("items").unwrap_or(&Value::Null), element, members);
    }
}

fn title(schema: &Value) -> String {
    let own = schema.get("title").and_then(Value::as_str).map(str::to_owned);
    own.unwrap_or_else(|| schema["properties"].to_string())
}

/// A reproducible source of random trees.
fn runner(cases: u32) -> TestRunner {
    let config = Config { cases, failure_persistence: None, ..Config::default() };
    TestRunner::new_with_rng(config, TestRng::deterministic_rng(RngAlgorithm::ChaCha))
}

#[test]
fn our_writer_gives_the_bytes_of_an_independent_one_for_many_changes_at_once() {
    let documents = documents();
    let places: Vec<_> = documents.iter().map(|(at, document)| leaves(&KINDS[*at].schema(), document)).collect();
    let changes = proptest::collection::vec((any::<Index>(), any::<Index>()), 1..30);
    let strategy = (any::<Index>(), changes);
    let mut runner = runner(600);
    for _ in 0..600 {
        let (which, changes) = strategy.new_tree(&mut runner).unwrap().current();
        let which = which.index(documents.len());
        let (at, mut document) = documents[which].clone();
        for (place, other) in changes {
            let place = &places[which][place.index(places[which].len())];
            let known = alternatives(&place.title, document.pointer(&place.pointer).unwrap());
            if !known.is_empty() {
                set(&mut document, &place.pointer, known[other.index(known.len())].clone());
            }
        }
        let ours = (KINDS[at].canonical)(&written(&document)).expect("every change kept the form");
        assert!(ours == reference_canonical(&document), "{} {document}", KINDS[at].spec.name);
    }
}

#[test]
fn manifests_packages_and_reports_are_written_as_an_independent_writer_does() {
    let mut written_once = 0;
    for (name, source) in variants() {
        let submission = parsed(&source.pack().unwrap().to_file());
        let package = &submission["packageArtifact"];
        let report = &submission["reviewReport"];
        assert_same::<Manifest>(&source.manifest, name);
        assert_same::<Manifest>(&package["manifest"], name);
        assert_same::<PackageArtifact>(package, name);
        assert_same::<ReviewReport>(report, name);
        assert_eq!(package["manifest"], source.manifest, "{name}: the author's manifest lost something");
        written_once += 1;
    }
    assert_eq!(written_once, variants().len());
    let schema = schema("app-manifest");
    let manifest = Source::weather_board().manifest;
    for place in leaves(&schema, &manifest) {
        let known = alternatives(&place.title, manifest.pointer(&place.pointer).unwrap());
        for other in known.into_iter().filter(|other| is_representative(&place.title, other)) {
            assert_same::<Manifest>(&with(&manifest, &place.pointer, other.clone()), &place.pointer);
        }
    }
}

fn assert_same<T: serde::Serialize + serde::de::DeserializeOwned>(value: &Value, what: &str) {
    let read: T = typed::from_slice(&written(value)).unwrap_or_else(|refused| panic!("{what}: {refused}"));
    let ours = canonical::to_bytes(&read);
    assert!(ours == reference_canonical(value), "{what}: {}", String::from_utf8_lossy(&ours));
    let (digest, size) = canonical::digest(&read);
    assert_eq!(digest.to_string(), crate::documents::reference_digest(value), "{what}");
    assert_eq!(size, ours.len() as u64, "{what}");
    assert!(canonical::is_form_of(&ours, &read), "{what}");
    let shorter = &ours[..ours.len() - 1];
    let longer = [ours.as_slice(), b" "].concat();
    let mut other = ours.clone();
    other[ours.len() / 2] ^= 1;
    for wrong in [shorter, &longer, &other, b"", written(value).as_slice()] {
        assert!(wrong == ours || !canonical::is_form_of(wrong, &read), "{what}");
    }
}

#[test]
fn members_of_maps_are_ordered_as_an_independent_writer_orders_them() {
    const KEYS: &[&str] = &["b", "a", "B", "A", "a.b", "a-b", "aB", "ab", "z", "Z9", "a0", "toString", "x"];
    let mut runner = runner(200);
    for _ in 0..200 {
        let chosen = proptest::sample::subsequence(KEYS, 0..=KEYS.len());
        let chosen = chosen.new_tree(&mut runner).unwrap().current();
        let meta: serde_json::Map<String, Value> =
            chosen.iter().map(|key| ((*key).to_owned(), json!(format!("{key} 漢😀")))).collect();
        let manifest = Source::weather_board().with("/_meta", Value::Object(meta)).manifest;
        assert_same::<Manifest>(&manifest, "_meta");
    }
    assert_same::<Manifest>(&Source::weather_board().with("/entry/csp", every_directive()).manifest, "csp");
}

#[test]
fn order_spelling_and_layout_change_no_digest() {
    let mut dice = Dice::new(20_26);
    for kind in KINDS {
        let document = kind.base_json();
        let canonical = (kind.canonical)(&kind.base()).unwrap();
        let digest = svc_core::read::verify(rules(), kind.spec.artifact, &kind.base()).unwrap().checked;
        for _ in 0..25 {
            let text = scrambled(&document, &mut dice);
            assert_ne!(text.as_bytes(), kind.base());
            assert_eq!((kind.canonical)(text.as_bytes()).as_ref(), Some(&canonical), "{text}");
            let verified = svc_core::read::verify(rules(), kind.spec.artifact, text.as_bytes())
                .unwrap_or_else(|findings| panic!("{:?}", codes(&findings)));
            assert_eq!(verified.checked.digest(), digest.digest());
            assert_eq!(verified.checked.to_file(), kind.base(), "the file in canonical layout is always the same");
            assert_eq!(codes(&verified.warnings), ["SVC-B009"]);
        }
    }
}

#[test]
fn a_manifest_in_another_layout_packs_to_the_same_submission() {
    let mut dice = Dice::new(7);
    let source = Source::weather_board();
    let expected = source.pack().unwrap();
    for _ in 0..20 {
        let scrambled = scrambled(&source.manifest, &mut dice);
        let read: Manifest = typed::from_slice(scrambled.as_bytes()).unwrap();
        assert_eq!(read, expected_manifest(&source));
        assert_eq!(canonical::digest(&read), canonical::digest(&expected_manifest(&source)));
    }
    let kit = base_submission();
    assert_eq!(expected.digest_matches(), kit.digest_matches(), "the kit's submission is the one packed here");
}

fn expected_manifest(source: &Source) -> Manifest {
    typed::from_slice(&written(&source.manifest)).unwrap()
}

#[test]
fn every_change_of_a_leaf_is_a_digest_that_does_not_recompute() {
    let mut changed = 0;
    for kind in KINDS {
        let document = kind.base_json();
        for place in leaves(&kind.schema(), &document) {
            let known = alternatives(&place.title, document.pointer(&place.pointer).unwrap());
            // Only constants have no other value of their form.
            assert!(place.is_constant || !known.is_empty(), "{} {place:?} has no other value", kind.spec.name);
            if let Some(other) = known.last() {
                let bytes = written(&with(&document, &place.pointer, (*other).clone()));
                assert!((kind.reads)(&bytes), "{} {place:?} {other} is not of its form", kind.spec.name);
                let codes = codes(&(kind.findings)(&bytes));
                assert!(codes.contains(&"SVC-B003"), "{} {place:?} {other}: {codes:?}", kind.spec.name);
                changed += 1;
            }
        }
    }
    assert!(changed > 500, "{changed}");
}

#[test]
fn leaving_out_an_optional_member_is_a_digest_that_does_not_recompute() {
    let mut left_out = 0;
    for kind in KINDS {
        let document = kind.base_json();
        for pointer in crate::explained_reads::nodes(&document) {
            let Some((parent, _)) = pointer.rsplit_once('/') else { continue };
            if !document.pointer(parent).unwrap().is_object() {
                continue;
            }
            let mut changed = document.clone();
            crate::documents::remove(&mut changed, &pointer);
            let bytes = written(&changed);
            if (kind.reads)(&bytes) {
                assert!(codes(&(kind.findings)(&bytes)).contains(&"SVC-B003"), "{} {pointer}", kind.spec.name);
                left_out += 1;
            }
        }
    }
    assert!(left_out > 50, "{left_out}");
}
