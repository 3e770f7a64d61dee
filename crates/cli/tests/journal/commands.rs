//! `svc journal` on a log that a running service made.

use std::{
    fs,
    io::{Read as _, Write as _},
    path::Path,
};

use serde_json::Value;
use tempfile::TempDir;

use crate::{
    run::{Run, repository, svc},
    running::{Running, connect, document, post},
};

/// A folder with a journal of three records, and the answers: two decisions and a refusal.
fn log() -> (TempDir, [Value; 3]) {
    let folder = tempfile::tempdir().unwrap();
    let running = Running::start(folder.path(), &["--journal", "sqlite", "--data-dir", "data"]);
    let forged = String::from_utf8(document()).unwrap().replacen("\"accepted\": false", "\"accepted\": true", 1);
    let answers: [Value; 3] = [document(), forged.into_bytes(), document()].map(|body| {
        let answer = running.ask(&post("", &body)).unwrap();
        serde_json::from_str(answer.split_once("\r\n\r\n").unwrap().1).unwrap()
    });
    for (at, answer) in answers.iter().enumerate() {
        fs::write(folder.path().join(format!("answer-{at}.json")), answer.to_string()).unwrap();
    }
    (folder, answers)
}

fn run(folder: &Path, arguments: &[&str]) -> Run {
    Run::of(&mut svc(folder, arguments))
}

fn journal(folder: &Path, arguments: &[&str]) -> Run {
    let place = if arguments.contains(&"--data-dir") { &[][..] } else { &["--data-dir", "data"][..] };
    run(folder, &[&["journal"][..], arguments, &["--journal", "sqlite"], place].concat())
}

#[test]
fn a_changed_answer_proves_nothing() {
    let (folder, answers) = log();
    for (at, answer) in answers.iter().enumerate() {
        let ran = journal(folder.path(), &["check-receipt", &format!("answer-{at}.json")]).exits(0);
        assert!(ran.stdout.contains("the answer in the file is the one on record"), "{}", ran.stdout);
        for (pointer, exit) in [("/requestId", 4), ("/receipt/record/requestId", 4), ("/receipt/record/outcome", 7)] {
            let mut changed = answer.clone();
            *changed.pointer_mut(pointer).unwrap() = "accepted".into();
            fs::write(folder.path().join("changed.json"), changed.to_string()).unwrap();
            journal(folder.path(), &["check-receipt", "changed.json"]).exits(exit);
        }
    }
}

#[test]
fn records_are_listed_shown_and_proved() {
    let (folder, answers) = log();
    let listed = journal(folder.path(), &["list", "--format", "json"]).exits(0);
    let entries: Vec<Value> = listed.stdout.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let records: Vec<Value> = entries.iter().map(|entry| entry["record"].clone()).collect();
    assert_eq!(records, answers.iter().map(|answer| answer["receipt"]["record"].clone()).collect::<Vec<_>>());
    for (arguments, count) in [
        (&["--outcome", "refused"][..], 1),
        (&["--problem", "posture-violation"], 1),
        (&["--package", "dev.acme.weather-board"], 3),
        (&["--owner", "acme", "--limit", "1"], 1),
        (&["--after", "0"], 2),
        (&["--tail", "1"], 1),
        (&["--since", "2999"], 0),
        (&["--until", "2026"], 0),
        (&["--decision", answers[0]["decisionId"].as_str().unwrap()], 2),
    ] {
        let ran = journal(folder.path(), &[&["list"][..], arguments].concat()).exits(0);
        assert_eq!(ran.stdout.lines().count(), count, "{arguments:?}: {}", ran.stdout);
        // One line for each in JSON too, and none for none.
        let ran = journal(folder.path(), &[&["list", "--format", "json"][..], arguments].concat()).exits(0);
        assert_eq!(ran.stdout.lines().count(), count, "{arguments:?}: {}", ran.stdout);
    }
    assert_eq!(journal(folder.path(), &["list", "--csv"]).exits(0).stdout.lines().count(), 4);
    let shown: Value = serde_json::from_str(&journal(folder.path(), &["show", "1"]).exits(0).stdout).unwrap();
    assert_eq!(shown, records[1]);
    journal(folder.path(), &["show", "3"]).exits(3);
    let proof = journal(folder.path(), &["prove", "1"]).exits(0).stdout;
    fs::write(folder.path().join("proof.json"), proof).unwrap();
    journal(folder.path(), &["check-receipt", "proof.json", "--public-key", "data/journal.pub"]).exits(0);
}

