//! Forged files: a forger who makes every digest of a file fit is caught by the chain, and told where it breaks.

use std::collections::BTreeSet;

use serde_json::{Value, json};
use sha2::{Digest as _, Sha256};
use svc_core::samples::rules;
use svc_core::{
    attacks::{self, Attack, SeenIn},
    bundle as core_bundle, findings,
    words::{
        exit_code::ExitCode,
        kind::{self, ArtifactSpec, Source},
    },
};

use crate::{
    bundle::{self, Bundle, Files},
    campaign::{self, Random, Record},
    commands::judge,
    svc::app,
};

/// A changed leaf of one file, with every digest inside that file made to fit again.
struct Sealed {
    spec: &'static ArtifactSpec,
    pointer: String,
    bytes: Vec<u8>,
}

#[test]
fn a_forgery_whose_digests_all_fit_is_caught_by_the_chain() {
    let mut random = Random::new("forgeries");
    let most = campaign::count(40, usize::MAX);
    let sealed: Vec<Sealed> = kind::ALL
        .iter()
        .flat_map(|spec| random.pick(&leaves(spec), most).into_iter().filter_map(|pointer| Sealed::new(spec, pointer)))
        .collect();
    let mut found: Vec<String> = campaign::in_parallel(&sealed, passed_in_process).into_iter().flatten().collect();

    let places: Vec<usize> = (0..sealed.len()).collect();
    let sample: Vec<&Sealed> =
        random.pick(&places, campaign::count(40, 400)).into_iter().map(|at| &sealed[at]).collect();
    found.extend(campaign::in_parallel(&sample, |sealed| passed_by_the_binary(sealed)).into_iter().flatten());

    let attacks = attacks();
    found.extend(campaign::in_parallel(&attacks, |(spec, attack)| not_caught(spec, attack)).into_iter().flatten());

    let mixes: Vec<u32> = (1..(1 << kind::ALL.len()) - 1).collect();
    found.extend(campaign::in_parallel(&mixes, |mix| mixed(*mix)).into_iter().flatten());

    let counts = vec![
        ("leaves changed, every digest of the file made to fit".to_owned(), sealed.len()),
        ("of them by the binary".to_owned(), sample.len()),
        ("named attacks by the binary".to_owned(), attacks.len()),
        ("mixes of two bundles".to_owned(), mixes.len()),
    ];
    let tried = "A bundle with one forged file, or mixed from two, is put together; `svc app verify` must refuse it.";
    Record { name: "forgeries", tried, counts, found }.close();
}

impl Sealed {
    /// Nothing for a digest that the sealing itself sets right again.
    fn new(spec: &'static ArtifactSpec, pointer: String) -> Option<Self> {
        let original = bundle::json(&bundle::weather_board()[spec.file]);
        let mut document = original.clone();
        change(document.pointer_mut(&pointer).unwrap());
        seal(&mut document);
        (document != original).then(|| Self { spec, pointer, bytes: serde_json::to_vec_pretty(&document).unwrap() })
    }

    fn describe(&self) -> String {
        format!("{} {}", self.spec.file, self.pointer)
    }
}

fn passed_in_process(sealed: &Sealed) -> Option<String> {
    let mut files: core_bundle::Files = bundle::weather_board().clone();
    files.insert(sealed.spec.file, sealed.bytes.clone());
    let Err(broken) = core_bundle::verify(rules(), &files) else {
        return Some(format!("{} passes", sealed.describe()));
    };
    let findings: findings::Findings = broken.findings.into_iter().flat_map(|(_, findings)| findings).collect();
    let code = findings.exit_code();
    let refused = [ExitCode::Findings, ExitCode::Digest, ExitCode::OpenClaim].contains(&code);
    (!refused).then(|| format!("{} ends with {}", sealed.describe(), code.code()))
}

fn passed_by_the_binary(sealed: &Sealed) -> Option<String> {
    let bundle = Bundle::new();
    bundle.write(sealed.spec, &sealed.bytes);
    let run = bundle.verify(&[]);
    let refused =
        matches!(run.code(), Some(1 | 4 | 7)) && run.err().contains("error[SVC-") && run.err().contains("help:");
    (!refused).then(|| format!("{} ends the binary with {:?}", sealed.describe(), run.code()))
}

/// Every leaf but three of the index that whoever makes it may choose: in whose collection an entry stands, and by which
/// rules the maker went (its submissions are checked by the rules of the checker all the same).
fn leaves(spec: &ArtifactSpec) -> Vec<String> {
    let mut found = Vec::new();
    collect(&bundle::json(&bundle::weather_board()[spec.file]), "", &mut found);
    let free = |pointer: &str| {
        spec.kind == kind::INDEX.kind && (pointer.starts_with("/entries/0/scope/") || pointer == "/ruleset/digest")
    };
    found.retain(|pointer| !free(pointer));
    found
}

