//! The monitor: a log that only grows is followed, and one that lies is named, with evidence that a stranger can check.

use std::{
    fs,
    io::{BufRead as _, BufReader, Read as _},
    path::{Path, PathBuf},
    process::{Child, Command, Stdio},
};

use svc_journal::witness_key::WitnessKey;
use tempfile::TempDir;

use crate::{
    made_log::{MadeLog, Served, Server, key, record},
    outsiders::{Liar, PUBLIC, get},
    run::{Run, copy_folder, program},
    running::{Running, document, post},
};

fn place() -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("log.pub"), format!("{}\n", key(7).public().as_str())).unwrap();
    fs::write(folder.path().join("other.pub"), format!("{}\n", key(9).public().as_str())).unwrap();
    folder
}

fn run(folder: &Path, arguments: &[&str]) -> Run {
    Run::of(&mut program(folder, arguments))
}

fn watch(folder: &Path, address: &str, more: &[&str]) -> Run {
    let once = ["log", "watch", address, "--state", "seen", "--public-key", "log.pub", "--once"];
    run(folder, &[&once[..], more].concat())
}

/// The one folder of evidence.
fn evidence(folder: &Path) -> PathBuf {
    let found: Vec<PathBuf> =
        fs::read_dir(folder.join("seen/evidence")).unwrap().map(|entry| entry.unwrap().path()).collect();
    assert_eq!(found.len(), 1, "{found:?}");
    found[0].clone()
}

fn check(folder: &Path, evidence: &Path, public: &str) -> Run {
    run(folder, &["log", "check-evidence", evidence.to_str().unwrap(), "--public-key", public])
}

fn files(folder: &Path) -> Vec<(PathBuf, Vec<u8>)> {
    let mut files: Vec<(PathBuf, Vec<u8>)> = fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .map(|path| (path.clone(), fs::read(path).unwrap()))
        .collect();
    files.sort();
    files
}

/// What is found out about a log that lies, in one way each: what it serves after an honest state of 300 records was seen.
struct Lie {
    name: &'static str,
    answer: Box<dyn FnMut(&str) -> Served + Send>,
    exit: i32,
    finding: &'static str,
    /// How `check-evidence` ends.
    checked: i32,
}

fn lie(
    name: &'static str,
    log: MadeLog,
    mut bend: impl FnMut(&str, Option<Vec<u8>>) -> Served + Send + 'static,
    exit: i32,
    finding: &'static str,
    checked: i32,
) -> Lie {
    Lie { name, answer: Box::new(move |path| bend(path, log.file(path))), exit, finding, checked }
}

