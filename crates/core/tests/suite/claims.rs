//! Nobody else's words: what a report says in its texts reaches no answer, whatever rules it names.

use serde_json::{Value, json};
use svc_core::{artifact::checked::ReviewedPackage, problem::Problem, words::kind::ArtifactKind};
use svc_json::digest::Digest;
use svc_testkit::adversary;

use crate::{
    documents::{codes, kind_of, parsed, reference_digest, seal, set, written},
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
    let submission = svc_core::read::any(ArtifactKind::Submission, &written(submission)).unwrap();
    (request.deny)(&submission.derive(request.spec.artifact).unwrap().to_file()).unwrap()
}

fn evaluated(submission: &Value) -> ReviewedPackage {
    svc_core::read::any(ArtifactKind::Submission, &written(submission)).unwrap().packages()[0].clone()
}

/// Puts the marker into every text of the report.
fn reworded(mut document: Value) -> Value {
    for finding in document["reviewReport"]["findings"].as_array_mut().unwrap() {
        finding["message"] = json!(MARKER);
        finding["help"] = json!(MARKER);
    }
    document
}

#[test]
fn a_text_of_a_report_by_our_rules_is_ours_or_the_report_is_refused() {
    let document = blocked();
    for member in ["message", "help"] {
        for index in 0..document["reviewReport"]["findings"].as_array().unwrap().len() {
            let mut forged = document.clone();
            set(&mut forged, &format!("/reviewReport/findings/{index}/{member}"), json!(MARKER));
            seal(&mut forged);
            let found = codes(&(kind_of("submission").findings)(&written(&forged)));
            assert!(found.contains(&"SVC-B013"), "{member} of finding {index}: {found:?}");
        }
    }
    let mut forged = reworded(document);
    seal(&mut forged);
    assert_eq!(codes(&(kind_of("submission").findings)(&written(&forged))), ["SVC-B013"]);
}

