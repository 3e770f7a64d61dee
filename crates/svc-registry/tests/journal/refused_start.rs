//! The real service on a damaged folder: it names the damage, and leaves every file for whoever mends it. The whole table
//! of damages is the journal's own test; here are one of each name, and every command.

use std::{
    collections::BTreeMap,
    fs,
    path::{Path, PathBuf},
};

use svc_json::digest::Digest;
use svc_proof::fault::JournalFaultKind::{self, Corrupt, Rewound, WrongKey};
use tempfile::TempDir;

use crate::{
    run::{Run, program},
    running::{Running, document, post},
};

const SQLITE: [&str; 4] = ["--journal", "sqlite", "--data-dir", "data"];
const SERVE: [&str; 3] = ["serve", "--bind", "127.0.0.1:0"];
const WAL: &str = "journal.sqlite3-wal";

/// A folder in which a service put this many answers on record and was killed, with a checkpoint of all of them.
fn killed(answers: u64) -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    let running = Running::start(folder.path(), &SQLITE);
    (0..answers).for_each(|_| assert_eq!(running.status(&post("", &document())), 200));
    let checkpoint = folder.path().join("data/journal.checkpoint");
    let size = || fs::read_to_string(&checkpoint).unwrap().lines().nth(1).unwrap().parse::<u64>().unwrap();
    for _ in 0..500 {
        if size() == answers {
            break;
        }
        std::thread::sleep(std::time::Duration::from_millis(20));
    }
    assert_eq!(size(), answers);
    folder
}

fn state(folder: &Path) -> BTreeMap<PathBuf, String> {
    let files = fs::read_dir(folder.join("data")).unwrap().map(|entry| entry.unwrap().path());
    let state = files.map(|path| (path.clone(), Digest::of(&fs::read(path).unwrap()).to_string()));
    state.filter(|(path, _)| !path.to_string_lossy().ends_with("-shm")).collect()
}

fn run(folder: &Path, command: &[&str]) -> Run {
    Run::of(&mut program(folder, &[command, &SQLITE].concat()))
}

/// The records that a start tells of.
fn started(folder: &Path) -> String {
    let ran = run(folder, &["journal", "init"]).exits(0);
    ran.stdout.lines().next().unwrap().to_owned()
}

#[test]
fn a_refused_start_names_the_damage_and_leaves_every_file_as_it_was() {
    let folder = killed(30);
    let file = |name: &str| folder.path().join("data").join(name);
    let flip = |bytes: &mut Vec<u8>, at: usize| bytes[at] ^= 1;
    type Change = Box<dyn Fn(&mut Vec<u8>)>;
    let damages: Vec<(&str, Change, i32, JournalFaultKind)> = vec![
        (WAL, Box::new(move |bytes| flip(bytes, 20)), 4, Corrupt),
        (WAL, Box::new(move |bytes| flip(bytes, 32 + 5 * 8216 + 100)), 4, Corrupt),
        (WAL, Box::new(|bytes| bytes.truncate(20_000)), 4, Corrupt),
        (WAL, Box::new(Vec::clear), 4, Rewound),
        ("journal.sqlite3", Box::new(Vec::clear), 4, Rewound),
        ("journal.sqlite3", Box::new(move |bytes| flip(bytes, 3)), 4, Corrupt),
        ("journal.checkpoint", Box::new(move |bytes| flip(bytes, 60)), 4, Corrupt),
        ("journal.checkpoint", Box::new(Vec::clear), 4, Corrupt),
        ("journal.checkpoint", Box::new(|bytes| bytes.truncate(50)), 4, Corrupt),
        ("journal.key", Box::new(move |bytes| flip(bytes, 60)), 2, WrongKey),
        ("journal.key", Box::new(Vec::clear), 2, WrongKey),
    ];
    for (name, change, exit, kind) in damages {
        let whole = fs::read(file(name)).unwrap();
        let mut changed = whole.clone();
        change(&mut changed);
        fs::write(file(name), &changed).unwrap();
        let before = state(folder.path());
        let refused = run(folder.path(), &SERVE).exits(exit);
        let told = refused.stderr.split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(told.contains(kind.code()) && told.contains(kind.help()), "{name}: {}", refused.stderr);
        assert_eq!(state(folder.path()), before, "{name}: {}", refused.stderr);
        for command in [
            &["journal", "list"][..],
            &["journal", "show", "1"],
            &["journal", "verify"],
            &["journal", "prove", "1"],
            &["journal", "export", "out"],
            &["journal", "init"],
            &["journal", "announce-key"],
            &["journal", "rotate-key", "--at-once"],
        ] {
            let _ = run(folder.path(), command);
            let _ = fs::remove_dir_all(folder.path().join("out"));
            assert_eq!(state(folder.path()), before, "{name}: {command:?}");
        }
        fs::write(file(name), whole).unwrap();
    }
    assert!(started(folder.path()).starts_with("journal of 30 records"));
}

#[test]
fn commands_that_read_leave_every_file_as_it_was() {
    let folder = killed(3);
    let before = state(folder.path());
    for command in
        [&["journal", "list"][..], &["journal", "verify"], &["journal", "prove", "1"], &["journal", "export", "out"]]
    {
        run(folder.path(), command).exits(0);
        assert_eq!(state(folder.path()), before, "{command:?}");
    }
}

#[test]
fn a_terminated_service_leaves_one_whole_file() {
    let folder = tempfile::tempdir().unwrap();
    let running = Running::start(folder.path(), &SQLITE);
    (0..10).for_each(|_| assert_eq!(running.status(&post("", &document())), 200));
    run(folder.path(), &["journal", "verify"]).exits(0);
    running.terminate();
    assert!(running.ended().0.success());
    assert_eq!(fs::metadata(folder.path().join("data").join(WAL)).map_or(0, |found| found.len()), 0);
    let copy = tempfile::tempdir().unwrap();
    fs::create_dir(copy.path().join("data")).unwrap();
    for name in ["journal.sqlite3", "journal.key", "journal.checkpoint"] {
        fs::copy(folder.path().join("data").join(name), copy.path().join("data").join(name)).unwrap();
    }
    assert!(started(copy.path()).starts_with("journal of 10 records"));
    run(copy.path(), &["journal", "verify"]).exits(0);
}
