//! Review reports: whatever they claim is computed again, over all that an artifact holds.

use serde_json::{Value, json};
use svc_core::samples::rules;
use svc_json::digest::Digest;

use crate::{
    documents::{codes, kind_of, parsed, pass_all, reference_digest, seal, set, written},
    packages::Source,
};

/// A package whose author must act: an unknown category.
fn blocked() -> Source {
    Source::weather_board().with("/categories", json!(["nonsense"]))
}

fn submission(source: &Source) -> Value {
    parsed(&source.pack().unwrap().to_file())
}

/// A finding that the author's machine could have made.
fn invented(code: &str, severity: &str) -> Value {
    let fingerprint = Digest::of(format!("{code}\n\n/files/0\n").as_bytes());
    json!({ "code": code, "fingerprint": fingerprint.to_string(), "pointer": "/files/0", "severity": severity })
}

fn fail_check(document: &mut Value, code: &str) {
    let checks = document["reviewReport"]["checks"].as_array_mut().unwrap();
    let check = checks.iter_mut().find(|check| check["code"] == code).unwrap();
    check["result"] = json!("failed");
}

/// Takes the author's blockers out, as a report without their findings gives.
fn unblock(document: &mut Value) {
    document["blockers"].as_array_mut().unwrap().retain(|blocker| blocker["owner"] != "author");
}

fn assert_mismatch(mut document: Value, what: &str) {
    seal(&mut document);
    let findings = (kind_of("submission").findings)(&written(&document));
    assert!(!findings.is_empty() && codes(&findings).iter().all(|code| *code == "SVC-B013"), "{what}: {findings:?}");
}

#[test]
fn a_list_cut_at_its_bound_cannot_hide_an_author_blocker() {
    let mut document = submission(&blocked());
    assert_eq!(document["stage"], "review-report");
    let report = &mut document["reviewReport"];
    report["findings"] = Value::Array(vec![invented("SVC-F012", "warning"); 200]);
    report["truncated"] = json!(true);
    report["counts"] = json!({ "blockers": 0, "notes": 0, "warnings": 201 });
    report["verdict"] = json!("validated-with-warnings");
    fail_check(&mut document, "SVC-F012");
    unblock(&mut document);
    assert_mismatch(document.clone(), "a cut list without the blocker");
    set(&mut document, "/reviewReport/counts/blockers", json!(1));
    set(&mut document, "/reviewReport/verdict", json!("blocked"));
    assert_mismatch(document, "a cut list that only counts the blocker");
}

#[test]
fn a_finding_cannot_be_left_out_doubled_or_moved() {
    let document = submission(&blocked().without("/support"));
    assert_eq!(document["reviewReport"]["findings"].as_array().unwrap().len(), 2);
    let recount = |mut document: Value| {
        let of = |severity: &str| {
            let findings = document["reviewReport"]["findings"].as_array().unwrap();
            findings.iter().filter(|finding| finding["severity"] == severity).count()
        };
        let counts = json!({ "blockers": of("blocker"), "notes": of("note"), "warnings": of("warning") });
        document["reviewReport"]["counts"] = counts;
        document
    };
    let findings = document["reviewReport"]["findings"].as_array().unwrap().clone();
    for (what, listed) in [
        ("left out", vec![findings[0].clone()]),
        ("doubled", vec![findings[0].clone(), findings[1].clone(), findings[1].clone()]),
        ("moved", vec![findings[1].clone(), findings[0].clone()]),
    ] {
        let mut forged = document.clone();
        forged["reviewReport"]["findings"] = Value::Array(listed);
        assert_mismatch(recount(forged), what);
    }
    let mut hidden = document.clone();
    hidden["reviewReport"]["findings"] = json!([findings[1]]);
    hidden["reviewReport"]["verdict"] = json!("validated-with-warnings");
    unblock(&mut hidden);
    assert_mismatch(recount(hidden), "the blocker left out");
}

#[test]
fn a_report_never_lists_an_error() {
    let mut document = submission(&Source::weather_board());
    document["reviewReport"]["findings"] = json!([invented("SVC-F014", "error")]);
    fail_check(&mut document, "SVC-F014");
    assert_mismatch(document, "an error in a report");
}

#[test]
fn every_part_of_a_report_is_computed_again() {
    let document = submission(&blocked());
    let changes: &[(&str, Value)] = &[
        ("/verdict", json!("validated")),
        ("/verdict", json!("validated-with-warnings")),
        ("/truncated", json!(true)),
        ("/counts/blockers", json!(0)),
        ("/counts/warnings", json!(1)),
        ("/counts/notes", json!(1)),
        ("/checks/0/result", json!("failed")),
        ("/checks/0/result", json!("skipped")),
        ("/checks/0/result", json!("error")),
        ("/checks/0/code", json!("SVC-Z999")),
        ("/inventory/bytes", json!(1)),
        ("/inventory/files", json!(1)),
        ("/capabilities/permissions", json!([])),
        ("/capabilities/origins", json!([])),
        ("/capabilities/dataCollection", json!(["none"])),
        ("/findings/0/code", json!("SVC-M025")),
        ("/findings/0/code", json!("SVC-Z999")),
        ("/findings/0/severity", json!("warning")),
        ("/findings/0/severity", json!("note")),
        ("/findings/0/pointer", json!("/keywords/0")),
        ("/findings/0/file", json!("README.md")),
        ("/findings/0/fingerprint", json!(Digest::of(b"").to_string())),
    ];
    for (pointer, value) in changes {
        let mut forged = document.clone();
        set(&mut forged, &format!("/reviewReport{pointer}"), value.clone());
        seal(&mut forged);
        let codes = codes(&(kind_of("submission").findings)(&written(&forged)));
        assert!(codes.contains(&"SVC-B013"), "{pointer} {value}: {codes:?}");
    }
    let mut passed = document.clone();
    let checks = passed["reviewReport"]["checks"].as_array_mut().unwrap();
    checks.iter_mut().for_each(|check| check["result"] = json!("passed"));
    assert_mismatch(passed, "a failed check that passed");
    let mut fewer = document;
    fewer["reviewReport"]["checks"].as_array_mut().unwrap().pop();
    assert_mismatch(fewer, "a check left out");
}

