//! Nothing says yes: no spelling of a claim is read, no word of a gate but its own, and every answer is closed.

use serde_json::{Map, Value, json};
use svc_core::{
    closed::ClosedOutcome,
    gates::{AllGates, Evidenced, GateStatuses, Unevidenced},
    problem::Problem,
    words::{gate::Gate, problem_code::ProblemCode},
};
use svc_json::typed;
use svc_testkit::jsonschema;

use crate::{
    documents::{KINDS, Kind, codes, kind_of, reference_digest, remove, schema, seal, set, subjects, with, written},
    leaves::{alternatives, leaves},
    packages::{Source, variants},
};

const FLAGS: &[&str] = &["accepted", "installable", "signed"];

/// The five gates that nothing in a document can satisfy, by hand.
const MISSING: &[&str] =
    &["publisher-verification", "review-storage", "artifact-signing", "host-install-policy", "renderer-isolation"];

/// Every gate with its one word, by hand.
const GATES: &[(&str, &str)] = &[
    ("artifact-hash", "evidenced"),
    ("publisher-verification", "unverified"),
    ("review-storage", "unstored"),
    ("artifact-signing", "unsigned"),
    ("host-install-policy", "not-applied"),
    ("renderer-isolation", "not-isolated"),
];

/// Words that somebody could try for a gate: those of this version, their opposites, and odd spellings.
const WORDS: &[&str] = &[
    "evidenced",
    "unevidenced",
    "unverified",
    "verified",
    "unstored",
    "stored",
    "unsigned",
    "signed",
    "not-applied",
    "applied",
    "not-isolated",
    "isolated",
    "cleared",
    "done",
    "",
    "Unsigned",
    "unsigned ",
    "unѕigned",
];

/// Ways to write something in place of `false`, as JSON or as what some readers take for JSON.
const CLAIMS: &[&str] = &[
    "true",
    "\"true\"",
    "\"True\"",
    "\"false\"",
    "\"False\"",
    "\"\"",
    "\"no\"",
    "\"f\"",
    "\"0\"",
    "0",
    "1",
    "-1",
    "2",
    "null",
    "[]",
    "{}",
    "[false]",
    "[true]",
    "{\"value\":false}",
    "{\"accepted\":false}",
    "0.0",
    "-0",
    "1e0",
    "TRUE",
    "False",
    "FALSE",
    "undefined",
    "NaN",
    "!0",
    "fals",
    "falsee",
    "false true",
    "/*true*/false",
];

/// The places of the closed members: of the document, and of the submissions inside it.
fn places(document: &Value) -> Vec<String> {
    let mut places = vec![String::new()];
    places.extend(subjects(document).into_iter().filter(|place| !place.is_empty()));
    places
}

#[test]
fn no_spelling_of_a_flag_but_false_is_read() {
    let mut tried = 0;
    for kind in KINDS {
        let document = kind.base_json();
        for place in places(&document) {
            for flag in FLAGS {
                for claim in CLAIMS {
                    let bytes = claimed(&document, &format!("{place}/{flag}"), claim);
                    assert!(!(kind.reads)(&bytes), "{} reads {place}/{flag}: {claim}", kind.spec.name);
                    tried += 1;
                }
                let bytes = claimed(&document, &format!("{place}/{flag}"), "false");
                assert!((kind.findings)(&bytes).is_empty(), "the way of putting claims in breaks {}", kind.spec.name);
            }
        }
    }
    assert_eq!(tried, 9 * FLAGS.len() * CLAIMS.len());
}

/// The document with a raw text in place of a value. The typed read looks at no digest, so none is made to fit.
fn claimed(document: &Value, pointer: &str, raw: &str) -> Vec<u8> {
    let text = String::from_utf8(written(&with(document, pointer, json!("here stands the claim")))).unwrap();
    assert_eq!(text.matches("\"here stands the claim\"").count(), 1);
    text.replace("\"here stands the claim\"", raw).into_bytes()
}

