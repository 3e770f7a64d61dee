//! Reports never replace what a run reads or writes, and one that cannot be written stops the run before it does anything.

use std::{collections::BTreeMap, fs, path::PathBuf};

use crate::workplace::Workplace;

type Everything = BTreeMap<PathBuf, Vec<u8>>;

/// Every file below the folder, with its bytes.
fn everything(here: &Workplace) -> Everything {
    let files = here.listing().into_iter().filter(|path| path.is_file());
    files.map(|path| (path.clone(), fs::read(&path).unwrap())).collect()
}

/// Refused with exit code 2, and everything is as it was.
fn refused(here: &Workplace, arguments: &[&str], why: &str) {
    let before = everything(here);
    let run = here.svc(arguments).exits(2);
    assert!(run.stderr.contains(why), "{arguments:?}: {}", run.stderr);
    assert!(run.stderr.contains("= help: "), "{arguments:?}: {}", run.stderr);
    assert!(everything(here) == before, "{arguments:?} changed a file");
}

#[test]
fn a_report_that_is_a_file_of_the_package_is_refused() {
    let here = Workplace::new();
    fs::write(here.path("app/svc.toml"), "deny-warnings = true\n").unwrap();
    for file in ["README.md", "dist/app.js", "svc-app.json", "svc.toml", "dist/../README.md"] {
        let report = format!("json=app/{file}");
        for command in [&["app", "check", "app"][..], &["preflight", "app"], &["app", "validate", "app/svc-app.json"]] {
            refused(&here, &[command, &["--format", &report]].concat(), "must not be the file of a report");
        }
    }
    here.svc(&["app", "check", "app", "--format", "json=app/report.json"]).exits(0);
    here.svc(&["app", "check", "app", "--format", "json=app/report.json"]).exits(0);
}

#[test]
fn a_report_in_a_bundle_that_the_run_writes_or_reads_is_refused() {
    let here = Workplace::new();
    let index = "svc-registry-index.json";
    refused(&here, &["preflight", "app", "--out-dir", "new", "--format", &format!("json=new/{index}")], "writes there");
    refused(&here, &["preflight", "app", "--out-dir", "new", "--format", "json=new/report.json"], "writes there");
    refused(&here, &["preflight", "app", "--format", "json=svc-registry/report.json"], "writes there");
    here.svc(&["preflight", "app", "--out-dir", "b"]).exits(0);
    let report = format!("sarif=b/{index}");
    refused(&here, &["app", "verify", "b", "--format", &report], "artifact of the bundle");
    refused(&here, &["app", "validate", "b", "--format", &report], "artifact of the bundle");
    refused(&here, &["app", "report", "b", "--against", "b", "--format", &report], "artifact of the bundle");
    refused(&here, &["app", "validate", &format!("b/{index}"), "--format", &report], "the run reads it");
    fs::create_dir_all(here.path("b-answers/one")).unwrap();
    refused(&here, &["app", "verify", "b", "--format", "json=b-answers/one/index.json"], "answered");
    refused(&here, &["app", "report", "b", "--out", "b-answers/one/index.json"], "answered");
}

#[test]
fn a_report_that_is_another_output_is_refused() {
    let here = Workplace::new();
    refused(&here, &["app", "pack", "app", "--out", "x.json", "--format", "json=./x.json"], "writes there");
    refused(&here, &["check", "app", "--format", "json=x", "--format", "sarif=./x"], "another report");
    here.svc(&["preflight", "app", "--out-dir", "b"]).exits(0);
    refused(&here, &["app", "report", "b", "--out", "y.md", "--format", "json=y.md"], "writes there");
}

#[test]
fn a_report_that_cannot_be_written_stops_the_run_before_it_writes() {
    let here = Workplace::new();
    fs::create_dir(here.path("folder")).unwrap();
    let before = everything(&here);
    for report in ["sarif=no/such/x", "sarif=folder", "sarif=app/README.md/x"] {
        here.svc(&["preflight", "app", "--out-dir", "new", "--format", report]).exits(3);
        here.svc(&["app", "pack", "app", "--out", "new.json", "--format", report]).exits(3);
    }
    assert!(everything(&here) == before && !here.path("new").exists());
}
