//! Who asked, and about which package: told to those who may read it, part of nothing that is proven, and deleted for good.

use std::{
    collections::BTreeMap,
    fs,
    path::{Path, PathBuf},
    process::Command,
};

use serde_json::{Value, json};
use tempfile::TempDir;

use crate::{
    run::{Run, program},
    running::{Running, document, post},
};

const SQLITE: [&str; 4] = ["--journal", "sqlite", "--data-dir", "data"];

/// Words that only the names hold.
const NAMES: [&str; 3] = ["acme", "weather-board", "token-of-ci"];

/// A folder with tokens, a journal of three records, and the answers: two decisions and a refusal.
struct Log {
    folder: TempDir,
    asker: String,
    reader: String,
    answers: Vec<Value>,
}

impl Log {
    fn make() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let create = |name: &str, scope: &str| {
            let arguments = ["token", "create", name, "--scope", scope, "--file", "tokens.json"];
            Run::of(&mut program(folder.path(), &arguments)).exits(0).stdout.trim_end().to_owned()
        };
        let (asker, reader) = (create("token-of-ci", "preflight"), create("auditor", "read"));
        let mut log = Self { folder, asker, reader, answers: Vec::new() };
        let running = log.start();
        let forged = String::from_utf8(document()).unwrap().replacen("\"accepted\": false", "\"accepted\": true", 1);
        for body in [document(), forged.into_bytes(), document()] {
            let answer = running.ask(&post(&format!("Bearer {}", log.asker), &body)).unwrap();
            log.answers.push(serde_json::from_str(answer.split_once("\r\n\r\n").unwrap().1).unwrap());
        }
        running.terminate();
        assert!(running.ended().0.success());
        log
    }

    fn start(&self) -> Running {
        Running::start(self.folder.path(), &[&SQLITE[..], &["--tokens", "tokens.json"]].concat())
    }

    fn journal(&self, arguments: &[&str]) -> Run {
        Run::of(&mut program(self.folder.path(), &[&["journal"][..], arguments, &SQLITE].concat()))
    }

    fn file(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }
}

fn get(running: &Running, path: &str, token: &str) -> String {
    let authorization = if token.is_empty() { String::new() } else { format!("Authorization: Bearer {token}\r\n") };
    let request = format!("GET /api/sdk/registry/journal/{path} HTTP/1.1\r\nHost: localhost\r\n{authorization}\r\n");
    running.ask(request.as_bytes()).unwrap()
}

pub(crate) fn files_below(folder: &Path) -> Vec<(PathBuf, Vec<u8>)> {
    let paths = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    let files = paths.flat_map(|path| match path.is_dir() {
        true => files_below(&path),
        false => vec![(path.clone(), fs::read(&path).unwrap())],
    });
    let mut files: Vec<_> = files.collect();
    files.sort();
    files
}

fn holds(bytes: &[u8], text: &str) -> bool {
    bytes.windows(text.len()).any(|window| window == text.as_bytes())
}

#[test]
fn nothing_that_is_proven_or_leaves_names_who_asked() {
    let log = Log::make();
    log.journal(&["export", "out"]).exits(0);
    let mut parts: Vec<(String, Vec<u8>)> =
        files_below(&log.file("out")).into_iter().map(|(path, bytes)| (path.display().to_string(), bytes)).collect();
    parts.extend(log.answers.iter().map(|answer| ("receipt".to_owned(), answer["receipt"].to_string().into_bytes())));
    for command in [&["show", "1"][..], &["prove", "1"]] {
        parts.push((command.join(" "), log.journal(command).exits(0).stdout.into_bytes()));
    }
    let running = log.start();
    for path in ["checkpoint", "keys", "tile/0/000.p/3", "tile/entries/000.p/3"] {
        parts.push((path.to_owned(), get(&running, path, &log.reader).into_bytes()));
    }
    assert!(parts.len() >= 4 + 3 + 2 + 4);
    for ((part, bytes), name) in parts.iter().flat_map(|part| NAMES.map(|name| (part, name))) {
        assert!(!holds(bytes, name), "{name} in {part}: {}", String::from_utf8_lossy(bytes));
    }
}

