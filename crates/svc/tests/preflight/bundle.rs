//! `svc app preflight`: the bundle as a whole.

use std::{fs, os::unix::fs::symlink, time::SystemTime};

use crate::workplace::{SEVEN_FILES, Workplace, files_in};

#[test]
fn a_folder_with_other_things_is_refused_and_left_as_it_is() {
    let here = Workplace::new();
    fs::create_dir(here.path("out")).unwrap();
    fs::write(here.path("out/notes.txt"), "mine").unwrap();
    fs::write(here.path("out/svc-registry-index.json"), "mine too").unwrap();
    let before = files_in(&here.path("out"));
    let run = here.svc(&["app", "preflight", "app", "--out-dir", "out"]).exits(3);
    assert!(run.stderr.contains("out: holds `notes.txt`, which is not part of the bundle"), "{}", run.stderr);
    assert_eq!(files_in(&here.path("out")), before);
    assert_eq!(names(&here), ["app", "out"], "nothing else is left behind");
}

#[test]
fn what_cannot_be_replaced_as_a_whole_is_refused() {
    let here = Workplace::new();
    fs::write(here.path("file"), "mine").unwrap();
    fs::create_dir(here.path("elsewhere")).unwrap();
    symlink("elsewhere", here.path("link")).unwrap();
    for out in ["file", "link", ".", "no/such/parent", "app", "/"] {
        here.svc(&["app", "preflight", "app", "--out-dir", out]).exits(3);
    }
    assert_eq!(fs::read(here.path("file")).unwrap(), b"mine");
    assert_eq!(files_in(&here.path("elsewhere")).unwrap().len(), 0);
    assert_eq!(names(&here), ["app", "elsewhere", "file", "link"]);
}

#[test]
fn errors_leave_the_old_bundle_as_it_is() {
    let here = Workplace::new();
    here.svc(&["app", "preflight", "app"]).exits(0);
    let before = files_in(&here.path("svc-registry"));
    here.set_version("latest");
    here.svc(&["app", "preflight", "app"]).exits(1);
    assert_eq!(files_in(&here.path("svc-registry")), before);
}

#[test]
fn the_bundle_is_the_seven_files_and_nothing_beside_it() {
    let here = Workplace::new();
    let run = here.svc(&["app", "preflight", "app"]).exits(0);
    let files = files_in(&here.path("svc-registry")).unwrap();
    assert_eq!(files.keys().collect::<Vec<_>>(), SEVEN_FILES.iter().collect::<Vec<_>>());
    assert_eq!(names(&here), ["app", "svc-registry"]);
    assert_eq!(run.stdout.matches("created   svc-registry/").count(), 7, "{}", run.stdout);
    here.svc(&["app", "verify", "svc-registry", "--package", "app"]).exits(0);
}

#[test]
fn a_second_run_touches_nothing_and_says_unchanged() {
    let here = Workplace::new();
    here.svc(&["app", "preflight", "app"]).exits(0);
    let written = modified(&here);
    let run = here.svc(&["app", "preflight", "app"]).exits(0);
    assert_eq!(run.stdout.matches("unchanged svc-registry/").count(), 7, "{}", run.stdout);
    assert_eq!(modified(&here), written);
}

#[test]
fn a_changed_package_replaces_all_seven() {
    let here = Workplace::new();
    here.svc(&["app", "preflight", "app"]).exits(0);
    let before = files_in(&here.path("svc-registry")).unwrap();
    here.set_version("1.3.0");
    let run = here.svc(&["app", "preflight", "app"]).exits(0);
    assert_eq!(run.stdout.matches("replaced  svc-registry/").count(), 7, "{}", run.stdout);
    let after = files_in(&here.path("svc-registry")).unwrap();
    assert!(SEVEN_FILES.iter().all(|name| before[*name] != after[*name]));
    assert_eq!(names(&here), ["app", "svc-registry"]);
}

#[test]
fn check_says_whether_a_bundle_is_current_and_writes_nothing() {
    let here = Workplace::new();
    here.svc(&["app", "preflight", "app", "--check"]).exits(5);
    assert_eq!(names(&here), ["app"]);
    here.svc(&["app", "preflight", "app"]).exits(0);
    here.svc(&["app", "preflight", "app", "--check"]).exits(0);
    let before = files_in(&here.path("svc-registry"));
    here.set_version("1.3.0");
    let run = here.svc(&["app", "preflight", "app", "--check"]).exits(5);
    assert_eq!(run.stdout.matches("stale     svc-registry/").count(), 7, "{}", run.stdout);
    assert_eq!(files_in(&here.path("svc-registry")), before);
}

#[test]
fn check_finds_one_changed_one_missing_and_one_foreign_file() {
    for (change, stale) in [
        ((|here: &Workplace| fs::write(here.path("svc-registry/svc-registry-index.json"), "{}").unwrap()) as fn(&_), 1),
        (|here| fs::remove_file(here.path("svc-registry/svc-registry-install-policy.json")).unwrap(), 1),
    ] {
        let here = Workplace::new();
        here.svc(&["app", "preflight", "app"]).exits(0);
        change(&here);
        let run = here.svc(&["app", "preflight", "app", "--check"]).exits(5);
        assert_eq!(run.stdout.matches("stale     ").count(), stale, "{}", run.stdout);
    }
}

