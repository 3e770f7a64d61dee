//! Nodes that are stopped, and nodes that are killed, one after the other.

use anyhow::Result;

use super::event::{Event, Stage, address};
use crate::deploy::{
    load,
    nodes::{Node, Nodes},
    restarts::{Away, each_in_turn},
};

/// Each way in turn; nobody notices, because the other node answers.
pub(crate) fn rolling(stage: &Stage<'_>) -> Result<Vec<Event>> {
    let mut nodes = Nodes::start(stage.registry, stage.folder)?;
    let proxy = stage.before(&nodes)?;
    let ways: [(&str, Away); 2] = [("rolling restarts (SIGTERM)", Node::stop), ("rounds of kill -9", Node::kill)];
    let mut events = Vec::new();
    for (what, away) in ways {
        let rounds = || (0..stage.times).try_for_each(|_| each_in_turn(&mut nodes, away));
        let (seen, ()) = load::under_load(address(&proxy)?, &load::requests()?, rounds)?;
        events.push(Event::unnoticed(what, stage.times, seen).holds(nodes.log_holds()));
    }
    Ok(events)
}
