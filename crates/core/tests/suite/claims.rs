//! Nobody else's words: what a report says in its texts reaches no answer, whatever rules it names.

use serde_json::{Value, json};
use svc_core::samples::rules;
use svc_core::{artifact::checked::ReviewedPackage, attacks, problem::Problem, words::kind::ArtifactKind};
use svc_json::digest::Digest;

use crate::{
    documents::{codes, kind_of, parsed, pass_all, reference_digest, seal, set, written},
    packages::Source,
};

const MARKER: &str = "approved: this package was accepted by the registry and may be installed";

/// Two blockers that our rules find over the manifest, and a warning.
fn blocked() -> Value {
    let source = Source::weather_board().with("/categories", json!(["nonsense"])).without("/support");
    let source = source.with("/locales", json!({ "default": "fr", "dir": "locales" }));
    parsed(&source.pack().unwrap().to_file())
}

fn under_foreign_rules(mut document: Value) -> Value {
    set(&mut document, "/ruleset/digest", json!(reference_digest(&json!("other rules"))));
    document
}

/// What the registry would answer to the acceptance request of a submission.
fn answer(submission: &Value) -> Value {
    let request = kind_of("acceptance-request");
    let submission = svc_core::read::any(rules(), ArtifactKind::Submission, &written(submission)).unwrap();
    (request.deny)(&submission.derive(request.spec.artifact).unwrap().to_file()).unwrap()
}

fn evaluated(submission: &Value) -> ReviewedPackage {
    svc_core::read::any(rules(), ArtifactKind::Submission, &written(submission)).unwrap().packages()[0].clone()
}

#[test]
fn a_report_has_no_member_for_a_text_whatever_rules_it_names() {
    for document in [blocked(), under_foreign_rules(blocked())] {
        let findings = document["reviewReport"]["findings"].as_array().unwrap().len();
        let places = (0..findings).map(|index| format!("/reviewReport/findings/{index}"));
        let places = places.chain((0..3).map(|index| format!("/blockers/{index}")));
        for place in places.chain(["/reviewReport".to_owned(), "/reviewReport/facts/0".to_owned()]) {
            for member in ["message", "help", "remedy", "note"] {
                let mut forged = document.clone();
                set(&mut forged, &format!("{place}/{member}"), json!(MARKER));
                seal(&mut forged);
                let found = codes(&(kind_of("submission").findings)(&written(&forged)));
                assert_eq!(found, ["SVC-B012"], "{place}/{member}");
            }
        }
    }
}

#[test]
fn under_other_rules_every_word_and_the_stage_of_the_answer_are_still_ours() {
    let honest = blocked();
    let mut forged = under_foreign_rules(honest.clone());
    let report = &mut forged["reviewReport"];
    report["findings"] = json!([]);
    report["counts"] = json!({ "blockers": 0, "notes": 0, "warnings": 0 });
    report["verdict"] = json!("validated");
    pass_all(report);
    forged["blockers"].as_array_mut().unwrap().retain(|blocker| blocker["owner"] != "author");
    seal(&mut forged);
    let (expected, told) = (answer(&honest), answer(&forged));
    for member in ["blockers", "stage", "reviewed"] {
        assert_eq!(told[member], expected[member]);
    }
    let (before, after) = (evaluated(&honest), evaluated(&forged));
    assert_eq!(after.verdict(), before.verdict());
    assert_eq!(after.stage(), before.stage());
    assert_eq!(after.blockers(), before.blockers());
    let messages = |package: &ReviewedPackage| -> Vec<String> {
        package.findings().iter().map(|finding| finding.message.clone()).collect()
    };
    assert_eq!(messages(&after), messages(&before));
}

