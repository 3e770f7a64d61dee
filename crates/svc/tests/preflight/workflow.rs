//! The ready workflow file: its steps, run in a repository as its first lines describe it. The step that builds svc is run by
//! the gate `getting`.

use std::{
    fs,
    path::Path,
    process::{Command, Output},
};

use crate::{run::repository, workplace::Workplace};

const WORKFLOW: &str = "examples/ci/github-workflow.yml";

const BUILD: &str = "cargo install";

#[test]
fn nothing_is_used_but_pinned_actions_and_nothing_is_interpolated_into_scripts() {
    let workflow = fs::read_to_string(repository(WORKFLOW)).unwrap();
    let used: Vec<&str> =
        workflow.lines().filter_map(|line| line.trim().split_once("uses: actions/")).map(|(_, name)| name).collect();
    assert_eq!(used.len(), workflow.matches("uses:").count());
    for action in used {
        let (revision, version) = action.split_once('@').unwrap().1.split_once(" # v").unwrap();
        assert!(revision.len() == 40 && revision.bytes().all(|digit| digit.is_ascii_hexdigit()), "{action}");
        assert_eq!(version.split('.').count(), 3, "{action}");
    }
    for script in scripts(&workflow) {
        assert!(!script.contains("${{"), "{script}");
    }
    for word in ["curl", "wget", "http", "npm install", "pip", "secrets."] {
        assert!(!workflow.contains(word), "{word}");
    }
}

#[test]
fn a_revision_that_can_move_is_not_built() {
    let here = prepared();
    let build = scripts(&fs::read_to_string(repository(WORKFLOW)).unwrap()).swap_remove(0);
    assert!(build.contains(BUILD), "{build}");
    for moving in
        ["", "main", "v1.2.3", "11bd719", "$(touch ran)", "11bd71901bbe5b1630ceea73d27597364c9af683; touch ran"]
    {
        let output = shell(&here, &format!("export SVC_REVISION='{moving}'\n{build}"), "");
        assert_eq!(output.status.code(), Some(2), "{moving}: {output:?}");
        assert!(String::from_utf8_lossy(&output.stdout).starts_with("::error::SVC_REVISION must be"), "{output:?}");
    }
    assert!(!here.path("ran").exists() && !here.path("runner/svc/.crates.toml").exists());
}

#[test]
fn a_stale_bundle_fails_its_step_with_an_annotation() {
    let here = prepared();
    here.set_version("1.3.0");
    let outputs = run_steps(&here);
    assert_eq!(codes(&outputs), [Some(0), Some(5), Some(4), Some(0)], "{outputs:?}");
    let told = String::from_utf8_lossy(&outputs[1].stdout);
    assert_eq!(told.matches("::error file=svc-registry/").count(), 7, "{told}");
}

#[test]
fn a_gained_permission_of_high_risk_fails_the_last_step() {
    let here = prepared();
    let manifest = here.path("app/svc-app.json");
    let mut changed: serde_json::Value = serde_json::from_slice(&fs::read(&manifest).unwrap()).unwrap();
    let permissions = changed["permissions"].as_array_mut().unwrap();
    permissions.push(serde_json::json!({ "permission": "camera.capture", "purpose": "Takes a picture of the sky." }));
    fs::write(&manifest, serde_json::to_vec_pretty(&changed).unwrap()).unwrap();
    here.set_version("1.3.0");
    here.svc(&["app", "preflight", "app"]).exits(0);
    commit(&here);
    let outputs = run_steps(&here);
    assert_eq!(codes(&outputs).last(), Some(&Some(1)), "{outputs:?}");
    let told = String::from_utf8_lossy(&outputs[3].stdout);
    assert!(told.contains("title=SVC-D001::the permission `camera.capture` (high risk) is new"), "{told}");
}

