//! The service is killed under load, again and again, with the journal in a file.

use std::{thread, time::Duration};

use svc_journal::{
    folder::DataFolder,
    open::{Backend, Location},
};

use crate::{
    campaign::{self, Record},
    load::Load,
    running::Running,
};

#[test]
fn a_killed_service_has_every_answer_on_record_once_and_needs_no_help() {
    let folder = tempfile::tempdir().unwrap();
    let data = folder.path().join("data");
    let location = Location { backend: Backend::Embedded, folder: data.clone() };
    let load = Load::on(1);
    let rounds = campaign::count(8, 500);
    thread::scope(|scope| {
        let clients: Vec<_> = (0..6).map(|_| scope.spawn(|| load.client(0))).collect();
        for round in 0..rounds {
            let running = Running::start(folder.path(), &["--journal", "sqlite", "--data-dir", "data"]);
            load.set_keys(DataFolder::at(&data).public_keys().unwrap().unwrap());
            load.set_address(0, Some(running.address.clone()));
            load.wait_for(20);
            // Another moment of the flush each time.
            thread::sleep(Duration::from_micros((round as u64 * 7919) % 20_000));
            load.set_address(0, None);
            drop(running);
        }
        load.end();
        clients.into_iter().for_each(|client| client.join().unwrap());
    });
    let proven = load.settle(&location);
    Record {
        name: "journal-kills",
        tried: "The service is killed (-9) under load with the journal in SQLite; every answer must be in the log once, at \
                its place, under every state that was signed, and the next start needs no help.",
        counts: vec![("kills".to_owned(), rounds), ("answers held against the log".to_owned(), proven.answers)],
        found: Vec::new(),
    }
    .close();
}
