//! The commands that change a log are killed: whatever they had done, the next run or the next start goes on from there.

use std::{
    fs, io,
    path::{Path, PathBuf},
    process::{Child, Stdio},
    thread,
    time::{Duration, Instant},
};

use svc_journal::{
    folder::DataFolder,
    open::{Backend, Location},
};
use tempfile::TempDir;

use crate::{
    campaign::{self, Random, Record},
    load::Load,
    run::{Run, program},
    running::{Running, document, post},
};

/// More than two tiles of 256, so that two can be pruned.
const RECORDS: usize = 600;

const WRITE_AHEAD_LOG: &str = "journal.sqlite3-wal";

const PRUNE: &[&str] = &["prune", "--before", "2999-01-01"];
const ROTATE: &[&str] = &["rotate-key", "--at-once"];

/// A log with what clients were told of it.
struct MadeUnderLoad {
    folder: TempDir,
    load: Load,
}

impl MadeUnderLoad {
    fn start() -> Self {
        let (folder, load) = (tempfile::tempdir().unwrap(), Load::on(1));
        let running = start(folder.path());
        load.set_keys(DataFolder::at(&data(folder.path())).public_keys().unwrap().unwrap());
        load.set_address(0, Some(running.address.clone()));
        thread::scope(|scope| {
            let clients: Vec<_> = (0..6).map(|_| scope.spawn(|| load.client(0))).collect();
            load.wait_for(RECORDS);
            load.end();
            clients.into_iter().for_each(|client| client.join().unwrap());
        });
        // In order, so that nothing is left in the write-ahead log.
        running.terminate();
        assert!(running.ended().0.success());
        Self { folder, load }
    }

    /// What does not hold any more of all that was answered.
    fn lost(&self, folder: &Path) -> Vec<String> {
        self.load.settle(&Location { backend: Backend::Embedded, folder: data(folder) }).found
    }
}

#[test]
fn a_killed_prune_is_ended_by_the_next_run_and_loses_nothing_else() {
    let log = MadeUnderLoad::start();
    let rounds = campaign::count(8, 40);
    let whole = time_of_a_whole_run(&log, PRUNE);
    let mut random = Random::new("kills-prune");
    let (mut killed, mut given_up, mut found) = (0, 0, Vec::new());
    for round in 0..rounds {
        let folder = copy_of(log.folder.path());
        let running = spawn(folder.path(), PRUNE);
        let was_killed = if round % 4 < 2 {
            kill(running, part_of(whole, &mut random))
        } else {
            // Most of the time passes before the first byte is written; here the kill comes after it.
            let written = || fs::metadata(data(folder.path()).join(WRITE_AHEAD_LOG)).is_ok_and(|file| file.len() > 0);
            kill_once(running, written, Duration::from_micros(random.below(8_000) as u64))
        };
        killed += usize::from(was_killed);
        given_up += usize::from(was_killed && has_new_beginning(folder.path()));
        // Whoever reads the log before it is mended finds it whole, or finds where it begins.
        journal(folder.path(), &["verify"]).exits(0);
        if round % 2 == 0 {
            assert_eq!(start(folder.path()).status(&post("", &document())), 200);
        }
        journal(folder.path(), PRUNE).exits(0);
        let ended = journal(folder.path(), PRUNE).exits(0).stdout;
        assert!(ended.starts_with("pruned nothing more; the log begins at 512 of "), "{ended}");
        let gone = journal(folder.path(), &["show", "511"]).exits(3);
        assert!(gone.stderr.contains("record 511 was pruned"), "{}", gone.stderr);
        journal(folder.path(), &["show", "512"]).exits(0);
        journal(folder.path(), &["verify"]).exits(0);
        found.extend(log.lost(folder.path()).into_iter().map(|lost| format!("after kill {round}: {lost}")));
    }
    Record {
        name: "kills-prune",
        tried: "`svc-registry journal prune` is killed (-9), half of the times at a random moment, half once it writes, each time on a log of its own. `svc-registry journal verify` \
                holds at once; the next run, in half of the cases after a start of the service, ends it; the order checker \
                holds the log to every answer.",
        counts: vec![
            ("runs killed before their end".to_owned(), killed),
            ("of them after the log had a new beginning".to_owned(), given_up),
            ("runs that ended before the kill".to_owned(), rounds - killed),
        ],
        found,
    }
    .close();
}