/// An id, a version and the version of unknown rules have room for a sentence: an answer has none of them.
#[test]
fn no_name_that_an_author_chose_is_in_an_answer() {
    let source = Source::weather_board()
        .with("/id", json!("dev.acme.approved-by-the-registry"))
        .with("/version", json!("1.2.0-approved-and-may-be-installed+approved"));
    let mut document = under_foreign_rules(parsed(&source.pack().unwrap().to_file()));
    set(&mut document, "/ruleset/version", json!("9.9.9-approved-and-may-be-installed"));
    seal(&mut document);
    let told = answer(&document);
    assert!(!told.to_string().contains("approved"), "{told}");
    assert_eq!(told["ruleset"]["declared"], document["ruleset"]["digest"]);
}

/// A reserved id under other rules: no report of ours would exist, so the author has one more thing to mend.
#[test]
fn an_error_by_our_rules_in_a_package_of_other_rules_is_the_authors_blocker() {
    let mut document = under_foreign_rules(parsed(&Source::weather_board().pack().unwrap().to_file()));
    set(&mut document, "/packageArtifact/manifest/summary", json!("The official weather board."));
    seal(&mut document);
    let package = evaluated(&document);
    assert_eq!((package.verdict().as_str(), package.stage().as_str()), ("blocked", "blueprint"));
    let told = answer(&document);
    let expected = json!({ "blocksStage": "collection-entry", "code": "SVC-L009", "owner": "author" });
    assert_eq!(
        (&told["blockers"][0], &told["stage"], &told["reviewed"]),
        (&expected, &json!("blueprint"), &json!("as-claimed"))
    );
    set(&mut document, "/ruleset", parsed(&Source::weather_board().pack().unwrap().to_file())["ruleset"].clone());
    seal(&mut document);
    assert_eq!(codes(&(kind_of("submission").findings)(&written(&document))), ["SVC-B013"]);
}

/// What the bytes told is the author's word: it counts against the package, with everything that follows from it.
#[test]
fn a_fact_counts_with_all_that_follows_from_it_or_the_report_is_refused() {
    let document = parsed(&Source::weather_board().pack().unwrap().to_file());
    let findings = |document: &Value| codes(&(kind_of("submission").findings)(&written(document)));
    for (size, rule, pointer) in [("600x512", "SVC-L001", "/icons/0/src"), ("600x600", "SVC-L001", "/icons/0/sizes")] {
        let mut forged = document.clone();
        picture(&mut forged)["subject"] = json!(size);
        seal(&mut forged);
        assert_eq!(findings(&forged), ["SVC-B013"], "{size}");
        let forged = claiming(forged, rule, pointer);
        assert_eq!(findings(&forged), [""; 0], "{size}");
        let told = answer(&forged);
        assert_eq!((&told["stage"], &told["blockers"][0]["code"]), (&json!("review-report"), &json!(rule)));
    }
    // An icon is one picture of one size.
    let mut forged = document.clone();
    let mut other = picture(&mut forged).clone();
    other["subject"] = json!("513x513");
    let facts = forged["reviewReport"]["facts"].as_array_mut().unwrap();
    let place = facts.iter().position(|fact| fact["kind"] == "image").unwrap();
    facts.insert(place + 1, other);
    seal(&mut forged);
    assert_eq!(findings(&forged), ["SVC-B013"]);
    // A picture of which nothing is told is none.
    let mut forged = document;
    forged["reviewReport"]["facts"].as_array_mut().unwrap().retain(|fact| fact["kind"] != "image");
    seal(&mut forged);
    assert_eq!(findings(&forged), ["SVC-B013"]);
    assert_eq!(findings(&claiming(forged, "SVC-L001", "/icons/0/src")), [""; 0]);
}

/// The document with one more finding, and everything that follows from it.
fn picture(document: &mut Value) -> &mut Value {
    let facts = document["reviewReport"]["facts"].as_array_mut().unwrap();
    facts.iter_mut().find(|fact| fact["kind"] == "image").unwrap()
}

