//! What the author's part says of commands that it does not have.

use crate::run::{Run, svc};

#[test]
fn a_command_that_was_left_out_says_how_to_get_it() {
    let folder = tempfile::tempdir().unwrap();
    let cases: [&[&str]; 7] = [
        &["serve"],
        &["serve", "--bind", "127.0.0.1:0"],
        &["serve", "--help"],
        &["token", "create", "ci", "--file", "tokens.json"],
        &["verify", "local"],
        &["verify", "hosted", "http://127.0.0.1:1", "--artifact-dir", "bundle"],
        &["journal", "check-receipt", "receipt.json", "--public-key", "journal.pub"],
    ];
    for arguments in cases {
        let run = Run::of(&mut svc(folder.path(), arguments)).exits(2);
        assert_eq!(run.stdout, "");
        let told =
            format!("error: `{}` is not part of this build\n  = help: build with the feature `server`", arguments[0]);
        assert!(run.stderr.starts_with(&told), "{}", run.stderr);
    }
    assert_eq!(folder.path().read_dir().unwrap().count(), 0, "nothing is written");
}

#[test]
fn a_command_that_was_left_out_says_so_to_machines() {
    let folder = tempfile::tempdir().unwrap();
    let run = Run::of(&mut svc(folder.path(), &["--format", "json", "serve"])).exits(2);
    assert!(run.stdout.contains("`serve` is not part of this build"), "{}", run.stdout);
}

#[test]
fn help_names_what_was_left_out() {
    let folder = tempfile::tempdir().unwrap();
    let help = Run::of(&mut svc(folder.path(), &["--help"])).exits(0).stdout;
    for name in ["serve", "token", "verify", "journal", "events"] {
        let line = help.lines().find(|line| line.trim_start().starts_with(name)).unwrap();
        assert!(line.contains("Not part of this build"), "{line}");
    }
}