fn lies() -> Vec<Lie> {
    let straight = |_: &str, file: Option<Vec<u8>>| Served::File(file);
    let with_yes = |at: usize, yes: &[u8]| {
        let mut log = MadeLog::new(400, 400);
        log.records[at] = yes.to_vec();
        log
    };
    let open = String::from_utf8(record(350, 1)).unwrap().replace("\"accepted\":false", "\"accepted\":true");
    let mut stolen = MadeLog::new(400, 400);
    stolen.seed = 9;
    let mut heard = std::collections::BTreeSet::new();
    let flip = |file: Option<Vec<u8>>| {
        file.map(|mut bytes| {
            bytes[40] ^= 1;
            bytes
        })
    };
    vec![
        lie("another root at the same size", MadeLog::new(300, 299), straight, 4, "log-forked-states", 0),
        lie("another history that grew", MadeLog::new(400, 200), straight, 4, "log-forked-history", 0),
        lie(
            "another history from the last known record on",
            MadeLog::new(301, 299),
            straight,
            4,
            "log-forked-history",
            0,
        ),
        lie("fewer records", MadeLog::new(299, 299), straight, 4, "log-shrank", 1),
        lie("none at all", MadeLog::new(0, 0), straight, 4, "log-shrank", 1),
        lie("a yes", with_yes(350, open.as_bytes()), straight, 7, "log-open-claim", 0),
        lie("no record at all", with_yes(350, b"{}"), straight, 4, "log-damaged", 1),
        lie("another key", stolen, straight, 4, "log-unsigned", 1),
        lie(
            "no hashes",
            MadeLog::new(400, 400),
            |path, file| Served::File(file.filter(|_| !path.starts_with("tile/0"))),
            4,
            "log-unproven",
            1,
        ),
        lie(
            "hashes that lead nowhere",
            MadeLog::new(400, 400),
            move |path, file| Served::File(if path.starts_with("tile/0") { flip(file) } else { file }),
            4,
            "log-unproven",
            1,
        ),
        lie(
            "a tile that is another one the second time",
            MadeLog::new(400, 400),
            move |path, file| {
                Served::File(if path.starts_with("tile/0") && !heard.insert(path.to_owned()) {
                    flip(file)
                } else {
                    file
                })
            },
            4,
            "log-damaged",
            1,
        ),
        lie(
            "records that were not hashed",
            MadeLog::new(400, 400),
            move |path, file| Served::File(if path.starts_with("tile/entries") { flip(file) } else { file }),
            4,
            "log-damaged",
            1,
        ),
        lie(
            "a huge checkpoint",
            MadeLog::new(400, 400),
            |path, file| Served::File(if path == "checkpoint" { Some(vec![b'x'; 70_000]) } else { file }),
            4,
            "",
            0,
        ),
        lie(
            "an endless checkpoint",
            MadeLog::new(400, 400),
            |path, file| if path == "checkpoint" { Served::Endless(vec![b'x'; 65_536]) } else { Served::File(file) },
            6,
            "",
            0,
        ),
        lie(
            "an answer that never ends",
            MadeLog::new(400, 400),
            |path, file| if path == "checkpoint" { Served::Silent } else { Served::File(file) },
            6,
            "",
            0,
        ),
    ]
}

#[test]
fn a_log_that_lies_is_named_with_evidence_and_what_was_known_stays() {
    for Lie { name, answer, exit, finding, checked } in lies() {
        let folder = place();
        let server = Server::serving(MadeLog::new(300, 300));
        watch(folder.path(), &server.address, &[]).exits(0);
        let state = fs::read(folder.path().join("seen/journal.state")).unwrap();
        server.answer(answer);
        let ran = watch(folder.path(), &server.address, &[]).exits(exit);
        assert_eq!(fs::read(folder.path().join("seen/journal.state")).unwrap(), state, "{name}");
        if finding.is_empty() {
            assert!(!folder.path().join("seen/evidence").exists(), "{name}");
            continue;
        }
        assert!(ran.stderr.contains(finding), "{name}: {}", ran.stderr);
        assert!(ran.stderr.contains(&server.address), "it names the log: {name}: {}", ran.stderr);
        let evidence = evidence(folder.path());
        assert!(evidence.ends_with(format!("0001-{finding}")), "{name}: {evidence:?}");
        let told = check(folder.path(), &evidence, "log.pub").exits(checked).stdout;
        assert!(told.contains(finding), "{name}: {told}");
        let readme = fs::read_to_string(evidence.join("README.txt")).unwrap();
        assert!(readme.contains(finding) && readme.contains("check-evidence"), "{readme}");
        // A second watch says so, and touches nothing; so does one with the honest log back in place.
        let before = files(&evidence);
        server.change(MadeLog::new(300, 300));
        let asked = server.asked().len();
        let again = watch(folder.path(), &server.address, &[]).exits(exit);
        assert!(again.stderr.contains("found before") && again.stderr.contains(finding), "{}", again.stderr);
        assert_eq!((files(&evidence), server.asked().len()), (before, asked), "{name}");
    }
}

