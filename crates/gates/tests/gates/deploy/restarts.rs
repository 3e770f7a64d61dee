//! Load through nginx while nodes behind it stop, are killed and come back: no client notices.

use std::{thread, time::Duration};

use anyhow::{Context as _, Result, ensure};

use super::{
    load::{self, Failure, Seen},
    nodes::{Node, Nodes},
};
use svc_gates::nginx::Proxy;

/// How often each node is stopped, and how often it is killed.
const ROUNDS: usize = 3;

/// Between one node's return and the other's end. A request that was refused by the first is with the second by then, and no
/// request is let down by both.
pub(crate) const BETWEEN: Duration = Duration::from_secs(2);

/// How long a node is away.
const AWAY: Duration = Duration::from_millis(300);

/// A way in which a node goes.
pub(crate) type Away = fn(&mut Node) -> Result<()>;

/// Loads the registry, takes each node away again and again, and counts what clients missed.
pub(crate) fn unnoticed(nodes: &mut Nodes, proxy: &Proxy) -> Result<String> {
    let seen = load(nodes, proxy, ROUNDS)?;
    let (answered, count, first) = (seen.answered, seen.failures.len(), seen.failures.first());
    ensure!(count == 0, "{count} failures beside {answered} answers, the first: {first:?}");
    ensure!(answered > 1000, "{answered} answers are too few to tell");
    Ok(format!("{answered} answers, the slowest after {} ms, no failure", seen.slowest.as_millis()))
}

/// The same behind a proxy that asks one node only: clients must notice, or the above would tell nothing. What they are told
/// is closed all the same.
pub(crate) fn noticed(nodes: &mut Nodes, proxy: &Proxy) -> Result<String> {
    let failures = load(nodes, proxy, 1)?.failures;
    ensure!(!failures.is_empty(), "nodes go away, nobody else is asked, and no client notices");
    let open = failures.iter().find(|failure| !matches!(failure, Failure::Closed(..)));
    ensure!(open.is_none(), "not closed: {open:?}");
    Ok(format!("{} failures, as it must be, all closed", failures.len()))
}

fn load(nodes: &mut Nodes, proxy: &Proxy, rounds: usize) -> Result<Seen> {
    let address = proxy.url.strip_prefix("http://").context("the proxy speaks plain HTTP here")?;
    let ways: [Away; 2] = [Node::stop, Node::kill];
    let events = || (0..rounds).try_for_each(|_| ways.iter().try_for_each(|away| each_in_turn(nodes, *away)));
    Ok(load::under_load(address, &load::requests()?, events)?.0)
}

/// Takes each node away once, and brings it back before the next.
pub(crate) fn each_in_turn(nodes: &mut Nodes, away: Away) -> Result<()> {
    for node in &mut nodes.nodes {
        thread::sleep(BETWEEN);
        away(node)?;
        thread::sleep(AWAY);
        node.up()?;
    }
    Ok(())
}
