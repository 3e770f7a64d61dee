//! Long lists: the heaviest first, no rule hidden by another, nothing left out without its count.

use std::{collections::BTreeSet, fs};

use serde_json::{Value, json};

use crate::{
    packages::{Package, pictures_of},
    run::{Run, program},
};

/// More findings than any format shows one by one, and one of another rule in the file that comes last.
fn with_a_crowd() -> Package {
    let package = Package::complete();
    package.write("dist/crowd.html", pictures_of(600));
    package.write("dist/zz-last.js", "eval(name);\n");
    package
}

#[test]
fn people_see_every_rule_and_the_count_of_what_is_left_out() {
    let run = with_a_crowd().preflight(&[]).exits(0);
    assert!(run.stderr.contains("[SVC-P012]"), "{}", run.stderr);
    assert!(run.stderr.contains("app/dist/zz-last.js:1:1"), "{}", run.stderr);
    assert!(run.stderr.contains("more findings: SVC-P013 ×"), "{}", run.stderr);
}

/// A flood of one host hides no other; a flood of hosts is a blocker by itself.
#[test]
fn more_facts_than_a_report_holds_hide_no_contact() {
    let package = Package::complete();
    for number in 0..2_100 {
        package.write(&format!("dist/flood/{number}.js"), "fetch(\"https://api.acme.dev/\");\n");
    }
    package.write("dist/last.js", "fetch(\"https://collect.example.net/\");\n");
    let blockers = |package: &Package| {
        let report = package.json_report("json");
        let findings = report["findings"].as_array().unwrap().iter();
        findings.filter(|one| one["severity"] == "blocker").map(|one| one["message"].to_string()).collect::<Vec<_>>()
    };
    let told = blockers(&package);
    assert!(told.iter().any(|message| message.contains("`https://collect.example.net`")), "{told:?}");
    let hosts =
        |number: usize| format!("fetch(\"https://{}{number:04}.acme.dev/\");\n", "long-name-of-a-host-".repeat(3));
    package.write("dist/hosts.js", (0..2_000).map(hosts).collect::<String>());
    let told = blockers(&package);
    assert!(told.iter().any(|message| message.contains("than a report lists")), "{told:?}");
}

/// A package lists 200 of each rule; every format for programs lists the same ones, and counts the others.
#[test]
fn machines_get_all_that_are_listed_and_the_count_of_the_others() {
    let package = with_a_crowd();
    let report = package.json_report("json");
    let listed = report["findings"].as_array().unwrap().len();
    let of_the_crowd = report["findings"].as_array().unwrap().iter().filter(|one| one["code"] == "SVC-P013").count();
    assert_eq!((of_the_crowd, &report["unlisted"]), (200, &json!(400)));
    let said = "400 more findings are counted and not listed: SVC-P013 ×400";
    let run = package.json_report("sarif")["runs"][0].clone();
    assert_eq!(run["results"].as_array().unwrap().len(), listed);
    let told = &run["invocations"][0]["toolExecutionNotifications"];
    assert_eq!(told, &json!([{ "level": "note", "message": { "text": said } }]));
    let concise = package.report("concise");
    assert_eq!(concise.lines().filter(|line| line.contains("[SVC-")).count(), listed);
    assert!(concise.lines().any(|line| line == said), "{concise}");
    let cases = package.report("junit");
    assert!(cases.contains(&format!("<system-out>{said}</system-out>")), "warnings fail nothing: {cases}");
}

#[test]
fn annotations_and_the_summary_tell_what_they_leave_out() {
    let package = with_a_crowd();
    let summary = package.path("summary.md");
    let arguments = ["app", "preflight", "app", "--format", "github"];
    let run = Run::of(program(package.folder(), &arguments).env("GITHUB_STEP_SUMMARY", &summary)).exits(0);
    assert!(run.stdout.contains("title=SVC-P012"), "{}", run.stdout);
    assert!(run.stdout.contains("more of level warning (SVC-P013 ×"), "{}", run.stdout);
    let text = fs::read_to_string(&summary).unwrap();
    assert!(text.contains("| severity | place | rule | finding |"), "{text}");
    assert!(text.contains("`app/dist/zz-last.js:1` | SVC-P012 |"), "{text}");
    assert!(text.contains("\n400 more findings are counted and not listed: SVC-P013 ×400\n"), "{text}");
}

#[test]
fn errors_come_first_in_every_format() {
    let package = with_a_crowd().with_manifest(|manifest| manifest["zzz"] = json!(1));
    package.write("dist/0-first.js.orig", "");
    let findings = package.json_report("json")["findings"].as_array().unwrap().clone();
    assert_eq!(findings[0]["code"], "SVC-M002");
    let results = package.json_report("sarif")["runs"][0]["results"].as_array().unwrap().clone();
    assert_eq!(results[0]["level"], "error");
    assert!(package.report("concise").starts_with("app/svc-app.json:"));
    assert!(package.report("github").starts_with("::error "));
    assert!(package.preflight(&[]).stderr.starts_with("error[SVC-M002]"));
}

#[test]
fn what_many_files_have_is_said_once_with_their_number() {
    let package = Package::complete();
    for number in 0..308 {
        package.write(&format!("dist/test/{number:03}.js"), "export {};\n");
    }
    let said = "in 308 files, first here";
    let run = package.preflight(&[]).exits(0);
    assert_eq!(run.stderr.matches("[SVC-F009]").count(), 1, "{}", run.stderr);
    assert!(run.stderr.contains(&format!("= note: {said}\n")), "{}", run.stderr);
    for format in ["concise", "sarif", "junit", "github"] {
        assert!(package.report(format).contains(said), "{format}");
    }
    let finding = package.json_report("json")["findings"][0].clone();
    assert_eq!((&finding["files"], &finding["file"]), (&json!(308), &json!("app/dist/test/000.js")));
}

#[test]
fn a_finding_names_the_row_that_excepts_it() {
    let package = Package::complete().with_manifest(|manifest| {
        let row =
            json!({ "rule": "SVC-P012", "path": "dist/more.js", "reason": "The formulas of the board are compiled." });
        manifest["exceptions"] = json!([row]);
    });
    package.write("dist/more.js", "eval(name);\n");
    let said = "/exceptions/0 of the manifest asks a reviewer to look at it";
    for format in ["concise", "sarif", "junit", "github"] {
        assert!(package.report(format).contains(said), "{format}: {}", package.report(format));
    }
    let run = package.preflight(&[]).exits(0);
    assert!(run.stderr.contains(&format!("= note: {said}\n")), "{}", run.stderr);
    let findings = package.json_report("json")["findings"].as_array().unwrap().clone();
    assert!(findings.iter().any(|finding| finding["exception"] == 0), "{findings:?}");
}

#[test]
fn no_two_findings_of_a_report_have_one_fingerprint() {
    let package = with_a_crowd();
    let other = package.path("other");
    fs::create_dir(&other).unwrap();
    fs::write(other.join("svc-app.json"), "{}").unwrap();
    fs::write(package.path("svc-app.json"), "{}").unwrap();
    let arguments = ["app", "validate", "app/svc-app.json", "svc-app.json", "other/svc-app.json", "--format", "json"];
    let report: Value =
        serde_json::from_str(&Run::of(&mut program(package.folder(), &arguments)).exits(1).stdout).unwrap();
    let findings = report["findings"].as_array().unwrap();
    let names: BTreeSet<&str> = findings.iter().map(|finding| finding["fingerprint"].as_str().unwrap()).collect();
    assert_eq!(names.len(), findings.len());
}
