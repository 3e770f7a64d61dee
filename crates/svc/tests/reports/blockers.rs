//! What the author must do first: the submission is made, says so, and enters no collection.

use std::fs;

use serde_json::{Value, json};

use crate::packages::Package;

#[test]
fn a_denied_blocker_or_warning_fails_the_run_and_nothing_is_written() {
    for (package, flag) in
        [(unknown_category(), "--deny-blockers"), (svg_icon(), "--deny-blockers"), (left_over(), "--deny-warnings")]
    {
        let run = package.preflight(&[flag]).exits(1);
        assert!(run.stderr.ends_with("Nothing was written.\n"), "{}", run.stderr);
        assert!(package.written().is_empty(), "{:?}", package.written());
    }
}

#[test]
fn a_denied_finding_leaves_the_old_bundle_alone() {
    let package = Package::complete();
    package.preflight(&[]).exits(0);
    let before = fs::read(package.path("svc-registry/svc-registry-submission.json")).unwrap();
    package.write("dist/app.js.orig", "{}");
    package.preflight(&["--deny-warnings"]).exits(1);
    assert_eq!(fs::read(package.path("svc-registry/svc-registry-submission.json")).unwrap(), before);
}

#[test]
fn an_author_blocker_gives_a_submission_that_names_the_author_and_enters_no_collection() {
    for (package, code) in [(unknown_category(), "SVC-M022"), (svg_icon(), "SVC-L004")] {
        let run = package.preflight(&[]).exits(0);
        assert!(run.stderr.contains(&format!("blocker[{code}]: ")), "{}", run.stderr);
        assert!(run.stderr.ends_with("1 author blocker\n"), "{}", run.stderr);
        assert!(run.stdout.contains("Stage     Review report  (next: Collection entry)\n"), "{}", run.stdout);
        let submission = submission(&package);
        assert_eq!(submission["stage"], "review-report");
        assert_eq!(submission["reviewReport"]["verdict"], "blocked");
        let blockers = submission["blockers"].as_array().unwrap();
        let authors: Vec<&Value> = blockers.iter().filter(|blocker| blocker["owner"] == "author").collect();
        assert_eq!(authors.len(), 1, "{blockers:?}");
        assert_eq!(authors[0]["code"], code);
        assert_eq!(authors[0]["blocksStage"], "collection-entry");
        let checks = submission["reviewReport"]["checks"].as_array().unwrap();
        let check = checks.iter().find(|check| check["code"] == code).unwrap();
        assert_eq!(check["result"], "failed");
    }
}

#[test]
fn without_the_blocker_the_same_package_goes_on() {
    let package = Package::complete();
    package.preflight(&["--deny-blockers", "--deny-warnings"]).exits(0);
    let submission = submission(&package);
    assert_eq!(submission["stage"], "review-report");
    assert_eq!(submission["reviewReport"]["verdict"], "validated");
    assert!(submission["blockers"].as_array().unwrap().iter().all(|blocker| blocker["owner"] != "author"));
}

fn unknown_category() -> Package {
    Package::complete().with_manifest(|manifest| manifest["categories"] = json!(["weather"]))
}

fn svg_icon() -> Package {
    let package = Package::complete().with_manifest(|manifest| {
        let vector = json!({ "src": "assets/icon.svg", "sizes": "512x512" });
        manifest["icons"].as_array_mut().unwrap().push(vector);
    });
    package.write("assets/icon.svg", "<svg xmlns=\"http://www.w3.org/2000/svg\"/>");
    package
}

fn left_over() -> Package {
    let package = Package::complete();
    package.write("dist/app.js.orig", "{}");
    package
}

fn submission(package: &Package) -> Value {
    let bytes = fs::read(package.path("svc-registry/svc-registry-submission.json")).unwrap();
    serde_json::from_slice(&bytes).unwrap()
}
