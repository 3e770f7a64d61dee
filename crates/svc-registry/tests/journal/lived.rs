//! A log in its second year: used, exported, pruned, with a second key, restored, and with PostgreSQL failed over. What reads
//! it, follows it or cosigns it works as on a new one.

use std::{
    fs,
    path::Path,
    thread,
    time::{Duration, Instant},
};

use svc_testkit::lived_log::{BEGINS, LivedLog};

use crate::{
    receiver::Receiver,
    run::{Run, program, repository},
    running::{Running, document, post},
};

const ORIGIN: &str = "registry.example/api/sdk/registry/journal";

fn run(folder: &Path, arguments: &[&str]) -> Run {
    Run::of(&mut program(folder, arguments))
}

/// Starts the service on a log, with more settings.
fn serve(log: &LivedLog, more: &[&str]) -> Running {
    let place = log.place();
    let place: Vec<&str> = place.iter().map(String::as_str).collect();
    Running::start(&log.data, &[&place[..], more].concat())
}

/// Every receipt that was ever given proves its record, by the keys of now and by the first one with the notes that lead on.
fn proves_all_it_gave(log: &LivedLog) {
    fs::write(log.data.join("first.pub"), &log.first_key).unwrap();
    fs::write(log.data.join("earlier"), &log.earlier).unwrap();
    for answer in &log.answers {
        fs::write(log.data.join("answer.json"), answer).unwrap();
        for keys in
            [&["--public-key", "journal.pub"][..], &["--public-key", "first.pub", "--hand-overs", "journal.hand-overs"]]
        {
            let checked = run(&log.data, &[&["log", "check-receipt", "answer.json"], keys].concat()).exits(0);
            assert!(checked.stdout.contains("the answer in the file is the one on record"), "{}", checked.stdout);
        }
    }
    let told = log.journal("verify", &["--from", "earlier", "--public-key", "first.pub"]);
    assert!(told.contains(&format!("begins at {BEGINS}")), "{told}");
}

#[test]
fn a_lived_log_proves_every_answer_and_is_read_from_outside() {
    let folder = tempfile::tempdir().unwrap();
    let log = LivedLog::in_sqlite(&folder.path().join("data"), Some(ORIGIN));
    proves_all_it_gave(&log);
    let running = serve(&log, &["--journal-public", "yes", "--journal-origin", ORIGIN]);
    assert_eq!(running.status(&post("", &document())), 200);
    let url = format!("http://{}", running.address);
    let keys = ["--public-key", "journal.pub"];
    run(&log.data, &[&["log", "verify", &url, "--from", "earlier"], &keys[..]].concat()).exits(0);
    run(&log.data, &[&["log", "mirror", &url, "copy"], &keys[..]].concat()).exits(0);
    run(&log.data, &[&["log", "watch", &url, "--state", "watched", "--once"], &keys[..]].concat()).exits(0);
    let board = repository("examples/weather-board");
    run(&log.data, &["app", "preflight", board.to_str().unwrap(), "--quiet", "--out-dir", "bundle"]).exits(0);
    let hosted = ["verify", "hosted", &url, "--artifact-dir", "bundle", "--level", "build"];
    run(&log.data, &[&hosted[..], &keys].concat()).exits(0);
}

#[test]
fn webhooks_of_a_lived_log_get_what_is_new_and_what_is_left() {
    let folder = tempfile::tempdir().unwrap();
    let log = LivedLog::in_sqlite(&folder.path().join("data"), None);
    let receiver = Receiver::willing();
    let begins = BEGINS.to_string();
    let allow = ["--events-allow", "127.0.0.1", "--journal", "sqlite", "--data-dir", "."];
    for (name, from) in [("new", &[][..]), ("left", &["--from", &begins])] {
        let url = format!("{}/{name}", receiver.url().trim_end_matches('/'));
        run(&log.data, &[&["events", "add", name, &url], from, &allow].concat()).exits(0);
    }
    let running = serve(&log, &["--events-allow", "127.0.0.1"]);
    assert_eq!(running.status(&post("", &document())), 200);
    let status = |name: &str| run(&log.data, &[&["events", "status", name][..], &allow[2..]].concat()).exits(0).stdout;
    let start = Instant::now();
    while !["new", "left"].iter().all(|name| status(name).contains(" 0 behind")) {
        assert!(start.elapsed() < Duration::from_secs(30), "{}{}", status("new"), status("left"));
        thread::sleep(Duration::from_millis(100));
    }
    let got = |name: &str| receiver.received().iter().filter(|one| one.target.ends_with(name)).count();
    assert!(got("new") >= 1 && got("left") >= 1);
}

#[test]
#[ignore = "needs PostgreSQL; `cargo xtask gates` runs it"]
fn a_lived_log_whose_database_failed_over_proves_every_answer() {
    let folder = tempfile::tempdir().unwrap();
    let (log, _clusters) = LivedLog::failed_over(&folder.path().join("data"));
    proves_all_it_gave(&log);
    let running = serve(&log, &[]);
    assert_eq!(running.status(&post("", &document())), 200);
}