#[test]
fn a_killed_change_of_keys_is_ended_by_the_next_run_or_start_and_loses_no_key() {
    let log = MadeUnderLoad::start();
    let folder = log.folder.path();
    let next = data(folder).join("journal.key.next");
    fs::copy(data(folder).join("journal.pub"), folder.join("first.pub")).unwrap();
    let rounds = campaign::count(8, 40);
    let whole = time_of_a_whole_run(&log, ROTATE);
    let mut random = Random::new("kills-rotate-key");
    let (mut killed, mut left) = (0, 0);
    for round in 0..rounds {
        let running = spawn(folder, ROTATE);
        let was_killed = if round % 4 < 2 {
            kill(running, part_of(whole, &mut random))
        } else {
            kill_once(running, || next.exists(), Duration::from_micros(random.below(20_000) as u64))
        };
        killed += usize::from(was_killed);
        left += usize::from(next.exists());
        if round % 2 == 0 {
            assert_eq!(start(folder).status(&post("", &document())), 200);
        }
        // One that the log has not heard of is the one that it changes to.
        let made = fs::read(&next);
        if round % 2 == 1 || made.is_ok() {
            journal(folder, ROTATE).exits(0);
            let key = fs::read(data(folder).join("journal.key")).unwrap();
            assert!(made.map_or(true, |made| made == key), "the key that was made is lost");
        }
        assert!(!next.exists(), "the change of keys has ended");
        // The key that was pinned before the first change leads to the one that signs now.
        journal(folder, &["verify", "--public-key", "first.pub", "--require-hand-overs"]).exits(0);
    }
    Record {
        name: "kills-rotate-key",
        tried: "`svc-registry journal rotate-key` is killed (-9), half of the times at a random moment, half once the next key is on \
                the disk. The next start of the service or the next run needs no help, a key that was made is the one that the \
                log changes to, the key that was pinned at first leads to the newest, and the order checker holds the log to every answer.",
        counts: vec![
            ("runs killed before their end".to_owned(), killed),
            ("runs that left a next key".to_owned(), left),
            ("runs that ended before the kill".to_owned(), rounds - killed),
            ("keys of the log in the end".to_owned(), {
                DataFolder::at(&data(folder)).public_keys().unwrap().unwrap().as_slice().len()
            }),
        ],
        found: log.lost(folder),
    }
    .close();
}

fn data(folder: &Path) -> PathBuf {
    folder.join("data")
}

fn start(folder: &Path) -> Running {
    Running::start(folder, &["--journal", "sqlite", "--data-dir", "data"])
}

/// Whether a note says that the log begins later than with its first record.
fn has_new_beginning(folder: &Path) -> bool {
    let location = Location { backend: Backend::Embedded, folder: data(folder) };
    location.read().unwrap().store.minimum_index().unwrap().is_some()
}

fn arguments<'a>(command: &[&'a str]) -> Vec<&'a str> {
    [&["journal"][..], command, &["--journal", "sqlite", "--data-dir", "data"]].concat()
}

fn journal(folder: &Path, command: &[&str]) -> Run {
    Run::of(&mut program(folder, &arguments(command)))
}

fn spawn(folder: &Path, command: &[&str]) -> Child {
    program(folder, &arguments(command)).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap()
}

/// The log as it was when its service had ended.
fn copy_of(folder: &Path) -> TempDir {
    let copy = tempfile::tempdir().unwrap();
    fs::create_dir(data(copy.path())).unwrap();
    for entry in fs::read_dir(data(folder)).unwrap() {
        let entry = entry.unwrap();
        fs::copy(entry.path(), data(copy.path()).join(entry.file_name())).unwrap();
    }
    copy
}

fn time_of_a_whole_run(log: &MadeUnderLoad, command: &[&str]) -> Duration {
    let folder = copy_of(log.folder.path());
    let started = Instant::now();
    journal(folder.path(), command).exits(0);
    started.elapsed()
}

fn part_of(whole: Duration, random: &mut Random) -> Duration {
    whole.mul_f64(random.below(1000) as f64 / 1000.0)
}

/// Kills a run after some time; whether it was still under way.
fn kill(mut running: Child, after: Duration) -> bool {
    thread::sleep(after);
    end(&mut running).unwrap()
}

/// Kills a run some time after it has begun to write.
fn kill_once(mut running: Child, has_written: impl Fn() -> bool, after: Duration) -> bool {
    while !has_written() && running.try_wait().unwrap().is_none() {
        thread::yield_now();
    }
    thread::sleep(after);
    end(&mut running).unwrap()
}

fn end(running: &mut Child) -> io::Result<bool> {
    running.kill()?;
    let status = running.wait()?;
    // A run that ended by itself must have done what it was asked for.
    assert!(status.success() || status.code().is_none(), "{status}");
    Ok(status.code().is_none())
}
