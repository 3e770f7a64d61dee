//! The children that read code: what they cannot read, or die of, is unread, and the run goes on.

use std::{
    fs,
    path::Path,
    process::{Child, Stdio},
    thread,
    time::{Duration, Instant},
};

use rustix::process::{Pid, Signal, kill_process};
use serde_json::Value;

use crate::{run::program, workplace::Workplace};

const MEBIBYTES: usize = 3 << 20;

#[test]
fn code_that_is_nested_without_end_is_unread_and_the_run_goes_on() {
    for (piece, end) in [("(", ""), ("!", "x"), ("a=>", ""), ("`${", ""), ("[", "")] {
        let here = Workplace::new();
        fs::write(here.path("app/dist/deep.js"), piece.repeat(MEBIBYTES / piece.len()) + end).unwrap();
        fs::write(here.path("app/dist/zz-after.js"), "eval(name);\n").unwrap();
        let run = here.svc(&["app", "preflight", "app"]).exits(0);
        assert!(run.stdout.contains("reviewed but for those that SVC-F020 names\n"), "{}", run.stdout);
        assert_eq!(unread(&here), [("dist/deep.js".to_owned(), "depth".to_owned())], "{piece}");
        let facts = facts(&here);
        assert!(
            facts.iter().any(|fact| fact["kind"] == "dynamic-code" && fact["file"] == "dist/zz-after.js"),
            "{piece}"
        );
    }
}

#[test]
fn a_killed_reader_costs_its_file_and_not_the_run() {
    let here = Workplace::new();
    // Long enough to be met while it is read.
    let slow = "export const a = [1, 2, 3].map((one) => one + 1);\n".repeat(400_000);
    fs::write(here.path("app/dist/slow.js"), slow).unwrap();
    fs::write(here.path("app/dist/zz-after.js"), "eval(name);\n").unwrap();
    let mut command = program(here.folder(), &["app", "preflight", "app"]);
    let mut run = command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
    kill_the_reader_of(&mut run, 10 << 20);
    assert_eq!(run.wait().unwrap().code(), Some(0));
    assert_eq!(unread(&here), [("dist/slow.js".to_owned(), "crash".to_owned())]);
    assert!(facts(&here).iter().any(|fact| fact["kind"] == "dynamic-code" && fact["file"] == "dist/zz-after.js"));
}

#[test]
fn a_reader_has_no_environment_and_limits_of_its_own() {
    let here = Workplace::new();
    let slow = "export const a = [1, 2, 3].map((one) => one + 1);\n".repeat(400_000);
    fs::write(here.path("app/dist/slow.js"), slow).unwrap();
    let mut command = program(here.folder(), &["app", "preflight", "app"]);
    let mut run = command.env("SECRET", "1").stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
    let reader = Path::new("/proc").join(reader_of(&mut run, 10 << 20));
    let (environment, limits) = (fs::read(reader.join("environ")), fs::read_to_string(reader.join("limits")));
    let folder = fs::read_link(reader.join("cwd"));
    run.kill().unwrap();
    run.wait().unwrap();
    assert_eq!(environment.unwrap(), b"");
    assert_eq!(folder.unwrap(), Path::new("/"));
    let limits = limits.unwrap();
    let limit =
        |name: &str| limits.lines().find_map(|line| line.strip_prefix(name)?.split_whitespace().next()).unwrap();
    assert_eq!(limit("Max file size"), "0");
    for bounded in ["Max cpu time", "Max address space"] {
        assert_ne!(limit(bounded), "unlimited", "{bounded}");
    }
}

fn kill_the_reader_of(run: &mut Child, bytes: u64) {
    let reader = reader_of(run, bytes);
    kill_process(Pid::from_raw(reader.parse().unwrap()).unwrap(), Signal::KILL).unwrap();
}

/// The child that has been given so many bytes, while it reads.
fn reader_of(run: &mut Child, bytes: u64) -> String {
    let deadline = Instant::now() + Duration::from_secs(60);
    while Instant::now() < deadline && run.try_wait().unwrap().is_none() {
        let tasks = fs::read_dir(format!("/proc/{}/task", run.id())).into_iter().flatten().flatten();
        let children = tasks.filter_map(|task| fs::read_to_string(task.path().join("children")).ok());
        let children: Vec<String> =
            children.flat_map(|line| line.split_whitespace().map(str::to_owned).collect::<Vec<_>>()).collect();
        for child in children {
            if bytes_read(&child) > bytes {
                return child;
            }
        }
        thread::sleep(Duration::from_millis(1));
    }
    panic!("no reader was met at work");
}

fn bytes_read(process: &str) -> u64 {
    let counts = fs::read_to_string(Path::new("/proc").join(process).join("io")).unwrap_or_default();
    let read = counts.lines().find_map(|line| line.strip_prefix("rchar: "));
    read.and_then(|count| count.parse().ok()).unwrap_or_default()
}

fn facts(here: &Workplace) -> Vec<Value> {
    let bytes = fs::read(here.path("svc-registry/svc-registry-submission.json")).unwrap();
    let submission: Value = serde_json::from_slice(&bytes).unwrap();
    submission["reviewReport"]["facts"].as_array().unwrap().clone()
}

/// Files that were not read, and why.
fn unread(here: &Workplace) -> Vec<(String, String)> {
    let facts = facts(here);
    let unread = facts.iter().filter(|fact| fact["kind"] == "unread");
    unread.map(|fact| (text(&fact["file"]), text(&fact["word"]))).collect()
}

fn text(value: &Value) -> String {
    value.as_str().unwrap().to_owned()
}
