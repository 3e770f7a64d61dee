//! Seed 4.1: the thirteen commands, their order, their inputs and their outputs.

use std::collections::BTreeSet;
use std::fs;
use std::time::SystemTime;

use crate::bundle::{Bundle, example, files_in, step, svc, validate};
use crate::words::{File, PACKAGE_MANIFEST, SEVEN_FILES, SUBMISSION, THIRTEEN_COMMANDS};

#[test]
fn the_thirteen_commands_run_in_order_and_leave_exactly_the_seven_files() {
    let folder = tempfile::tempdir().unwrap();
    let mut expected = BTreeSet::new();
    for row in &THIRTEEN_COMMANDS {
        step(folder.path(), row, &example(), &[]).exits(0);
        expected.extend(row.output.map(str::to_owned));
        let found: BTreeSet<String> = files_in(folder.path()).into_keys().collect();
        assert_eq!(found, expected, "after {}", row.subcommand);
    }
    let seven: BTreeSet<String> = SEVEN_FILES.iter().map(|file| file.name.to_owned()).collect();
    assert_eq!(expected, seven);
}

#[test]
fn a_second_run_leaves_every_file_alone_and_says_unchanged() {
    let bundle = Bundle::of_the_example();
    let before = bundle.files();
    let written = write_times(&bundle);
    for row in &THIRTEEN_COMMANDS {
        let run = step(bundle.folder(), row, &example(), &[]);
        run.exits(0);
        if row.output.is_some() {
            run.mentions("unchanged");
        }
    }
    assert!(bundle.files() == before, "the second run changed bytes");
    assert_eq!(write_times(&bundle), written, "the second run wrote a file again");
}

fn write_times(bundle: &Bundle) -> Vec<SystemTime> {
    let time = |file: &File| fs::metadata(bundle.path(file.name)).unwrap().modified().unwrap();
    SEVEN_FILES.iter().map(time).collect()
}

#[test]
fn subcommands_read_the_inputs_the_seed_names() {
    let bundle = Bundle::of_the_example();
    let before = bundle.files();
    for row in THIRTEEN_COMMANDS.iter().filter(|row| row.input != PACKAGE_MANIFEST) {
        for file in &SEVEN_FILES {
            let elsewhere = tempfile::tempdir().unwrap();
            let run = svc(elsewhere.path(), row.subcommand, &bundle.path(file.name), &[], &[]);
            let written = files_in(elsewhere.path());
            if file.name == row.input {
                run.exits(0);
                let expected = row.output.map(|name| (name.to_owned(), before[name].clone()));
                assert!(written == expected.into_iter().collect(), "{}", row.subcommand);
            } else {
                run.exits(1);
                assert!(written.is_empty(), "{} wrote from {}", row.subcommand, file.name);
            }
        }
    }
    assert!(bundle.files() == before, "a command changed its input");
}

#[test]
fn each_file_names_the_parent_the_seed_gives_it() {
    let bundle = Bundle::of_the_example();
    let submission = bundle.json(SUBMISSION);
    assert_eq!(submission["derivedFrom"], serde_json::json!([]));
    for file in &SEVEN_FILES {
        let Some(parent) = file.parent else { continue };
        let document = bundle.json(file.name);
        let digest = bundle.json(&format!("{parent}.json"))["documentDigest"].clone();
        if let Some(entries) = document["entries"].as_array() {
            assert_eq!(entries.len(), 1, "{}", file.name);
            assert_eq!(entries[0]["submissionDigest"], digest, "{}", file.name);
            assert_eq!(entries[0]["submission"], submission, "{}", file.name);
        } else {
            let link = serde_json::json!([{ "kind": parent, "digest": digest }]);
            assert_eq!(document["derivedFrom"], link, "{}", file.name);
        }
    }
}

#[test]
fn every_file_is_valid_for_its_own_judge() {
    let bundle = Bundle::of_the_example();
    for file in &SEVEN_FILES {
        validate(file.validate, &bundle.path(file.name)).exits(0);
        validate("validate", &bundle.path(file.name)).exits(0);
    }
}