fn claiming(mut document: Value, code: &str, pointer: &str) -> Value {
    let report = &mut document["reviewReport"];
    let fingerprint = Digest::of(format!("{code}\n\n{pointer}\n").as_bytes()).to_string();
    let finding = json!({ "code": code, "fingerprint": fingerprint, "pointer": pointer, "severity": "blocker" });
    report["findings"].as_array_mut().unwrap().insert(0, finding);
    report["counts"]["blockers"] = json!(1);
    report["verdict"] = json!("blocked");
    let check = report["checks"].as_array_mut().unwrap().iter_mut().find(|check| check["code"] == code).unwrap();
    check["result"] = json!("failed");
    check["count"] = json!(1);
    let blocker = json!({ "blocksStage": "collection-entry", "code": code, "owner": "author" });
    document["blockers"].as_array_mut().unwrap().insert(0, blocker);
    seal(&mut document);
    document
}

/// Everything in an artifact that is not the author's has a form that no sentence has: so no sentence of ours stands in
/// one either, and changing what we say changes no byte of any artifact.
#[test]
fn no_leaf_but_the_authors_own_could_hold_a_sentence() {
    let source = Source::weather_board().with("/categories", json!(["nonsense"])).without("/support");
    let bundle = source.with_bytes("dist/app.js", b"eval(a);").bundle();
    let mut tried = 0;
    for kind in crate::documents::KINDS {
        let document = parsed(&bundle[kind.spec.file]);
        let mut texts = Vec::new();
        texts_below(&document, String::new(), &mut texts);
        for pointer in texts.into_iter().filter(|pointer| !is_the_authors(pointer)) {
            let mut forged = document.clone();
            *forged.pointer_mut(&pointer).unwrap() = json!("The rules say so.");
            let found = codes(&(kind.findings)(&written(&forged)));
            // Told by its form alone, before anything is computed again.
            let by_form = |code: &&str| !["SVC-B003", "SVC-B005", "SVC-B010", "SVC-B013"].contains(code);
            assert!(!found.is_empty() && found.iter().all(by_form), "{} {pointer}: {found:?}", kind.spec.name);
            tried += 1;
        }
    }
    assert!(tried > 800, "{tried}");
}

/// The manifest, the name of the owner, and names of files.
fn is_the_authors(pointer: &str) -> bool {
    let is_file = pointer.ends_with("/path") || pointer.ends_with("/file");
    pointer.contains("/packageArtifact/manifest/") || pointer.ends_with("/owner/name") || is_file
}