/// What stands still cannot be told from what has nothing new, until somebody has an answer that is on record.
#[test]
fn a_frozen_log_is_told_by_a_receipt_that_it_does_not_cover() {
    let folder = place();
    let server = Server::serving(MadeLog::new(300, 300));
    watch(folder.path(), &server.address, &[]).exits(0);
    let ran = watch(folder.path(), &server.address, &[]).exits(0);
    assert!(ran.stdout.contains("unchanged for 1 rounds"), "{}", ran.stdout);
    let newer = MadeLog::new(301, 301).checkpoint();
    fs::write(folder.path().join("answer.checkpoint"), newer.text().as_str()).unwrap();
    let ran = watch(folder.path(), &server.address, &["--from", "answer.checkpoint"]).exits(4);
    assert!(ran.stderr.contains("log-shrank"), "{}", ran.stderr);
    check(folder.path(), &evidence(folder.path()), "log.pub").exits(1);
}

#[test]
fn evidence_that_was_changed_or_is_of_another_log_proves_nothing() {
    let folder = place();
    let server = Server::serving(MadeLog::new(300, 300));
    watch(folder.path(), &server.address, &[]).exits(0);
    server.change(MadeLog::new(400, 200));
    watch(folder.path(), &server.address, &[]).exits(4);
    let evidence = evidence(folder.path());
    check(folder.path(), &evidence, "log.pub").exits(0);
    check(folder.path(), &evidence, "other.pub").exits(4);
    // The guide says that both states are in it byte for byte.
    let kept: Vec<Vec<u8>> =
        fs::read_dir(&evidence).unwrap().map(|file| fs::read(file.unwrap().path()).unwrap()).collect();
    for log in [MadeLog::new(300, 300), MadeLog::new(400, 200)] {
        assert!(kept.contains(&log.checkpoint().text().as_str().as_bytes().to_vec()), "a state is not in the evidence");
    }
    let change = |name: &str, bytes: &dyn Fn(String) -> String| {
        let kept = fs::read_to_string(evidence.join(name)).unwrap();
        let changed = bytes(kept.clone());
        assert_ne!(kept, changed, "{name}");
        fs::write(evidence.join(name), changed).unwrap();
        let ran = check(folder.path(), &evidence, "log.pub");
        fs::write(evidence.join(name), kept).unwrap();
        ran
    };
    change("first.checkpoint", &|text| text.replace("\n300\n", "\n301\n")).exits(4);
    change("second.checkpoint", &|text| text.replace("\n400\n", "\n401\n")).exits(4);
    change("evidence.json", &|text| text.replace("log-forked-history", "log-forked-states")).exits(4);
    change("evidence.json", &|text| text.replacen("sha256:", "sha256:00", 1)).exits(3);
    change("evidence.json", &|text| text.replace("\"kind\"", "\"kinds\"")).exits(3);
    // The same states of an honest log: no accusation holds.
    let honest = MadeLog::new(400, 400).checkpoint();
    change("second.checkpoint", &|_| honest.text().as_str().to_owned()).exits(4);
    check(folder.path(), &evidence, "log.pub").exits(0);
}

/// Two copies of one journal with the same key, each of which went on by itself, at one address.
#[test]
fn our_own_fork_is_named_and_a_stranger_confirms_it() {
    for (more, finding, checked) in [(20, "log-forked-states", 0), (30, "log-forked-history", 0), (0, "log-shrank", 1)]
    {
        let folder = tempfile::tempdir().unwrap();
        let send = |running: &Running, count: usize| {
            (0..count).for_each(|_| assert_eq!(running.status(&post("", &document())), 200));
        };
        let running = Running::start(folder.path(), &PUBLIC);
        send(&running, 30);
        running.terminate();
        running.ended();
        fs::copy(folder.path().join("data/journal.pub"), folder.path().join("log.pub")).unwrap();
        copy_folder(&folder.path().join("data"), &folder.path().join("copy/data"));
        let running = Running::start(folder.path(), &PUBLIC);
        send(&running, 20);
        let door = Liar::before(running.address.clone(), Box::new(|_, _, real| real));
        let ran = watch(folder.path(), &door.address, &[]).exits(0);
        assert!(ran.stdout.contains("50 records, nothing but noes, 50 read now"), "{}", ran.stdout);
        drop(running);
        let forked = Running::start(&folder.path().join("copy"), &PUBLIC);
        send(&forked, more);
        door.lead_to(&forked.address);
        let ran = watch(folder.path(), &door.address, &[]).exits(4);
        assert!(ran.stderr.contains(finding), "{}", ran.stderr);
        let evidence = evidence(folder.path());
        let told = check(folder.path(), &evidence, "log.pub").exits(checked).stdout;
        assert!(told.starts_with(if checked == 0 { "genuine: " } else { "signed, not proven: " }), "{told}");
        // Both states are there as they were served.
        let second = fs::read(evidence.join("second.checkpoint")).unwrap();
        assert_eq!(second, get(&forked.address, "/journal/checkpoint", "").2);
    }
}

