//! Commands without `app`, and folders where a file would do.

use std::fs;

use crate::workplace::Workplace;

#[test]
fn the_first_commands_are_understood_without_app() {
    let here = Workplace::new();
    here.svc(&["init", "fresh"]).exits(0);
    here.svc(&["check", "fresh"]).exits(0);
    here.svc(&["preflight", "fresh", "--out-dir", "bundle"]).exits(0);
    for command in ["validate", "files", "inspect", "plan"] {
        let target = if command == "files" { "fresh" } else { "bundle" };
        let [short, long] =
            [&[command, target][..], &["app", command, target][..]].map(|words| here.svc(words).exits(0));
        assert_eq!(short.stdout, long.stdout, "{command}");
    }
    here.svc(&["diff", "bundle", "bundle"]).exits(0);
}

#[test]
fn a_check_writes_nothing_and_says_what_the_preflight_would() {
    let here = Workplace::new();
    let before = here.listing();
    let run = here.svc(&["check", "app"]).exits(0);
    assert_eq!(here.listing(), before);
    assert!(run.stdout.contains("svc app preflight app"), "{}", run.stdout);
    fs::write(here.path("app/svc-app.json"), "{}").unwrap();
    let before = here.listing();
    let [check, preflight] = ["check", "preflight"].map(|command| here.svc(&["app", command, "app"]).exits(1));
    assert_eq!(check.stderr.matches("error[").count(), preflight.stderr.matches("error[").count());
    assert_eq!(here.listing(), before);
}

#[test]
fn a_folder_stands_for_the_document_in_it() {
    let here = Workplace::new();
    here.svc(&["app", "preflight", "app", "--out-dir", "app/svc-registry"]).exits(0);
    let run = here.svc(&["app", "validate", "app"]).exits(0);
    assert!(run.stdout.contains("app/svc-app.json"), "{}", run.stdout);
    let run = here.svc(&["app", "validate", "app/svc-registry"]).exits(0);
    assert_eq!(run.stdout.matches("\nvalid ").count() + 1, 7, "{}", run.stdout);
    // A package stands for its bundle where an artifact is wanted.
    let [of_bundle, of_package] = ["app/svc-registry", "app"].map(|folder| here.svc(&["app", "plan", folder]).exits(0));
    assert_eq!(of_bundle.stdout, of_package.stdout);
    for command in ["registry", "registry-acceptance", "registry-publisher-verification", "registry-review-evidence"] {
        here.svc(&["app", command, "app/svc-registry", "--out", "made.json"]).exits(0);
    }
    for check in ["registry-validate", "registry-acceptance-validate", "registry-install-policy-validate"] {
        here.svc(&["app", check, "app/svc-registry"]).exits(0);
    }
    let told = here.svc(&["lifecycle", "app/svc-registry"]).exits(0).stdout;
    assert!(told.contains("\nStage     Collection entry"), "{told}");
}

#[test]
fn a_folder_with_nothing_of_ours_is_told_as_that() {
    let here = Workplace::new();
    fs::create_dir(here.path("empty")).unwrap();
    for command in ["validate", "inspect", "plan", "registry-validate"] {
        let run = here.svc(&["app", command, "empty"]).exits(3);
        assert!(run.stderr.contains("must hold a manifest") && run.stderr.contains("svc init"), "{}", run.stderr);
    }
    let run = here.svc(&["app", "plan", "app"]).exits(3);
    assert!(run.stderr.contains("the package has no bundle yet"), "{}", run.stderr);
    assert!(here.svc(&["lifecycle", "app"]).exits(0).stdout.starts_with("Stage "));
}
