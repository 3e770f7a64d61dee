//! Two services on one database: each is killed under load, and so is the database.

use std::time::Duration;

use crate::{
    campaign::{self, Random, Record},
    cluster::Cluster,
    load::Load,
    nodes::{NAMES, Nodes, pause, under_load},
};

/// Kills by their victim, and how long it took until all nodes were back.
#[derive(Default)]
struct Kills {
    services: usize,
    databases: usize,
    stops: usize,
    longest: Duration,
    found: Vec<String>,
}

#[test]
#[ignore = "needs PostgreSQL; `cargo xtask gates` runs it"]
fn killed_nodes_and_a_killed_database_leave_one_log_without_gaps() {
    let cluster = Cluster::start();
    let load = Load::on(NAMES.len());
    let mut nodes = Nodes::start(&cluster.database("journal"), &load);
    let rounds = campaign::count(12, 300);
    let (mut random, mut kills) = (Random::new("kills-postgresql"), Kills::default());
    under_load(&load, || {
        for round in 0..rounds {
            load.wait_for(random.below(30));
            pause(&mut random, 30);
            kills.strike(round, &cluster, &mut nodes, &load);
            // In half of the cases the database ends once more before anybody is back.
            if round % 4 == 2 && random.below(2) == 0 {
                continue;
            }
            match nodes.all_back(&load) {
                Ok(time) => kills.longest = kills.longest.max(time),
                Err(away) => return kills.found.push(format!("after kill {round}: {away}")),
            }
        }
        load.wait_for(30);
    });
    let mut settled = load.settle(&nodes.location(0));
    settled.found.append(&mut kills.found);
    let mut counts = vec![
        ("kills of a service".to_owned(), kills.services),
        ("kills of the database".to_owned(), kills.databases),
        ("immediate shutdowns of it".to_owned(), kills.stops),
        ("milliseconds until both services had answered again and were ready, at most".to_owned(), {
            usize::try_from(kills.longest.as_millis()).unwrap()
        }),
        ("answers held against the log".to_owned(), settled.answers),
        ("records".to_owned(), settled.records),
    ];
    counts.extend(settled.refusals(&NAMES));
    Record {
        name: "kills-postgresql",
        tried: "Two services on one PostgreSQL under load; in turn each service and the database are killed (-9), and the \
                database is shut down at once. Nobody has to help: within 15 seconds both services answer and are ready. The \
                order checker holds the one log without gaps to every answer of both.",
        counts,
        found: settled.found,
    }
    .close();
}

impl Kills {
    fn strike(&mut self, round: usize, cluster: &Cluster, nodes: &mut Nodes, load: &Load) {
        match round % 4 {
            victim @ (0 | 1) => {
                nodes.kill(victim, load);
                nodes.start_again(victim, load);
                self.services += 1;
            }
            2 => {
                cluster.kill();
                cluster.up();
                self.databases += 1;
            }
            _ => {
                cluster.stop_at_once();
                cluster.up();
                self.stops += 1;
            }
        }
    }
}
