//! `svc app init`: a package that passes at once, and never over somebody's work.

use std::fs;

use crate::{
    run::{Run, program},
    workplace::{SEVEN_FILES, files_in},
};

#[test]
fn a_folder_with_a_manifest_is_refused_and_left_as_it_is() {
    let folder = tempfile::tempdir().unwrap();
    fs::create_dir(folder.path().join("used")).unwrap();
    fs::write(folder.path().join("used/svc-app.json"), "mine").unwrap();
    for arguments in [&["app", "init", "used"][..], &["init", "used", "--dry-run"]] {
        let run = Run::of(&mut program(folder.path(), arguments)).exits(2);
        assert!(run.stderr.contains("must have no `svc-app.json` yet, and has one"), "{}", run.stderr);
        let files = files_in(&folder.path().join("used")).unwrap();
        assert_eq!(files.into_iter().collect::<Vec<_>>(), [("svc-app.json".to_owned(), b"mine".to_vec())]);
    }
}

#[test]
fn a_dry_run_for_a_new_folder_prints_its_manifest_and_makes_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let run = Run::of(&mut program(folder.path(), &["init", "board", "--dry-run"])).exits(0);
    assert!(run.stdout.starts_with("{\n  \"$schema\"") && run.stdout.contains("dev.example.board"), "{}", run.stdout);
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 0);
}

#[test]
fn a_repository_that_was_just_begun_gets_the_template() {
    let folder = tempfile::tempdir().unwrap();
    let package = folder.path().join("weather");
    fs::create_dir_all(package.join(".git")).unwrap();
    Run::of(&mut program(&package, &["init"])).exits(0);
    Run::of(&mut program(&package, &["preflight"])).exits(0);
}

/// Two folders deep, so that `..` is a folder of this test.
#[test]
fn a_name_that_gives_no_id_is_refused_and_nothing_is_made() {
    let outer = tempfile::tempdir().unwrap();
    let folder = outer.path().join("here");
    fs::create_dir(&folder).unwrap();
    for name in ["---", "..", "日本", "../here/.."] {
        let run = Run::of(&mut program(&folder, &["app", "init", name]));
        assert_eq!(run.code, Some(2), "{name}: {}{}", run.stdout, run.stderr);
    }
    assert_eq!(fs::read_dir(&folder).unwrap().count(), 0);
    assert_eq!(fs::read_dir(outer.path()).unwrap().count(), 1);
}

#[test]
fn both_templates_pass_the_preflight_at_once_without_flags() {
    for template in [&[][..], &["--template", "basic"], &["--template", "network"]] {
        let folder = tempfile::tempdir().unwrap();
        Run::of(program(folder.path(), &["app", "init", "weather-board"]).args(template)).exits(0);
        let package = folder.path().join("weather-board");
        let run = Run::of(&mut program(&package, &["app", "preflight"])).exits(0);
        assert!(run.stdout.contains("\nValid     yes\n"), "{}", run.stdout);
        assert!(run.stdout.contains("\nStage     Collection entry  (next: Signed package)\n"), "{}", run.stdout);
        assert!(!run.stderr.contains("error") && !run.stderr.contains("blocker"), "{}", run.stderr);
        let files = files_in(&package.join("svc-registry")).unwrap();
        assert_eq!(files.keys().collect::<Vec<_>>(), SEVEN_FILES.iter().collect::<Vec<_>>());
        let again = Run::of(&mut program(&package, &["app", "preflight"])).exits(0);
        assert_eq!(again.stdout.matches("unchanged ").count(), 7, "the bundle is not part of the package");
        Run::of(&mut program(&package, &["app", "preflight", "--check"])).exits(0);
        Run::of(&mut program(&package, &["app", "verify", "svc-registry", "--package", "."])).exits(0);
    }
}

/// The rule goes by words of its own: they must stay those of the template.
#[test]
fn names_and_the_summary_of_the_template_are_reported_until_they_are_changed() {
    let folder = tempfile::tempdir().unwrap();
    Run::of(&mut program(folder.path(), &["app", "init", "weather-board"])).exits(0);
    let manifest = folder.path().join("weather-board/svc-app.json");
    let told = || {
        let run = Run::of(&mut program(
            folder.path(),
            &["app", "validate", "weather-board/svc-app.json", "--format", "json"],
        ));
        let report: serde_json::Value = serde_json::from_str(&run.stdout).unwrap();
        let findings = report["findings"].as_array().unwrap().clone();
        let left = findings.into_iter().filter(|finding| finding["code"] == "SVC-M017");
        left.map(|finding| finding["pointer"].as_str().unwrap().to_owned()).collect::<std::collections::BTreeSet<_>>()
    };
    assert_eq!(told().into_iter().collect::<Vec<_>>(), ["/id", "/publisher/id", "/summary"]);
    let text = fs::read_to_string(&manifest).unwrap();
    let own = text.replace("dev.example.", "dev.acme.").replace("\"example\"", "\"acme\"");
    fs::write(&manifest, own.replace("shows a greeting in the space's sidebar", "shows the weather")).unwrap();
    assert_eq!(told().len(), 0);
}

#[test]
fn the_schema_beside_the_manifest_is_the_one_that_is_printed() {
    let folder = tempfile::tempdir().unwrap();
    Run::of(&mut program(folder.path(), &["app", "init", "x1"])).exits(0);
    let printed = Run::of(&mut program(folder.path(), &["schema", "app-manifest"])).exits(0).stdout;
    let beside = fs::read_to_string(folder.path().join("x1/.svc/app-manifest.schema.json")).unwrap();
    assert_eq!(beside, printed);
}

#[test]
fn an_empty_folder_may_be_filled() {
    let folder = tempfile::tempdir().unwrap();
    let package = folder.path().join("weather");
    fs::create_dir(&package).unwrap();
    Run::of(&mut program(&package, &["app", "init", "."])).exits(0);
    Run::of(&mut program(&package, &["app", "preflight"])).exits(0);
}

#[test]
fn an_unknown_template_is_refused_and_nothing_is_made() {
    let folder = tempfile::tempdir().unwrap();
    Run::of(&mut program(folder.path(), &["app", "init", "x", "--template", "magic"])).exits(2);
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 0);
}