fn collect(value: &Value, pointer: &str, found: &mut Vec<String>) {
    match value {
        Value::Object(members) => {
            for (name, member) in members {
                let name = name.replace('~', "~0").replace('/', "~1");
                collect(member, &format!("{pointer}/{name}"), found);
            }
        }
        Value::Array(elements) => {
            for (at, element) in elements.iter().enumerate() {
                collect(element, &format!("{pointer}/{at}"), found);
            }
        }
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => found.push(pointer.to_owned()),
    }
}

/// Another value of the same type, as close as possible.
fn change(leaf: &mut Value) {
    *leaf = match &*leaf {
        Value::Bool(flag) => json!(!flag),
        Value::Number(number) => json!(number.as_u64().unwrap() + 1),
        Value::String(text) => {
            let mut text = text.clone();
            let last = text.pop();
            text.push(if last == Some('a') { 'b' } else { 'a' });
            json!(text)
        }
        Value::Null | Value::Array(_) | Value::Object(_) => panic!("no leaf"),
    };
}

/// The forger's tool, written without the project's own digests: all names are ASCII and all numbers integers, so that
/// `serde_json`'s sorted, compact text is the canonical one.
fn seal(document: &mut Value) {
    if let Some(entries) = document.get_mut("entries") {
        for entry in entries.as_array_mut().unwrap() {
            seal(&mut entry["submission"]);
            entry["submissionDigest"] = entry["submission"]["documentDigest"].clone();
        }
        let digests: Vec<Value> =
            document["entries"].as_array().unwrap().iter().map(|entry| entry["submissionDigest"].clone()).collect();
        for (parent, digest) in document["derivedFrom"].as_array_mut().unwrap().iter_mut().zip(digests) {
            parent["digest"] = digest;
        }
    } else {
        seal_parts(document);
    }
    let mut view = document.clone();
    for covered in ["documentDigest", "packageArtifact", "reviewReport"] {
        view.as_object_mut().unwrap().remove(covered);
    }
    for entry in view.get_mut("entries").and_then(Value::as_array_mut).into_iter().flatten() {
        entry.as_object_mut().unwrap().remove("submission");
    }
    document["documentDigest"] = json!(digest(&view).0);
}

fn seal_parts(document: &mut Value) {
    let parts = [
        ("manifest", document["packageArtifact"]["manifest"].clone()),
        ("package-artifact", document["packageArtifact"].clone()),
        ("review-report", document["reviewReport"].clone()),
    ];
    for descriptor in document["artifactDigests"].as_array_mut().unwrap() {
        if let Some((_, part)) = parts.iter().find(|(name, _)| descriptor["name"] == *name) {
            let (digest, size) = digest(part);
            descriptor["digest"] = json!(digest);
            descriptor["size"] = json!(size);
        }
    }
}

fn digest(value: &Value) -> (String, usize) {
    let text = serde_json::to_string(value).unwrap();
    let hex: String = Sha256::digest(&text).iter().map(|byte| format!("{byte:02x}")).collect();
    (format!("sha256:{hex}"), text.len())
}

#[test]
fn the_forgers_tool_finds_the_digests_that_svc_finds() {
    for (file, bytes) in bundle::weather_board() {
        let original = bundle::json(bytes);
        let mut sealed = original.clone();
        seal(&mut sealed);
        assert!(sealed == original, "{file}");
    }
}

fn attacks() -> Vec<(&'static ArtifactSpec, &'static Attack)> {
    let pairs = kind::ALL.iter().flat_map(|spec| attacks::ALL.iter().map(move |attack| (*spec, attack)));
    pairs.filter(|(spec, attack)| attack.applies_to(spec)).collect()
}

/// A named attack that the judge, or for some the chain, does not answer with the attack's own rule.
fn not_caught(spec: &'static ArtifactSpec, attack: &Attack) -> Option<String> {
    let is_index = spec.kind == kind::INDEX.kind;
    let good = if is_index { bundle::index_of_two() } else { &bundle::weather_board()[spec.file] };
    let forged = attack.forge(spec, good, &bundle::minimal()[spec.file]).unwrap();
    let bundle = Bundle::new();
    bundle.write(spec, &forged);
    let run = match attack.seen_in {
        // `validate` goes by the kind that a document claims, so that only its readers can miss a submission.
        SeenIn::Document if spec.check.is_none() => app(["registry", "--out", "-"]).args([bundle.path(spec)]).run(),
        SeenIn::Document => app([judge(spec)]).args([bundle.path(spec)]).run(),
        SeenIn::Chain => bundle.verify(&[]),
    };
    let refused = matches!(run.code(), Some(1 | 4 | 7));
    let caught = refused && run.err().contains(attack.caught_by.as_str()) && !run.out().contains("Valid     yes");
    (!caught).then(|| format!("{} on {}: {:?}\n{}", attack.name, spec.file, run.code(), run.err()))
}

/// A mix of two good bundles that passes. Each bit says which bundle a file comes from.
fn mixed(mix: u32) -> Option<String> {
    let other = bundle::minimal();
    let mut files: core_bundle::Files = bundle::weather_board().clone();
    for (_, spec) in kind::ALL.iter().enumerate().filter(|(bit, _)| mix >> bit & 1 == 1) {
        files.insert(spec.file, other[spec.file].clone());
    }
    core_bundle::verify(rules(), &files).is_ok().then(|| format!("the mix {mix:#09b} passes"))
}