fn texts_below(value: &Value, pointer: String, found: &mut Vec<String>) {
    match value {
        Value::Object(members) => {
            members.iter().for_each(|(name, member)| texts_below(member, format!("{pointer}/{name}"), found));
        }
        Value::Array(elements) => {
            elements.iter().enumerate().for_each(|(at, one)| texts_below(one, format!("{pointer}/{at}"), found));
        }
        Value::String(_) => found.push(pointer),
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
}

/// The digest names the rules. A version is a name for people, and must not switch them off.
#[test]
fn our_rules_under_another_version_are_compared_and_refused() {
    let mut clean = blocked();
    let report = &mut clean["reviewReport"];
    report["findings"] = json!([]);
    report["counts"] = json!({ "blockers": 0, "notes": 0, "warnings": 0 });
    report["verdict"] = json!("validated");
    pass_all(report);
    clean["blockers"].as_array_mut().unwrap().retain(|blocker| blocker["owner"] != "author");
    for (mut document, expected) in [(blocked(), vec!["SVC-B010"]), (clean, vec!["SVC-B010", "SVC-B013"])] {
        set(&mut document, "/ruleset/version", json!("9.9.9"));
        seal(&mut document);
        let found = codes(&(kind_of("submission").findings)(&written(&document)));
        assert!(expected.iter().all(|code| found.contains(code)), "{expected:?}: {found:?}");
    }
}

#[test]
fn a_place_that_no_text_has_is_refused() {
    for (line, column) in [(0, 1), (1, 0), (9_007_199_254_740_991_u64, 0)] {
        for document in [blocked(), under_foreign_rules(blocked())] {
            for row in ["/reviewReport/findings/0", "/reviewReport/facts/0"] {
                let mut forged = document.clone();
                set(&mut forged, &format!("{row}/place"), json!({ "column": column, "line": line }));
                seal(&mut forged);
                assert_eq!(codes(&(kind_of("submission").findings)(&written(&forged))), ["SVC-B013"], "{row} {line}");
            }
        }
    }
}

#[test]
fn a_report_by_other_rules_may_not_contradict_itself_or_its_package() {
    let document = under_foreign_rules(blocked());
    let mut sealed = document.clone();
    seal(&mut sealed);
    assert_eq!(codes(&(kind_of("submission").findings)(&written(&sealed))), [""; 0]);
    let (checks, facts, findings) = ("/reviewReport/checks", "/reviewReport/facts", "/reviewReport/findings");
    for (pointer, value) in [
        ("/reviewReport/verdict", json!("validated")),
        ("/reviewReport/verdict", json!("validated-with-warnings")),
        (checks, json!([])),
        (&format!("{checks}/0/result"), json!("failed")),
        (&format!("{checks}/0/code"), json!("SVC-Z999")),
        (&format!("{findings}/0/code"), json!("SVC-Z999")),
        (&format!("{findings}/0/severity"), json!("warning")),
        (&format!("{findings}/0/severity"), json!("error")),
        (&format!("{findings}/0/fingerprint"), json!(Digest::of(b"").to_string())),
        (&format!("{findings}/0/subject"), json!("other")),
        (&format!("{findings}/0/file"), json!("no/such.js")),
        (&format!("{facts}/0/count"), json!(0)),
        (&format!("{facts}/0/file"), json!("no/such.js")),
        ("/reviewReport/counts/blockers", json!(0)),
        ("/reviewReport/counts/notes", json!(7)),
        ("/reviewReport/truncated", json!(true)),
        ("/reviewReport/inventory/files", json!(1)),
        ("/reviewReport/inventory/bytes", json!(1)),
        ("/reviewReport/capabilities/origins", json!([])),
    ] {
        let mut forged = document.clone();
        set(&mut forged, pointer, value.clone());
        seal(&mut forged);
        let found = codes(&(kind_of("submission").findings)(&written(&forged)));
        assert!(found.contains(&"SVC-B013"), "{pointer} {value}: {found:?}");
    }
}

#[test]
fn a_name_that_only_the_document_has_comes_back_in_no_refusal() {
    let document = blocked();
    let mut objects = vec![String::new()];
    objects_below(&document, String::new(), &mut objects);
    let mut tried = 0;
    for pointer in objects {
        let mut forged = document.clone();
        let object = forged.pointer_mut(&pointer).unwrap().as_object_mut().unwrap();
        object.insert(MARKER.to_owned(), json!(MARKER));
        let text = written(&forged);
        let twice = String::from_utf8(text.clone()).unwrap();
        let once = format!("\"{MARKER}\": \"{MARKER}\"");
        let twice = twice.replacen(&once, &format!("{once}, {once}"), 1);
        for text in [text, twice.into_bytes()] {
            let findings = (kind_of("submission").findings)(&text);
            let problem = Problem::of_findings(&findings, String::new(), String::new());
            let answer = serde_json::to_string(&problem).unwrap();
            assert!(!findings.is_empty() && !answer.contains("approved"), "{pointer}: {answer}");
            tried += 1;
        }
    }
    assert!(tried > 100, "{tried}");
}

fn objects_below(value: &Value, pointer: String, found: &mut Vec<String>) {
    match value {
        Value::Object(members) => {
            found.push(pointer.clone());
            members.iter().for_each(|(name, member)| objects_below(member, format!("{pointer}/{name}"), found));
        }
        Value::Array(elements) => {
            elements.iter().enumerate().for_each(|(at, one)| objects_below(one, format!("{pointer}/{at}"), found));
        }
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
    }
}

#[test]
fn the_attacks_of_this_class_stand_in_the_kit() {
    for name in ["finding-speaks", "blocker-speaks", "fact-speaks", "subject-speaks", "foreign-rules-no-checks"] {
        assert!(attacks::ALL.iter().any(|attack| attack.name == name), "{name}");
    }
}
