//! The next key of a log: announced, signed with together, changed to. Whoever knows either key reads the log all the while.

use std::{collections::BTreeMap, fs, path::Path};

use serde_json::Value;
use svc_proof::checkpoint::signers;

use crate::{
    commands::{journal, log, run},
    names::files_below,
    running::{Running, document, post},
    witnesses::place::Place,
};

fn start(folder: &Path) -> Running {
    Running::start(folder, &["--journal", "sqlite", "--data-dir", "data"])
}

/// Keeps an answer of a service that runs for a moment, and tells how many keys signed its state.
fn answer(folder: &Path, name: &str) -> usize {
    let running = start(folder);
    let answer = running.ask(&post("", &document())).unwrap();
    let body = answer.split_once("\r\n\r\n").unwrap().1;
    fs::write(folder.join(name), body).unwrap();
    let answer: Value = serde_json::from_str(body).unwrap();
    signers(answer["receipt"]["checkpoint"].as_str().unwrap()).len()
}

/// A file of this name with the newest key of `journal.pub` alone.
fn pin(folder: &Path, name: &str) {
    let keys = fs::read_to_string(folder.join("data/journal.pub")).unwrap();
    fs::write(folder.join(name), format!("{}\n", keys.lines().next().unwrap())).unwrap();
}

fn small(folder: &Path) -> BTreeMap<String, Vec<u8>> {
    let files = files_below(&folder.join("data")).into_iter();
    let named = files.map(|(path, bytes)| (path.file_name().unwrap().to_string_lossy().into_owned(), bytes));
    named.filter(|(name, _)| !name.ends_with("-shm")).collect()
}

#[test]
fn while_both_keys_sign_whoever_knows_either_reads_the_log() {
    let (folder, _) = log();
    let folder = folder.path();
    pin(folder, "old.pub");
    let announced = journal(folder, &["announce-key"]).exits(0).stdout;
    assert!(announced.contains("copy journal.key.next to the other nodes"), "{announced}");
    pin(folder, "new.pub");
    assert_ne!(fs::read(folder.join("old.pub")).unwrap(), fs::read(folder.join("new.pub")).unwrap());
    let again = journal(folder, &["announce-key"]).exits(0).stdout;
    assert!(again.contains("was announced before"), "{again}");
    assert_eq!(again.lines().next(), announced.lines().next(), "a second announcement would be a fork");
    assert_eq!(answer(folder, "both.json"), 2);
    for pinned in ["old.pub", "new.pub", "data/journal.pub"] {
        run(folder, &["log", "check-receipt", "both.json", "--public-key", pinned]).exits(0);
    }
    let running = start(folder);
    let address = format!("http://{}", running.address);
    for pinned in ["old.pub", "new.pub"] {
        run(folder, &["log", "verify", &address, "--public-key", pinned, "--require-hand-overs"]).exits(0);
    }
    drop(running);
    // The change: the announced key signs alone, and the note leads to it.
    journal(folder, &["rotate-key"]).exits(0);
    assert!(!folder.join("data/journal.key.next").exists());
    assert_eq!(answer(folder, "new.json"), 1);
    run(folder, &["log", "check-receipt", "new.json", "--public-key", "new.pub"]).exits(0);
    let unknown = run(folder, &["log", "check-receipt", "new.json", "--public-key", "old.pub"]).exits(4).stderr;
    assert!(unknown.contains("unknown-key"), "{unknown}");
    let follows =
        ["log", "check-receipt", "new.json", "--public-key", "old.pub", "--hand-overs", "data/journal.hand-overs"];
    run(folder, &follows).exits(0);
    journal(folder, &["verify", "--public-key", "old.pub", "--require-hand-overs"]).exits(0);
}

#[test]
fn a_change_that_nobody_announced_is_refused_and_its_advice_works() {
    let (folder, _) = log();
    let folder = folder.path();
    let before = small(folder);
    let refused = journal(folder, &["rotate-key"]).exits(2).stderr;
    let told = refused.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(told.contains("no next key was announced") && told.contains("--at-once"), "{refused}");
    assert_eq!(small(folder), before);
    assert!(
        told.contains("run `svc-registry journal announce-key`, start the service, and run this again"),
        "{refused}"
    );
    journal(folder, &["announce-key"]).exits(0);
    assert_eq!(answer(folder, "both.json"), 2);
    journal(folder, &["rotate-key"]).exits(0);
    journal(folder, &["rotate-key", "--at-once"]).exits(0);
    journal(folder, &["verify", "--require-hand-overs"]).exits(0);
}