#[test]
fn a_log_is_checked_moved_and_held_to_an_older_state() {
    let (folder, _) = log();
    let ran = journal(folder.path(), &["verify", "--from", "answer-0.json", "--from", "answer-2.json"]).exits(0);
    assert!(ran.stdout.contains("3 records hold, 2 denied and 1 refused"), "{}", ran.stdout);
    journal(folder.path(), &["export", "out"]).exits(0);
    journal(folder.path(), &["export", "out"]).exits(2);
    let given = run(folder.path(), &["journal", "verify", "out", "--public-key", "data/journal.pub"]).exits(0).stdout;
    assert!(given.contains("the public keys of --public-key"), "{given}");
    // Its own keys prove nothing about who made it, and the verdict says so.
    let own = run(folder.path(), &["journal", "verify", "out"]).exits(0).stdout;
    assert!(own.contains("agrees with itself, not who made it") && own.contains("give --public-key"), "{own}");
    let own = run(folder.path(), &["journal", "verify", "out", "--format", "json"]).exits(0).stdout;
    assert!(own.contains("\"keySource\": \"export\""), "{own}");
    let refused = journal(folder.path(), &["import", "out", "--data-dir", "copy"]).exits(2);
    assert!(refused.stderr.contains("journal-unremembered"), "{}", refused.stderr);
    assert!(!folder.path().join("copy").exists());
    let known = ["import", "out", "--data-dir", "copy", "--at-least", "data/journal.checkpoint"];
    journal(folder.path(), &known).exits(0);
    journal(folder.path(), &["verify", "--data-dir", "copy", "--from", "answer-1.json"]).exits(0);
    let other = log().0;
    fs::copy(other.path().join("data/journal.pub"), folder.path().join("stranger.pub")).unwrap();
    run(folder.path(), &["journal", "verify", "out", "--public-key", "stranger.pub"]).exits(2);
    fs::copy(other.path().join("answer-2.json"), folder.path().join("foreign.json")).unwrap();
    journal(folder.path(), &["verify", "--from", "foreign.json"]).exits(2);
}

#[test]
fn decisions_are_made_again() {
    let (folder, _) = log();
    let good = repository("conformance/acceptance-request/own-rules-valid/document.json");
    let other = repository("conformance/index/valid/document.json");
    let ran = journal(folder.path(), &["replay", good.to_str().unwrap(), other.to_str().unwrap()]).exits(0);
    assert!(
        ran.stdout.contains("2 records, the same answer again") && ran.stdout.contains("not on record"),
        "{}",
        ran.stdout
    );
}

#[test]
fn a_new_key_leaves_old_receipts_good() {
    let (folder, _) = log();
    fs::copy(folder.path().join("data/journal.pub"), folder.path().join("old.pub")).unwrap();
    let rotated = journal(folder.path(), &["rotate-key"]).exits(0);
    assert!(rotated.stdout.starts_with("new public key svc-journal-"));
    journal(folder.path(), &["check-receipt", "answer-0.json"]).exits(0);
    let proof = journal(folder.path(), &["prove", "0"]).exits(0).stdout;
    fs::write(folder.path().join("proof.json"), proof).unwrap();
    journal(folder.path(), &["check-receipt", "proof.json"]).exits(0);
    let unknown = journal(folder.path(), &["check-receipt", "proof.json", "--public-key", "old.pub"]).exits(4);
    assert!(unknown.stderr.contains("unknown-key"));
    let running = Running::start(folder.path(), &["--journal", "sqlite", "--data-dir", "data"]);
    assert_eq!(running.status(&post("", &document())), 200);
}

