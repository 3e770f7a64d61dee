//! JUnit XML, read by another reader.

use std::{
    io::Write as _,
    process::{Command, Stdio},
};

use serde_json::{Value, json};

use crate::{
    packages::Package,
    run::{Run, program, repository},
};

const STEPS: [&str; 13] = [
    "pack",
    "registry",
    "registry-validate",
    "registry-acceptance",
    "registry-acceptance-validate",
    "registry-publisher-verification",
    "registry-publisher-verification-validate",
    "registry-review-evidence",
    "registry-review-evidence-validate",
    "registry-signing-request",
    "registry-signing-request-validate",
    "registry-install-policy",
    "registry-install-policy-validate",
];

const GROUPS: [&str; 6] = ["syntax", "manifest", "files", "permissions", "listing", "artifacts"];

#[test]
fn errors_fail_their_group_and_the_first_step() {
    let cases = cases(&Package::with_thirteen_errors().report("junit"));
    let failed = names(&cases, |case| tags(case).contains(&"failure"));
    let (findings, groups): (Vec<&str>, Vec<&str>) = failed.iter().partition(|name| name.starts_with("SVC-"));
    assert_eq!(groups, ["pack", "syntax", "manifest", "files", "permissions"]);
    assert_eq!(findings.len(), 13);
    let id = case(&cases, "SVC-M010 app/svc-app.json /id");
    assert_eq!((&id["file"], &id["line"]), (&json!("app/svc-app.json"), &json!("4")));
    let skipped = names(&cases, |case| tags(case).contains(&"skipped"));
    assert_eq!(skipped, [&STEPS[1..], &["artifacts"]].concat());
    for case in &cases {
        assert!(case["inside"].as_array().unwrap().len() <= 1, "many readers take one failure a case: {case}");
    }
    let manifest = case(&cases, "manifest");
    let text = manifest["inside"][0]["text"].as_str().unwrap();
    assert_eq!(text.lines().count(), 8, "{text}");
    assert!(
        text.starts_with("app/svc-app.json:1:1: error[SVC-M001] the member `manifestVersion` is missing"),
        "{text}"
    );
}

#[test]
fn thirteen_steps_and_six_groups_are_cases_also_without_findings() {
    let cases = cases(&Package::complete().report("junit"));
    let of = |class: &str| names(&cases, |case| case["class"] == class);
    assert_eq!(of("svc.steps"), STEPS);
    assert_eq!(of("svc.rules"), GROUPS);
    assert_eq!(cases.len(), 19);
    assert!(cases.iter().all(|case| case["inside"] == json!([])), "{cases:?}");
}

#[test]
fn warnings_are_told_and_fail_only_when_denied() {
    let package = Package::complete();
    package.write("dist/app.js.orig", "{}");
    let told = cases(&package.report("junit"));
    assert_eq!(tags(case(&told, "files")), ["system-out"]);
    let text = case(&told, "files")["inside"][0]["text"].as_str().unwrap();
    assert!(text.starts_with("app/dist/app.js.orig: warning[SVC-F007]"), "{text}");
    let denied = cases(&package.preflight(&["--format", "junit", "--deny-warnings"]).exits(1).stdout);
    let failed = names(&denied, |case| tags(case).contains(&"failure"));
    assert_eq!(failed, ["pack", "SVC-F007 app/dist/app.js.orig", "files"]);
}

/// What fails the run is an error in every format, also where only the one who runs it says so.
#[test]
fn what_was_denied_is_an_error_for_ci_services() {
    let package = Package::complete();
    package.write("dist/app.js.orig", "{}");
    for (format, told, denied) in
        [("github", "::warning file=app/dist", "::error file=app/dist"), ("sarif", "\"warning\"", "\"error\"")]
    {
        assert!(package.report(format).contains(told), "{format}");
        let run = package.preflight(&["--format", format, "--deny-warnings"]).exits(1).stdout;
        let is_there = match format {
            "sarif" => {
                let sarif: serde_json::Value = serde_json::from_str(&run).unwrap();
                sarif["runs"][0]["results"][0]["level"] == "error"
            }
            _ => run.contains(denied),
        };
        assert!(is_there, "{format}: {run}");
    }
}

#[test]
fn text_of_strangers_cannot_leave_its_place() {
    let package = Package::complete().with_manifest(|manifest| {
        manifest["]]><failure/>\"'&\u{1}\u{7f}\u{feff}"] = json!(1);
    });
    let cases = cases(&package.report("junit"));
    assert_eq!(cases.len(), 21);
    let text = case(&cases, "manifest")["inside"][0]["text"].as_str().unwrap();
    assert!(text.contains("]]><failure/>\"'&\\u{1}\\u{7f}\\u{feff}"), "{text}");
}

#[test]
fn a_run_that_could_not_start_is_one_case_with_an_error() {
    let package = Package::complete();
    let run =
        Run::of(&mut program(package.folder(), &["app", "preflight", "no/such.json", "--format", "junit"])).exits(3);
    let cases = cases(&run.stdout);
    assert_eq!(cases.iter().map(tags).collect::<Vec<_>>(), [["error"]]);
}

fn cases(report: &str) -> Vec<Value> {
    let mut command = Command::new("python3");
    command.args(["-I", "-B"]).arg(repository("crates/svc/tests/reports/junit.py"));
    let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().expect("python3 must be there");
    child.stdin.take().unwrap().write_all(report.as_bytes()).unwrap();
    let output = child.wait_with_output().unwrap();
    assert!(output.status.success(), "not a sound report:\n{report}");
    serde_json::from_slice(&output.stdout).unwrap()
}

fn case<'c>(cases: &'c [Value], name: &str) -> &'c Value {
    cases.iter().find(|case| case["name"] == name).unwrap()
}

fn names(cases: &[Value], holds: impl Fn(&Value) -> bool) -> Vec<&str> {
    cases.iter().filter(|case| holds(case)).map(|case| case["name"].as_str().unwrap()).collect()
}

fn tags(case: &Value) -> Vec<&str> {
    case["inside"].as_array().unwrap().iter().map(|part| part["tag"].as_str().unwrap()).collect()
}
