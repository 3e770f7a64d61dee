//! What a refusal tells an operator after a restore or a failover, followed to the letter: the command in the message is the
//! one that is run, with places in the words that stand for them, and it works.

use std::{
    fs,
    path::Path,
    process::{Command, Stdio},
};

use svc_testkit::lived_log::LivedLog;

use crate::{
    cluster::Cluster,
    run::{Run, program, repository},
    running::{Running, document, post},
};

const SQLITE: [&str; 2] = ["--journal", "sqlite"];
const START: [&str; 3] = ["serve", "--bind", "127.0.0.1:0"];

/// A log in its second year in `data`, whose newest copy is in `copy`, and which has an older one of its database in `old`.
fn place() -> (tempfile::TempDir, LivedLog) {
    let folder = tempfile::tempdir().unwrap();
    let log = LivedLog::in_sqlite(&folder.path().join("data"), None);
    fs::copy(log.data.join("journal.sqlite3"), folder.path().join("old")).unwrap();
    log.journal("export", &["../older-copy"]);
    log.ask();
    log.journal("export", &["../copy"]);
    (folder, log)
}

fn run(folder: &Path, arguments: &[&str], journal: &[&str], data: &str) -> Run {
    Run::of(&mut program(folder, &[arguments, journal, &["--data-dir", data]].concat()))
}

/// The command that a refusal names in its help, with what its words in capitals stand for.
fn advised(refused: &Run, words: &[(&str, &str)]) -> Vec<String> {
    let help = refused.stderr.split_once("= help: ").unwrap_or_else(|| panic!("{}", refused.stderr)).1;
    command_in(help, words)
}

/// The command that stands in a text.
fn command_in(text: &str, words: &[(&str, &str)]) -> Vec<String> {
    let command =
        text.split_once("`svc-registry ").unwrap_or_else(|| panic!("no command: {text}")).1.split_once('`').unwrap().0;
    let word = |word: &str| {
        let stands_for = words.iter().find(|(name, _)| *name == word);
        assert!(stands_for.is_some() || word != word.to_uppercase(), "`{word}` in `{command}` is not known");
        stands_for.map_or(word, |(_, value)| value).to_owned()
    };
    command.split(' ').map(word).collect()
}

/// Follows the advice into a new folder, gives it the key, and sees that the log goes on there.
fn is_brought_back(folder: &Path, refused: &Run, journal: &[&str], log: &LivedLog, known: &str) {
    let command = advised(refused, &[("DIR", "copy"), ("CHECKPOINT", known)]);
    let command: Vec<&str> = command.iter().map(String::as_str).collect();
    run(folder, &command, journal, "new").exits(0);
    fs::copy(log.data.join("journal.key"), folder.join("new/journal.key")).unwrap();
    let running = Running::start(folder, &[journal, &["--data-dir", "new"]].concat());
    assert_eq!(running.status(&post("", &document())), 200);
    drop(running);
    for answer in &log.answers {
        fs::write(folder.join("answer.json"), answer).unwrap();
        let check = ["log", "check-receipt", "answer.json", "--public-key", "new/journal.pub"];
        Run::of(&mut program(folder, &check)).exits(0);
    }
}

#[test]
fn a_database_that_was_set_back_is_brought_back_as_the_refused_start_says() {
    let (folder, log) = place();
    for rest in ["-wal", "-shm"] {
        let _ = fs::remove_file(log.data.join(format!("journal.sqlite3{rest}")));
    }
    fs::copy(folder.path().join("old"), log.data.join("journal.sqlite3")).unwrap();
    for command in [&START[..], &["journal", "init"]] {
        let refused = run(folder.path(), command, &SQLITE, "data").exits(4);
        assert!(refused.stderr.contains("journal-rewound"), "{}", refused.stderr);
    }
    // A copy that is older than what the folder remembers is refused with the same words, and the newest is taken.
    let older = ["journal", "import", "older-copy", "--at-least", "data"];
    let refused = run(folder.path(), &older, &SQLITE, "new").exits(4);
    is_brought_back(folder.path(), &refused, &SQLITE, &log, "data");
}

#[test]
fn a_database_that_is_gone_is_brought_back_as_the_refused_start_says() {
    let (folder, log) = place();
    for name in ["journal.sqlite3", "journal.sqlite3-wal", "journal.sqlite3-shm"] {
        let _ = fs::remove_file(log.data.join(name));
    }
    let refused = run(folder.path(), &START, &SQLITE, "data").exits(4);
    let read = run(folder.path(), &["journal", "verify"], &SQLITE, "data").exits(4);
    assert!(!read.stderr.contains("journal init"), "a command that is refused here: {}", read.stderr);
    is_brought_back(folder.path(), &refused, &SQLITE, &log, "data");
    // The same for whoever reads first.
    fs::remove_dir_all(folder.path().join("new")).unwrap();
    is_brought_back(folder.path(), &read, &SQLITE, &log, "data");
}

