//! Two services on one database: each is killed under load, and so is the database.

use crate::{
    campaign::{self, Random, Record},
    cluster::Cluster,
    load::Load,
    nodes::{NAMES, Nodes, pause, under_load},
};

/// Kills by their victim.
#[derive(Default)]
struct Kills {
    services: usize,
    databases: usize,
    stops: usize,
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
            match round % 4 {
                victim @ (0 | 1) => {
                    nodes.kill(victim, &load);
                    nodes.start_again(victim, &load);
                    kills.services += 1;
                }
                2 => {
                    cluster.kill();
                    cluster.up();
                    kills.databases += 1;
                }
                _ => {
                    cluster.stop_at_once();
                    cluster.up();
                    kills.stops += 1;
                }
            }
        }
        load.wait_for(30);
    });
    let settled = load.settle(&nodes.location(0));
    Record {
        name: "kills-postgresql",
        tried: "Two services on one PostgreSQL under load; in turn each service and the database are killed (-9), and the \
                database is shut down at once. Nobody has to help, and the order checker holds the one log without gaps to \
                every answer of both.",
        counts: vec![
            ("kills of a service".to_owned(), kills.services),
            ("kills of the database".to_owned(), kills.databases),
            ("immediate shutdowns of it".to_owned(), kills.stops),
            ("answers held against the log".to_owned(), settled.answers),
            ("records".to_owned(), settled.records),
            ("closed failures in between".to_owned(), settled.refusals),
        ],
        found: settled.found,
    }
    .close();
}