#[test]
fn a_claim_is_a_posture_violation_and_a_missing_flag_is_none() {
    for kind in KINDS {
        let document = kind.base_json();
        for flag in FLAGS {
            for claim in [json!(true), json!("true"), json!(1), json!(0), json!(null), json!([]), json!("false")] {
                let mut changed = with(&document, &format!("/{flag}"), claim.clone());
                seal(&mut changed);
                let findings = (kind.findings)(&written(&changed));
                let at: Vec<_> =
                    findings.iter().map(|finding| (finding.rule.code.as_ref(), finding.pointer.as_str())).collect();
                assert_eq!(at, [("SVC-B006", format!("/{flag}").as_str())], "{} {claim}", kind.spec.name);
                assert_eq!(findings.exit_code().code(), 7);
                assert_eq!(findings.problem_code(), Some(ProblemCode::PostureViolation));
            }
            let mut changed = document.clone();
            remove(&mut changed, &format!("/{flag}"));
            seal(&mut changed);
            let findings = (kind.findings)(&written(&changed));
            assert_eq!(codes(&findings), ["SVC-B014"], "{}", kind.spec.name);
            assert_eq!(findings.problem_code(), Some(ProblemCode::ArtifactInvalid));
        }
    }
}

#[test]
fn a_flag_said_twice_is_refused_whichever_way_round() {
    for kind in KINDS {
        let text = String::from_utf8(written(&kind.base_json())).unwrap();
        for flag in FLAGS {
            for (first, second) in [("false", "true"), ("true", "false"), ("false", "false")] {
                let both = format!("\"{flag}\":{first},\"{flag}\":{second}");
                let doubled = text.replacen(&format!("\"{flag}\":false"), &both, 1);
                assert_ne!(doubled, text);
                assert!(!(kind.reads)(doubled.as_bytes()), "{} {both}", kind.spec.name);
                let findings = (kind.findings)(doubled.as_bytes());
                assert!(codes(&findings).contains(&"SVC-J004"), "{} {both}", kind.spec.name);
                let open = first == "true" || second == "true";
                assert_eq!(findings.exit_code().code(), if open { 7 } else { 1 }, "{both}: nothing masks a claim");
            }
        }
    }
}

#[test]
fn no_gate_has_another_word_in_any_artifact() {
    for kind in KINDS {
        let document = kind.base_json();
        for place in gate_places(kind, &document) {
            for (gate, own) in GATES {
                for word in
                    WORDS.iter().map(|word| json!(word)).chain([json!(null), json!(true), json!([own]), json!({})])
                {
                    let changed = with(&document, &format!("{place}/{gate}"), word.clone());
                    let reads = (kind.reads)(&written(&changed));
                    assert_eq!(reads, word == json!(own), "{} {place}/{gate}: {word}", kind.spec.name);
                }
            }
        }
    }
}

/// Wherever a document names the status of the gates.
fn gate_places(kind: &Kind, document: &Value) -> Vec<String> {
    let mut gates: Vec<String> = places(document).iter().map(|place| format!("{place}/gateStatuses")).collect();
    if kind.spec.name == "signing-request" {
        gates.push("/statement/predicate/gateStatuses".to_owned());
    }
    assert!(gates.iter().all(|place| document.pointer(place).is_some()));
    gates
}

#[test]
fn no_two_gates_have_other_words_and_no_subset_of_gates_is_enough() {
    let mut read = 0;
    let mut tried = 0;
    let mut try_one = |gates: Map<String, Value>| {
        tried += 1;
        let is_own = gates == own_gates();
        let bytes = written(&json!({ "gates": gates }));
        assert_eq!(typed::from_slice::<Holder>(&bytes).is_ok(), is_own, "{}", String::from_utf8_lossy(&bytes));
        read += usize::from(is_own);
    };
    for (at, (one, _)) in GATES.iter().enumerate() {
        for (other, _) in &GATES[at + 1..] {
            for (word, another) in WORDS.iter().flat_map(|word| WORDS.iter().map(move |another| (word, another))) {
                let mut gates = own_gates();
                gates.insert((*one).to_owned(), json!(word));
                gates.insert((*other).to_owned(), json!(another));
                try_one(gates);
            }
        }
    }
    for kept in 0..64_u32 {
        let chosen = GATES.iter().enumerate().filter(|(at, _)| kept & (1 << at) != 0);
        try_one(chosen.map(|(_, (gate, word))| ((*gate).to_owned(), json!(word))).collect());
    }
    for added in ["self-review", "artifact-signing ", "Artifact-Signing", "artifact_signing", ""] {
        let mut gates = own_gates();
        gates.insert(added.to_owned(), json!("evidenced"));
        try_one(gates);
    }
    assert_eq!(tried, 15 * WORDS.len() * WORDS.len() + 64 + 5);
    // Once for every pair, where both words are the own ones, and once among the subsets.
    assert_eq!(read, 15 + 1);
}