/// The first edge that breaks when a file comes from elsewhere.
static FIRST_EDGE: [(&ArtifactSpec, &ArtifactSpec, &ArtifactSpec); 7] = [
    (&kind::SUBMISSION, &kind::SUBMISSION, &kind::INDEX),
    (&kind::INDEX, &kind::SUBMISSION, &kind::INDEX),
    (&kind::ACCEPTANCE_REQUEST, &kind::SUBMISSION, &kind::ACCEPTANCE_REQUEST),
    (&kind::PUBLISHER_VERIFICATION, &kind::SUBMISSION, &kind::PUBLISHER_VERIFICATION),
    (&kind::REVIEW_EVIDENCE, &kind::SUBMISSION, &kind::REVIEW_EVIDENCE),
    (&kind::SIGNING_REQUEST, &kind::ACCEPTANCE_REQUEST, &kind::SIGNING_REQUEST),
    (&kind::INSTALL_POLICY, &kind::SIGNING_REQUEST, &kind::INSTALL_POLICY),
];

#[test]
fn a_file_of_another_bundle_breaks_the_chain_and_the_first_broken_edge_is_named() {
    for (swapped, parent, child) in &FIRST_EDGE {
        let bundle = Bundle::new();
        bundle.write(swapped, &bundle::minimal()[swapped.file]);
        names_the_edge(&bundle, parent, child);
    }
}

#[test]
fn an_owner_changed_in_one_file_breaks_the_chain_there() {
    for (forged, parent, child) in &FIRST_EDGE {
        let mut document = bundle::json(&bundle::weather_board()[forged.file]);
        let owned = if document.get("entries").is_some() { "/entries/0/submission" } else { "" };
        document.pointer_mut(&format!("{owned}/owner")).unwrap()["name"] = json!("Mallory");
        seal(&mut document);
        let bundle = Bundle::new();
        bundle.write(forged, &serde_json::to_vec(&document).unwrap());
        let run = bundle.verify(&[]);
        match run.code() {
            // The statement and the proofs repeat the owner, so that the file alone betrays it.
            Some(4) if !run.out().contains("Broken") => {
                run.reports(&["error[SVC-B010]", forged.file, "help:"]);
            }
            _ => names_the_edge(&bundle, parent, child),
        }
    }
}

#[track_caller]
fn names_the_edge(bundle: &Bundle, parent: &ArtifactSpec, child: &ArtifactSpec) {
    let run = bundle.verify(&[]);
    run.exits(4).reports(&["error[SVC-B0", child.file, "help:"]).prints(&[
        "Broken ",
        &format!("{} -> {}", parent.file, child.file),
        "Valid     no",
    ]);
    let json = app(["verify", "--format", "json"]).args([bundle.folder()]).run();
    json.exits(4);
    assert_eq!(json.json()["brokenEdge"], json!({ "child": child.file, "parent": parent.file }));
    assert_eq!(json.json()["valid"], json!(false));
}

#[test]
fn a_bundle_with_a_missing_file_is_incomplete() {
    for spec in kind::ALL {
        let bundle = Bundle::new();
        std::fs::remove_file(bundle.path(spec)).unwrap();
        let run = bundle.verify(&[]);
        run.exits(1).reports(&["error[SVC-B011]", spec.file, "help:"]);
    }
    let nothing = Bundle::from_files(&Files::new()).verify(&[]);
    nothing.exits(1);
    assert_eq!(nothing.err().matches("error[SVC-B011]").count(), 7);
}

#[test]
fn every_file_of_a_bundle_is_judged_not_only_the_first_bad_one() {
    let bundle = Bundle::new();
    for spec in kind::ALL {
        bundle.write(spec, b"{}");
    }
    let run = bundle.verify(&[]);
    run.exits(1);
    let told: BTreeSet<&str> = kind::ALL.iter().map(|spec| spec.file).filter(|file| run.err().contains(file)).collect();
    assert_eq!(told.len(), 7, "{}", run.err());
}

#[test]
fn a_claim_in_one_file_is_not_masked_by_the_faults_of_the_others() {
    for spec in kind::ALL {
        let bundle = Bundle::new();
        for other in kind::ALL {
            bundle.write(other, b"not JSON");
        }
        let mut document = bundle::json(&bundle::weather_board()[spec.file]);
        document["installable"] = json!(true);
        bundle.write(spec, &serde_json::to_vec(&document).unwrap());
        bundle.verify(&[]).exits(7).reports(&["error[SVC-B006]", "error[SVC-J001]"]);
    }
}

#[test]
fn the_parent_in_the_table_is_the_parent_that_the_edge_names() {
    for (spec, parent, child) in &FIRST_EDGE {
        if let Source::Artifact { parent: expected, .. } = spec.source {
            assert_eq!((expected.kind, spec.kind), (parent.kind, child.kind));
        }
    }
}
