//! Whatever the service makes is for its owner alone, also when nobody told it so.

use std::{fs, os::unix::fs::PermissionsExt as _, path::Path, process::Command};

use crate::{
    run::{Run, program},
    running::{Running, document, post},
};

fn mode(path: &Path) -> u32 {
    fs::metadata(path).unwrap().permissions().mode() & 0o7777
}

/// The modes of all files of a folder, each with its name.
fn modes(folder: &Path) -> Vec<(String, u32)> {
    let files = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    let mut modes: Vec<_> =
        files.map(|path| (path.file_name().unwrap().to_string_lossy().into_owned(), mode(&path))).collect();
    modes.sort();
    modes
}

/// A shell whose mask takes nothing away, which then becomes the program.
fn without_mask(folder: &Path, arguments: &[&str]) -> Command {
    let plain = program(folder, arguments);
    let mut shell = Command::new("sh");
    shell
        .current_dir(folder)
        .args(["-c", "umask 000 && exec \"$@\"", "sh"])
        .arg(plain.get_program())
        .args(plain.get_args());
    shell
}

#[test]
fn files_and_folders_are_private_whatever_the_mask_and_the_folder_allow() {
    let folder = tempfile::tempdir().unwrap();
    fs::create_dir(folder.path().join("open")).unwrap();
    fs::set_permissions(folder.path().join("open"), fs::Permissions::from_mode(0o777)).unwrap();
    for data in ["made/below", "open"] {
        Run::of(&mut without_mask(folder.path(), &["journal", "init", "--journal", "sqlite", "--data-dir", data]))
            .exits(0);
        let running = Running::start_as(
            without_mask(folder.path(), &["serve", "--bind", "127.0.0.1:0", "--journal", "sqlite", "--data-dir", data]),
            folder.path(),
        );
        for _ in 0..3 {
            assert_eq!(running.status(&post("", &document())), 200);
        }
        let found = modes(&folder.path().join(data));
        for name in ["journal.checkpoint", "journal.key", "journal.lock", "journal.sqlite3", "journal.sqlite3-wal"] {
            assert!(found.iter().any(|(there, _)| there == name), "{name}: {found:?}");
        }
        assert!(found.iter().all(|(_, mode)| *mode == 0o600), "{found:?}");
        running.terminate();
        assert!(running.ended().0.success());
        Run::of(&mut without_mask(
            folder.path(),
            &["journal", "rotate-key", "--at-once", "--journal", "sqlite", "--data-dir", data],
        ))
        .exits(0);
        let found = modes(&folder.path().join(data));
        assert!(found.iter().all(|(_, mode)| *mode == 0o600), "{found:?}");
    }
    for made in ["made", "made/below"] {
        assert_eq!(mode(&folder.path().join(made)), 0o700, "{made}");
    }
}
