//! Two services on one database: each is killed under load, and so is the database.

use std::{path::Path, thread, time::Duration};

use svc_journal::{
    folder::DataFolder,
    joining::Joining,
    open::{Backend, Location},
    postgres::Settings,
};

use crate::{
    campaign::{self, Record},
    cluster::Cluster,
    load::Load,
    running::Running,
};

const NODES: [&str; 2] = ["one", "two"];

#[test]
#[ignore = "needs PostgreSQL; `cargo xtask gates` runs it"]
fn killed_nodes_and_a_killed_database_leave_one_log_without_gaps() {
    let folder = tempfile::tempdir().unwrap();
    let cluster = Cluster::start();
    let url = cluster.database("journal");
    let place = Backend::Shared(Box::new(Settings::parse(&url, None, None).unwrap()));
    let location = |node: &str| Location { backend: place.clone(), folder: folder.path().join(node) };
    drop(location(NODES[0]).write_joining(&Joining::First).unwrap());
    std::fs::create_dir(folder.path().join(NODES[1])).unwrap();
    std::fs::copy(folder.path().join("one/journal.key"), folder.path().join("two/journal.key")).unwrap();
    let known = std::fs::read_to_string(folder.path().join("one/journal.checkpoint")).unwrap();
    drop(location(NODES[1]).write_joining(&Joining::AtLeast(known)).unwrap());
    let load = Load::on(2);
    load.set_keys(DataFolder::at(&folder.path().join(NODES[0])).public_keys().unwrap().unwrap());
    let rounds = campaign::count(6, 100);
    let mut killed = [0; 3];
    thread::scope(|scope| {
        let clients: Vec<_> = (0..6)
            .map(|number| {
                let load = &load;
                scope.spawn(move || load.client(number % 2))
            })
            .collect();
        let mut nodes: Vec<Option<Running>> =
            (0..NODES.len()).map(|node| Some(start(folder.path(), &url, node, &load))).collect();
        for round in 0..rounds {
            load.wait_for(30);
            thread::sleep(Duration::from_micros((round as u64 * 7919) % 30_000));
            let victim = round % 3;
            killed[victim] += 1;
            if victim < NODES.len() {
                load.set_address(victim, None);
                nodes[victim] = None;
                nodes[victim] = Some(start(folder.path(), &url, victim, &load));
            } else {
                cluster.kill();
                cluster.up();
            }
        }
        load.wait_for(30);
        load.end();
        clients.into_iter().for_each(|client| client.join().unwrap());
    });
    let proven = load.settle(&location(NODES[0]));
    Record {
        name: "journal-nodes",
        tried: "Two services on one PostgreSQL under load; in turn each service and the database are killed (-9); one log \
                without gaps must come out, with every answer once, and nobody has to help.",
        counts: vec![
            ("kills of a service".to_owned(), killed[0] + killed[1]),
            ("kills of the database".to_owned(), killed[2]),
            ("answers held against the log".to_owned(), proven.answers),
            ("closed failures in between".to_owned(), proven.refusals),
        ],
        found: Vec::new(),
    }
    .close();
}

/// Starts a node; right after a kill of the database it may have to be tried again, as a service manager does.
fn start(folder: &Path, url: &str, node: usize, load: &Load) -> Running {
    let running = Running::start(folder, &["--journal", url, "--data-dir", NODES[node]]);
    load.set_address(node, Some(running.address.clone()));
    running
}
