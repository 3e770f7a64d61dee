//! Several packages in one run: a bundle each, and one index over all of them.

use std::fs;

use serde_json::Value;

use crate::{
    run::{Run, copy_folder, program},
    workplace::Workplace,
};

const OTHER: &str = "dev.acme.other";
const FIRST: &str = "dev.acme.weather-board";

/// The example twice, under two ids.
fn two() -> Workplace {
    let here = Workplace::new();
    copy_folder(&here.path("app"), &here.path("other"));
    let manifest = fs::read_to_string(here.path("other/svc-app.json")).unwrap();
    fs::write(here.path("other/svc-app.json"), manifest.replace(FIRST, OTHER)).unwrap();
    here
}

fn json(here: &Workplace, path: &str) -> Value {
    serde_json::from_slice(&fs::read(here.path(path)).unwrap()).unwrap()
}

#[test]
fn several_packages_have_one_index_and_each_a_bundle_as_if_it_were_alone() {
    let here = two();
    let run = here.svc(&["preflight", "app", "other", "--out-dir", "all"]).exits(0).stdout;
    assert!(run.contains("created   all/svc-registry-index.json"), "{run}");
    for id in [FIRST, OTHER] {
        assert!(run.contains(&format!("Package   {id} ")), "{run}");
    }
    let index = json(&here, "all/svc-registry-index.json");
    assert_eq!(index["entries"].as_array().unwrap().len(), 2);
    here.svc(&["preflight", "other", "--out-dir", "alone"]).exits(0);
    for file in fs::read_dir(here.path("alone")).unwrap() {
        let name = file.unwrap().file_name().into_string().unwrap();
        let alone = fs::read(here.path(&format!("alone/{name}"))).unwrap();
        assert_eq!(fs::read(here.path(&format!("all/{OTHER}/{name}"))).unwrap(), alone, "{name}");
    }
    here.svc(&["app", "verify", "all"]).exits(0);
    here.svc(&["app", "verify", &format!("all/{OTHER}"), "--package", "other"]).exits(0);
    here.svc(&["app", "registry-validate", "all/svc-registry-index.json"]).exits(0);
    let again = here.svc(&["preflight", "app", "other", "--out-dir", "all"]).exits(0).stdout;
    assert!(again.contains("unchanged all/svc-registry-index.json"), "{again}");
    here.svc(&["preflight", "other", "app", "--out-dir", "all", "--check"]).exits(0);
    let stands = here.svc(&["lifecycle", "all"]).exits(0).stdout;
    for id in [FIRST, OTHER] {
        assert!(stands.contains(&format!("Package   {id} 1.2.0\nStage     ")), "{stands}");
    }
    assert!(stands.find("Yours ").unwrap() < stands.find("Gates ").unwrap(), "{stands}");
}

#[test]
fn one_package_that_fails_stops_all_and_every_one_is_told() {
    let here = two();
    for app in ["app", "other"] {
        let path = here.path(&format!("{app}/svc-app.json"));
        let broken = fs::read_to_string(&path).unwrap().replace("\"1.2.0\"", "\"1.2\"");
        fs::write(path, broken).unwrap();
    }
    let run = here.svc(&["preflight", "app", "other", "--out-dir", "all"]).exits(1);
    for app in ["app", "other"] {
        assert!(run.stderr.contains(&format!("--> {app}/svc-app.json:")), "{}", run.stderr);
    }
    assert!(!here.path("all").exists());
}

#[test]
fn two_packages_of_one_id_are_refused_by_name() {
    let here = Workplace::new();
    copy_folder(&here.path("app"), &here.path("copy"));
    let run = here.svc(&["preflight", "app", "copy"]).exits(2);
    assert!(run.stderr.contains("app/svc-app.json and copy/svc-app.json"), "{}", run.stderr);
    assert!(!here.path("svc-registry").exists());
}

#[test]
fn a_collection_that_was_meddled_with_is_found_out() {
    type Meddle = fn(&Workplace);
    let cases: [(&str, Meddle, &str); 5] = [
        (
            "a bundle is gone",
            |here| fs::remove_dir_all(here.path(&format!("all/{OTHER}"))).unwrap(),
            "and there is no such bundle",
        ),
        (
            "one bundle stands in the folder of another",
            |here| {
                fs::remove_dir_all(here.path(&format!("all/{OTHER}"))).unwrap();
                copy_folder(&here.path(&format!("all/{FIRST}")), &here.path(&format!("all/{OTHER}")));
            },
            "the folder holds the bundle of",
        ),
        (
            "a bundle of another version",
            |here| {
                let path = here.path("other/svc-app.json");
                fs::write(&path, fs::read_to_string(&path).unwrap().replace("\"1.2.0\"", "\"1.3.0\"")).unwrap();
                fs::remove_dir_all(here.path(&format!("all/{OTHER}"))).unwrap();
                here.svc(&["preflight", "other", "--out-dir", &format!("all/{OTHER}")]).exits(0);
            },
            "the index does not hold the bundle's submission",
        ),
        (
            "the index of one bundle stands for all",
            |here| {
                let own = here.path(&format!("all/{OTHER}/svc-registry-index.json"));
                fs::copy(own, here.path("all/svc-registry-index.json")).unwrap();
            },
            "the index does not hold the bundle's submission",
        ),
        (
            "an artifact of a bundle is changed",
            |here| {
                let path = here.path(&format!("all/{OTHER}/svc-registry-signing-request.json"));
                fs::write(&path, fs::read_to_string(&path).unwrap().replace(OTHER, "dev.acme.third")).unwrap();
            },
            "SVC-B",
        ),
    ];
    for (what, meddle, expected) in cases {
        let here = two();
        here.svc(&["preflight", "app", "other", "--out-dir", "all"]).exits(0);
        meddle(&here);
        let run = Run::of(&mut program(here.folder(), &["app", "verify", "all"]));
        assert_ne!(run.code, Some(0), "{what}: {}", run.stdout);
        assert!(run.stderr.contains(expected), "{what}: {}", run.stderr);
        assert!(!run.stdout.contains("Package "), "{what}: {}", run.stdout);
    }
}

