//! `svc-registry journal` and `svc log` on a log that a running service made.

use std::{
    fs,
    io::{Read as _, Write as _},
    path::Path,
};

use serde_json::Value;
use svc_testkit::jsonschema;
use tempfile::TempDir;

use crate::{
    names::files_below,
    run::{Run, program, repository},
    running::{Running, connect, document, post},
};

/// A folder with a journal of three records, and the answers: two decisions and a refusal.
pub(crate) fn log() -> (TempDir, [Value; 3]) {
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

pub(crate) fn run(folder: &Path, arguments: &[&str]) -> Run {
    Run::of(&mut program(folder, arguments))
}

pub(crate) fn journal(folder: &Path, arguments: &[&str]) -> Run {
    let place = if arguments.contains(&"--data-dir") { &[][..] } else { &["--data-dir", "data"][..] };
    run(folder, &[&["journal"][..], arguments, &["--journal", "sqlite"], place].concat())
}

#[test]
fn a_changed_answer_proves_nothing() {
    let (folder, answers) = log();
    for (at, answer) in answers.iter().enumerate() {
        let ran = run(
            folder.path(),
            &["log", "check-receipt", &format!("answer-{at}.json"), "--public-key", "data/journal.pub"],
        )
        .exits(0);
        assert!(ran.stdout.contains("the answer in the file is the one on record"), "{}", ran.stdout);
        for (pointer, exit) in [("/requestId", 4), ("/receipt/record/requestId", 4), ("/receipt/record/outcome", 7)] {
            let mut changed = answer.clone();
            *changed.pointer_mut(pointer).unwrap() = "accepted".into();
            fs::write(folder.path().join("changed.json"), changed.to_string()).unwrap();
            run(folder.path(), &["log", "check-receipt", "changed.json", "--public-key", "data/journal.pub"])
                .exits(exit);
        }
    }
}

#[test]
fn records_are_listed_shown_and_proved() {
    let (folder, answers) = log();
    let listed = journal(folder.path(), &["list", "--format", "json"]).exits(0);
    let entries: Vec<Value> = listed.stdout.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let records: Vec<Value> = entries.iter().map(|entry| entry["record"].clone()).collect();
    // The newest first.
    assert_eq!(records, answers.iter().rev().map(|answer| answer["receipt"]["record"].clone()).collect::<Vec<_>>());
    for (arguments, count) in [
        (&["--outcome", "refused"][..], 1),
        (&["--problem", "posture-violation"], 1),
        (&["--package", "dev.acme.weather-board"], 3),
        (&["--owner", "acme", "--limit", "1"], 2),
        (&["--owner", "acme", "--limit", "3"], 3),
        (&["--all"], 3),
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
    let some = journal(folder.path(), &["list", "--limit", "2"]).exits(0).stdout;
    assert_eq!(some.lines().last(), Some("2 of 3 shown; --all shows the rest"));
    let some = journal(folder.path(), &["list", "--limit", "2", "--format", "json"]).exits(0).stdout;
    assert_eq!(some.lines().last(), Some("{\"leftOut\":{\"of\":3,\"shown\":2}}"));
    let some = journal(folder.path(), &["list", "--limit", "2", "--csv"]).exits(0);
    assert_eq!((some.stdout.lines().count(), some.stderr.as_str()), (3, "2 of 3 shown; --all shows the rest\n"));
    journal(folder.path(), &["list", "--limit", "2", "--all"]).exits(2);
    journal(folder.path(), &["show", "3"]).exits(3);
    let proof = journal(folder.path(), &["prove", "1"]).exits(0).stdout;
    fs::write(folder.path().join("proof.json"), proof).unwrap();
    run(folder.path(), &["log", "check-receipt", "proof.json", "--public-key", "data/journal.pub"]).exits(0);
}

#[test]
fn a_log_is_checked_moved_and_held_to_an_older_state() {
    let (folder, _) = log();
    let ran = journal(folder.path(), &["verify", "--from", "answer-0.json", "--from", "answer-2.json"]).exits(0);
    assert!(ran.stdout.contains("3 records hold, 2 denied and 1 refused"), "{}", ran.stdout);
    journal(folder.path(), &["export", "out"]).exits(0);
    let again = journal(folder.path(), &["export", "out"]).exits(0).stdout;
    assert!(again.starts_with("exported 0 new records of 3, every new hash checked; 0 files written"), "{again}");
    fs::create_dir(folder.path().join("mine")).unwrap();
    fs::write(folder.path().join("mine/letter.txt"), "dear").unwrap();
    journal(folder.path(), &["export", "mine"]).exits(2);
    let given = run(folder.path(), &["log", "verify", "out", "--public-key", "data/journal.pub"]).exits(0).stdout;
    assert!(given.contains("Checked   public key of the log, records, tree and signed states\n"), "{given}");
    // Its own keys prove nothing about who made it, and the verdict says so.
    let own = run(folder.path(), &["log", "verify", "out"]).exits(0).stdout;
    assert!(
        own.contains("Not       public key of the log: checked with keys that came with the log")
            && own.contains("give --public-key"),
        "{own}"
    );
    let own = run(folder.path(), &["log", "verify", "out", "--format", "json"]).exits(0).stdout;
    assert!(own.contains("\"keySource\": \"export\""), "{own}");
    let refused = journal(folder.path(), &["import", "out", "--data-dir", "copy"]).exits(2);
    assert!(refused.stderr.contains("journal-unremembered"), "{}", refused.stderr);
    assert!(!folder.path().join("copy").exists());
    let known = ["import", "out", "--data-dir", "copy", "--at-least", "answer-1.json"];
    journal(folder.path(), &known).exits(0);
    journal(folder.path(), &["verify", "--data-dir", "copy", "--from", "answer-1.json"]).exits(0);
    // A state that is given is never left out: where there is no log, where it is older, and where it is another.
    let at_least = |data: &str, state: &str| journal(folder.path(), &["init", "--data-dir", data, "--at-least", state]);
    assert!(at_least("nowhere", "answer-1.json").exits(4).stderr.contains("journal-rewound"));
    assert!(!folder.path().join("nowhere").exists());
    fs::copy(folder.path().join("data/journal.key"), folder.path().join("copy/journal.key")).unwrap();
    at_least("copy", "answer-1.json").exits(0);
    assert!(at_least("copy", "out/journal.pub").exits(2).stderr.contains("no checkpoint"));
    let other = log().0;
    fs::copy(other.path().join("answer-1.json"), folder.path().join("stranger.json")).unwrap();
    at_least("copy", "stranger.json").exits(2);
    fs::copy(other.path().join("data/journal.pub"), folder.path().join("stranger.pub")).unwrap();
    run(folder.path(), &["log", "verify", "out", "--public-key", "stranger.pub"]).exits(2);
    fs::copy(other.path().join("answer-2.json"), folder.path().join("foreign.json")).unwrap();
    journal(folder.path(), &["verify", "--from", "foreign.json"]).exits(2);
}

#[test]
fn decisions_are_made_again() {
    let (folder, _) = log();
    let good = repository("conformance/documents/own-rules/acceptance-request.json");
    let other = repository("conformance/documents/index.json");
    let ran = journal(folder.path(), &["replay", good.to_str().unwrap(), other.to_str().unwrap()]).exits(0);
    assert!(
        ran.stdout.contains("2 records, the same answer again")
            && ran.stdout.contains("not among the records that are kept"),
        "{}",
        ran.stdout
    );
}

#[test]
fn a_new_key_leaves_old_receipts_good() {
    let (folder, _) = log();
    fs::copy(folder.path().join("data/journal.pub"), folder.path().join("old.pub")).unwrap();
    let rotated = journal(folder.path(), &["rotate-key", "--at-once"]).exits(0);
    assert!(rotated.stdout.starts_with("new public key svc-journal-"));
    run(folder.path(), &["log", "check-receipt", "answer-0.json", "--public-key", "data/journal.pub"]).exits(0);
    let proof = journal(folder.path(), &["prove", "0"]).exits(0).stdout;
    fs::write(folder.path().join("proof.json"), proof).unwrap();
    run(folder.path(), &["log", "check-receipt", "proof.json", "--public-key", "data/journal.pub"]).exits(0);
    let unknown = run(folder.path(), &["log", "check-receipt", "proof.json", "--public-key", "old.pub"]).exits(4);
    assert!(unknown.stderr.contains("unknown-key"));
    // Whoever pinned the old key follows the note of that key to the new one.
    let pinned =
        ["log", "check-receipt", "proof.json", "--public-key", "old.pub", "--hand-overs", "data/journal.hand-overs"];
    run(folder.path(), &pinned).exits(0);
    journal(folder.path(), &["verify", "--public-key", "old.pub", "--require-hand-overs"]).exits(0);
    journal(folder.path(), &["export", "out"]).exits(0);
    let exported = ["log", "verify", "out", "--public-key", "old.pub", "--require-hand-overs"];
    run(folder.path(), &exported).exits(0);
    fs::rename(folder.path().join("out/hand-overs"), folder.path().join("notes")).unwrap();
    run(folder.path(), &exported).exits(2);
    // A key that is lost hands nothing over: the log says so, and whoever wants more asks for it.
    fs::remove_file(folder.path().join("data/journal.key")).unwrap();
    let lost = journal(folder.path(), &["rotate-key"]).exits(0).stdout;
    assert!(lost.contains("changed without hand-over"), "{lost}");
    let told = journal(folder.path(), &["verify"]).exits(0).stdout;
    assert!(told.contains("came without hand-over"), "{told}");
    journal(folder.path(), &["verify", "--require-hand-overs"]).exits(2);
    journal(folder.path(), &["verify", "--public-key", "old.pub"]).exits(4);
    let running = Running::start(folder.path(), &["--journal", "sqlite", "--data-dir", "data"]);
    assert_eq!(running.status(&post("", &document())), 200);
}

/// Cut short before the log heard of the new key, and after: the next start has the key that the log has, and the next run has
/// no third.
#[test]
fn a_change_of_keys_that_was_cut_short_loses_no_key() {
    let (folder, _) = log();
    let data = folder.path().join("data");
    let small = ["journal.key", "journal.pub", "journal.checkpoint"];
    let put_back = |kept: &[Vec<u8>]| {
        for (name, bytes) in small.iter().zip(kept) {
            fs::write(data.join(name), bytes).unwrap();
        }
    };
    let keep = || small.map(|name| fs::read(data.join(name)).unwrap());
    let ready = || {
        let running = Running::start(folder.path(), &["--journal", "sqlite", "--data-dir", "data"]);
        assert_eq!(running.status(&post("", &document())), 200);
    };
    let next = data.join("journal.key.next");
    // The log has not heard of it: the old key stays, and the one that was made is the next.
    let running = Running::start(folder.path(), &["--journal", "sqlite", "--data-dir", "data"]);
    running.terminate();
    assert!(running.ended().0.success());
    let before = keep();
    let database = fs::read(data.join("journal.sqlite3")).unwrap();
    journal(folder.path(), &["announce-key"]).exits(0);
    let made = fs::read(&next).unwrap();
    fs::write(data.join("journal.sqlite3"), &database).unwrap();
    fs::remove_file(data.join("journal.hand-overs")).unwrap();
    put_back(&before);
    ready();
    assert_eq!(fs::read(data.join("journal.key")).unwrap(), before[0]);
    let changed = journal(folder.path(), &["rotate-key", "--at-once"]).exits(0).stdout;
    assert!(changed.contains("which was made before") && changed.contains("signed by the old key"), "{changed}");
    assert_eq!(fs::read(data.join("journal.key")).unwrap(), made);
    assert!(!next.exists(), "the change has ended");
    // A key of another log is none of this one's, and is nobody's to remove.
    let (stranger, _) = log();
    fs::copy(stranger.path().join("data/journal.key"), &next).unwrap();
    ready();
    for command in [&["announce-key"][..], &["rotate-key", "--at-once"]] {
        let refused = journal(folder.path(), command).exits(2).stderr;
        let told = refused.split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(told.contains("is one of another: move it out of the data folder"), "{refused}");
    }
    fs::remove_file(&next).unwrap();
    // One that the log had before is left over.
    fs::write(&next, &before[0]).unwrap();
    fs::set_permissions(&next, fs::metadata(data.join("journal.key")).unwrap().permissions()).unwrap();
    ready();
    assert!(!next.exists(), "an earlier key is no next one");
    // The log has heard of it: the new key takes its place, and there is no third.
    for by_command in [false, true] {
        let old = keep();
        journal(folder.path(), &["rotate-key", "--at-once"]).exits(0);
        let new = keep();
        put_back(&old);
        fs::copy(data.join("journal.key"), folder.path().join("mode")).unwrap();
        fs::copy(folder.path().join("mode"), data.join("journal.key.next")).unwrap();
        fs::write(data.join("journal.key.next"), &new[0]).unwrap();
        if by_command {
            let ended = journal(folder.path(), &["rotate-key", "--at-once"]).exits(0).stdout;
            assert!(ended.contains("signed by the old key"), "{ended}");
        }
        ready();
        assert!(!next.exists(), "the change has ended");
        assert_eq!(fs::read(data.join("journal.key")).unwrap(), new[0]);
        assert_eq!(fs::read(data.join("journal.pub")).unwrap(), new[1]);
    }
    journal(folder.path(), &["verify", "--require-hand-overs"]).exits(0);
}

/// Who runs the command must not matter to who reads the files: root gives them to whoever had them.
#[test]
fn a_new_key_belongs_to_the_owner_of_the_old_one() {
    use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _, chown};

    let (folder, _) = log();
    let data = folder.path().join("data");
    let is_root = fs::metadata(&data).unwrap().uid() == 0;
    let owner = if is_root {
        (12_345, 23_456)
    } else {
        (fs::metadata(&data).unwrap().uid(), fs::metadata(&data).unwrap().gid())
    };
    fs::set_permissions(data.join("journal.key"), fs::Permissions::from_mode(0o400)).unwrap();
    fs::set_permissions(data.join("journal.pub"), fs::Permissions::from_mode(0o644)).unwrap();
    for path in fs::read_dir(&data).unwrap().map(|entry| entry.unwrap().path()).chain([data.clone()]) {
        chown(path, Some(owner.0), Some(owner.1)).unwrap();
    }
    journal(folder.path(), &["rotate-key", "--at-once"]).exits(0);
    let mut modes = Vec::new();
    for path in fs::read_dir(&data).unwrap().map(|entry| entry.unwrap().path()) {
        let found = fs::metadata(&path).unwrap();
        assert_eq!((found.uid(), found.gid()), owner, "{}", path.display());
        modes.push((path.file_name().unwrap().to_str().unwrap().to_owned(), found.mode() & 0o777));
    }
    for (name, mode) in [("journal.key", 0o400), ("journal.pub", 0o644), ("journal.hand-overs", 0o600)] {
        assert!(modes.contains(&(name.to_owned(), mode)), "{name}: {modes:?}");
    }
}

/// A log of 260 records, of which 256 were pruned, over the wire and in a folder.
#[test]
fn a_pruned_log_says_where_it_begins_to_everyone() {
    let (folder, _) = log();
    fs::create_dir(folder.path().join("long")).unwrap();
    let data = ["--data-dir", "long/data"];
    let running = Running::start(folder.path(), &["--journal", "sqlite", "--data-dir", "long/data"]);
    let at = |arguments: &[&str]| journal(folder.path(), &[arguments, &data].concat());
    for _ in 0..260 {
        assert_eq!(running.status(&post("", &document())), 200);
    }
    drop(running);
    at(&["prune", "--before", "yesterday"]).exits(2);
    let beyond = at(&["prune", "--before", "261"]).exits(2);
    assert!(beyond.stderr.contains("the log has 260 records, and there is no record 261"), "{}", beyond.stderr);
    let planned = at(&["prune", "--before", "260", "--dry-run"]).exits(0).stdout;
    assert_eq!(planned, "256 records would be pruned, 0 to 255; the log would begin at 256 of 260\n");
    assert!(at(&["prune", "--before", "255"]).exits(0).stdout.starts_with("pruned nothing"));
    let pruned = at(&["prune", "--before", "2999-01-01"]).exits(0).stdout;
    assert_eq!(pruned, "pruned 256 records; the log begins at 256 of 260\n");
    for command in ["show", "prove"] {
        let refused = at(&[command, "255"]).exits(3);
        assert!(refused.stderr.contains("record 255 was pruned; the log begins at 256"), "{}", refused.stderr);
        assert!(!refused.stderr.contains("--data-dir"), "{}", refused.stderr);
        at(&[command, "256"]).exits(0);
    }
    let listed = at(&["list"]).exits(0);
    assert_eq!(listed.stdout.lines().count(), 4);
    assert!(listed.stderr.contains("the log begins at 256"), "{}", listed.stderr);
    let good = repository("conformance/documents/own-rules/acceptance-request.json");
    assert!(at(&["replay", good.to_str().unwrap()]).exits(0).stdout.contains("4 records, the same answer again"));
    assert!(at(&["verify"]).exits(0).stdout.contains("256 of them pruned"));
    at(&["export", "out"]).exits(0);
    let running = Running::start(folder.path(), &["--journal", "sqlite", "--data-dir", "long/data"]);
    let address = format!("http://{}", running.address);
    for source in ["out", &address] {
        let told = run(folder.path(), &["log", "verify", source, "--public-key", "long/data/journal.pub"]).exits(0);
        assert!(
            told.stdout.contains("260 records hold") && told.stdout.contains("the log begins at 256"),
            "{}",
            told.stdout
        );
    }
    assert_eq!(get(&running, "/journal/tile/entries/000").0, 404);
    assert_eq!(get(&running, "/journal/tile/0/000").0, 200);
    assert_eq!(get(&running, "/journal/minimum-index").2, fs::read(folder.path().join("out/minimum-index")).unwrap());
    let page: Value = serde_json::from_slice(&get(&running, "/journal/entries").2).unwrap();
    assert_eq!(page["entries"][0]["record"]["sequence"], 256);
    let told = journal(folder.path(), &["import", "out", "--data-dir", "copy", "--first-node"]).exits(0).stdout;
    assert!(told.contains("256 of them are pruned: their hashes were imported"), "{told}");
    assert!(journal(folder.path(), &["verify", "--data-dir", "copy"]).exits(0).stdout.contains("256 of them pruned"));
}

#[test]
fn growth_is_called_checked_only_with_an_older_state() {
    let (folder, _) = log();
    let at = |arguments: &[&str]| journal(folder.path(), arguments).exits(0).stdout;
    at(&["export", "out"]);
    at(&["import", "out", "--data-dir", "copy", "--first-node"]);
    let told = at(&["verify", "--data-dir", "copy"]);
    assert!(told.contains("Not       growth from an earlier state: there was no older state"), "{told}");
    let verify = |from: &str| run(folder.path(), &["log", "verify", "out", "--from", from]).exits(0).stdout;
    let told = verify("out/checkpoint");
    assert!(told.contains("Not       growth from an earlier state: the log has the same state"), "{told}");
    let told = verify("answer-0.json");
    assert!(told.contains("growth from an earlier state\n"), "{told}");
}

/// An archive only grows: what the log prunes stays in the folders that it was exported to, and is proven by its hashes.
#[test]
fn what_was_exported_before_a_prune_stays_in_the_archive() {
    let (folder, _) = log();
    let running = Running::start(folder.path(), &["--journal", "sqlite", "--data-dir", "data"]);
    let at = |arguments: &[&str]| journal(folder.path(), arguments);
    at(&["export", "early"]).exits(0);
    for _ in 0..300 {
        assert_eq!(running.status(&post("", &document())), 200);
    }
    drop(running);
    at(&["export", "archive"]).exits(0);
    at(&["prune", "--before", "256"]).exits(0);
    let verified = |name: &str| run(folder.path(), &["log", "verify", name, "--public-key", "data/journal.pub"]);
    let records = folder.path().join("archive/tile/entries/000");
    let whole = fs::read(&records).unwrap();
    for _ in 0..2 {
        let told = at(&["export", "archive"]).exits(0).stdout;
        assert!(
            told.contains("begins at 256: what is before was pruned; this folder keeps the records from 0"),
            "{told}"
        );
        assert!(told.contains("0 removed"), "{told}");
        assert_eq!(fs::read(&records).unwrap(), whole);
        let told = verified("archive").exits(0).stdout;
        assert!(told.contains("303 records hold") && !told.contains("pruned"), "{told}");
    }
    // What is gone from the log and from the archive, or was changed there, cannot be brought back: nothing is written.
    let mut changed = whole.clone();
    *changed.last_mut().unwrap() ^= 1;
    let files = |name: &str| files_below(&folder.path().join(name));
    for damage in [Some(changed), None] {
        match damage {
            Some(bytes) => fs::write(&records, bytes).unwrap(),
            None => fs::remove_file(&records).unwrap(),
        }
        let before = files("archive");
        let refused = at(&["export", "archive"]);
        assert!(matches!(refused.code, Some(2 | 4)), "{}", refused.stderr);
        assert!(
            refused.stderr.contains("archive/tile/entries/000") && refused.stderr.contains("bring"),
            "{}",
            refused.stderr
        );
        assert_eq!(files("archive"), before);
    }
    fs::write(&records, &whole).unwrap();
    at(&["export", "archive"]).exits(0);
    // An archive that missed some says which, and keeps what it has.
    let told = at(&["export", "early"]).exits(0).stdout;
    assert!(told.contains("3 to 255 were pruned before this folder had them"), "{told}");
    assert!(folder.path().join("early/tile/entries/000.p/3").is_file());
    assert!(verified("early").exits(0).stdout.contains("256 of them pruned"));
    // The log comes back whole from the archive.
    at(&["import", "archive", "--data-dir", "copy", "--first-node"]).exits(0);
    assert!(!at(&["verify", "--data-dir", "copy"]).exits(0).stdout.contains("pruned"));
}

#[cfg(unix)]
#[test]
fn no_link_in_an_archive_is_followed() {
    use std::os::unix::fs::symlink;

    let (folder, _) = log();
    let elsewhere = folder.path().join("elsewhere");
    fs::create_dir_all(elsewhere.join("0/000.p")).unwrap();
    fs::write(elsewhere.join("0/000.p/1"), "theirs").unwrap();
    fs::write(elsewhere.join("theirs"), "theirs").unwrap();
    let theirs = files_below(&elsewhere);
    // In place of a file, or of one that is written first: the link goes, and what it led to stays.
    journal(folder.path(), &["export", "out"]).exits(0);
    for name in [".checkpoint.new", "checkpoint", "journal.pub", ".journal.pub.new"] {
        let link = folder.path().join("out").join(name);
        let before = fs::read(&link).ok();
        let _ = fs::remove_file(&link);
        symlink(elsewhere.join("theirs"), &link).unwrap();
        journal(folder.path(), &["export", "out"]);
        assert_eq!(files_below(&elsewhere), theirs, "{name}");
        fs::remove_file(&link).ok();
        if let Some(bytes) = before {
            fs::write(&link, bytes).unwrap();
        }
    }
    // In place of a folder: refused, and nothing is written or removed behind it.
    fs::remove_dir_all(folder.path().join("out/tile")).unwrap();
    symlink(&elsewhere, folder.path().join("out/tile")).unwrap();
    let refused = journal(folder.path(), &["export", "out"]);
    assert_eq!(refused.code, Some(3), "{}", refused.stderr);
    assert!(refused.stderr.contains("`tile` is a link"), "{}", refused.stderr);
    assert_eq!(files_below(&elsewhere), theirs);
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
    run(folder.path(), &["log", "verify", "served", "--public-key", "data/journal.pub"]).exits(0);
    let address = format!("http://{}", running.address);
    let held = ["log", "verify", &address, "--public-key", "data/journal.pub", "--from", "answer-1.json"];
    let ran = run(folder.path(), &held).exits(0);
    assert!(ran.stdout.contains("3 records hold"), "{}", ran.stdout);
    run(folder.path(), &["log", "verify", &address]).exits(2);
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
    let request =
        format!("GET /api/sdk/registry{path} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n{headers}\r\n");
    stream.write_all(request.as_bytes()).unwrap();
    let mut answer = Vec::new();
    stream.read_to_end(&mut answer).unwrap();
    let end = answer.windows(4).position(|window| window == b"\r\n\r\n").unwrap();
    let head = String::from_utf8(answer[..end].to_vec()).unwrap();
    (head.split(' ').nth(1).unwrap().parse().unwrap(), head, answer[end + 4..].to_vec())
}