/// The announcement was made after the last backup: another one would be a fork of the keys.
#[test]
fn a_database_from_before_the_announcement_is_named_and_announces_the_same_key() {
    for changed in [false, true] {
        let (folder, _) = log();
        let folder = folder.path();
        let database = folder.join("data/journal.sqlite3");
        // In order, so that the file is the whole log.
        let running = start(folder);
        running.terminate();
        assert!(running.ended().0.success());
        let older = fs::read(&database).unwrap();
        pin(folder, "old.pub");
        journal(folder, &["announce-key"]).exits(0);
        pin(folder, "new.pub");
        if changed {
            journal(folder, &["rotate-key"]).exits(0);
        }
        fs::write(&database, older).unwrap();
        let before = small(folder);
        let serve = ["serve", "--bind", "127.0.0.1:0", "--journal", "sqlite", "--data-dir", "data"];
        let refused = run(folder, &serve);
        let told = refused.stderr.split_whitespace().collect::<Vec<_>>().join(" ");
        assert_eq!(small(folder), before, "{told}");
        refused.exits(4);
        assert!(told.contains("`svc-registry journal announce-key` announces the same key there again"), "{told}");
        let again = journal(folder, &["announce-key"]).exits(0).stdout;
        assert!(again.contains("was announced before"), "{again}");
        let signers = if changed { 1 } else { 2 };
        assert_eq!(answer(folder, "answer.json"), signers);
        run(folder, &["log", "check-receipt", "answer.json", "--public-key", "new.pub"]).exits(0);
        journal(folder, &["rotate-key"]).exits(0);
        journal(folder, &["verify", "--public-key", "old.pub", "--require-hand-overs"]).exits(0);
        assert_eq!(answer(folder, "answer.json"), 1);
    }
}

#[test]
fn a_lost_half_of_two_keys_is_named_and_none_is_made_up() {
    let (folder, _) = log();
    let folder = folder.path();
    let data = folder.join("data");
    journal(folder, &["announce-key"]).exits(0);
    let next = fs::read(data.join("journal.key.next")).unwrap();
    fs::rename(data.join("journal.key.next"), folder.join("elsewhere")).unwrap();
    // A node without the next key goes on with the one that it has.
    assert_eq!(answer(folder, "old.json"), 1);
    for command in [&["rotate-key"][..], &["rotate-key", "--at-once"]] {
        let refused = journal(folder, command).exits(2).stderr;
        let told = refused.split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(told.contains("bring journal.key.next back from a copy"), "{refused}");
    }
    let again = journal(folder, &["announce-key"]).exits(0).stdout;
    assert!(again.contains("its secret half, journal.key.next, is not in the data folder"), "{again}");
    let tried =
        run(folder, &["serve", "--check-config", "--bind", "127.0.0.1:0", "--journal", "sqlite", "--data-dir", "data"]);
    let tried = tried.exits(0).stdout;
    assert!(
        tried.contains("note    journal: ") && tried.contains("bring it from the node that announced it"),
        "{tried}"
    );
    fs::rename(folder.join("elsewhere"), data.join("journal.key.next")).unwrap();
    journal(folder, &["rotate-key", "--next-is-lost"]).exits(2);
    // The old key is lost: the announced one is all that is needed.
    fs::remove_file(data.join("journal.key")).unwrap();
    let rotated = journal(folder, &["rotate-key"]).exits(0).stdout;
    assert!(rotated.contains("signed by the old key"), "{rotated}");
    assert_eq!(fs::read(data.join("journal.key")).unwrap(), next);
    assert_eq!(answer(folder, "new.json"), 1);
    // Both are lost: the log says that its newest key came without hand-over, and keeps the one that it announced.
    journal(folder, &["announce-key"]).exits(0);
    fs::remove_file(data.join("journal.key.next")).unwrap();
    fs::remove_file(data.join("journal.key")).unwrap();
    let rotated = journal(folder, &["rotate-key"]).exits(0).stdout;
    assert!(rotated.contains("changed without hand-over"), "{rotated}");
    assert_eq!(fs::read_to_string(data.join("journal.pub")).unwrap().lines().count(), 4);
    assert_eq!(answer(folder, "last.json"), 1);
    journal(folder, &["verify"]).exits(0);
    journal(folder, &["verify", "--require-hand-overs"]).exits(2);
}

