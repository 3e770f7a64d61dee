//! The service is killed, again and again, with the journal in a file: while it starts, while it checks what it finds, and
//! under load.

use std::{
    path::Path,
    process::Stdio,
    thread,
    time::{Duration, Instant},
};

use svc_journal::{
    folder::DataFolder,
    open::{Backend, Location},
};

use crate::{
    campaign::{self, Random, Record},
    load::Load,
    run::program,
    running::Running,
};

const SQLITE: [&str; 4] = ["--journal", "sqlite", "--data-dir", "data"];

/// The longest wait before a kill under load: longer than a batch and its flush.
const MOST_MICROS: usize = 20_000;

/// Kills by their moment.
#[derive(Default)]
struct Kills {
    starting: usize,
    checking: usize,
    loaded: usize,
}

#[test]
fn a_killed_service_has_every_answer_on_record_once_and_needs_no_help() {
    let folder = tempfile::tempdir().unwrap();
    let data = folder.path().join("data");
    let location = Location { backend: Backend::Embedded, folder: data.clone() };
    let load = Load::on(1);
    let rounds = campaign::count(12, 2000);
    let (mut random, mut kills) = (Random::new("kills-sqlite"), Kills::default());
    let mut start_time = Duration::ZERO;
    thread::scope(|scope| {
        let clients: Vec<_> = (0..6).map(|_| scope.spawn(|| load.client(0))).collect();
        for round in 0..rounds {
            // The first one makes the key that clients check receipts with.
            if round > 0 && random.below(4) == 0 {
                kill_while_starting(folder.path(), start_time.mul_f64(random.below(1000) as f64 / 1000.0));
                kills.starting += 1;
                continue;
            }
            let started = Instant::now();
            let running = Running::start(folder.path(), &SQLITE);
            start_time = started.elapsed();
            load.set_keys(DataFolder::at(&data).public_keys().unwrap().unwrap());
            load.set_address(0, Some(running.address.clone()));
            load.wait_for(random.below(20));
            thread::sleep(Duration::from_micros(random.below(MOST_MICROS) as u64));
            if is_checking(&running) {
                kills.checking += 1;
            } else {
                kills.loaded += 1;
            }
            drop(running);
            load.set_address(0, None);
        }
        load.end();
        clients.into_iter().for_each(|client| client.join().unwrap());
    });
    drop(location.write().unwrap());
    let settled = load.settle(&location);
    Record {
        name: "kills-sqlite",
        tried: "The service is killed (-9) with the journal in SQLite: while it starts, while it checks the log in the \
                background, under load. The next start needs no help, and the order checker holds the log to every answer: \
                on record once, at its place, under every state that was signed, before everything that was asked later.",
        counts: vec![
            ("kills while starting".to_owned(), kills.starting),
            ("under load, while the log was checked".to_owned(), kills.checking),
            ("under load, later".to_owned(), kills.loaded),
            ("answers held against the log".to_owned(), settled.answers),
            ("records".to_owned(), settled.records),
        ],
        found: settled.found,
    }
    .close();
}

fn kill_while_starting(folder: &Path, after: Duration) {
    let arguments = [&["serve", "--bind", "127.0.0.1:0"][..], &SQLITE].concat();
    let mut starting = program(folder, &arguments).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
    thread::sleep(after);
    assert!(starting.try_wait().unwrap().is_none(), "a start ended by itself");
    starting.kill().unwrap();
    starting.wait().unwrap();
}

/// Whether the check of the whole log is still under way.
fn is_checking(running: &Running) -> bool {
    running.ask(b"GET /readyz HTTP/1.1\r\nHost: localhost\r\n\r\n").unwrap().contains("\"checked\": ")
}
