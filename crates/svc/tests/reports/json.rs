//! `svc.diagnostics/v1`, against the schema that the project hands out.

use std::fs;

use serde_json::{Value, json};
use svc_testkit::jsonschema;

use crate::{
    packages::Package,
    run::{Run, program, repository},
};

#[test]
fn every_report_is_valid_against_the_committed_schema() {
    let complete = Package::complete();
    complete.preflight(&[]).exits(0);
    let broken = Package::with_thirteen_errors();
    let runs: [(&Package, &[&str], i32); 10] = [
        (&complete, &["app", "preflight", "app"], 0),
        (&complete, &["app", "preflight", "app", "--check", "--out-dir", "elsewhere"], 5),
        (&complete, &["app", "verify", "svc-registry", "--package", "app"], 0),
        (&complete, &["app", "validate", "app/svc-app.json", "svc-registry/svc-registry-index.json"], 0),
        (&complete, &["app", "pack", "app/svc-app.json"], 0),
        (&complete, &["app", "registry-validate", "svc-registry/svc-registry-submission.json"], 1),
        (&complete, &["app", "preflight", "app", "--out-dir", "app"], 3),
        (&complete, &["app", "pack", "app/svc-app.json", "--owner-id", "No Good"], 2),
        (&broken, &["app", "preflight", "app"], 1),
        (&broken, &["app", "validate", "app/svc-app.json"], 1),
    ];
    for (package, arguments, code) in runs {
        let run = Run::of(program(package.folder(), arguments).args(["--format", "json"])).exits(code);
        let report: Value = serde_json::from_str(&run.stdout).unwrap();
        assert_eq!(faults(&report), [""; 0], "{arguments:?}");
        assert_eq!(report["exitCode"], code, "{arguments:?}");
        assert_eq!(report["valid"], code == 0, "{arguments:?}");
        assert_eq!(report["outcome"], json!({ "accepted": false, "signed": false, "installable": false }));
    }
}

#[test]
fn the_schema_refuses_an_open_outcome_and_unknown_members() {
    let report = Package::complete().json_report("json");
    for (pointer, wrong) in [("/outcome/accepted", json!(true)), ("/missingGates", json!([])), ("/schema", json!("v2"))]
    {
        let mut changed = report.clone();
        *changed.pointer_mut(pointer).unwrap() = wrong;
        assert_ne!(faults(&changed), [""; 0], "{pointer}");
    }
    let mut more = report;
    more["approvedBy"] = json!("nobody");
    assert_ne!(faults(&more), [""; 0]);
}

#[test]
fn a_broken_chain_names_its_edge() {
    let package = Package::complete();
    package.preflight(&[]).exits(0);
    let other = Package::complete().with_manifest(|manifest| manifest["version"] = json!("1.2.1"));
    other.preflight(&[]).exits(0);
    let file = "svc-registry/svc-registry-signing-request.json";
    fs::copy(other.path(file), package.path(file)).unwrap();
    let run = Run::of(&mut program(package.folder(), &["app", "verify", "svc-registry", "--format", "json"])).exits(4);
    let report: Value = serde_json::from_str(&run.stdout).unwrap();
    assert_eq!(faults(&report), [""; 0]);
    let parent = "svc-registry-acceptance-request.json";
    assert_eq!(report["brokenEdge"], json!({ "child": "svc-registry-signing-request.json", "parent": parent }));
}

fn faults(report: &Value) -> Vec<String> {
    let schema = fs::read(repository("contracts/schemas/diagnostics.schema.json")).unwrap();
    let schema: Value = serde_json::from_slice(&schema).unwrap();
    let validator = jsonschema::options().should_validate_formats(true).build(&schema).unwrap();
    validator.iter_errors(report).map(|error| format!("{}: {error}", error.instance_path())).collect()
}