#[test]
fn a_report_by_other_rules_does_not_lift_the_stage_of_the_answer() {
    let document = submission(&blocked());
    let mut forged = document.clone();
    forged["ruleset"]["digest"] = json!(reference_digest(&json!("other rules")));
    let report = &mut forged["reviewReport"];
    report["findings"] = json!([]);
    report["counts"] = json!({ "blockers": 0, "notes": 0, "warnings": 0 });
    report["verdict"] = json!("validated");
    pass_all(report);
    unblock(&mut forged);
    seal(&mut forged);
    // The registry cannot compute a report by rules that it does not have, so the document holds; the answer is its own.
    assert!((kind_of("submission").findings)(&written(&forged)).is_empty());
    let request = kind_of("acceptance-request");
    for submission in [&document, &forged] {
        let submission =
            svc_core::read::any(rules(), svc_core::words::kind::ArtifactKind::Submission, &written(submission))
                .unwrap();
        let derived = submission.derive(request.spec.artifact).unwrap();
        let answer = (request.deny)(&derived.to_file()).unwrap();
        assert_eq!(answer["stage"], "review-report");
        let by_author: Vec<&Value> =
            answer["blockers"].as_array().unwrap().iter().filter(|blocker| blocker["owner"] == "author").collect();
        assert_eq!(by_author.len(), 1);
        assert_eq!(by_author[0]["code"], "SVC-M022");
    }
}

#[test]
fn more_findings_than_a_report_keeps_are_cut_and_counted() {
    let categories: Vec<String> = (0..250).map(|number| format!("nonsense-{number}")).collect();
    let source = blocked().with("/categories", json!(categories)).without("/support");
    let document = submission(&source);
    let report = &document["reviewReport"];
    assert_eq!(report["truncated"], true);
    assert_eq!(report["findings"].as_array().unwrap().len(), 200);
    assert_eq!(report["counts"], json!({ "blockers": 251, "notes": 0, "warnings": 1 }));
    assert_eq!(document["blockers"].as_array().unwrap().len(), 6);
    assert!((kind_of("submission").findings)(&source.pack().unwrap().to_file()).is_empty());
    for (pointer, value) in [
        ("/counts/blockers", json!(250)),
        ("/counts/warnings", json!(0)),
        ("/truncated", json!(false)),
        ("/findings/199", invented("SVC-F012", "warning")),
    ] {
        let mut forged = document.clone();
        set(&mut forged, &format!("/reviewReport{pointer}"), value);
        seal(&mut forged);
        let codes = codes(&(kind_of("submission").findings)(&written(&forged)));
        assert!(codes.contains(&"SVC-B013"), "{pointer}: {codes:?}");
    }
}

#[test]
fn a_path_as_long_as_paths_may_be_is_reported_like_any_other() {
    let part = "p".repeat(250);
    let path = format!("zz/{part}/{part}/{part}/{part}/{}.bak", "q".repeat(12));
    assert_eq!(path.len(), 1_023);
    let document = submission(&Source::weather_board().with_file(&path));
    let finding = &document["reviewReport"]["findings"][0];
    assert_eq!(finding["code"], "SVC-F007");
    assert_eq!(finding["file"], path);
}

#[test]
fn a_public_listing_adds_a_blocker_and_removes_none() {
    let private = submission(&Source::weather_board());
    let visibility = svc_core::artifact::head::Visibility::Public;
    let public = submission(&Source { visibility, ..Source::weather_board() });
    let codes = |document: &Value| -> Vec<String> {
        let blockers = document["blockers"].as_array().unwrap().iter();
        blockers.map(|blocker| blocker["code"].as_str().unwrap().to_owned()).collect()
    };
    let mut expected = codes(&private);
    expected.push("public-listing".to_owned());
    assert_eq!(codes(&public), expected);
}

#[test]
fn a_package_that_the_rules_refuse_has_no_artifact() {
    for (what, source) in [
        ("a claim", Source::weather_board().with("/summary", json!("An officially approved board."))),
        ("a reserved id", Source::weather_board().with("/id", json!("svc.acme.weather-board"))),
        ("a missing file", Source::weather_board().with("/entry/renderer", json!("dist/none.html"))),
    ] {
        assert!(source.pack().is_err(), "{what}");
        // Nor can one be forged: the rules run again over what the artifact holds.
        let mut document = submission(&Source::weather_board());
        document["packageArtifact"]["manifest"] = source.manifest.clone();
        document["package"]["id"] = source.manifest["id"].clone();
        seal(&mut document);
        let codes = codes(&(kind_of("submission").findings)(&written(&document)));
        assert!(codes.contains(&"SVC-B013"), "{what}: {codes:?}");
    }
}

#[test]
fn every_rule_has_a_code_that_reports_can_hold() {
    for rule in rules().all() {
        let held = svc_core::scalar::any_rule_code::AnyRuleCode::from_rule(rule);
        assert_eq!(svc_core::scalar::any_rule_code::AnyRuleCode::parse(&rule.code), Some(held), "{}", rule.code);
        assert_eq!(held.as_str(), rule.code);
    }
}