#[test]
fn the_first_bundle_has_none_to_be_compared_with() {
    let here = prepared();
    assert!(shell(&here, "rm -rf .git", "").status.success());
    commit(&here);
    let outputs = run_steps(&here);
    assert_eq!(codes(&outputs), [Some(0); 4], "{outputs:?}");
    assert_eq!(String::from_utf8_lossy(&outputs[3].stdout), "there is no bundle before this one to compare with\n");
}

#[test]
fn a_current_bundle_passes_and_leaves_the_reports() {
    let here = prepared();
    let outputs = run_steps(&here);
    assert_eq!(codes(&outputs), [Some(0); 4], "{outputs:?}");
    assert!(here.path("runner/reports/svc.sarif").is_file());
    assert!(here.path("runner/reports/svc.xml").is_file());
    let summary = fs::read_to_string(here.path("summary.md")).unwrap();
    assert!(summary.matches("### svc: valid yes").count() >= 2, "{summary}");
    assert!(summary.contains("### Hash chain"), "the report stands there too: {summary}");
}

/// The repository that the file expects, with two commits, and svc where the build leaves it.
fn prepared() -> Workplace {
    let here = Workplace::new();
    here.svc(&["app", "preflight", "app"]).exits(0);
    commit(&here);
    commit(&here);
    fs::create_dir_all(here.path("runner/svc/bin")).unwrap();
    fs::copy(env!("CARGO_BIN_EXE_svc"), here.path("runner/svc/bin/svc")).unwrap();
    here
}

fn commit(here: &Workplace) {
    let script = "git init --quiet . && git add app svc-registry
        git -c user.name=a -c user.email=a@example.org -c commit.gpgsign=false commit --quiet --allow-empty --message a";
    let output = shell(here, script, "");
    assert!(output.status.success(), "{output:?}");
}

/// Runs every step but the one that builds, as the service does, with what earlier ones put on the path.
fn run_steps(here: &Workplace) -> Vec<Output> {
    let workflow = fs::read_to_string(repository(WORKFLOW)).unwrap();
    let mut scripts = scripts(&workflow);
    scripts.retain(|script| !script.contains(BUILD));
    assert_eq!(scripts.len(), 4);
    let mut outputs = Vec::new();
    for script in scripts {
        let added = fs::read_to_string(here.path("path")).unwrap_or_default();
        outputs.push(shell(here, &script, added.trim()));
    }
    outputs
}

fn shell(here: &Workplace, script: &str, added: &str) -> Output {
    let path = std::env::var("PATH").unwrap();
    let file = |name: &str| here.path(name);
    Command::new("bash")
        .args(["--noprofile", "--norc", "-eo", "pipefail", "-c", script])
        .current_dir(here.folder())
        .env("PATH", format!("{added}:{path}"))
        .env("RUNNER_TEMP", file("runner"))
        .env("GITHUB_PATH", file("path"))
        .env("GITHUB_STEP_SUMMARY", file("summary.md"))
        .output()
        .unwrap()
}

fn codes(outputs: &[Output]) -> Vec<Option<i32>> {
    outputs.iter().map(|output| output.status.code()).collect()
}

/// The texts of `run`, on one line or indented below it.
fn scripts(workflow: &str) -> Vec<String> {
    let mut scripts = Vec::new();
    let mut lines = workflow.lines().peekable();
    while let Some(line) = lines.next() {
        let Some(rest) = line.trim().strip_prefix("run: ") else { continue };
        if rest != "|" {
            scripts.push(rest.to_owned());
            continue;
        }
        let depth = indent(line);
        let mut script = String::new();
        while let Some(inner) = lines.next_if(|inner| inner.is_empty() || indent(inner) > depth) {
            script = script + inner.trim_start() + "\n";
        }
        scripts.push(script);
    }
    scripts
}

fn indent(line: &str) -> usize {
    line.len() - line.trim_start().len()
}

#[test]
fn the_guide_names_the_workflow_that_exists() {
    let guide = fs::read_to_string(repository("docs/guides/ci.md")).unwrap();
    assert!(guide.contains("../../examples/ci/github-workflow.yml"));
    assert!(Path::new(&repository(WORKFLOW)).is_file());
}