#[test]
fn a_key_that_is_handed_over_twice_is_found_also_when_the_first_note_is_withheld() {
    let folder = place();
    let note = |to: u8| key(7).hand_over_to(key(to).public()).unwrap().text().to_owned();
    let of = |seed: u8, note: String| MadeLog { seed, hand_overs: Some(note), ..MadeLog::new(300, 300) };
    let server = Server::serving(of(8, note(8)));
    watch(folder.path(), &server.address, &[]).exits(0);
    server.change(of(9, note(9)));
    let ran = watch(folder.path(), &server.address, &[]).exits(4);
    assert!(ran.stderr.contains("log-forked-keys"), "{}", ran.stderr);
    check(folder.path(), &evidence(folder.path()), "log.pub").exits(0);
}

#[test]
fn a_state_without_the_quorum_of_the_policy_is_not_enough() {
    let folder = place();
    let witness = |seed: u8| WitnessKey::from_seed(&format!("witness.example/{seed}"), &[seed; 32]).unwrap();
    let policy = format!(
        "log {}\nwitness a {}\nwitness b {}\ngroup both all a b\nquorum both\n",
        key(7).public().as_str(),
        witness(21).public(),
        witness(22).public()
    );
    fs::write(folder.path().join("policy"), policy).unwrap();
    let plain = MadeLog::new(300, 300);
    let line = |seed: u8| format!("{}\n", witness(seed).cosign(&plain.checkpoint(), 1_767_225_600).unwrap().line());
    let with = |lines: String| MadeLog { cosignatures: lines, ..MadeLog::new(300, 300) };
    let server = Server::serving(with(line(21)));
    let ran = watch(folder.path(), &server.address, &["--policy", "policy"]).exits(4);
    assert!(ran.stderr.contains("quorum-lacking") && ran.stderr.contains("missing: b"), "{}", ran.stderr);
    assert!(!folder.path().join("seen/evidence").exists(), "a witness that is late is no lie");
    server.change(with(line(21) + &line(22)));
    watch(folder.path(), &server.address, &["--policy", "policy"]).exits(0);
    // A line in a witness's name that it did not sign is one.
    let stolen = line(22).replace("witness.example/22", "witness.example/21");
    server.change(with(line(21) + &stolen));
    watch(folder.path(), &server.address, &["--policy", "policy"]).exits(4);
    fs::write(folder.path().join("policy"), "quorum both\n").unwrap();
    let ran = watch(folder.path(), &server.address, &["--policy", "policy"]).exits(2);
    assert!(ran.stderr.contains("policy"), "{}", ran.stderr);
}

#[test]
fn keys_that_nobody_gave_are_remembered_and_not_taken_again() {
    let folder = place();
    let server = Server::serving(MadeLog::new(3, 3));
    let unpinned =
        |server: &Server| run(folder.path(), &["log", "watch", &server.address, "--state", "seen", "--once"]);
    let ran = unpinned(&server).exits(0);
    assert!(ran.stderr.contains("from the registry itself"), "{}", ran.stderr);
    server.change(MadeLog { seed: 9, ..MadeLog::new(4, 4) });
    assert!(unpinned(&server).exits(4).stderr.contains("log-unsigned"));
}

#[test]
fn a_log_that_cannot_be_reached_is_waited_for_and_once_ends_with_six() {
    let folder = place();
    let ran = watch(folder.path(), "http://127.0.0.1:9", &[]).exits(6);
    assert!(ran.stderr.contains("journal-unreachable"), "{}", ran.stderr);
    let server = Server::start(Box::new(|_| Served::File(None)));
    assert_eq!(watch(folder.path(), &server.address, &[]).code, Some(3), "a registry without a log");
    watch(folder.path(), "not-an-address", &[]).exits(2);
}