#[derive(serde::Deserialize)]
struct Holder {
    #[expect(dead_code, reason = "only whether it reads matters")]
    gates: GateStatuses,
}

fn own_gates() -> Map<String, Value> {
    GATES.iter().map(|(gate, word)| ((*gate).to_owned(), json!(word))).collect()
}

#[test]
fn the_gates_are_the_six_of_the_design_in_its_order() {
    assert_eq!(Gate::WORDS, GATES.iter().map(|(gate, _)| *gate).collect::<Vec<_>>());
    assert_eq!(serde_json::to_value(GateStatuses::<Evidenced>::now()).unwrap(), Value::Object(own_gates()));
    let mut unevidenced = own_gates();
    unevidenced.insert("artifact-hash".to_owned(), json!("unevidenced"));
    assert_eq!(serde_json::to_value(GateStatuses::<Unevidenced>::now()).unwrap(), Value::Object(unevidenced));
    let words = |gates: Vec<Gate>| gates.into_iter().map(Gate::as_str).collect::<Vec<_>>();
    assert_eq!(words(GateStatuses::<Evidenced>::now().missing()), MISSING);
    assert_eq!(words(GateStatuses::<Unevidenced>::now().missing()), Gate::WORDS);
}

#[test]
fn a_list_of_all_gates_is_read_whole_and_in_order_only() {
    let all = json!(Gate::WORDS);
    let reads = |gates: &Value| serde_json::from_value::<AllGates>(gates.clone()).is_ok();
    assert!(reads(&all));
    for at in 0..Gate::WORDS.len() {
        let mut fewer: Vec<&str> = Gate::WORDS.to_vec();
        fewer.remove(at);
        assert!(!reads(&json!(fewer)), "{fewer:?}");
        let mut twice: Vec<&str> = Gate::WORDS.to_vec();
        twice.insert(at, Gate::WORDS[at]);
        assert!(!reads(&json!(twice)), "{twice:?}");
        let mut turned: Vec<&str> = Gate::WORDS.to_vec();
        turned.rotate_left(at);
        assert_eq!(reads(&json!(turned)), at == 0, "{turned:?}");
    }
    assert!(!reads(&json!([])));
}

/// A status word, stage or other claim outside flags and gates: what else could say yes, and where.
const OTHER_CLAIMS: &[(&str, &str, &[&str])] = &[
    ("submission", "/status", &["accepted", "published", "signed", "indexed-locally", "complete", "Submitted-locally"]),
    ("submission", "/stage", &["signed-package", "installable", "collection-entry ", ""]),
    ("submission", "/reviewReport/verdict", &["approved", "accepted", "passed", "Validated"]),
    ("index", "/status", &["indexed", "published", "accepted", "submitted-locally"]),
    ("acceptance-request", "/status", &["accepted", "granted", "approved", "unverified"]),
    ("publisher-verification", "/status", &["verified", "checked", "requested"]),
    ("publisher-verification", "/proofs/0/status", &["checked", "verified", "valid", ""]),
    ("review-evidence", "/status", &["stored", "archived", "unsigned"]),
    ("review-evidence", "/storage/status", &["stored", "written", ""]),
    ("signing-request", "/status", &["signed", "prepared", "unstored"]),
    ("install-policy", "/status", &["applied", "allowed", "installable"]),
];

#[test]
fn no_other_word_says_more_than_it_may() {
    for (name, pointer, words) in OTHER_CLAIMS {
        let kind = kind_of(name);
        for word in *words {
            let mut changed = with(&kind.base_json(), pointer, json!(word));
            seal(&mut changed);
            assert!(!(kind.reads)(&written(&changed)), "{name} {pointer}: {word}");
        }
    }
    let kind = kind_of("signing-request");
    for signatures in
        [json!([{}]), json!([null]), json!([{ "keyid": "", "sig": "" }]), json!({}), json!(null), json!("")]
    {
        let mut changed = with(&kind.base_json(), "/envelope/signatures", signatures.clone());
        seal(&mut changed);
        assert!(!(kind.reads)(&written(&changed)), "{signatures}");
    }
}

/// The pointers of every `true` in a value.
fn truths(value: &Value, pointer: &str, found: &mut Vec<String>) {
    match value {
        Value::Bool(true) => found.push(pointer.to_owned()),
        Value::Object(members) => {
            members.iter().for_each(|(name, inner)| truths(inner, &format!("{pointer}/{name}"), found))
        }
        Value::Array(elements) => {
            elements.iter().enumerate().for_each(|(at, inner)| truths(inner, &format!("{pointer}/{at}"), found));
        }
        Value::Null | Value::Bool(false) | Value::Number(_) | Value::String(_) => {}
    }
}

