//! What the author's part says of commands that it does not have.

use std::fs;

use crate::run::{Run, repository, svc};

#[test]
fn a_command_that_was_left_out_says_how_to_get_it() {
    let folder = tempfile::tempdir().unwrap();
    let cases: [&[&str]; 9] = [
        &["serve"],
        &["serve", "--bind", "127.0.0.1:0"],
        &["serve", "--help"],
        &["token", "create", "ci", "--file", "tokens.json"],
        &["verify", "local"],
        &["verify", "hosted", "http://127.0.0.1:1", "--artifact-dir", "bundle"],
        &["submit", "bundle", "--registry", "https://registry.example"],
        &["app", "submit", "--help"],
        &["journal", "check-receipt", "receipt.json", "--public-key", "journal.pub"],
    ];
    for arguments in cases {
        let run = Run::of(&mut svc(folder.path(), arguments)).exits(2);
        assert_eq!(run.stdout, "");
        let name = arguments.iter().find(|name| **name != "app").unwrap();
        let told = format!("error: `{name}` is not part of this build\n  = help: build with the feature `server`");
        assert!(run.stderr.starts_with(&told), "{}", run.stderr);
    }
    assert_eq!(folder.path().read_dir().unwrap().count(), 0, "nothing is written");
}

#[test]
fn a_command_that_was_left_out_says_so_to_machines() {
    let folder = tempfile::tempdir().unwrap();
    let run = Run::of(&mut svc(folder.path(), &["--format", "json", "serve"])).exits(2);
    assert!(run.stdout.contains("`serve` is not part of this build"), "{}", run.stdout);
}

#[test]
fn help_names_what_was_left_out() {
    let folder = tempfile::tempdir().unwrap();
    let help = Run::of(&mut svc(folder.path(), &["--help"])).exits(0).stdout;
    for name in ["serve", "token", "verify", "journal", "events", "witness"] {
        let line = help.lines().find(|line| line.trim_start().starts_with(name)).unwrap();
        assert!(line.contains("Not part of this build"), "{line}");
    }
}

/// This build finds open claims, and cannot check anything else of an answer: it must not say that all is well.
#[test]
fn a_bundle_with_kept_answers_is_refused_and_not_called_valid() {
    let folder = tempfile::tempdir().unwrap();
    let example = repository("examples/weather-board");
    let preflight = ["app", "preflight", example.to_str().unwrap(), "--out-dir", "bundle"];
    Run::of(&mut svc(folder.path(), &preflight)).exits(0);
    Run::of(&mut svc(folder.path(), &["app", "verify", "bundle"])).exits(0);
    let kept = folder.path().join("bundle-answers");
    fs::create_dir_all(kept.join("registry.example")).unwrap();
    fs::write(kept.join("registry.example/index.json"), "{\"accepted\": false}").unwrap();
    for format in ["human", "concise", "json", "sarif", "junit", "github"] {
        let run = Run::of(&mut svc(folder.path(), &["app", "verify", "bundle", "--format", format])).exits(2);
        let shown = run.stdout + &run.stderr;
        assert!(shown.contains("bundle-answers: registry answers are kept here"), "{format}: {shown}");
        assert!(!shown.contains("Valid     yes") && !shown.contains("valid: yes"), "{format}: {shown}");
    }
    fs::write(kept.join("registry.example/index.json"), "{\"accepted\": true}").unwrap();
    Run::of(&mut svc(folder.path(), &["app", "verify", "bundle"])).exits(7);
    // Also as one bundle of several.
    let other = repository("examples/minimal");
    let several = ["app", "preflight", example.to_str().unwrap(), other.to_str().unwrap(), "--out-dir", "all"];
    Run::of(&mut svc(folder.path(), &several)).exits(0);
    Run::of(&mut svc(folder.path(), &["app", "verify", "all"])).exits(0);
    fs::create_dir(folder.path().join("all-dev.acme.weather-board-answers")).unwrap();
    Run::of(&mut svc(folder.path(), &["app", "verify", "all"])).exits(2);
}
