//! The committed contracts of this repository, and copies of them with something wrong.

use std::{fs, path::Path};

use crate::run::{Run, copy_folder, program, repository};

fn local(folder: &Path, arguments: &[&str]) -> Run {
    Run::of(&mut program(folder, &[&["verify", "local"][..], arguments].concat()))
}

#[test]
fn this_repository_is_closed_as_declared() {
    let run = local(&repository(""), &[]).exits(0);
    assert!(run.stdout.ends_with("\nCLOSED as declared\n"), "{}", run.stdout);
    let words = run.stdout.lines().find(|line| line.starts_with("artifact-signing")).unwrap();
    assert_eq!(words.matches("unsigned").count(), 4, "{words}");
    for word in ["✓", "✔", "passed", "score", "grade", "%"] {
        assert!(!run.stdout.contains(word), "{word} in {}", run.stdout);
    }
}

#[test]
fn a_ledger_edited_on_disk_is_told_in_a_table_of_all_sides() {
    let folder = tempfile::tempdir().unwrap();
    copy_folder(&repository("contracts"), &folder.path().join("contracts"));
    local(folder.path(), &[]).exits(0);
    let ledger = folder.path().join("contracts/hosted-registry-readiness-contract.json");
    let text = fs::read_to_string(&ledger).unwrap();
    fs::write(&ledger, text.replace("\"unverified\"", "\"verified\"")).unwrap();
    let run = local(folder.path(), &[]).exits(7);
    let row = run.stdout.lines().find(|line| line.starts_with("publisher-verification")).unwrap();
    let words: Vec<&str> = row.split_whitespace().take(5).collect();
    assert_eq!(words, ["publisher-verification", "unverified", "verified", "unverified", "unverified"]);
    assert!(
        run.stdout
            .ends_with("NOT as declared: open-claim, gate-differs, wrong-wording, contract-drift  (exit code 7)\n"),
        "{}",
        run.stdout
    );
}

#[test]
fn without_contracts_there_is_nothing_to_verify() {
    let folder = tempfile::tempdir().unwrap();
    let run = local(folder.path(), &[]).exits(3);
    assert!(run.stderr.contains("give --contracts DIR"), "{}", run.stderr);
    assert_eq!(run.stdout, "");
    fs::create_dir(folder.path().join("contracts")).unwrap();
    let run = local(folder.path(), &[]).exits(1);
    assert!(run.stderr.contains("error[file-missing]: `hosted-registry-readiness-contract.json` is missing"));
    fs::create_dir_all(folder.path().join("more/approvals")).unwrap();
    copy_folder(&repository("contracts"), &folder.path().join("more"));
    let run = local(folder.path(), &["--contracts", "more"]).exits(5);
    assert!(run.stderr.contains("nothing generates `approvals/`"), "{}", run.stderr);
}