/// Where the whole folder is gone, nothing remembers: what is left is the copy, and what it says is looked for.
#[test]
fn a_folder_that_is_gone_is_missing_and_the_copy_is_brought_back() {
    let (folder, log) = place();
    let refused = run(folder.path(), &["journal", "verify"], &SQLITE, "nowhere").exits(3);
    assert!(refused.stderr.contains("check --data-dir"), "{}", refused.stderr);
    run(folder.path(), &["journal", "verify"], &SQLITE, "data").exits(0);
    let refused = run(folder.path(), &["journal", "import", "copy"], &SQLITE, "new").exits(2);
    assert!(refused.stderr.contains("journal-unremembered"), "{}", refused.stderr);
    let command = advised(&refused, &[]);
    assert_eq!(command, ["journal", "import"], "again, with a state that is known");
    // A folder that remembers nothing is no state, and the refusal says which file of it is one.
    let nothing = run(folder.path(), &["journal", "import", "copy", "--at-least", "copy"], &SQLITE, "new").exits(2);
    assert!(nothing.stderr.contains("or the file of a checkpoint"), "{}", nothing.stderr);
    let again = ["journal", "import", "copy", "--at-least", "copy/checkpoint"];
    run(folder.path(), &again, &SQLITE, "new").exits(0);
    let twice = run(folder.path(), &again, &SQLITE, "new").exits(2);
    assert!(twice.stderr.contains("give a new --data-dir"), "{}", twice.stderr);
    run(folder.path(), &again, &SQLITE, "newer").exits(0);
    drop(log);
}

#[test]
fn an_archive_that_is_newer_than_the_log_is_what_the_refused_export_asks_for() {
    let (folder, log) = place();
    let older = ["journal", "import", "older-copy", "--first-node"];
    run(folder.path(), &older, &SQLITE, "set-back").exits(0);
    fs::copy(log.data.join("journal.key"), folder.path().join("set-back/journal.key")).unwrap();
    let refused = run(folder.path(), &["journal", "export", "copy"], &SQLITE, "set-back").exits(4);
    is_brought_back(folder.path(), &refused, &SQLITE, &log, "copy/checkpoint");
    run(folder.path(), &["journal", "export", "copy"], &SQLITE, "new").exits(0);
}

#[test]
fn a_prune_beyond_the_log_says_how_long_it_is_and_that_is_taken() {
    let (folder, log) = place();
    for more in [&[][..], &["--dry-run"]] {
        let prune = [&["journal", "prune", "--before", "99999999"], more].concat();
        let refused = run(folder.path(), &prune, &SQLITE, "data").exits(2);
        let length = refused.stderr.split_once("the log has ").unwrap().1.split(' ').next().unwrap();
        let begins = log.journal("prune", &["--before", length, "--dry-run"]);
        assert!(begins.contains(&format!(" of {length}")), "{begins}");
        run(folder.path(), &["journal", "prune", "--before", length], &SQLITE, "data").exits(0);
    }
}

#[test]
#[ignore = "needs PostgreSQL; `cargo xtask gates` runs it"]
fn a_database_that_was_emptied_is_filled_as_the_refused_start_says() {
    let folder = tempfile::tempdir().unwrap();
    let (log, clusters) = LivedLog::failed_over(&folder.path().join("data"));
    let journal: Vec<&str> = log.journal.iter().map(String::as_str).collect();
    log.journal("export", &["../copy"]);
    clusters[1].sql(&Cluster::address(&[&clusters[1]], "journal"), "DROP SCHEMA svc_journal CASCADE");
    let refused = run(folder.path(), &START, &journal, "data").exits(4);
    let read = run(folder.path(), &["journal", "verify"], &journal, "data").exits(4);
    assert!(!read.stderr.contains("journal init"), "a command that is refused here: {}", read.stderr);
    // For a folder that remembers nothing there is only a log to begin, and that is said with the command that begins one.
    let empty = run(folder.path(), &["journal", "verify"], &journal, "stranger").exits(3);
    let begin = command_in(&empty.stderr, &[]);
    assert_eq!(begin, ["journal", "init", "--first-node"]);
    is_brought_back(folder.path(), &refused, &journal, &log, "data");
    clusters[1].sql(&Cluster::address(&[&clusters[1]], "journal"), "DROP SCHEMA svc_journal CASCADE");
    let begin: Vec<&str> = begin.iter().map(String::as_str).collect();
    run(folder.path(), &begin, &journal, "stranger").exits(0);
}

/// The old primary is started again as it is. A start on both is refused, and the page that the message names has the commands.
#[test]
#[ignore = "needs PostgreSQL; `cargo xtask gates` runs it"]
fn an_old_primary_is_fenced_as_the_refused_start_says() {
    let folder = tempfile::tempdir().unwrap();
    let (log, clusters) = LivedLog::failed_over(&folder.path().join("data"));
    let journal: Vec<&str> = log.journal.iter().map(String::as_str).collect();
    let serves = Running::start(folder.path(), &[&journal[..], &["--data-dir", "data"]].concat());
    clusters[0].up();
    let commands = clusters[0].operator_commands(&clusters[1]);
    drop(serves);
    let refused = run(folder.path(), &START, &journal, "data").exits(6);
    assert!(refused.stderr.contains("journal-wrong-primary"), "{}", refused.stderr);
    let page = refused.stderr.split_once("= help: ").unwrap().1.split(' ').find(|word| word.ends_with(".md")).unwrap();
    let page = fs::read_to_string(repository(page)).unwrap();
    let fencing = page.split_once("\n## Fence an old primary\n").unwrap().1;
    let fence = fencing.lines().find_map(|line| line.strip_prefix("$ ").filter(|line| line.contains("standby.signal")));
    for command in ["$STOP_OLD", fence.unwrap(), "$START_OLD"] {
        let mut shell = Command::new("bash");
        shell.args(["-c", command]).stdout(Stdio::null());
        assert!(shell.envs(commands.clone()).status().unwrap().success(), "{command}");
    }
    let running = Running::start(folder.path(), &[&journal[..], &["--data-dir", "data"]].concat());
    assert_eq!(running.status(&post("", &document())), 200);
}
