//! Every command that the pages show, run as they say: from the root of the repository, one after the other.
//!
//! Commands of cargo are left out: they build, or run these very tests. So are pages that start a registry: they need
//! its port, and are tested with it.

use std::{fs, os::unix::fs::symlink, path::Path, process::Command};

use svc_testkit::kit;

use crate::run::{copy_folder, repository};

#[test]
fn every_command_of_every_page_does_what_the_page_says() {
    let mut ran = 0;
    for page in pages() {
        let root = copy_of_the_repository();
        let text = fs::read_to_string(repository(&page)).unwrap();
        for command in commands(&text) {
            run(root.path(), &page, command);
            ran += 1;
        }
    }
    assert!(ran > 60, "only {ran} commands were found");
}

/// The script of the auditors' guide says about every receipt of the kit with an odd list of signatures what svc says.
#[test]
fn the_script_of_the_auditors_guide_looks_at_every_signature() {
    let page = fs::read_to_string(repository("docs/guides/auditors.md")).unwrap();
    let script = page.split_once("```py\n").unwrap().1.split_once("```").unwrap().0;
    let folder = tempfile::tempdir().unwrap();
    let mut proven = Vec::new();
    for name in kit::names("receipts") {
        if !name.starts_with("signature-") && !name.starts_with("checkpoint-") {
            continue;
        }
        let expect = kit::expected("receipts", &name);
        fs::write(folder.path().join("receipt.json"), kit::case("receipts", &name)).unwrap();
        let keys: Vec<&str> =
            expect["publicKeys"].as_array().unwrap().iter().map(|key| key.as_str().unwrap()).collect();
        fs::write(folder.path().join("keys"), keys.join("\n")).unwrap();
        let mut python = Command::new("python3");
        python.args(["-c", script, "receipt.json", "keys", "."]).current_dir(folder.path());
        let ran = python.output().unwrap();
        let told = String::from_utf8_lossy(&ran.stderr).into_owned();
        assert_eq!(Some(ran.status.success()), expect["proven"].as_bool(), "{name}: {told}");
        proven.push(ran.status.success());
    }
    assert!(proven.contains(&true) && proven.contains(&false) && proven.len() > 6, "{proven:?}");
}

/// One line of a page. A command that is meant to fail says so by `|| echo`, and then it must.
fn run(root: &Path, page: &str, command: &str) {
    let path = format!("{}:{}", root.join("bin").display(), std::env::var("PATH").unwrap());
    let mut shell = Command::new("bash");
    shell.args(["--noprofile", "--norc", "-o", "pipefail", "-c", command]).current_dir(root).env("PATH", path);
    let output = shell.output().unwrap();
    let told = String::from_utf8_lossy(&output.stdout);
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{page}: {command}\nended with {}:\n{told}{errors}", output.status);
    if command.contains("|| echo \"exit code $?\"") {
        let code = told.lines().last().and_then(|line| line.strip_prefix("exit code "));
        let code: u8 = code.unwrap_or_else(|| panic!("{page}: {command}\ndid not fail:\n{told}")).parse().unwrap();
        assert!((1..=7).contains(&code), "{page}: {command}\nended with {code}:\n{errors}");
    }
}

/// The pages that show commands and start nothing that goes on running.
fn pages() -> Vec<String> {
    let guides = fs::read_dir(repository("docs/guides")).unwrap();
    let guides = guides.map(|entry| format!("docs/guides/{}", entry.unwrap().file_name().into_string().unwrap()));
    let mut pages: Vec<String> = guides.filter(|page| page.ends_with(".md")).collect();
    pages.extend(["README.md", "conformance/README.md"].map(str::to_owned));
    pages.retain(|page| !fs::read_to_string(repository(page)).unwrap().contains("\n$ svc-registry serve"));
    pages.sort();
    pages
}

/// What follows `$ ` in the `console` blocks.
fn commands(page: &str) -> Vec<&str> {
    let mut inside = false;
    let mut commands = Vec::new();
    for line in page.lines() {
        if line.starts_with("```") {
            inside = line == "```console";
        } else if inside {
            commands.extend(line.strip_prefix("$ ").filter(|command| !command.starts_with("cargo ")));
        }
    }
    commands
}

/// What the pages read, a `target` to write to, and `svc` on the path.
fn copy_of_the_repository() -> tempfile::TempDir {
    let root = tempfile::tempdir().unwrap();
    for folder in ["docs", "examples"] {
        copy_folder(&repository(folder), &root.path().join(folder));
    }
    for folder in ["conformance", "contracts", "tests"] {
        symlink(repository(folder), root.path().join(folder)).unwrap();
    }
    for folder in ["bin", "target"] {
        fs::create_dir(root.path().join(folder)).unwrap();
    }
    symlink(env!("CARGO_BIN_EXE_svc"), root.path().join("bin/svc")).unwrap();
    root
}
