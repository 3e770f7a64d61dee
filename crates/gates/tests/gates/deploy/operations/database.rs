//! The database is shut down and started again. No node could answer meanwhile: clients are told so, and nobody has to help.

use std::{
    thread,
    time::{Duration, Instant},
};

use anyhow::{Result, ensure};

use super::event::{Event, Stage, address};
use crate::deploy::{load, nodes::Nodes};

/// How long it is away.
const AWAY: Duration = Duration::from_secs(1);

/// Nodes ask a database that is away several times a second. The machine is under load meanwhile.
const BACK_WITHIN: Duration = Duration::from_secs(3);

pub(crate) fn restarted(stage: &Stage<'_>) -> Result<Vec<Event>> {
    let nodes = Nodes::start(stage.registry, stage.folder)?;
    let proxy = stage.before(&nodes)?;
    let (seen, back) = load::under_load(address(&proxy)?, &load::requests()?, || {
        let mut longest = Duration::ZERO;
        for _ in 0..stage.times {
            thread::sleep(Duration::from_secs(1));
            nodes.database.stop();
            thread::sleep(AWAY);
            ensure!(nodes.nodes.iter().all(|node| !node.is_ready()), "a node is ready without its database");
            nodes.database.up();
            let up = Instant::now();
            nodes.nodes.iter().try_for_each(|node| node.gets_ready(BACK_WITHIN).map(drop))?;
            longest = longest.max(up.elapsed());
        }
        Ok(longest)
    })?;
    let event = Event::unnoticed("restarts of the database", stage.times, seen).told_as("journal-unavailable");
    let back = usize::try_from(back.as_millis())?;
    Ok(vec![event.note("ms at most until both nodes are ready again", back).holds(nodes.log_holds())])
}