/// The answer is no, in every member that could say otherwise.
fn assert_closed(answer: &Value, what: &str) {
    for flag in FLAGS {
        assert_eq!(answer[flag], false, "{what}");
    }
    assert_eq!(answer["outcome"], "denied", "{what}");
    assert_eq!(answer["kind"], "svc-registry-decision", "{what}");
    assert_eq!(answer["missingGates"], json!(MISSING), "{what}");
    assert_eq!(answer["nextGate"], MISSING[0], "{what}");
    assert_eq!(answer["gateStatuses"], Value::Object(own_gates()), "{what}");
    let mut found = Vec::new();
    truths(answer, "", &mut found);
    found.retain(|place| place != "/ruleset/equal" && !place.ends_with("/digestCheck/matches"));
    assert_eq!(found, [""; 0], "{what}");
    let one = [answer.clone()];
    let packages = answer["entries"].as_array().map_or(one.as_slice(), Vec::as_slice);
    assert!(!packages.is_empty(), "{what}");
    for package in packages {
        assert_eq!(package["digestCheck"]["matches"], true, "{what}");
        assert_eq!(package["digestCheck"]["declared"], package["digestCheck"]["recomputed"], "{what}");
        assert_ne!(package["stage"], "signed-package", "{what}");
        let blockers = package["blockers"].as_array().unwrap();
        for gate in MISSING {
            assert!(blockers.iter().any(|blocker| blocker["code"] == *gate), "{what}: {gate} blocks nothing");
        }
    }
}

#[test]
fn every_endpoint_answers_no_and_names_its_answer_by_its_content() {
    let decision_schema = jsonschema::validator_for(&schema("decision")).unwrap();
    let mut answered = 0;
    for kind in KINDS {
        let answer = (kind.deny)(&kind.base());
        assert_eq!(answer.is_some(), kind.spec.endpoint.is_some(), "{}", kind.spec.name);
        let Some(answer) = answer else { continue };
        assert_closed(&answer, kind.spec.name);
        assert_eq!(answer["operation"], kind.spec.endpoint.unwrap().operation);
        assert_eq!(answer["artifact"]["kind"], kind.spec.kind);
        assert_eq!(answer["artifact"]["digest"], kind.base_json()["documentDigest"]);
        assert_eq!(answer["ruleset"]["equal"], true);
        assert!(decision_schema.is_valid(&answer), "{}", kind.spec.name);
        assert_eq!((kind.deny)(&kind.base()).as_ref(), Some(&answer), "the same input, another answer");
        let mut unnamed = answer.clone();
        remove(&mut unnamed, "/decisionId");
        remove(&mut unnamed, "/requestId");
        assert_eq!(answer["decisionId"], reference_digest(&unnamed), "{}", kind.spec.name);
        answered += 1;
    }
    assert_eq!(answered, 6);
}

#[test]
fn every_package_gets_the_same_no_from_every_endpoint() {
    for (name, source) in variants() {
        let bundle = source.bundle();
        for kind in KINDS.iter().filter(|kind| kind.spec.endpoint.is_some()) {
            let answer = (kind.deny)(&bundle[kind.spec.file]).unwrap();
            assert_closed(&answer, &format!("{name}, {}", kind.spec.name));
        }
    }
}

#[test]
fn words_in_the_manifest_never_become_words_of_the_answer() {
    let meta = json!({ "accepted": "true", "installable": "true", "missingGates": "none", "status": "approved" });
    let source = Source::weather_board().with("/_meta", meta).with("/keywords", json!(["accepted", "signed", "true"]));
    let bundle = source.bundle();
    for kind in KINDS.iter().filter(|kind| kind.spec.endpoint.is_some()) {
        let answer = (kind.deny)(&bundle[kind.spec.file]).unwrap();
        assert_closed(&answer, kind.spec.name);
        assert!(!answer.to_string().contains("approved"));
    }
}

