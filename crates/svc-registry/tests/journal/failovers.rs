//! The database is lost and its standby takes its place: with a synchronous one nothing that was answered is lost, with an
//! asynchronous one the loss is noticed and named.

use std::{
    fs,
    time::{Duration, Instant},
};

use crate::{
    campaign::{self, Random, Record},
    cluster::Cluster,
    load::Load,
    nodes::{NAMES, Nodes, pause, under_load},
    run::{Run, program},
    running::{document, post},
    standby::Replication,
};

#[test]
#[ignore = "needs PostgreSQL; `cargo xtask gates` runs it"]
fn a_failover_to_a_synchronous_standby_loses_nothing_that_was_answered() {
    let clusters = [Cluster::start(), Cluster::nowhere()];
    clusters[0].database("journal");
    let url = Cluster::address(&[&clusters[0], &clusters[1]], "journal");
    let load = Load::on(NAMES.len());
    let mut nodes = Nodes::start(&url, &load);
    let rounds = campaign::count(1, 30);
    let mut random = Random::new("failovers");
    let mut longest = Duration::ZERO;
    under_load(&load, || {
        for round in 0..rounds {
            let (primary, standby) = (&clusters[round % 2], &clusters[(round + 1) % 2]);
            standby.follow(primary, Replication::Synchronous);
            load.wait_for(10 + random.below(60));
            pause(&mut random, 30);
            let lost = Instant::now();
            primary.kill();
            standby.promote();
            load.wait_for(1);
            longest = longest.max(lost.elapsed());
            // A node that comes up after it goes to the new primary as well.
            nodes.kill(round % 2, &load);
            nodes.start_again(round % 2, &load);
        }
        load.wait_for(30);
    });
    let settled = load.settle(&nodes.location(0));
    Record {
        name: "failovers",
        tried: "The PostgreSQL of two services is killed (-9) under load, and its synchronous standby is promoted \
                (`pg_ctl promote`); the services find it by themselves. The order checker holds the log of the last one to \
                every answer.",
        counts: vec![
            ("failovers".to_owned(), rounds),
            ("answers held against the log".to_owned(), settled.answers),
            ("records".to_owned(), settled.records),
            ("closed failures in between".to_owned(), settled.refusals.values().sum()),
            ("milliseconds until the next answer, at most".to_owned(), millis(longest)),
        ],
        found: settled.found,
    }
    .close();
}

/// A standby that lacks records is promoted. Both nodes remember a newer log, refuse to go on at once and at every start, and
/// whoever has an answer proves that it is missing.
#[test]
#[ignore = "needs PostgreSQL; `cargo xtask gates` runs it"]
fn records_that_an_asynchronous_standby_lacks_are_noticed_and_named() {
    let rounds = campaign::count(1, 10);
    let (mut answers, mut longest) = (0, Duration::ZERO);
    for _ in 0..rounds {
        let clusters = [Cluster::start(), Cluster::nowhere()];
        clusters[0].database("journal");
        let url = Cluster::address(&[&clusters[0], &clusters[1]], "journal");
        let load = Load::on(NAMES.len());
        let mut nodes = Nodes::start(&url, &load);
        under_load(&load, || {
            load.wait_for(20);
            clusters[1].follow(&clusters[0], Replication::Asynchronous);
            load.wait_for(20);
            clusters[1].cut_off();
            // One more on each connection, at least: these are lost.
            load.wait_for(20);
        });
        let receipt = load.last_answer();
        answers += load.answers();
        wait_for_checkpoints(&nodes, &receipt);
        clusters[0].kill();
        clusters[1].promote();
        let lost = Instant::now();
        for node in 0..NAMES.len() {
            refuses_to_go_on(&nodes, node);
        }
        longest = longest.max(lost.elapsed());
        nodes.end();
        for node in NAMES {
            let started = ["serve", "--bind", "127.0.0.1:0", "--journal", &url, "--data-dir", node];
            let refused = Run::of(&mut program(nodes.folder.path(), &started)).exits(4);
            assert!(refused.stderr.contains("journal-rewound"), "{}", refused.stderr);
        }
        proves_the_loss(&nodes, &url, &receipt);
    }
    Record {
        name: "lost-records",
        tried: "An asynchronous standby that lacks records is promoted: running services close (`journal-rewound`), none \
                starts again (exit code 4), and `svc-registry journal verify` with one lost answer names the loss.",
        counts: vec![
            ("failovers".to_owned(), rounds),
            ("services that refused, running and started again".to_owned(), rounds * NAMES.len()),
            ("answers before".to_owned(), answers),
            ("milliseconds until both had refused, at most".to_owned(), millis(longest)),
        ],
        found: Vec::new(),
    }
    .close();
}

/// Waits until both folders remember the lost answer, as they do within a second.
fn wait_for_checkpoints(nodes: &Nodes, receipt: &str) {
    let receipt: serde_json::Value = serde_json::from_str(receipt).unwrap();
    let index = receipt["receipt"]["index"].as_u64().unwrap();
    let start = Instant::now();
    for node in NAMES {
        let file = nodes.folder.path().join(node).join("journal.checkpoint");
        let size = || fs::read_to_string(&file).unwrap().lines().nth(1).unwrap().parse::<u64>().unwrap();
        while size() <= index {
            assert!(start.elapsed() < Duration::from_secs(30), "{node} remembers {} records of {index}", size());
            std::thread::sleep(Duration::from_millis(20));
        }
    }
}

/// Nothing is answered but closed failures, and the service says why.
fn refuses_to_go_on(nodes: &Nodes, node: usize) {
    let running = nodes.running(node);
    let start = Instant::now();
    let ready = || running.ask(b"GET /readyz HTTP/1.1\r\nHost: localhost\r\n\r\n").unwrap();
    while !ready().contains("journal-rewound") {
        assert!(start.elapsed() < Duration::from_secs(60), "{}", ready());
        let answer = running.ask(&post("", &document())).unwrap();
        assert!(answer.starts_with("HTTP/1.1 503 ") && answer.contains("\"accepted\":false"), "{answer}");
        assert!(!answer.contains("\"receipt\""), "{answer}");
        std::thread::sleep(Duration::from_millis(20));
    }
    assert!(ready().starts_with("HTTP/1.1 503 "));
}

/// The log that is left holds in itself, and one answer that it lacks is enough to tell.
fn proves_the_loss(nodes: &Nodes, url: &str, receipt: &str) {
    let folder = nodes.folder.path();
    fs::write(folder.join("answer.json"), receipt).unwrap();
    fs::copy(folder.join("one/journal.pub"), folder.join("journal.pub")).unwrap();
    // Somebody who has nothing of the nodes but the public key.
    fs::create_dir_all(folder.join("reader")).unwrap();
    let verify = ["journal", "verify", "--journal", url, "--data-dir", "reader", "--public-key", "journal.pub"];
    Run::of(&mut program(folder, &verify)).exits(0);
    let told = Run::of(&mut program(folder, &[&verify[..], &["--from", "answer.json"]].concat())).exits(4);
    assert!(told.stderr.contains("journal-rewound"), "{}", told.stderr);
}

fn millis(time: Duration) -> usize {
    usize::try_from(time.as_millis()).unwrap()
}