/// A machine that reads the report alone must not take a stale bundle for a current one.
#[test]
fn every_format_names_the_file_that_is_stale() {
    let here = Workplace::new();
    here.svc(&["app", "preflight", "app"]).exits(0);
    let stale = "svc-registry/svc-registry-index.json";
    fs::write(here.path(stale), "{}").unwrap();
    for format in ["human", "concise", "json", "sarif", "junit", "github"] {
        let run = here.svc(&["app", "preflight", "app", "--check", "--format", format]).exits(5);
        let told = format!("{}{}", run.stdout, run.stderr);
        assert!(told.contains(stale) && told.contains("stale"), "{format}: {told}");
        assert!(format != "junit" || told.contains("failures=\"1\""), "{told}");
    }
}

#[test]
fn check_with_errors_ends_as_errors_do() {
    let here = Workplace::new();
    here.svc(&["app", "preflight", "app"]).exits(0);
    here.set_version("latest");
    here.svc(&["app", "preflight", "app", "--check"]).exits(1);
}

#[test]
fn a_bundle_inside_the_package_is_left_out_of_the_package() {
    let here = Workplace::new();
    let path = here.path("app/svc-app.json");
    let manifest = fs::read_to_string(&path).unwrap();
    fs::write(path, manifest.replace("\"dist/**\",", "\"dist/**\", \"**\",")).unwrap();
    fs::remove_file(here.path("app/.svcignore")).unwrap();
    let run = here.svc(&["app", "preflight", "app", "--out-dir", "app/bundle"]).exits(0);
    let again = here.svc(&["app", "preflight", "app", "--out-dir", "app/bundle"]).exits(0);
    assert_eq!(again.stdout.matches("unchanged app/bundle/").count(), 7, "{}", again.stdout);
    assert_eq!(artifact_line(&again.stdout), artifact_line(&run.stdout));
    here.svc(&["app", "verify", "app/bundle", "--package", "app"]).exits(0);
}

#[test]
fn what_a_killed_run_left_inside_the_package_does_not_stop_the_next_one() {
    let here = Workplace::new();
    let path = here.path("app/svc-app.json");
    let manifest = fs::read_to_string(&path).unwrap();
    fs::write(path, manifest.replace("\"dist/**\",", "\"dist/**\", \"**\",")).unwrap();
    fs::remove_file(here.path("app/.svcignore")).unwrap();
    here.svc(&["app", "preflight", "app", "--out-dir", "app/bundle"]).exits(0);
    fs::create_dir(here.path("app/.bundle.4194304-0.tmp")).unwrap();
    fs::write(here.path("app/.bundle.4194304-0.tmp/svc-registry-index.json"), "{").unwrap();
    let run = here.svc(&["app", "preflight", "app", "--out-dir", "app/bundle"]).exits(0);
    assert_eq!(run.stdout.matches("unchanged app/bundle/").count(), 7, "{}{}", run.stdout, run.stderr);
}

#[test]
fn the_owner_is_the_publisher_unless_one_is_given() {
    let here = Workplace::new();
    here.svc(&["app", "preflight", "app"]).exits(0);
    assert_eq!(owner(&here), serde_json::json!({ "id": "acme", "name": "Acme Ltd" }));
    here.svc(&["app", "preflight", "app", "--owner-id", "zoe"]).exits(0);
    assert_eq!(owner(&here), serde_json::json!({ "id": "zoe", "name": "zoe" }));
}

fn owner(here: &Workplace) -> serde_json::Value {
    let bytes = fs::read(here.path("svc-registry/svc-registry-submission.json")).unwrap();
    serde_json::from_slice::<serde_json::Value>(&bytes).unwrap()["owner"].clone()
}

fn artifact_line(text: &str) -> &str {
    text.lines().find(|line| line.starts_with("Artifact  ")).unwrap()
}

fn names(here: &Workplace) -> Vec<String> {
    let entries = fs::read_dir(here.folder()).unwrap();
    let mut names: Vec<String> = entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    names.sort();
    names
}

fn modified(here: &Workplace) -> Vec<SystemTime> {
    let time = |name: &&str| fs::metadata(here.path("svc-registry").join(name)).unwrap().modified().unwrap();
    SEVEN_FILES.iter().map(time).collect()
}

/// A fact with its report re-derived is the author's word, which every reader takes; the files tell.
#[test]
fn a_bundle_that_its_package_refutes_stands_nowhere() {
    let here = Workplace::new();
    fs::write(here.path("app/dist/more.js"), "export const more = 1;\n").unwrap();
    here.svc(&["app", "preflight", "app"]).exits(0);
    let holds = here.svc(&["app", "verify", "svc-registry", "--package", "app"]).exits(0);
    assert!(holds.stdout.contains("Stage     "), "{}", holds.stdout);
    // The same table under bytes that tell another fact.
    fs::write(here.path("app/dist/more.js"), "eval(more) // as long\n\n").unwrap();
    let refuted = here.svc(&["app", "verify", "svc-registry", "--package", "app"]);
    assert_ne!(refuted.code, Some(0));
    assert!(!refuted.stdout.contains("Stage     ") && refuted.stdout.contains("Valid     no"), "{}", refuted.stdout);
}
