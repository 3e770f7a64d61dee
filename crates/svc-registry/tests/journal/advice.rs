//! What a refusal advises works in the state that it is given in, and what is not the log's fault is not called damage.

use std::{
    fs,
    io::{Read as _, Write as _},
    net::TcpListener,
    path::Path,
    thread,
};

use crate::{
    run::{Run, program},
    running::{Running, document, post},
};

fn journal(folder: &Path, arguments: &[&str]) -> Run {
    Run::of(&mut program(folder, &[&["journal"][..], arguments].concat()))
}

/// The journal is there; only the record is not.
#[test]
fn a_record_that_the_log_does_not_have_is_no_missing_journal() {
    let folder = tempfile::tempdir().unwrap();
    let place = ["--journal", "sqlite", "--data-dir", "data"];
    journal(folder.path(), &[&["init"][..], &place].concat()).exits(0);
    for command in ["show", "prove"] {
        let run = journal(folder.path(), &[&[command, "0"][..], &place].concat()).exits(3);
        assert!(run.stderr.contains("there is no record 0: the log has 0 records"), "{}", run.stderr);
        assert!(!run.stderr.contains("--data-dir"), "{}", run.stderr);
    }
}

/// A log with one record in `data`, and its files in `exported`.
fn exported() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    let running = Running::start(folder.path(), &["--journal", "sqlite", "--data-dir", "data"]);
    assert_eq!(running.status(&post("", &document())), 200);
    drop(running);
    journal(folder.path(), &["export", "exported", "--journal", "sqlite", "--data-dir", "data"]).exits(0);
    folder
}

#[test]
fn import_and_init_do_not_send_you_to_each_other() {
    let folder = exported();
    let at = |name: &'static str| ["--journal", "sqlite", "--data-dir", name];
    let run = journal(folder.path(), &[&["import", "exported"][..], &at("one")].concat()).exits(2);
    assert!(
        run.stderr.contains("run `svc-registry journal import` again with --at-least CHECKPOINT"),
        "{}",
        run.stderr
    );
    assert!(!run.stderr.contains("journal init"), "{}", run.stderr);
    let known = ["--at-least", "exported/checkpoint"];
    journal(folder.path(), &[&["import", "exported"][..], &known, &at("one")].concat()).exits(0);
    journal(folder.path(), &[&["import", "exported", "--first-node"][..], &at("two")].concat()).exits(0);
    let run = journal(folder.path(), &[&["init"][..], &known, &at("three")].concat()).exits(4);
    assert!(
        run.stderr.contains("`svc-registry journal import DIR --at-least CHECKPOINT` brings one"),
        "{}",
        run.stderr
    );
    journal(folder.path(), &[&["import", "exported"][..], &known, &at("three")].concat()).exits(0);
    let run = journal(folder.path(), &[&["import", "nowhere", "--first-node"][..], &at("four")].concat()).exits(3);
    assert!(
        run.stderr.contains("`svc-registry journal export`") && !run.stderr.contains("--data-dir"),
        "{}",
        run.stderr
    );
}

#[test]
fn a_web_page_in_place_of_a_log_is_not_a_damaged_log() {
    let folder = exported();
    for (kind, body) in [
        ("text/html; charset=utf-8", "<p>Sign in to this network"),
        ("application/octet-stream", "\n<!DOCTYPE html><title>Sign in</title>"),
        ("text/plain", "<html><body>down for maintenance</body></html>"),
    ] {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let url = format!("http://{}", listener.local_addr().unwrap());
        let reply = format!(
            "HTTP/1.1 200 OK\r\nContent-Type: {kind}\r\nContent-Length: {}\r\nConnection: close\r\n\r\n{body}",
            body.len()
        );
        thread::spawn(move || {
            for mut stream in listener.incoming().flatten() {
                let _ = stream.read(&mut [0; 4096]);
                let _ = stream.write_all(reply.as_bytes());
            }
        });
        let run =
            Run::of(&mut program(folder.path(), &["log", "verify", &url, "--public-key", "data/journal.pub"])).exits(6);
        assert!(run.stderr.contains("a web page was answered in place of "), "{kind}: {}", run.stderr);
        assert!(!run.stderr.contains("journal-corrupt"), "{kind}: {}", run.stderr);
    }
}

#[test]
fn a_log_that_was_emptied_or_deleted_is_damage_and_no_beginning() {
    for empty in [true, false] {
        let folder = exported();
        let database = folder.path().join("data/journal.sqlite3");
        for rest in ["-wal", "-shm"] {
            let _ = fs::remove_file(folder.path().join(format!("data/journal.sqlite3{rest}")));
        }
        if empty {
            fs::write(&database, "").unwrap()
        } else {
            fs::remove_file(&database).unwrap()
        }
        for command in [&["verify"][..], &["list"], &["show", "0"], &["prove", "0"]] {
            let run = journal(folder.path(), &[command, &["--journal", "sqlite", "--data-dir", "data"]].concat());
            assert_eq!(run.code, Some(4), "{command:?}, emptied: {empty}: {}{}", run.stdout, run.stderr);
        }
    }
    // Where nothing was, nothing is missing.
    let folder = tempfile::tempdir().unwrap();
    journal(folder.path(), &["verify", "--journal", "sqlite", "--data-dir", "data"]).exits(3);
}
