//! The campaign `operations`: what happens to a registry in years, in minutes and under load behind nginx.
//!
//! Whatever happens, clients get closed answers; and where another node can answer, no client notices. Cheap ones run in the
//! gate `deploy` too.

mod certificates;
mod clock;
mod database;
mod disk;
mod event;
mod other_program;
mod reload;
mod restart;
mod rotation;
mod versions;

use std::{fs, path::Path};

use anyhow::{Result, ensure};
use serde_json::{Value, json};

use self::event::{Event, Stage};
use svc_gates::{journal_database, nginx::Nginx, process::target, programs::Programs};

/// What happens, and what clients saw.
type Happening = (&'static str, fn(&Stage<'_>) -> Result<Vec<Event>>);

const CHEAP: &[Happening] =
    &[("database", database::restarted), ("certificates", certificates::changed), ("reload", reload::storm)];

const OTHERS: &[Happening] = &[
    ("restart", restart::rolling),
    ("rotation", rotation::without_loss),
    ("disk", disk::full),
    ("clock", clock::jumps),
    ("versions", versions::side_by_side),
];

/// How often each of them happens.
const TIMES: usize = 4;

/// Runs everything, and gives the row for the result page. What one finds does not keep the others from running.
pub(crate) fn campaign() -> Result<Value> {
    let folder = target().join("xtask/operations");
    let _ = fs::remove_dir_all(&folder);
    fs::create_dir_all(&folder)?;
    journal_database::provide()?;
    let registry = Programs::build()?.registry;
    let nginx = Nginx::provide(&folder.join("nginx"))?;
    let (mut counts, mut found) = (Vec::new(), Vec::new());
    for (name, happen) in OTHERS.iter().chain(CHEAP) {
        let place = folder.join(name);
        fs::create_dir_all(&place)?;
        match happen(&Stage { registry: &registry, nginx: &nginx, folder: &place.canonicalize()?, times: TIMES }) {
            Ok(events) => {
                for event in events {
                    say(&event.told());
                    counts.push(json!([event.seen(), event.times]));
                    found.extend(event.found());
                }
            }
            Err(fault) => found.push(format!("{name}: {fault:#}")),
        }
    }
    Ok(json!({
        "counts": counts,
        "found": found,
        "name": "operations",
        "seed": "none",
        "tried": "Eight clients ask without a pause through the nginx that is shipped, before two nodes on one PostgreSQL (debug \
                  build), while what operators and machines do happens again and again. A failure where another node could \
                  answer, an answer that is not closed, or a log that does not hold afterwards would be a finding.",
    }))
}

/// Those that take seconds, each once or twice, for the gate.
pub(crate) fn cheap(registry: &Path, nginx: &Nginx, folder: &Path) -> Result<String> {
    let mut told = Vec::new();
    for (name, happen) in CHEAP {
        let place = folder.join("operations").join(name);
        fs::create_dir_all(&place)?;
        for event in happen(&Stage { registry, nginx, folder: &place.canonicalize()?, times: 2 })? {
            ensure!(event.found().is_empty(), "{}", event.found().join("; "));
            told.push(event.told());
        }
    }
    Ok(told.join("; "))
}

#[expect(clippy::print_stdout, reason = "a task talks to its developer")]
fn say(text: &str) {
    println!("  {text}");
}