#[test]
fn only_a_token_of_scope_read_shows_who_asked() {
    let log = Log::make();
    let running = log.start();
    assert!(get(&running, "entries", "").starts_with("HTTP/1.1 401"));
    assert!(get(&running, "entries", &log.asker).starts_with("HTTP/1.1 403"));
    let answer = get(&running, "entries", &log.reader);
    assert!(answer.contains("cache-control: no-store\r\n"), "{answer}");
    let page: Value = serde_json::from_str(answer.split_once("\r\n\r\n").unwrap().1).unwrap();
    let package = json!({ "id": "dev.acme.weather-board", "version": "1.2.0" });
    let attribution = json!({ "owner": "acme", "package": package, "proven": false, "token": "token-of-ci" });
    for (entry, answer) in page["entries"].as_array().unwrap().iter().zip(&log.answers) {
        assert_eq!(*entry, json!({ "attribution": attribution, "record": answer["receipt"]["record"] }));
    }
    drop(running);
    // Without a token file nobody needs a token, and nobody is told.
    let open = Running::start(log.folder.path(), &SQLITE);
    let answer = get(&open, "entries", &log.reader);
    assert!(answer.contains("\"record\":{") && !answer.contains("attribution"), "{answer}");
    assert!(NAMES.iter().all(|name| !answer.contains(name)), "{answer}");
}

#[test]
fn a_list_shows_who_asked_beside_the_record_and_filters_by_it() {
    let log = Log::make();
    let listed = log.journal(&["list"]).exits(0).stdout;
    for line in listed.lines() {
        assert!(line.ends_with("  [dev.acme.weather-board@1.2.0 of acme by token-of-ci]"), "{line}");
    }
    for (filter, value, count) in [
        ("--owner", "acme", 3),
        ("--owner", "acm", 0),
        ("--package", "dev.acme.weather-board", 3),
        ("--package", "dev.acme.weather", 0),
        ("--token", "token-of-ci", 3),
        ("--token", "auditor", 0),
    ] {
        assert_eq!(log.journal(&["list", filter, value]).exits(0).stdout.lines().count(), count, "{filter} {value}");
    }
    let csv = log.journal(&["list", "--csv"]).exits(0).stdout;
    let (heading, first) = (csv.lines().next().unwrap(), csv.lines().nth(3).unwrap());
    assert!(heading.ends_with(",owner (not proven),token (not proven)"), "{heading}");
    assert!(first.ends_with(",dev.acme.weather-board,1.2.0,acme,token-of-ci"), "{first}");
}

/// The log is whole without its names, so that damage to one row of them costs that row alone.
#[test]
fn damaged_names_are_said_to_be_and_the_rest_is_listed() {
    let log = Log::make();
    let damage = "import sqlite3; it = sqlite3.connect('data/journal.sqlite3'); \
                  it.executescript(\"UPDATE attribution SET owner = CAST(x'61ff' AS TEXT) WHERE place = 0; \
                  UPDATE attribution SET package_version = 'one' WHERE place = 1\"); it.close()";
    assert!(Command::new("python3").args(["-c", damage]).current_dir(log.folder.path()).status().unwrap().success());
    let listed = log.journal(&["list"]).exits(0).stdout;
    let lines: Vec<&str> = listed.lines().collect();
    let [third, second, first] = lines[..] else { panic!("{listed}") };
    for damaged in [first, second] {
        assert!(damaged.ends_with("  [who asked is kept, and cannot be read]"), "{damaged}");
    }
    assert!(third.ends_with(" of acme by token-of-ci]"), "{third}");
    let csv = log.journal(&["list", "--csv"]).exits(0).stdout;
    assert!(csv.lines().nth(3).unwrap().ends_with(",(unreadable),(unreadable),(unreadable),(unreadable)"), "{csv}");
    assert_eq!(log.journal(&["list", "--owner", "acme"]).exits(0).stdout.lines().count(), 1);
    let answer = get(&log.start(), "entries", &log.reader);
    let page: Value = serde_json::from_str(answer.split_once("\r\n\r\n").unwrap().1).unwrap();
    for (at, entry) in page["entries"].as_array().unwrap().iter().enumerate() {
        let damaged = entry["attribution"] == json!({ "proven": false, "unreadable": true });
        assert_eq!(damaged, at < 2, "{entry}");
        assert_eq!(entry["record"], log.answers[at]["receipt"]["record"]);
    }
}

