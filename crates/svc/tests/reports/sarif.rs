//! SARIF 2.1.0.

use std::collections::BTreeSet;

use serde_json::{Value, json};

use crate::{
    packages::Package,
    run::{Run, program},
    sarif_schema,
};

const SIX_GATES: [&str; 6] = [
    "artifact-hash",
    "publisher-verification",
    "review-storage",
    "artifact-signing",
    "host-install-policy",
    "renderer-isolation",
];

#[test]
fn the_schema_refuses_what_is_no_sarif() {
    let log = Package::complete().json_report("sarif");
    for (pointer, wrong) in [
        ("/version", json!("2.0.0")),
        ("/runs/0/tool/driver/name", json!(1)),
        ("/runs/0/invocations/0/executionSuccessful", json!("yes")),
        ("/runs/0/columnKind", json!("bytes")),
        ("/runs/0/tool/driver/rules/0/defaultConfiguration/level", json!("fatal")),
    ] {
        let mut changed = log.clone();
        *changed.pointer_mut(pointer).unwrap() = wrong;
        assert_eq!(sarif_schema::faults(&changed).len(), 1, "{pointer}");
    }
}

#[test]
fn every_log_is_valid_against_the_published_schema() {
    let broken = Package::with_thirteen_errors();
    let logs = [
        Package::complete().json_report("sarif"),
        broken.json_report("sarif"),
        blocked_in_odd_places().json_report("sarif"),
        serde_json::from_str(&could_not_start(&broken).stdout).unwrap(),
    ];
    for log in logs {
        assert_eq!(sarif_schema::faults(&log), [""; 0], "{log}");
    }
}

#[test]
fn a_run_that_could_not_start_is_no_success() {
    let log: Value = serde_json::from_str(&could_not_start(&Package::complete()).stdout).unwrap();
    let invocation = &log["runs"][0]["invocations"][0];
    assert_eq!(invocation["executionSuccessful"], false);
    assert_eq!(invocation["exitCode"], 3);
    assert_eq!(invocation["toolExecutionNotifications"].as_array().unwrap().len(), 1);
    assert_eq!(log["runs"][0]["results"], json!([]));
}

#[test]
fn places_are_relative_uris_whatever_was_typed() {
    let package = blocked_in_odd_places();
    let expected: BTreeSet<&str> = BTreeSet::from(["app/svc-app.json", "app/dist/100%25%20%C3%A4%2C%20b.js.orig"]);
    let absolute = package.path("app/svc-app.json").into_os_string().into_string().unwrap();
    for typed in ["app", "./app", "app/", "app/svc-app.json", "./app/../app/svc-app.json", &absolute] {
        let run = Run::of(&mut program(package.folder(), &["app", "preflight", typed, "--format", "sarif"]));
        let log: Value = serde_json::from_str(&run.stdout).unwrap();
        let uris: BTreeSet<&str> = results(&log).iter().flat_map(uris).collect();
        assert_eq!(uris, expected, "{typed}");
    }
}

#[test]
fn a_package_elsewhere_does_not_tell_where_this_machine_keeps_it() {
    let package = blocked_in_odd_places();
    let elsewhere = tempfile::tempdir().unwrap();
    let typed = package.path("app/svc-app.json").into_os_string().into_string().unwrap();
    for format in ["sarif", "github", "junit", "concise"] {
        let run = Run::of(&mut program(elsewhere.path(), &["app", "preflight", &typed, "--format", format]));
        let found = run.stdout.contains(package.folder().to_str().unwrap());
        assert!(!found, "{format}: {}", run.stdout);
    }
}

#[test]
fn fingerprints_are_unique_and_stay_when_lines_move() {
    let package = Package::with_thirteen_errors();
    let before = fingerprints(&package.json_report("sarif"));
    assert_eq!(before.iter().collect::<BTreeSet<_>>().len(), 13);
    let moved = std::fs::read_to_string(package.path("app/svc-app.json")).unwrap();
    package.write("svc-app.json", moved.replace("\n", "\n\n    "));
    let log = package.json_report("sarif");
    assert_eq!(fingerprints(&log), before);
    assert_eq!(region(&results(&log)[1])["startLine"], 7, "the line itself has moved");
}

