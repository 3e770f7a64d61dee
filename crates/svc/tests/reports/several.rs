//! Several reports of one run, each to its file.

use std::fs;

use serde_json::Value;

use crate::{
    packages::Package,
    run::{Run, program},
};

const FORMATS: [&str; 6] = ["human", "concise", "json", "sarif", "junit", "github"];

#[test]
fn one_run_writes_all_six_and_each_is_the_one_that_would_be_printed() {
    for package in [Package::complete(), Package::with_thirteen_errors()] {
        let targets = FORMATS.map(|format| format!("--format={format}={format}.out"));
        let run = package.preflight(&targets.each_ref().map(String::as_str));
        let human = fs::read_to_string(package.path("human.out")).unwrap();
        assert_eq!(human, run.stderr + &run.stdout, "people still get theirs on the terminal");
        for format in &FORMATS[1..] {
            let written = fs::read_to_string(package.path(&format!("{format}.out"))).unwrap();
            let printed = fresh(&package).report(format);
            assert_eq!(written, printed, "{format}");
        }
    }
}

#[test]
fn the_terminal_takes_one_format_and_files_take_the_others() {
    let package = Package::complete();
    let run = package.preflight(&["--format", "json", "--format", "sarif=out.sarif"]).exits(0);
    let report: Value = serde_json::from_str(&run.stdout).unwrap();
    assert_eq!(report["schema"], "svc.diagnostics/v1");
    assert!(package.path("out.sarif").is_file());
}

#[test]
fn two_formats_for_the_terminal_are_refused_and_nothing_is_written() {
    let package = Package::complete();
    package.preflight(&["--format", "json", "--format", "sarif"]).exits(2);
    let run = package.preflight(&["--format", "sarf"]).exits(2);
    assert!(run.stderr.contains("did you mean `sarif`?"), "{}", run.stderr);
    package.preflight(&["--format", "sarif="]).exits(2);
    assert!(package.written().is_empty(), "{:?}", package.written());
}

#[test]
fn a_report_that_cannot_be_written_is_said() {
    let package = Package::complete();
    let run = package.preflight(&["--format", "sarif=no/such/folder.sarif"]).exits(3);
    assert!(run.stderr.contains("no/such/folder.sarif: "), "{}", run.stderr);
}

#[test]
fn a_stop_reaches_every_file() {
    let package = Package::complete();
    let targets = FORMATS.map(|format| format!("--format={format}={format}.out"));
    Run::of(program(package.folder(), &["app", "preflight", "no/such.json"]).args(&targets)).exits(3);
    for format in FORMATS {
        let text = fs::read_to_string(package.path(&format!("{format}.out"))).unwrap();
        assert!(text.contains("no/such.json"), "{format}: {text}");
    }
}

/// The same package in a folder that no run has written to.
fn fresh(package: &Package) -> Package {
    let copy = Package::copy_of("examples/minimal");
    fs::remove_dir_all(copy.path("app")).unwrap();
    crate::run::copy_folder(&package.path("app"), &copy.path("app"));
    copy
}