/// The way out that the refusal names.
#[test]
fn an_announced_key_that_is_lost_for_good_is_followed_by_another() {
    let (folder, _) = log();
    let folder = folder.path();
    let next = folder.join("data/journal.key.next");
    journal(folder, &["rotate-key", "--next-is-lost"]).exits(2);
    journal(folder, &["announce-key"]).exits(0);
    fs::remove_file(next).unwrap();
    let refused = journal(folder, &["rotate-key"]).exits(2).stderr;
    let told = refused.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(told.contains("`svc-registry journal rotate-key --next-is-lost`"), "{refused}");
    let rotated = journal(folder, &["rotate-key", "--next-is-lost"]).exits(0).stdout;
    assert!(rotated.contains("changed without hand-over"), "{rotated}");
    assert_eq!(answer(folder, "new.json"), 1);
    journal(folder, &["verify"]).exits(0);
    journal(folder, &["verify", "--require-hand-overs"]).exits(2);
    // The log goes on as any other.
    journal(folder, &["announce-key"]).exits(0);
    journal(folder, &["rotate-key"]).exits(0);
    assert_eq!(answer(folder, "newer.json"), 1);
}

/// Whoever has an old copy of the log and a state of after the change: the copy lacks it.
#[test]
fn a_copy_from_before_a_change_of_keys_is_an_older_one() {
    let (folder, _) = log();
    let folder = folder.path();
    journal(folder, &["export", "out"]).exits(0);
    journal(folder, &["announce-key"]).exits(0);
    journal(folder, &["rotate-key"]).exits(0);
    assert_eq!(answer(folder, "new.json"), 1);
    let refused = journal(folder, &["import", "out", "--data-dir", "copy", "--at-least", "new.json"]).exits(4).stderr;
    assert!(refused.contains("journal-rewound") && refused.contains("from before a change of keys"), "{refused}");
    assert!(!folder.join("copy").exists());
    // Another log with a name of its own stays a question of keys.
    journal(folder, &["init", "--data-dir", "other"]).exits(0);
    journal(folder, &["import", "out", "--data-dir", "copy", "--at-least", "other/journal.checkpoint"]).exits(2);
}

/// Whatever changed the key: the folder is newer than the database, and nothing of it is damaged.
#[test]
fn a_database_from_before_a_change_of_keys_is_told_as_older_by_every_command() {
    for is_announced in [true, false] {
        let (folder, _) = log();
        let folder = folder.path();
        let data = folder.join("data");
        let database = || {
            files_below(&data)
                .into_iter()
                .map(|(path, _)| path)
                .filter(|path| path.to_string_lossy().contains("journal.sqlite"))
        };
        let older: Vec<_> = database().map(|path| (path.clone(), fs::read(&path).unwrap())).collect();
        if is_announced {
            journal(folder, &["announce-key"]).exits(0);
        } else {
            fs::remove_file(data.join("journal.key")).unwrap();
        }
        journal(folder, &["rotate-key"]).exits(0);
        assert_eq!(answer(folder, "new.json"), 1);
        database().for_each(|path| fs::remove_file(path).unwrap());
        older.iter().for_each(|(path, bytes)| fs::write(path, bytes).unwrap());
        let before = small(folder);
        for command in [
            &["verify"][..],
            &["export", "out"],
            &["announce-key"],
            &["rotate-key"],
            &["prune", "--before", "1"],
            &["prove", "0"],
        ] {
            let refused = journal(folder, command).exits(4).stderr;
            assert!(refused.contains("journal-rewound"), "{is_announced} {command:?}: {refused}");
        }
        let serve = ["serve", "--bind", "127.0.0.1:0", "--journal", "sqlite", "--data-dir", "data"];
        let refused = run(folder, &serve).exits(4).stderr;
        assert!(refused.contains("journal-rewound"), "{is_announced}: {refused}");
        assert_eq!(small(folder), before);
    }
}

#[test]
fn an_announcement_survives_export_and_import() {
    let (folder, _) = log();
    let folder = folder.path();
    journal(folder, &["announce-key"]).exits(0);
    assert_eq!(answer(folder, "both.json"), 2);
    journal(folder, &["export", "out"]).exits(0);
    fs::rename(folder.join("data"), folder.join("before")).unwrap();
    journal(folder, &["import", "out", "--at-least", "before/journal.checkpoint"]).exits(0);
    for name in ["journal.key", "journal.key.next"] {
        fs::copy(folder.join("before").join(name), folder.join("data").join(name)).unwrap();
    }
    assert_eq!(answer(folder, "again.json"), 2, "both sign on");
    journal(folder, &["rotate-key"]).exits(0);
    assert_eq!(answer(folder, "new.json"), 1);
    journal(folder, &["verify", "--require-hand-overs"]).exits(0);
}

