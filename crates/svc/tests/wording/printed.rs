//! Everything that the binary prints: help, man pages, completions, explanations, contracts, and runs of each kind.

use std::{fs, path::Path};

use serde_json::Value;

use crate::{
    run::{Run, SVC, SVC_REGISTRY, binary, copy_folder, program, repository},
    texts::Text,
};

/// All of it.
pub(crate) fn everything() -> Vec<Text> {
    let mut texts = Vec::new();
    programs(&mut texts);
    explanations(&mut texts);
    shells(&mut texts);
    runs(&mut texts);
    texts
}

/// Help of a command and of everything below it.
fn programs(texts: &mut Vec<Text>) {
    for name in [SVC, SVC_REGISTRY] {
        helps(&mut vec![name.to_owned()], texts);
    }
}

fn helps(command: &mut Vec<String>, texts: &mut Vec<Text>) {
    let (name, words) = command.split_first().unwrap();
    let run = Run::of(std::process::Command::new(binary(name)).args(words).arg("--help"));
    let place = format!("{} --help", command.join(" "));
    texts.push(Text::new(&place, &run.stdout));
    // The help of a program has its commands in groups, that of a command in one list.
    let is_listed = words.is_empty() || run.stdout.contains("Commands:\n");
    let listed = run.stdout.split("Options:\n").next().filter(|_| is_listed).unwrap_or_default();
    let names = listed.lines().filter_map(|line| line.strip_prefix("  ")).filter(|line| !line.starts_with(' '));
    for name in names.filter_map(|line| line.split_whitespace().next()).filter(|name| *name != "help") {
        command.push(name.to_owned());
        helps(command, texts);
        command.pop();
    }
}

fn explanations(texts: &mut Vec<Text>) {
    let root = Path::new("/");
    let mut topics: Vec<String> = ["outcome", "gates", "exit-codes"].map(str::to_owned).to_vec();
    for (name, member) in [("ruleset", "code"), ("readiness", "gate"), ("lifecycle", "id"), ("problems", "code")] {
        let contract: Value = serde_json::from_str(&printed(texts, root, &["contract", name])).unwrap();
        members(&contract, member, &mut topics);
    }
    assert!(topics.len() > 90, "{topics:?}");
    for topic in topics {
        printed(texts, root, &["explain", &topic]);
    }
    printed(texts, root, &["explain"]);
    printed(texts, root, &["lifecycle"]);
}

fn shells(texts: &mut Vec<Text>) {
    for shell in ["bash", "elvish", "fish", "powershell", "zsh"] {
        printed(texts, Path::new("/"), &["completions", shell]);
    }
    let folder = tempfile::tempdir().unwrap();
    printed(texts, folder.path(), &["man", "man"]);
    for page in fs::read_dir(folder.path().join("man")).unwrap() {
        let path = page.unwrap().path();
        let name = path.file_name().unwrap().to_str().unwrap().to_owned();
        texts.push(Text::new(name, &fs::read_to_string(path).unwrap()));
    }
}

fn runs(texts: &mut Vec<Text>) {
    let folder = tempfile::tempdir().unwrap();
    let here = folder.path();
    copy_folder(&repository("crates/svc/tests/reports/thirteen-errors"), &here.join("broken"));
    for template in ["basic", "network"] {
        printed(texts, here, &["app", "init", template, "--template", template]);
        printed(texts, here, &["app", "preflight", template, "--out-dir", "bundle"]);
    }
    for format in ["human", "concise", "json", "sarif", "junit", "github"] {
        printed(texts, here, &["app", "preflight", "broken", "--format", format]);
        printed(texts, here, &["app", "verify", "bundle", "--package", "network", "--format", format]);
        printed(texts, here, &["app", "verify", "nowhere", "--format", format]);
    }
    fs::create_dir(here.join("in-use")).unwrap();
    fs::write(here.join("in-use/package.json"), r#"{ "name": "board", "main": "board.js" }"#).unwrap();
    fs::write(
        here.join("in-use/board.js"),
        "eval(text); fetch('https://api.acme.dev/'); navigator.clipboard.readText();",
    )
    .unwrap();
    printed(texts, here, &["app", "init", "in-use"]);
    let contracts = repository("contracts");
    let contracts = contracts.to_str().unwrap();
    printed(texts, here, &["verify", "local", "--contracts", contracts]);
    printed(texts, here, &["verify", "local", "--contracts", "network"]);
    printed(texts, here, &["verify", "hosted", "http://127.0.0.1:1", "--artifact-dir", "bundle"]);
    printed(texts, here, &["app", "preflight", "basic", "--out-dir", "bundle", "--check"]);
    printed(texts, here, &["app", "validate", "broken/svc-app.json", "--fix", "--dry-run"]);
    for more in [&["--markdown"][..], &["--package", "basic"], &["--package", "network", "--against", "bundle"]] {
        printed(texts, here, &[&["app", "report", "bundle", "--out", "-"], more].concat());
    }
    for file in fs::read_dir(here.join("bundle")).unwrap() {
        let path = file.unwrap().path();
        printed(texts, here, &["app", "inspect", path.to_str().unwrap()]);
        printed(texts, here, &["app", "plan", path.to_str().unwrap()]);
        printed(texts, here, &["lifecycle", path.to_str().unwrap()]);
    }
    Run::of(&mut program(here, &["app", "verify", "bundle", "--package", "network"])).exits(0);
    printed(texts, here, &["app", "approve"]);
    printed(texts, here, &["explain", "nonsense"]);
}

/// Notes both streams of a run and gives the first.
fn printed(texts: &mut Vec<Text>, folder: &Path, arguments: &[&str]) -> String {
    let run = Run::of(&mut program(folder, arguments));
    assert_ne!(run.code, Some(70), "{arguments:?}: {}", run.stderr);
    let place = format!("svc {}", arguments.join(" "));
    texts.push(Text::new(&place, &run.stdout));
    texts.push(Text::new(&place, &run.stderr));
    run.stdout
}

/// The texts under this name, at any depth.
fn members(value: &Value, name: &str, found: &mut Vec<String>) {
    match value {
        Value::Object(object) => {
            found.extend(object.get(name).and_then(Value::as_str).map(str::to_owned));
            object.values().for_each(|member| members(member, name, found));
        }
        Value::Array(items) => items.iter().for_each(|item| members(item, name, found)),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
    }
}

#[test]
fn the_walk_reaches_every_command() {
    let mut texts = Vec::new();
    programs(&mut texts);
    let places: Vec<&str> = texts.iter().map(|text| text.place.as_str()).collect();
    for command in [
        "svc --help",
        "svc explain --help",
        "svc app preflight --help",
        "svc app registry-install-policy-validate --help",
        "svc-registry journal prune --help",
    ] {
        assert!(places.contains(&command), "{command} in {places:?}");
    }
    assert!(places.len() >= 2 * 27 - 1, "{places:?}");
}