#[test]
fn nothing_that_still_checks_ever_removes_a_missing_gate() {
    let (mut held, mut refused) = (0, 0);
    for kind in KINDS.iter().filter(|kind| kind.spec.endpoint.is_some()) {
        // Under foreign rules the report is not computed again, so far more forgeries hold; none may gain anything.
        let mut document = kind.base_json();
        let foreign = json!({ "digest": reference_digest(&json!("foreign")), "version": "9.9.9" });
        for place in places(&document) {
            set(&mut document, &format!("{place}/ruleset"), foreign.clone());
        }
        if kind.spec.name == "signing-request" {
            document = resigned(document);
        }
        seal(&mut document);
        for place in leaves(&kind.schema(), &document).iter().step_by(2) {
            let known = alternatives(&place.title, document.pointer(&place.pointer).unwrap());
            if let Some(other) = known.last() {
                let mut changed = with(&document, &place.pointer, (*other).clone());
                if kind.spec.name == "signing-request" {
                    changed = resigned(changed);
                }
                seal(&mut changed);
                match (kind.deny)(&written(&changed)) {
                    Some(answer) => {
                        assert_closed(&answer, &format!("{} {place:?} {other}", kind.spec.name));
                        assert_eq!(answer["ruleset"]["equal"], false);
                        held += 1;
                    }
                    None => refused += 1,
                }
            }
        }
    }
    assert!(held > 100 && refused > 100, "{held} held, {refused} refused");
}

/// The signing request with a statement and payload that follow from its head again.
fn resigned(mut document: Value) -> Value {
    seal(&mut document);
    let subject: Vec<Value> = document["artifactDigests"]
        .as_array()
        .unwrap()
        .iter()
        .map(|descriptor| {
            let hex = descriptor["digest"].as_str().unwrap_or_default().trim_start_matches("sha256:");
            json!({ "digest": { "sha256": hex }, "name": descriptor["name"] })
        })
        .collect();
    for member in ["owner", "package", "ruleset", "visibility"] {
        let value = document[member].clone();
        set(&mut document, &format!("/statement/predicate/{member}"), value);
    }
    set(&mut document, "/statement/subject", Value::Array(subject));
    let payload = crate::documents::reference_canonical(&document["statement"]);
    set(&mut document, "/envelope/payload", json!(base64(&payload)));
    document
}

fn base64(bytes: &[u8]) -> String {
    const ALPHABET: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let encode = |chunk: &[u8]| {
        let bits = chunk.iter().fold(0_usize, |bits, byte| bits << 8 | usize::from(*byte)) << (8 * (3 - chunk.len()));
        let digit = |at: usize| if at > chunk.len() { '=' } else { char::from(ALPHABET[bits >> (18 - 6 * at) & 63]) };
        [digit(0), digit(1), digit(2), digit(3)]
    };
    bytes.chunks(3).flat_map(encode).collect()
}

#[test]
fn every_problem_is_closed_and_misses_all_six_gates() {
    let problem_schema = jsonschema::validator_for(&schema("problem")).unwrap();
    for code in ProblemCode::ALL {
        let findings = (kind_of("index").findings)(b"{\"accepted\":true}");
        let problem = Problem::new(*code, "what happened".into(), "/somewhere".into(), "request".into());
        let refusal = Problem::of_findings(&findings, "/somewhere".into(), "request".into());
        for problem in [problem, refusal] {
            let body = serde_json::to_value(&problem).unwrap();
            for flag in FLAGS {
                assert_eq!(body[flag], false, "{code}");
            }
            assert_eq!(body["missingGates"], json!(Gate::WORDS), "{code}");
            assert_eq!(body["gateStatuses"]["artifact-hash"], "unevidenced", "{code}");
            assert_eq!(body["code"], problem.code().as_str());
            assert!((400..600).contains(&body["status"].as_u64().unwrap()), "{code}");
            let mut found = Vec::new();
            truths(&body, "", &mut found);
            assert_eq!(found, [""; 0], "{code}");
            assert!(problem_schema.is_valid(&body), "{code}");
        }
    }
}

#[test]
fn the_closed_outcome_reads_nothing_but_itself() {
    let closed = json!({ "accepted": false, "installable": false, "signed": false });
    assert_eq!(serde_json::to_value(ClosedOutcome::default()).unwrap(), closed);
    let reads = |outcome: &Value| typed::from_slice::<ClosedOutcome>(&written(outcome)).is_ok();
    assert!(reads(&closed));
    for flag in FLAGS {
        let mut open = closed.clone();
        open[flag] = json!(true);
        assert!(!reads(&open));
        let mut silent = closed.clone();
        remove(&mut silent, &format!("/{flag}"));
        assert!(!reads(&silent));
    }
    assert!(!reads(&with(&closed, "/published", json!(false))));
}