#[test]
fn a_package_that_left_is_stale_and_then_goes() {
    let here = two();
    copy_folder(&here.path("app"), &here.path("third"));
    let manifest = fs::read_to_string(here.path("third/svc-app.json")).unwrap();
    fs::write(here.path("third/svc-app.json"), manifest.replace(FIRST, "dev.acme.third")).unwrap();
    here.svc(&["preflight", "app", "other", "third", "--out-dir", "all"]).exits(0);
    let check = here.svc(&["preflight", "app", "other", "--out-dir", "all", "--check"]).exits(5).stdout;
    assert!(check.contains("stale     all/dev.acme.third\n"), "{check}");
    here.svc(&["preflight", "app", "other", "--out-dir", "all"]).exits(0);
    assert!(!here.path("all/dev.acme.third").exists());
    here.svc(&["app", "verify", "all"]).exits(0);
}

#[test]
fn a_command_about_one_bundle_asks_for_one() {
    let here = two();
    here.svc(&["preflight", "app", "other", "--out-dir", "all"]).exits(0);
    for command in [&["report", "all", "--out", "page.html"][..], &["app", "verify", "all", "--package", "app"]] {
        let run = Run::of(&mut program(here.folder(), command));
        assert_ne!(run.code, Some(0), "{command:?}");
        assert!(run.stderr.contains("holds the bundles of several packages"), "{}", run.stderr);
    }
    here.svc(&["report", &format!("all/{OTHER}"), "--out", "page.html"]).exits(0);
}

#[test]
fn every_bundle_in_a_folder_of_several_is_validated() {
    let here = two();
    here.svc(&["preflight", "app", "other", "--out-dir", "all"]).exits(0);
    let told = here.svc(&["validate", "all"]).exits(0).stdout;
    assert_eq!(told.matches("valid     all/").count(), 15, "{told}");
    for command in ["plan", "inspect"] {
        let run = here.svc(&[command, "all"]).exits(3);
        assert!(run.stderr.contains("the bundles of several packages"), "{command}: {}", run.stderr);
    }
    let told = here.svc(&["app", "verify", "all"]).exits(0).stdout;
    assert!(!told.contains("give --package FOLDER"), "{told}");
    let told = here.svc(&["validate", "all", "app"]).exits(0).stdout;
    assert!(told.contains("Checked   nothing for every document\n"), "{told}");
    let inner = fs::read_dir(here.path("all")).unwrap().map(|entry| entry.unwrap().path()).find(|path| path.is_dir());
    let submission = inner.unwrap().join("svc-registry-submission.json");
    let open = fs::read_to_string(&submission).unwrap().replacen("\"accepted\": false", "\"accepted\": true", 1);
    fs::write(&submission, open).unwrap();
    here.svc(&["validate", "all"]).exits(7);
}

#[test]
fn a_comparison_with_nothing_is_not_called_checked() {
    let here = Workplace::new();
    let told = here.svc(&["preflight", "app", "--check", "--out-dir", "none"]).exits(5).stdout;
    assert!(told.contains("Not       bundle on disk: nothing is there to compare with\n"), "{told}");
}

#[test]
fn a_report_says_what_it_checked_of_the_other_bundle() {
    let here = Workplace::new();
    for folder in ["one", "two"] {
        here.svc(&["preflight", "app", "--out-dir", folder]).exits(0);
    }
    fs::write(here.path("two/odd.txt"), "x").unwrap();
    let told = here.svc(&["app", "report", "one", "--against", "two", "--out", "page.md"]).exits(0).stdout;
    assert!(told.contains("valid     two/svc-registry-submission.json"), "{told}");
    assert!(told.contains("Not       other files in the folder"), "{told}");
    let page = fs::read_to_string(here.path("page.md")).unwrap();
    let with = here.svc(&["app", "report", "one", "--package", "app", "--out", "-", "--markdown"]).exits(0).stdout;
    for page in [page, with] {
        assert!(page.contains("digests recomputed, not from package files"), "{page}");
    }
}
