//! The scorecard for machines.

use std::fs;

use serde_json::Value;
use svc_testkit::jsonschema;

use crate::{
    hosted, make_bundle,
    run::{Run, copy_folder, program, repository},
    running::Running,
};

#[test]
fn the_json_scorecard_has_its_schema_and_every_check() {
    let schema: Value =
        serde_json::from_str(&Run::of(&mut program(&repository(""), &["schema", "verification"])).stdout).unwrap();
    let validator = jsonschema::validator_for(&schema).unwrap();
    let folder = tempfile::tempdir().unwrap();
    copy_folder(&repository("contracts"), &folder.path().join("contracts"));
    for (edit, exit) in [(false, 0), (true, 5)] {
        if edit {
            fs::remove_file(folder.path().join("contracts/limits.json")).unwrap();
        }
        let run = Run::of(&mut program(folder.path(), &["verify", "local", "--format", "json"])).exits(exit);
        assert_eq!(run.stderr, "");
        let report: Value = serde_json::from_str(&run.stdout).unwrap();
        assert!(validator.is_valid(&report), "{:?}", validator.iter_errors(&report).next());
        assert_eq!(report["exitCode"], exit);
        assert_eq!(report["ranChecks"], report["expectedChecks"]);
        assert_eq!(report["checks"].as_array().unwrap().len(), report["expectedChecks"].as_u64().unwrap() as usize);
        let levels: Vec<_> = report["levels"].as_array().unwrap().iter().map(|line| line["level"].clone()).collect();
        assert_eq!(levels, ["closed", "contract", "build"]);
        assert_eq!(report["highest"], if edit { Value::Null } else { "build".into() });
        assert_eq!(report["log"], Value::Null, "a local verification asks for no log");
        assert_eq!(report["posture"], if edit { "not-as-declared" } else { "closed-as-declared" });
        assert_eq!(report["outcome"], serde_json::json!({ "accepted": false, "installable": false, "signed": false }));
    }
}

#[test]
fn the_json_scorecard_of_a_registry_has_levels_the_highest_and_the_log() {
    let schema: Value =
        serde_json::from_str(&Run::of(&mut program(&repository(""), &["schema", "verification"])).stdout).unwrap();
    let validator = jsonschema::validator_for(&schema).unwrap();
    let folder = tempfile::tempdir().unwrap();
    make_bundle(folder.path(), "minimal");
    for (journal, highest) in [("sqlite", "build"), ("off", "contract")] {
        let service = Running::start(folder.path(), &["--journal", journal, "--data-dir", "data"]);
        let address = format!("http://{}", service.address);
        let run = hosted(folder.path(), &address, &["--format", "json"]).exits(0);
        let report: Value = serde_json::from_str(&run.stdout).unwrap();
        assert_eq!(report["highest"], "closed", "what was not asked for is not said to hold");
        let results: Vec<Value> =
            report["levels"].as_array().unwrap().iter().map(|line| line["result"].clone()).collect();
        assert_eq!(results, ["passed", "not-checked", "not-checked"]);
        let exit = i32::from(journal == "off");
        let run = hosted(folder.path(), &address, &["--format", "json", "--level", "build"]).exits(exit);
        let report: Value = serde_json::from_str(&run.stdout).unwrap();
        assert!(validator.is_valid(&report), "{:?}", validator.iter_errors(&report).next());
        assert_eq!(report["highest"], highest);
        let lines = report["levels"].as_array().unwrap();
        let told = |member: &str| lines.iter().map(|line| line[member].clone()).collect::<Vec<_>>();
        assert_eq!(told("level"), ["closed", "contract", "build"]);
        assert_eq!(told("demanded"), [true, true, true]);
        assert_eq!(told("result"), ["passed", "passed", if journal == "sqlite" { "passed" } else { "failed" }]);
        assert_eq!(report["log"]["pinned"], false);
        assert_eq!(report["log"]["receipts"].as_u64() > Some(0), journal == "sqlite");
        if journal == "off" {
            assert_eq!(report["log"]["size"], Value::Null);
            assert!(lines[2]["request"].as_str().unwrap().starts_with("curl -i -X POST 'http://127.0.0.1:"));
            assert!(lines[2]["reason"].as_str().unwrap().ends_with("the answer has no receipt"));
        } else {
            assert!(report["log"]["size"].as_u64() >= report["log"]["receipts"].as_u64());
        }
    }
}

#[test]
fn every_format_is_written_and_sarif_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    copy_folder(&repository("contracts"), &folder.path().join("contracts"));
    fs::remove_file(folder.path().join("contracts/limits.json")).unwrap();
    let words = ["verify", "local", "--format", "concise", "--format", "json=r.json", "--format", "junit=r.xml"];
    let more = ["--format", "github=r.txt", "--format", "human=r.md"];
    let summary = folder.path().join("summary.md");
    let mut command = program(folder.path(), &[&words[..], &more].concat());
    let run = Run::of(command.env("GITHUB_STEP_SUMMARY", &summary)).exits(5);
    assert!(run.stdout.contains("committed contracts: limits.json: error[file-missing] `limits.json` is missing\n"));
    let read = |name: &str| fs::read_to_string(folder.path().join(name)).unwrap();
    assert!(
        read("r.xml").contains("<testcase classname=\"svc.verify.committed contracts\" name=\"limits.json\"><failure")
    );
    let annotated = "::error title=file-missing::committed contracts: limits.json: `limits.json` is missing";
    assert!(read("r.txt").starts_with(annotated), "{}", read("r.txt"));
    assert!(read("r.md").contains("NOT as declared: contract-drift, file-missing  (exit code 5)"), "{}", read("r.md"));
    assert!(read("r.json").contains("\"code\": \"file-missing\""));
    assert!(read("summary.md").starts_with("### svc verify local: `NOT as declared"), "{}", read("summary.md"));
    let run = Run::of(&mut program(folder.path(), &["verify", "local", "--format", "sarif=r.sarif"])).exits(2);
    assert!(run.stderr.contains("`svc verify local` has no format `sarif`"), "{}", run.stderr);
}