struct Watching {
    child: Child,
    lines: BufReader<std::process::ChildStdout>,
}

impl Watching {
    fn start(folder: &Path, address: &str, more: &[&str]) -> Self {
        let words = ["log", "watch", address, "--state", "seen", "--public-key", "log.pub", "--every", "1"];
        let mut child = program(folder, &[&words[..], more].concat())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let lines = BufReader::new(child.stdout.take().unwrap());
        Self { child, lines }
    }

    fn line(&mut self) -> String {
        let mut line = String::new();
        self.lines.read_line(&mut line).unwrap();
        line
    }

    fn stop(mut self, signal: &str) -> (Option<i32>, String) {
        assert!(Command::new("kill").args([signal, &self.child.id().to_string()]).status().unwrap().success());
        let mut rest = String::new();
        self.lines.read_to_string(&mut rest).unwrap();
        (self.child.wait().unwrap().code(), rest)
    }
}

#[test]
fn a_watch_goes_on_over_growth_outages_signals_and_kills() {
    let folder = place();
    let server = Server::serving(MadeLog::new(300, 300));
    let mut watching = Watching::start(folder.path(), &server.address, &["--format", "json"]);
    let read = |line: &str| -> serde_json::Value { serde_json::from_str(line).unwrap() };
    let first = read(&watching.line());
    assert_eq!((&first["event"], &first["state"]["readNow"]), (&"read".into(), &300.into()));
    assert_eq!(first["scope"]["checked"], serde_json::json!(["log-key", "records", "log-tree"]));
    assert_eq!(first["scope"]["notChecked"][0]["what"], "log-growth");
    let second = Run::of(&mut program(
        folder.path(),
        &["log", "watch", &server.address, "--state", "seen", "--public-key", "log.pub", "--once"],
    ));
    assert!(second.exits(2).stderr.contains("another watch"), "one folder, one watch");
    server.answer(Box::new(|_| Served::File(None)));
    let mut line = read(&watching.line());
    while line["event"] == "read" {
        line = read(&watching.line());
    }
    assert_eq!((&line["event"], line["retrySeconds"].as_u64()), (&"waiting".into(), Some(1)));
    server.change(MadeLog::new(700, 700));
    while line["event"] != "read" {
        line = read(&watching.line());
    }
    assert_eq!((&line["state"]["records"], &line["state"]["readNow"]), (&700.into(), &400.into()));
    let (code, rest) = watching.stop("-TERM");
    assert_eq!(code, Some(0), "{rest}");
    assert!(rest.ends_with('\n') && rest.lines().last().unwrap().contains("\"event\":\"stopped\""), "{rest}");
    let mut watching = Watching::start(folder.path(), &server.address, &[]);
    assert!(
        watching.line().contains("700 records, nothing but noes when they were read, unchanged"),
        "goes on where it was"
    );
    assert_eq!(watching.line(), "Checked   public key of the log, tree and signed states\n");
    assert!(watching.line().starts_with("Not       records: those that an earlier run read"));
    assert!(watching.line().starts_with("Not       growth from an earlier state: the log has the same state"));
    watching.stop("-KILL");
    server.change(MadeLog::new(701, 701));
    let mut watching = Watching::start(folder.path(), &server.address, &["--format", "json"]);
    assert_eq!(read(&watching.line())["state"]["readNow"], 1);
    server.change(MadeLog::new(701, 100));
    let mut line = read(&watching.line());
    while line["event"] == "read" {
        line = read(&watching.line());
    }
    assert_eq!((&line["event"], &line["finding"]), (&"found".into(), &"log-forked-states".into()));
    assert!(Path::new(&folder.path().join(line["evidence"].as_str().unwrap())).is_dir());
    assert_eq!(watching.child.wait().unwrap().code(), Some(4));
    assert_eq!(watching.line(), "", "every line is JSON");
}