/// What is served is what is exported, byte for byte, and proves itself without the service.
#[test]
fn the_served_log_is_a_log() {
    let (folder, answers) = log();
    let running = Running::start(folder.path(), &["--journal", "sqlite", "--data-dir", "data"]);
    let served = folder.path().join("served");
    for path in ["checkpoint", "tile/0/000.p/3", "tile/entries/000.p/3"] {
        let (status, head, body) = get(&running, &format!("/journal/{path}"));
        assert_eq!(status, 200, "{path}");
        let tag = head.lines().find_map(|line| line.strip_prefix("etag: ")).unwrap();
        for known in [tag, "*"] {
            let again = get_with(&running, &format!("/journal/{path}"), &format!("If-None-Match: {known}\r\n"));
            assert_eq!((again.0, again.2.len()), (304, 0), "{path} {known}");
        }
        fs::create_dir_all(served.join(path).parent().unwrap()).unwrap();
        fs::write(served.join(path), body).unwrap();
    }
    run(folder.path(), &["journal", "verify", "served", "--public-key", "data/journal.pub"]).exits(0);
    let address = format!("http://{}", running.address);
    let held = ["journal", "verify", &address, "--public-key", "data/journal.pub", "--from", "answer-1.json"];
    let ran = run(folder.path(), &held).exits(0);
    assert!(ran.stdout.contains("3 records hold"), "{}", ran.stdout);
    run(folder.path(), &["journal", "verify", &address]).exits(2);
    let (_, _, keys) = get(&running, "/journal/keys");
    assert_eq!(keys, fs::read(folder.path().join("data/journal.pub")).unwrap());
    let page = |query: &str| -> Value {
        serde_json::from_slice(&get(&running, &format!("/journal/entries{query}")).2).unwrap()
    };
    let (first, rest) = (page("?limit=2"), page("?after=1"));
    assert_eq!((first["next"].as_u64(), rest.get("next")), (Some(1), None));
    let entries = first["entries"].as_array().unwrap().iter().chain(rest["entries"].as_array().unwrap());
    let records: Vec<&Value> = entries.map(|entry| &entry["record"]).collect();
    assert_eq!(records, answers.iter().map(|answer| &answer["receipt"]["record"]).collect::<Vec<_>>());
    for path in [
        "/journal/tile/0/000",
        "/journal/tile/0/000.p/4",
        "/journal/tile/1/000",
        "/journal/tile/0/000.p/0",
        "/journal/tile/255/000",
        "/journal/entries?after=x",
        "/journal/checkpoint?x=1",
        "/journal/journal.key",
    ] {
        let (status, _, body) = get(&running, path);
        assert_eq!(status, 404, "{path}");
        assert!(String::from_utf8_lossy(&body).contains("\"accepted\":false"), "{path}");
    }
}

#[test]
fn answers_with_receipts_have_their_published_form() {
    let (_folder, answers) = log();
    for (answer, schema) in answers.iter().zip(["decision", "problem", "decision"]) {
        let schema = fs::read(repository(&format!("contracts/schemas/{schema}.schema.json"))).unwrap();
        let schema: Value = serde_json::from_slice(&schema).unwrap();
        let validator = jsonschema::validator_for(&schema).unwrap();
        let errors: Vec<String> = validator.iter_errors(answer).map(|error| error.to_string()).collect();
        assert!(errors.is_empty(), "{errors:?}");
        let mut open = answer.clone();
        *open.pointer_mut("/receipt/record/installable").unwrap() = Value::Bool(true);
        assert!(!validator.is_valid(&open));
    }
}

fn get(running: &Running, path: &str) -> (u16, String, Vec<u8>) {
    get_with(running, path, "")
}

fn get_with(running: &Running, path: &str, headers: &str) -> (u16, String, Vec<u8>) {
    let mut stream = connect(&running.address).unwrap();
    let request = format!("GET /api/sdk/registry{path} HTTP/1.1\r\nHost: h\r\nConnection: close\r\n{headers}\r\n");
    stream.write_all(request.as_bytes()).unwrap();
    let mut answer = Vec::new();
    stream.read_to_end(&mut answer).unwrap();
    let end = answer.windows(4).position(|window| window == b"\r\n\r\n").unwrap();
    let head = String::from_utf8(answer[..end].to_vec()).unwrap();
    (head.split(' ').nth(1).unwrap().parse().unwrap(), head, answer[end + 4..].to_vec())
}
