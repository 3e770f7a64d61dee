//! `--format json`: one strict document for success, for findings and for failures.

use std::fs;

use serde_json::{Value, json};
use svc_core::words::kind;
use svc_json::tree;

use crate::{
    bundle::{self, Bundle, Package},
    commands::{makers, thirteen},
    folder::{self, untouched},
    svc::{Run, app, svc},
};

/// One document of the schema, read strictly, with the exit code of the process in it and a closed outcome.
#[track_caller]
fn document(run: &Run) -> Value {
    let strict = tree::read(&run.stdout).unwrap_or_else(|faults| panic!("{faults:?} in {}", run.out()));
    // A report may quote, escaped, a character that no artifact may hold; nothing else is excused.
    let faults: Vec<_> = strict
        .faults
        .iter()
        .filter(|fault| svc_core::rules::syntax::rule_of(fault.kind).as_str() != "SVC-J007")
        .collect();
    assert!(faults.is_empty(), "{faults:?}");
    let document = run.json();
    assert_eq!(document["schema"], "svc.diagnostics/v1");
    assert_eq!(document["exitCode"].as_i64(), run.code().map(i64::from));
    assert_eq!(document["valid"], json!(run.code() == Some(0)));
    assert_eq!(document["outcome"], json!({ "accepted": false, "installable": false, "signed": false }));
    assert!(document["findings"].is_array(), "{document}");
    document
}

#[test]
fn success_is_one_document() {
    let bundle = Bundle::new();
    for command in thirteen() {
        let elsewhere = folder::empty();
        let run = app([command.name, "--format", "json"]).args([command.good_input(&bundle)]);
        let run = run.in_folder(elsewhere.path()).run();
        run.exits(0);
        let document = document(&run);
        let artifact = &document["artifacts"][0];
        let spec = command.makes.or(command.reads).unwrap();
        assert_eq!(artifact["kind"], spec.kind);
        assert_eq!(artifact["digest"], bundle::json(&bundle::weather_board()[spec.file])["documentDigest"]);
        assert_eq!(artifact["action"], if command.makes.is_some() { "created" } else { "valid" });
        assert!(!document["missingGates"].as_array().unwrap().is_empty());
    }
    let run = app(["verify", "--format", "json"]).args([bundle.folder()]).run();
    assert_eq!(document(run.exits(0))["artifacts"].as_array().unwrap().len(), 7);
}

#[test]
fn findings_are_one_document_with_code_place_and_help() {
    let folder = folder::empty();
    fs::write(folder.path().join("bad.json"), "{\"a\": 1, \"a\": 2}").unwrap();
    for command in thirteen() {
        let run = || app([command.name, "bad.json", "--format", "json"]).in_folder(folder.path()).run();
        let run = untouched(folder.path(), run);
        run.exits(1);
        let document = document(&run);
        let findings = document["findings"].as_array().unwrap();
        let twice = findings.iter().find(|finding| finding["code"] == "SVC-J004").unwrap();
        assert_eq!(twice["file"], "bad.json");
        assert_eq!(twice["severity"], "error");
        assert_eq!(twice["range"]["start"], json!({ "column": 10, "line": 1 }));
        assert_eq!(twice["related"]["start"], json!({ "column": 2, "line": 1 }));
        for finding in findings {
            for member in ["code", "message", "help", "fingerprint", "file"] {
                assert!(finding[member].as_str().is_some_and(|text| !text.is_empty()), "{member} of {finding}");
            }
        }
    }
}

#[test]
fn failures_are_one_document() {
    let bundle = Bundle::new();
    for command in thirteen() {
        let run = app([command.name, "missing.json", "--format", "json"]).in_folder(bundle.folder()).run();
        let document = document(run.exits(3));
        assert!(document["stopped"]["message"].as_str().unwrap().contains("missing.json"), "{document}");
        assert!(document["stopped"]["help"].is_string());
    }
    for command in makers() {
        let input = command.good_input(&bundle);
        let run = || app([command.name, "--format", "json", "--out", "/dev/full"]).args([&input]).run();
        document(untouched(bundle.folder(), run).exits(3));
        let run = app([command.name, "--format", "json", "--out", "no/such/out.json"]).args([&input]).run();
        document(run.exits(3));
    }
    let run = svc(["explain", "nothing", "--format", "json"]).run();
    document(run.exits(2));
}

#[test]
fn a_usage_error_is_one_document_too() {
    let cases: [&[&str]; 5] = [
        &["--format", "json", "nope"],
        &["app", "nope", "--format", "json"],
        &["app", "registry", "--format=json"],
        &["app", "pack", "a", "b", "--format", "json"],
        &["app", "pack", "a", "--format", "json", "--visibility", "secret"],
    ];
    for arguments in cases {
        let run = svc(arguments).run();
        document(run.exits(2));
    }
}

#[test]
fn hostile_text_stays_inside_its_string() {
    let folder = folder::empty();
    let text = "\u{1b}[31m\u{0}\u{202e}\"},{\"valid\":true,\u{7f}\u{9b}\n";
    fs::write(folder.path().join("bad.json"), json!({ text: text, "kind": text }).to_string()).unwrap();
    for command in ["validate", "registry-validate", "pack"] {
        let run = app([command, "bad.json", "--format", "json"]).in_folder(folder.path()).run();
        document(run.exits(1));
        assert!(!run.stdout.contains(&0x1b), "{}", run.out());
    }
}

#[test]
fn an_artifact_on_standard_output_is_not_mixed_with_the_report() {
    let bundle = Bundle::new();
    for command in makers() {
        let run = app([command.name, "--out", "-", "--format", "json"]).args([command.good_input(&bundle)]).run();
        run.exits(0);
        assert!(run.stdout == fs::read(bundle.path(command.makes.unwrap())).unwrap(), "{}", command.name);
        let report: Value = serde_json::from_slice(&run.stderr).unwrap();
        assert_eq!(report["schema"], "svc.diagnostics/v1");
    }
}

#[test]
fn every_kind_of_refusal_keeps_its_exit_code_in_json() {
    let bundle = Bundle::new();
    for spec in kind::ALL {
        let mut document_of = bundle::json(&bundle::weather_board()[spec.file]);
        document_of["signed"] = json!(1);
        bundle.write(spec, document_of.to_string().as_bytes());
        let run = app(["validate", "--format", "json"]).args([bundle.path(spec)]).run();
        let report = document(run.exits(7));
        let claim = |finding: &Value| finding["code"] == "SVC-B006" && finding["pointer"] == "/signed";
        assert!(report["findings"].as_array().unwrap().iter().any(claim), "{report}");
    }
    let package = Package::new("minimal");
    package.write("CON", b"x");
    package.change_manifest(|manifest| manifest["files"] = json!(["**"]));
    let folder = folder::empty();
    let run = || app(["pack", "--format", "json"]).args([package.manifest()]).in_folder(folder.path()).run();
    document(untouched(folder.path(), run).exits(1));
}