#[test]
fn two_causes_in_a_file_have_two_fingerprints_that_stay_when_lines_move() {
    let package = Package::complete();
    package.write("dist/more.js", "eval(a);\neval(b);\nnew Function(c);\n");
    let log = package.json_report("sarif");
    let prints = fingerprints(&log);
    assert_eq!(prints.len(), 2, "{log}");
    assert_ne!(prints[0], prints[1]);
    package.write("dist/more.js", "\n\neval(a);\n\neval(b);\n\nnew Function(c);\n");
    assert_eq!(fingerprints(&package.json_report("sarif")), prints);
}

#[test]
fn a_misspelt_word_has_a_fix_that_mends_exactly_it() {
    let package = Package::with_thirteen_errors();
    let log = package.json_report("sarif");
    let fixed: Vec<&Value> = results(&log).iter().filter(|result| result.get("fixes").is_some()).collect();
    let rules: Vec<&Value> = fixed.iter().map(|result| &result["ruleId"]).collect();
    assert_eq!(rules, ["SVC-M002", "SVC-P001"]);
    for (result, text) in fixed.iter().zip(["\"license\"", "\"storage.local\""]) {
        let change = &result["fixes"][0]["artifactChanges"][0];
        assert_eq!(change["artifactLocation"]["uri"], "app/svc-app.json");
        let mut marked = region(result).clone();
        marked.as_object_mut().unwrap().remove("snippet");
        assert_eq!(change["replacements"][0]["deletedRegion"], marked);
        assert_eq!(change["replacements"][0]["insertedContent"]["text"], text);
    }
}

#[test]
fn missing_gates_are_properties_of_the_run_and_never_results() {
    // Where no package artifact was made there is nothing to hash either.
    for (package, missing) in [
        (Package::complete(), &SIX_GATES[1..]),
        (blocked_in_odd_places(), &SIX_GATES[1..]),
        (Package::with_thirteen_errors(), &SIX_GATES),
    ] {
        let log = package.json_report("sarif");
        let properties = &log["runs"][0]["properties"];
        assert_eq!(properties["missingGates"], json!(missing));
        let outcome = json!({ "accepted": false, "signed": false, "installable": false });
        assert_eq!(properties["outcome"], outcome);
        for result in results(&log) {
            let text = result.to_string();
            assert!(SIX_GATES.iter().all(|gate| !text.contains(gate)), "{text}");
        }
    }
    assert_eq!(results(&Package::complete().json_report("sarif")), [] as [Value; 0]);
}

#[test]
fn every_result_names_a_rule_that_is_described() {
    let log = Package::with_thirteen_errors().json_report("sarif");
    let rules = log["runs"][0]["tool"]["driver"]["rules"].as_array().unwrap();
    for result in results(&log) {
        let index = usize::try_from(result["ruleIndex"].as_u64().unwrap()).unwrap();
        assert_eq!(rules[index]["id"], result["ruleId"]);
    }
}

/// An author blocker, and a warning about a file with an odd name.
fn blocked_in_odd_places() -> Package {
    let package = Package::complete().with_manifest(|manifest| manifest["categories"] = json!(["weather"]));
    package.write("dist/100% ä, b.js.orig", "{}");
    package
}

fn could_not_start(package: &Package) -> Run {
    Run::of(&mut program(package.folder(), &["app", "preflight", "no/such/svc-app.json", "--format", "sarif"])).exits(3)
}

fn results(log: &Value) -> &[Value] {
    log["runs"][0]["results"].as_array().unwrap()
}

fn region(result: &Value) -> &Value {
    &result["locations"][0]["physicalLocation"]["region"]
}

fn uris(result: &Value) -> Option<&str> {
    result["locations"][0]["physicalLocation"]["artifactLocation"]["uri"].as_str()
}

fn fingerprints(log: &Value) -> Vec<String> {
    let print = |result: &Value| result["partialFingerprints"]["svcFingerprint/v1"].as_str().unwrap().to_owned();
    results(log).iter().map(print).collect()
}
