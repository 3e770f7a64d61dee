//! Every summary says what was checked, what was not, and by which build and rules.

use std::{fs, path::Path};

use serde_json::Value;

use crate::{
    run::{Run, copy_folder, program},
    workplace::Workplace,
};

fn packed() -> Workplace {
    let here = Workplace::new();
    here.svc(&["preflight", "app"]).exits(0);
    here
}

fn json(here: &Workplace, arguments: &[&str]) -> Value {
    serde_json::from_str(&here.svc(&[arguments, &["--format", "json"]].concat()).exits(0).stdout).unwrap()
}

fn checked(scope: &Value) -> Vec<&str> {
    scope["checked"].as_array().unwrap().iter().map(|word| word.as_str().unwrap()).collect()
}

fn not_checked(scope: &Value) -> Vec<&str> {
    scope["notChecked"].as_array().unwrap().iter().map(|one| one["what"].as_str().unwrap()).collect()
}

#[test]
fn verify_says_whether_package_files_were_hashed() {
    let here = packed();
    let without = ["app", "verify", "svc-registry"];
    let with = ["app", "verify", "svc-registry", "--package", "app"];
    for format in ["human", "concise", "json", "sarif", "junit"] {
        let [without, with] = [&without[..], &with]
            .map(|arguments| here.svc(&[arguments, &["--format", format]].concat()).exits(0).stdout);
        assert_ne!(without, with, "{format}");
    }
    let told = here.svc(&without).exits(0).stdout;
    assert!(told.contains("Not       package files: give --package FOLDER"), "{told}");
    assert!(told.contains("review (as claimed: recomputed from the report, not from package files)"), "{told}");
    assert!(told.contains("Not       who made it: no digest shows who made"), "{told}");
    let told = here.svc(&with).exits(0).stdout;
    assert!(told.contains("review (read: files hashed and read here)"), "{told}");
    let [without, with] = [json(&here, &without), json(&here, &with)].map(|report| report["scope"].clone());
    assert!(!checked(&without).contains(&"package-files") && not_checked(&without).contains(&"package-files"));
    assert!(checked(&with).contains(&"package-files") && !not_checked(&with).contains(&"package-files"));
    assert_eq!([&without["reviewed"], &with["reviewed"]], ["as-claimed", "read"]);
    for scope in [without, with] {
        assert!(not_checked(&scope).contains(&"maker"), "{scope}");
        assert!(scope["build"].is_string() && scope["ruleset"]["digest"].is_string(), "{scope}");
    }
}

#[test]
fn an_expected_digest_is_compared_and_both_are_named() {
    let here = packed();
    let report = json(&here, &["app", "verify", "svc-registry"]);
    assert!(not_checked(&report["scope"]).contains(&"expected-digest"));
    let package = report["packages"][0]["digest"].as_str().unwrap();
    let submission = report["artifacts"].as_array().unwrap().iter();
    let submission = submission.clone().find(|one| one["file"].as_str().unwrap().contains("submission")).unwrap();
    for digest in [package, submission["digest"].as_str().unwrap()] {
        let scope = json(&here, &["app", "verify", "svc-registry", "--expect", digest])["scope"].clone();
        assert!(checked(&scope).contains(&"expected-digest"), "{scope}");
    }
    let other = format!("sha256:{}", "0".repeat(64));
    let run = here.svc(&["app", "verify", "svc-registry", "--expect", &other]).exits(4);
    assert!(run.stderr.contains(&other) && run.stderr.contains(package), "{}", run.stderr);
    assert!(!run.stdout.contains("Valid     yes") && !run.stdout.contains("Stage "), "{}", run.stdout);
    for wrong in ["", "0", &other[7..], "sha256:xyz", &other.to_uppercase()] {
        here.svc(&["app", "verify", "svc-registry", "--expect", wrong]).exits(2);
    }
}

/// Whoever reads "yes" reads beside it what it is about.
#[test]
fn valid_is_never_said_without_its_scope() {
    let here = packed();
    copy_folder(&here.path("app"), &here.path("other"));
    let path = here.path("other/svc-app.json");
    fs::write(&path, fs::read_to_string(&path).unwrap().replace("weather-board", "other")).unwrap();
    here.svc(&["preflight", "app", "other", "--out-dir", "all"]).exits(0);
    let cases: [(&[&str], &str); 13] = [
        (&["check", "app"], "read"),
        (&["preflight", "app"], "read"),
        (&["preflight", "app", "--check"], "read"),
        (&["check", "app", "other"], "read"),
        (&["validate", "app"], "read"),
        (&["validate", "svc-registry"], "without-facts"),
        (&["validate", "app", "svc-registry/svc-registry-submission.json"], "as-claimed"),
        (&["app", "verify", "all"], "as-claimed"),
        (&["app", "pack", "app", "--out", "s.json"], "read"),
        (&["app", "registry", "svc-registry", "--out", "i.json"], "as-claimed"),
        (&["app", "registry-validate", "svc-registry"], "as-claimed"),
        (&["app", "registry-signing-request-validate", "svc-registry"], "without-facts"),
        (&["report", "svc-registry", "--out", "page.html"], "as-claimed"),
    ];
    for (arguments, review) in cases {
        let human = here.svc(arguments).exits(0).stdout;
        let at = human.find("Valid     yes\nChecked   ").unwrap_or_else(|| panic!("{arguments:?}: {human}"));
        assert!(human[at..].contains("\nBy        svc "), "{arguments:?}: {human}");
        assert!(!human.contains("Checked   nothing"), "{arguments:?}: {human}");
        let concise = here.svc(&[arguments, &["--format", "concise"]].concat()).exits(0).stdout;
        assert!(concise.contains("valid: yes\nchecked: "), "{arguments:?}: {concise}");
        let report = json(&here, arguments);
        assert_eq!(report["scope"]["reviewed"], review, "{arguments:?}: {}", report["scope"]);
    }
}

#[test]
fn commands_that_read_no_file_say_so() {
    let here = packed();
    let cases: [&[&str]; 8] = [
        &["inspect", "svc-registry"],
        &["plan", "svc-registry"],
        &["lifecycle", "svc-registry"],
        &["lifecycle", "app/svc-app.json"],
        &["diff", "svc-registry", "svc-registry"],
        &["app", "publisher", "app"],
        &["export", "svc-registry", "--as", "oci"],
        &["files", "app"],
    ];
    for arguments in cases {
        let run = here.svc(arguments).exits(0);
        let told = run.stdout + &run.stderr;
        assert!(told.contains("Not       package files: "), "{arguments:?}: {told}");
    }
    for arguments in [&["inspect", "svc-registry"][..], &["plan", "svc-registry"], &["lifecycle", "svc-registry"]] {
        assert!(not_checked(&json(&here, arguments)["scope"]).contains(&"package-files"), "{arguments:?}");
    }
}

#[test]
fn what_was_not_reached_is_not_called_checked() {
    let here = packed();
    let path = here.path("svc-registry/svc-registry-index.json");
    let text = fs::read_to_string(&path).unwrap().replacen("\"accepted\": false", "\"accepted\": true", 1);
    fs::write(&path, text).unwrap();
    let run = Run::of(&mut program(
        Path::new(&here.folder()),
        &["app", "verify", "svc-registry", "--package", "app", "--format", "json"],
    ));
    let report: Value = serde_json::from_str(&run.exits(7).stdout).unwrap();
    for what in ["package-files", "review", "kept-answers"] {
        assert!(!checked(&report["scope"]).contains(&what), "{}", report["scope"]);
        assert!(not_checked(&report["scope"]).contains(&what), "{}", report["scope"]);
    }
}