#[test]
fn what_is_forgotten_is_in_no_file_and_the_log_still_holds() {
    let log = Log::make();
    for wrong in [&[][..], &["--owner", "two words"], &["--before", "yesterday"], &["--all", "--owner", "acme"]] {
        log.journal(&[&["forget"][..], wrong].concat()).exits(2);
    }
    let counted = log.journal(&["forget", "--owner", "acme", "--dry-run"]).exits(0).stdout;
    assert_eq!(counted, "3 records name who asked and would be forgotten; nothing was deleted\n");
    assert!(log.journal(&["list", "--owner", "acme"]).exits(0).stdout.lines().count() == 3);
    let running = log.start();
    let locked = log.journal(&["forget", "--all"]).exits(2);
    assert!(locked.stderr.contains("journal-locked"), "{}", locked.stderr);
    assert!(log.journal(&["forget", "--all", "--dry-run"]).exits(0).stdout.starts_with("3 records"));
    running.terminate();
    assert!(running.ended().0.success());

    let forgot = log.journal(&["forget", "--before", "1"]).exits(0).stdout;
    assert_eq!(forgot, "forgot who asked for 1 records; the log is as it was\n");
    let listed = log.journal(&["list"]).exits(0).stdout;
    assert!(listed.lines().last().unwrap().ends_with("  [- of - by -]"), "{listed}");
    assert_eq!(listed.matches("of acme by token-of-ci]").count(), 2, "{listed}");
    log.journal(&["forget", "--owner", "acme"]).exits(0);
    for ((path, bytes), name) in files_below(&log.file("data")).iter().flat_map(|file| NAMES.map(|name| (file, name))) {
        assert!(!holds(bytes, name), "{name} in {}", path.display());
    }
    log.journal(&["verify"]).exits(0);
    for (at, answer) in log.answers.iter().enumerate() {
        let name = format!("answer-{at}.json");
        fs::write(log.file(&name), answer.to_string()).unwrap();
        let check = ["log", "check-receipt", &name, "--public-key", "data/journal.pub"];
        Run::of(&mut program(log.folder.path(), &check)).exits(0);
    }
    let json = log.journal(&["list", "--format", "json"]).exits(0).stdout;
    assert!(json.lines().count() == 3 && !json.contains("attribution"), "{json}");
    let running = log.start();
    assert_eq!(running.status(&post(&format!("Bearer {}", log.asker), &document())), 200);
}

/// A journal whose records named who asked was never released. It is not taken for damage, and not touched.
#[test]
fn a_journal_of_an_unreleased_form_is_refused_by_name() {
    let log = Log::make();
    let older = "import sqlite3; it = sqlite3.connect('data/journal.sqlite3'); \
                 it.executescript(\"DROP TABLE attribution; UPDATE migration SET checksum = 'sha256:0'\"); it.close()";
    let made = Command::new("python3").args(["-c", older]).current_dir(log.folder.path()).status().unwrap();
    assert!(made.success());
    let state = || -> BTreeMap<PathBuf, Vec<u8>> {
        let files = files_below(&log.file("data")).into_iter();
        files.filter(|(path, _)| !path.to_string_lossy().ends_with("-shm")).collect()
    };
    let before = state();
    for command in
        [&["list"][..], &["verify"], &["init"], &["rotate-key", "--at-once"], &["forget", "--all"], &["export", "out"]]
    {
        let refused = log.journal(command).exits(2);
        assert!(refused.stderr.contains("journal-unreleased-form"), "{command:?}: {}", refused.stderr);
        assert!(refused.stderr.contains("begin a new journal"), "{command:?}: {}", refused.stderr);
    }
    let serve = [&["serve", "--bind", "127.0.0.1:0"][..], &SQLITE].concat();
    let refused = Run::of(&mut program(log.folder.path(), &serve)).exits(2);
    assert!(refused.stderr.contains("journal-unreleased-form"), "{}", refused.stderr);
    assert!(!log.file("out").exists());
    assert_eq!(state(), before);
}