#[test]
fn under_other_rules_every_word_and_the_stage_of_the_answer_are_still_ours() {
    let honest = blocked();
    let mut forged = reworded(under_foreign_rules(honest.clone()));
    seal(&mut forged);
    let (expected, told) = (answer(&honest), answer(&forged));
    assert!(forged.to_string().contains(MARKER) && !told.to_string().contains("approved"), "{told}");
    for member in ["blockers", "stage"] {
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

#[test]
fn a_claim_about_bytes_counts_in_our_words_at_our_places_or_not_at_all() {
    let document = parsed(&Source::weather_board().pack().unwrap().to_file());
    let fix = |code: &str| svc_core::rules::ruleset::find(code).unwrap().fix;
    let cases = [
        ("SVC-L001", "/icons/0/src", "the icon is not a PNG", true),
        ("SVC-L001", "/icons/0/src", "the icon has 600 x 512 pixels", true),
        ("SVC-L001", "/icons/0/sizes", "the icon has 600 x 600 pixels", true),
        // A small icon has a second finding, which is not claimed.
        ("SVC-L001", "/icons/0/sizes", "the icon has 64 x 64 pixels", false),
        ("SVC-L001", "/icons/0/src", MARKER, false),
        ("SVC-L001", "/icons/0/src", "the icon has 0256 x 512 pixels", false),
        ("SVC-L001", "/icons/0/src", "the icon has 512 x 512 pixels", false),
        ("SVC-L001", "/icons/9/src", "the icon is not a PNG", false),
        ("SVC-L001", "/icons/00/src", "the icon is not a PNG", false),
        ("SVC-L001", "/name", "the icon is not a PNG", false),
    ];
    for (code, pointer, message, holds) in cases {
        let forged = claiming(document.clone(), code, pointer, message, fix(code));
        let found = codes(&(kind_of("submission").findings)(&written(&forged)));
        assert_eq!(found.is_empty(), holds, "{pointer} {message}: {found:?}");
        if holds {
            let told = answer(&forged);
            assert_eq!((&told["stage"], &told["blockers"][0]["code"]), (&json!("blueprint"), &json!(code)));
        }
        let mut foreign = under_foreign_rules(forged);
        seal(&mut foreign);
        let told = answer(&foreign);
        assert!(!told.to_string().contains("approved"), "{told}");
    }
    let other_help = claiming(document, "SVC-L001", "/icons/0/src", "the icon is not a PNG", MARKER);
    assert_eq!(codes(&(kind_of("submission").findings)(&written(&other_help))), ["SVC-B013"]);
}

/// The document with one more finding, and everything that follows from it.
fn claiming(mut document: Value, code: &str, pointer: &str, message: &str, help: &str) -> Value {
    let report = &mut document["reviewReport"];
    let fingerprint = Digest::of(format!("{code}\n\n{pointer}").as_bytes()).to_string();
    let finding = json!({
        "code": code, "file": "svc-app.json", "fingerprint": fingerprint, "help": help, "message": message,
        "pointer": pointer, "severity": "blocker",
    });
    report["findings"].as_array_mut().unwrap().insert(0, finding);
    report["counts"]["blockers"] = json!(1);
    report["verdict"] = json!("blocked");
    let check = report["checks"].as_array_mut().unwrap().iter_mut().find(|check| check["code"] == code).unwrap();
    check["result"] = json!("failed");
    let blocker = json!({ "blocksStage": "showcase-preview", "code": code, "owner": "author" });
    document["blockers"].as_array_mut().unwrap().insert(0, blocker);
    document["stage"] = json!("blueprint");
    seal(&mut document);
    document
}

/// The digest names the rules. A version is a name for people, and must not switch them off.
#[test]
fn our_rules_under_another_version_are_compared_and_refused() {
    let mut clean = blocked();
    let report = &mut clean["reviewReport"];
    report["findings"] = json!([]);
    report["counts"] = json!({ "blockers": 0, "notes": 0, "warnings": 0 });
    report["verdict"] = json!("validated");
    report["checks"].as_array_mut().unwrap().iter_mut().for_each(|check| check["result"] = json!("passed"));
    clean["blockers"].as_array_mut().unwrap().retain(|blocker| blocker["owner"] != "author");
    clean["stage"] = json!("review-report");
    for (mut document, expected) in [(blocked(), vec!["SVC-B010"]), (clean, vec!["SVC-B010", "SVC-B013"])] {
        set(&mut document, "/ruleset/version", json!("9.9.9"));
        seal(&mut document);
        let found = codes(&(kind_of("submission").findings)(&written(&document)));
        assert!(expected.iter().all(|code| found.contains(code)), "{expected:?}: {found:?}");
    }
}

#[test]
fn a_range_that_no_text_has_is_refused() {
    let place = |line: u64, column: u64| json!({ "column": column, "line": line });
    for (start, end) in [
        (place(0, 1), place(1, 1)),
        (place(1, 0), place(1, 1)),
        (place(2, 1), place(1, 9)),
        (place(1, 2), place(1, 1)),
        (place(9_007_199_254_740_991, 0), place(0, 0)),
    ] {
        for document in [blocked(), under_foreign_rules(blocked())] {
            let mut forged = document;
            set(&mut forged, "/reviewReport/findings/0/range", json!({ "end": end, "start": start }));
            seal(&mut forged);
            assert_eq!(codes(&(kind_of("submission").findings)(&written(&forged))), ["SVC-B013"], "{start} {end}");
        }
    }
}

#[test]
fn a_report_by_other_rules_may_not_contradict_itself_or_its_package() {
    let document = under_foreign_rules(blocked());
    let mut sealed = document.clone();
    seal(&mut sealed);
    assert_eq!(codes(&(kind_of("submission").findings)(&written(&sealed))), [""; 0]);
    let (checks, findings) = ("/reviewReport/checks", "/reviewReport/findings");
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
    for name in ["claim-in-other-words", "claim-with-other-help", "foreign-rules-verdict", "foreign-rules-no-checks"] {
        assert!(adversary::ALL.iter().any(|attack| attack.name == name), "{name}");
    }
}
