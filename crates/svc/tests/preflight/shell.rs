//! Help, completions and man pages.

use std::fs;

use crate::run::{Run, program};

const SHELLS: [&str; 5] = ["bash", "elvish", "fish", "powershell", "zsh"];

#[test]
fn an_unknown_shell_is_refused() {
    let run = Run::of(&mut program(&std::env::temp_dir(), &["completions", "tcsh"])).exits(2);
    assert!(SHELLS.iter().all(|shell| run.stderr.contains(shell)), "{}", run.stderr);
}

#[test]
fn five_shells_get_completions_that_know_every_command() {
    for shell in SHELLS {
        let script = Run::of(&mut program(&std::env::temp_dir(), &["completions", shell])).exits(0).stdout;
        for word in ["preflight", "registry-signing-request-validate", "lifecycle", "deny-warnings"] {
            assert!(script.contains(word), "{shell} does not know {word}");
        }
    }
}

#[test]
fn a_man_page_is_written_for_every_command() {
    let folder = tempfile::tempdir().unwrap();
    Run::of(&mut program(folder.path(), &["man", "pages/man1"])).exits(0);
    let pages = fs::read_dir(folder.path().join("pages/man1")).unwrap();
    let pages: Vec<_> = pages.map(|entry| entry.unwrap().path()).collect();
    for name in
        ["svc.1", "svc-app.1", "svc-app-preflight.1", "svc-app-registry-install-policy-validate.1", "svc-explain.1"]
    {
        assert!(pages.iter().any(|page| page.file_name().unwrap() == name), "no {name} in {pages:?}");
    }
    for page in &pages {
        assert!(fs::read_to_string(page).unwrap().contains(".SH NAME"), "{}", page.display());
    }
    let printed = Run::of(&mut program(folder.path(), &["man"])).exits(0).stdout;
    assert!(printed.contains(".SH NAME\nsvc "), "{printed}");
}

#[test]
fn help_answers_everywhere_and_names_the_thirteen_steps() {
    let help = |arguments: &[&str]| Run::of(&mut program(&std::env::temp_dir(), arguments)).exits(0).stdout;
    assert_eq!(help(&[]), help(&["--help"]), "no arguments are a question too");
    let app = help(&["app", "--help"]);
    let steps = [
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
    let places = steps.map(|step| app.lines().position(|line| line.split_whitespace().next() == Some(step)).unwrap());
    assert!(places.is_sorted(), "in their order: {app}");
    for step in steps {
        assert!(help(&["app", step, "--help"]).contains("Usage: svc app "), "{step}");
    }
}

#[test]
fn a_misspelt_command_gets_a_guess() {
    let run = Run::of(&mut program(&std::env::temp_dir(), &["app", "preflihgt"])).exits(2);
    assert!(run.stderr.contains("'preflight'"), "{}", run.stderr);
}

#[test]
fn the_version_names_commit_schema_and_rule_set() {
    let text = Run::of(&mut program(&std::env::temp_dir(), &["--version"])).exits(0).stdout;
    let starts = ["svc 0.1.0", "commit ", "schema 1.0", "ruleset 1.0.0 sha256:"];
    assert_eq!(text.lines().count(), 4, "{text}");
    assert!(text.lines().zip(starts).all(|(line, start)| line.starts_with(start)), "{text}");
}
