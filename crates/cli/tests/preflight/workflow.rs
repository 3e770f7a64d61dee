//! The ready workflow file: its steps, run in a repository as its first lines describe it.

use std::{
    fs,
    path::Path,
    process::{Command, Output},
};

use crate::{run::repository, workplace::Workplace};

const WORKFLOW: &str = "examples/ci/github-workflow.yml";

#[test]
fn nothing_but_the_checkout_comes_from_elsewhere() {
    let workflow = fs::read_to_string(repository(WORKFLOW)).unwrap();
    let used: Vec<&str> = workflow.lines().filter_map(|line| line.trim().strip_prefix("- uses: ")).collect();
    assert_eq!(used, ["actions/checkout@v4"]);
    for word in ["curl", "wget", "http", "npm", "cargo", "pip", "secrets."] {
        assert!(!workflow.contains(word), "{word}");
    }
}

#[test]
fn a_stale_bundle_fails_the_second_step_with_an_annotation() {
    let here = prepared();
    here.set_version("1.3.0");
    let outputs = run_steps(&here);
    assert_eq!(codes(&outputs), [Some(0), Some(5), Some(4)]);
    let told = String::from_utf8_lossy(&outputs[1].stdout);
    assert_eq!(told.matches("::error file=svc-registry/").count(), 7, "{told}");
}

#[test]
fn a_replaced_archive_fails_the_first_step() {
    let here = prepared();
    let archive = here.path("tools/svc-0.1.0-test.tar.gz");
    let mut bytes = fs::read(&archive).unwrap();
    bytes.push(0);
    fs::write(archive, bytes).unwrap();
    assert_ne!(codes(&run_steps(&here))[0], Some(0));
}

#[test]
fn a_current_bundle_passes_and_leaves_the_reports() {
    let here = prepared();
    let outputs = run_steps(&here);
    assert_eq!(codes(&outputs), [Some(0); 3], "{outputs:?}");
    assert!(here.path("runner/reports/svc.sarif").is_file());
    assert!(here.path("runner/reports/svc.xml").is_file());
    let summary = fs::read_to_string(here.path("summary.md")).unwrap();
    assert_eq!(summary.matches("### svc: valid yes").count(), 2, "{summary}");
}

/// The repository that the file expects.
fn prepared() -> Workplace {
    let here = Workplace::new();
    here.svc(&["app", "preflight", "app"]).exits(0);
    fs::create_dir_all(here.path("tools/svc-0.1.0-test")).unwrap();
    fs::create_dir(here.path("runner")).unwrap();
    fs::copy(env!("CARGO_BIN_EXE_svc"), here.path("tools/svc-0.1.0-test/svc")).unwrap();
    let pack = "cd tools && tar -czf svc-0.1.0-test.tar.gz svc-0.1.0-test && rm -r svc-0.1.0-test
        sha256sum svc-0.1.0-test.tar.gz > svc.sha256";
    assert!(shell(&here, pack, "").status.success());
    here
}

/// Runs every step as the service does, with what earlier ones put on the path.
fn run_steps(here: &Workplace) -> Vec<Output> {
    let workflow = fs::read_to_string(repository(WORKFLOW)).unwrap();
    let scripts = scripts(&workflow);
    assert_eq!(scripts.len(), 3);
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