/// Who learns of the log after the change knows the newest key alone.
#[test]
fn the_newest_key_alone_reads_where_a_pruned_log_begins() {
    let (folder, _) = log();
    let folder = folder.path();
    let running = start(folder);
    (0..260).for_each(|_| assert_eq!(running.status(&post("", &document())), 200));
    drop(running);
    journal(folder, &["prune", "--before", "260"]).exits(0);
    journal(folder, &["announce-key"]).exits(0);
    journal(folder, &["rotate-key"]).exits(0);
    pin(folder, "new.pub");
    let running = start(folder);
    let address = format!("http://{}", running.address);
    let told = run(folder, &["log", "verify", &address, "--public-key", "new.pub"]).exits(0).stdout;
    assert!(told.contains("the log begins at 256"), "{told}");
}

/// Everybody who knows the old key alone: a witness, a reader with a policy, a watcher, a verifier and an author.
#[test]
fn whoever_pinned_the_old_key_follows_a_change_without_an_alarm() {
    let place = Place::new();
    let folder = place.path();
    fs::copy(folder.join("data/journal.pub"), folder.join("old.pub")).unwrap();
    let one = place.witness("one");
    let policy = place.policy("p.policy", &[("one", one.url())], "quorum one\n");
    let run = |arguments: &[&str]| run(folder, arguments);
    let at = |command: &str| run(&["journal", command, "--journal", "sqlite", "--data-dir", "data"]);
    let bundle = crate::run::repository("examples/weather-board");
    run(&["app", "preflight", bundle.to_str().unwrap(), "--out-dir", "bundle"]).exits(0);
    let mut seen = 0;
    let mut read_by_all = |step: &str| {
        let registry = place.registry(&["--witness-policy", &policy]);
        let url = format!("http://{}", registry.address);
        assert_eq!(registry.status(&post("", &document())), 200);
        seen += 1;
        let pinned = ["--public-key", "old.pub", "--policy", &policy];
        place.wait(step, || place.witnessed_size(&registry) >= seen);
        // Hundreds of requests, which the first and the last step need not repeat.
        if ["announced", "changed-twice"].contains(&step) {
            run(&[&["verify", "hosted", &url, "--artifact-dir", "bundle"][..], &pinned].concat()).exits(0);
        }
        run(&["app", "submit", "bundle", "--registry", &url, "--again", "--public-key", "old.pub"]).exits(0);
        place.wait(step, || {
            seen = place.get(&registry, "/journal/checkpoint").1.lines().nth(1).unwrap().parse().unwrap();
            place.witnessed_size(&registry) == seen
        });
        for watch in [&["--once", "--state", "watched"][..], &["--once", "--state", step]] {
            run(&[&["log", "watch", &url][..], watch, &pinned].concat()).exits(0);
        }
        run(&[&["log", "mirror", &url, "mirrored"][..], &pinned].concat()).exits(0);
        run(&[&["log", "verify", "mirrored"][..], &pinned, &["--require-hand-overs"]].concat()).exits(0);
        let told = registry.log();
        assert!(!told.contains("ALARM") && !told.contains("did not cosign"), "{step}: {told}");
        registry.terminate();
        assert!(registry.ended().0.success());
    };
    read_by_all("before");
    at("announce-key").exits(0);
    read_by_all("announced");
    at("rotate-key").exits(0);
    read_by_all("changed");
    at("announce-key").exits(0);
    at("rotate-key").exits(0);
    read_by_all("changed-twice");
    // The witness remembers where the notes led, with the same settings as at first.
    let address = one.stop();
    let _one = place.witness_at("one", &address);
    read_by_all("witness-again");
    // A key that nobody announced is an alarm for all of them.
    fs::remove_file(folder.join("data/journal.key")).unwrap();
    at("rotate-key").exits(0);
    let registry = place.registry(&["--witness-policy", &policy]);
    let url = format!("http://{}", registry.address);
    assert_eq!(registry.status(&post("", &document())), 200);
    let pinned = ["--public-key", "old.pub"];
    let refused = run(&[&["verify", "hosted", &url, "--artifact-dir", "bundle"][..], &pinned].concat()).exits(4);
    assert!(refused.stdout.contains("key-differs"), "{}", refused.stdout);
    let watched = run(&[&["log", "watch", &url, "--once", "--state", "watched"][..], &pinned].concat()).exits(4);
    assert!(watched.stderr.contains("log-unsigned"), "{}", watched.stderr);
    run(&["app", "submit", "bundle", "--registry", &url, "--public-key", "old.pub"]).exits(4);
    place.wait("a warning", || registry.log().contains("it does not know the key of this log (403)"));
}
