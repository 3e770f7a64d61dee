//! Files that were not read are not called missing, and nothing is said of what they do not contain.

use std::{fs, os::unix::fs::symlink};

use crate::workplace::Workplace;

fn linked() -> Workplace {
    let here = Workplace::new();
    here.svc(&["preflight", "app", "--out-dir", "b"]).exits(0);
    fs::rename(here.path("app/dist/app.js"), here.path("app.js")).unwrap();
    symlink(here.path("app.js"), here.path("app/dist/app.js")).unwrap();
    here
}

#[test]
fn a_script_that_is_a_link_is_not_called_missing_and_nothing_is_said_of_its_code() {
    let here = linked();
    let run = here.svc(&["check", "app"]).exits(1);
    assert!(run.stderr.contains("SVC-F014"), "{}", run.stderr);
    assert!(!run.stderr.contains("no code"), "{}", run.stderr);
    let run = here.svc(&["app", "verify", "b", "--package", "app"]).exits(4);
    assert!(run.stderr.contains("not the file that was packed: it is a symbolic link"), "{}", run.stderr);
    assert!(!run.stderr.contains("not on disk") && !run.stderr.contains("no code"), "{}", run.stderr);
}

#[test]
fn a_script_that_is_too_large_to_read_is_not_called_missing() {
    let here = Workplace::new();
    here.svc(&["preflight", "app", "--out-dir", "b"]).exits(0);
    fs::File::create(here.path("app/dist/app.js")).unwrap().set_len(1 << 40).unwrap();
    for run in [&["check", "app"][..], &["app", "verify", "b", "--package", "app"]] {
        let run = here.svc(run).exits(1);
        assert!(run.stderr.contains("SVC-F004"), "{}", run.stderr);
        assert!(!run.stderr.contains("not on disk") && !run.stderr.contains("no code"), "{}", run.stderr);
    }
}

#[test]
fn a_file_that_is_left_out_by_now_is_not_called_missing() {
    let here = Workplace::new();
    here.svc(&["preflight", "app", "--out-dir", "b"]).exits(0);
    fs::write(here.path("app/.svcignore"), "dist/app.js\n").unwrap();
    let run = here.svc(&["app", "verify", "b", "--package", "app"]).exits(4);
    assert!(run.stderr.contains("`dist/app.js` was packed, and is left out of the package now"), "{}", run.stderr);
    assert!(!run.stderr.contains("not on disk"), "{}", run.stderr);
}

#[test]
fn nothing_is_said_of_code_where_the_files_are_elsewhere() {
    let here = Workplace::new();
    fs::create_dir(here.path("alone")).unwrap();
    fs::copy(here.path("app/svc-app.json"), here.path("alone/svc-app.json")).unwrap();
    let run = here.svc(&["validate", "alone"]).exits(1);
    assert!(!run.stderr.contains("no code"), "{}", run.stderr);
}

#[test]
fn every_run_that_reads_a_package_says_that_files_are_left_out() {
    let here = Workplace::new();
    let runs: [&[&str]; 5] = [
        &["check", "app"],
        &["validate", "app"],
        &["app", "pack", "app", "--out", "x.json"],
        &["preflight", "app", "--out-dir", "b"],
        &["app", "verify", "b", "--package", "app"],
    ];
    let note = "Not       files that are left out: ";
    let told = |run: &[&str]| here.svc(run).exits(0).stdout;
    fs::write(here.path("app/notes.txt"), "x").unwrap();
    fs::write(here.path("app/.svcignore"), "notes.txt\n").unwrap();
    for run in runs {
        let told = told(run);
        assert!(told.contains(note), "{run:?}: {told}");
    }
}
