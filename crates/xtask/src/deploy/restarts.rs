//! Load through nginx while nodes behind it stop, are killed and come back: no client notices.

use std::{
    fs,
    sync::atomic::{AtomicBool, Ordering},
    thread,
    time::{Duration, Instant},
};

use anyhow::{Context as _, Result, anyhow, ensure};
use svc_core::words::problem_code::BASE_PATH;

use super::{
    http::{self, Connection},
    nodes::{Node, Nodes},
};
use crate::{nginx::Proxy, process::root};

const CLIENTS: usize = 8;

/// How often each node is stopped, and how often it is killed.
const ROUNDS: usize = 3;

/// Between one node's return and the other's end. A request that was refused by the first is with the second by then, and no
/// request is let down by both.
const BETWEEN: Duration = Duration::from_secs(2);

/// How long a node is away.
const AWAY: Duration = Duration::from_millis(300);

/// What clients saw.
#[derive(Default)]
struct Seen {
    answered: usize,
    slowest: Duration,
    /// What was no answer of a node, in words.
    failures: Vec<String>,
}

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
    let open = failures.iter().find(|failure| !failure.starts_with("closed: "));
    ensure!(open.is_none(), "not closed: {open:?}");
    Ok(format!("{} failures, as it must be, all closed", failures.len()))
}

fn load(nodes: &mut Nodes, proxy: &Proxy, rounds: usize) -> Result<Seen> {
    let document = fs::read(root().join("conformance/acceptance-request/own-rules-valid/document.json"))?;
    let requests = [
        http::post(&format!("{BASE_PATH}/acceptance-requests"), &document),
        http::get(&format!("{BASE_PATH}/limits")),
        http::post(&format!("{BASE_PATH}/acceptance-requests"), b"{}"),
    ];
    let address = proxy.url.strip_prefix("http://").context("the proxy speaks plain HTTP here")?;
    let seen = under_load(address, &requests, || take_away(nodes, rounds))?;
    Ok(seen.into_iter().fold(Seen::default(), |mut all, one| {
        all.answered += one.answered;
        all.slowest = all.slowest.max(one.slowest);
        all.failures.extend(one.failures);
        all
    }))
}

fn take_away(nodes: &mut Nodes, rounds: usize) -> Result<()> {
    let ways: [fn(&mut Node) -> Result<()>; 2] = [Node::stop, Node::kill];
    for _ in 0..rounds {
        for away in ways {
            for node in &mut nodes.nodes {
                thread::sleep(BETWEEN);
                away(node)?;
                thread::sleep(AWAY);
                node.up()?;
            }
        }
    }
    Ok(())
}

fn under_load(address: &str, requests: &[Vec<u8>], events: impl FnOnce() -> Result<()>) -> Result<Vec<Seen>> {
    let is_over = AtomicBool::new(false);
    thread::scope(|scope| {
        let clients: Vec<_> = (0..CLIENTS).map(|_| scope.spawn(|| client(address, requests, &is_over))).collect();
        let happened = events();
        is_over.store(true, Ordering::Relaxed);
        let seen = clients.into_iter().map(|client| client.join().map_err(|_| anyhow!("a client panicked")));
        let seen = seen.collect::<Result<Vec<Seen>>>()?;
        happened.map(|()| seen)
    })
}

/// Asks one after the other, on one connection as long as it is kept.
fn client(address: &str, requests: &[Vec<u8>], is_over: &AtomicBool) -> Seen {
    let mut seen = Seen::default();
    let mut kept = None;
    for request in requests.iter().cycle() {
        if is_over.load(Ordering::Relaxed) {
            break;
        }
        let start = Instant::now();
        match once(&mut kept, address, request) {
            Ok(()) => seen.answered += 1,
            Err(error) => seen.failures.push(format!("{error:#}")),
        }
        seen.slowest = seen.slowest.max(start.elapsed());
    }
    seen
}

/// What a node answers: a decision, a document, or the refusal of this one document.
fn once(kept: &mut Option<Connection>, address: &str, request: &[u8]) -> Result<()> {
    let mut connection = kept.take().map_or_else(|| Connection::open(address), Ok)?;
    let reply = connection.exchange(request)?;
    let is_document = request.starts_with(b"GET ") && reply.header("content-type") == Some("application/json");
    let is_answer = matches!(reply.status, 200 | 422) && (is_document || reply.closed().is_some());
    let kind = if reply.closed().is_some() { "closed" } else { "open" };
    ensure!(is_answer, "{kind}: {} {:?}: {}", reply.status, reply.headers, String::from_utf8_lossy(&reply.body));
    if !reply.is_last() {
        *kept = Some(connection);
    }
    Ok(())
}
