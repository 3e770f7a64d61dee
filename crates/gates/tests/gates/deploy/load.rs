//! Clients that ask without a pause while something happens, and what they saw.

use std::{
    collections::BTreeMap,
    fmt, fs,
    sync::atomic::{AtomicBool, Ordering},
    thread,
    time::{Duration, Instant},
};

use anyhow::{Result, anyhow};
use serde_json::Value;
use svc_core::words::problem_code::BASE_PATH;

use super::http::{self, Connection};
use svc_gates::process::root;

const CLIENTS: usize = 8;

/// What clients saw.
#[derive(Default)]
pub(crate) struct Seen {
    pub(crate) answered: usize,
    pub(crate) slowest: Duration,
    /// What was no answer of a node.
    pub(crate) failures: Vec<Failure>,
}

/// Why a request has no answer.
#[derive(Debug)]
pub(crate) enum Failure {
    /// A closed problem: its status and its code.
    Closed(u16, String),
    /// Something else than a closed body.
    Open(String),
    /// Nothing that can be read as an answer.
    Connection(String),
}

impl Failure {
    /// Failures of one kind are counted together.
    fn kind(&self) -> String {
        match self {
            Self::Closed(status, code) => format!("closed, {status} `{code}`"),
            Self::Open(_) => "not closed".to_owned(),
            Self::Connection(_) => "connection lost".to_owned(),
        }
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Closed(status, code) => write!(formatter, "closed: {status} {code}"),
            Self::Open(text) | Self::Connection(text) => write!(formatter, "{}: {text}", self.kind()),
        }
    }
}

impl Seen {
    /// How many failures of each kind.
    pub(crate) fn kinds(&self) -> BTreeMap<String, usize> {
        let mut kinds = BTreeMap::new();
        for failure in &self.failures {
            *kinds.entry(failure.kind()).or_insert(0) += 1;
        }
        kinds
    }

    pub(crate) fn add(mut self, other: Self) -> Self {
        self.answered += other.answered;
        self.slowest = self.slowest.max(other.slowest);
        self.failures.extend(other.failures);
        self
    }
}

/// What each client asks in turn: for a decision, for a document, and with a body that is refused.
pub(crate) fn requests() -> Result<Vec<Vec<u8>>> {
    let document = fs::read(root().join("conformance/documents/own-rules/acceptance-request.json"))?;
    Ok(vec![
        http::post(&format!("{BASE_PATH}/acceptance-requests"), &document),
        http::get(&format!("{BASE_PATH}/limits")),
        http::post(&format!("{BASE_PATH}/acceptance-requests"), b"{}"),
    ])
}

/// Asks an address, such as `127.0.0.1:8787`, until the events are over.
pub(crate) fn under_load<T>(
    address: &str,
    requests: &[Vec<u8>],
    events: impl FnOnce() -> Result<T>,
) -> Result<(Seen, T)> {
    let is_over = AtomicBool::new(false);
    thread::scope(|scope| {
        let clients: Vec<_> = (0..CLIENTS).map(|_| scope.spawn(|| client(address, requests, &is_over))).collect();
        let happened = events();
        is_over.store(true, Ordering::Relaxed);
        let seen = clients.into_iter().map(|client| client.join().map_err(|_| anyhow!("a client panicked")));
        let seen = seen.collect::<Result<Vec<Seen>>>()?;
        Ok((seen.into_iter().fold(Seen::default(), Seen::add), happened?))
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
            Err(failure) => seen.failures.push(failure),
        }
        seen.slowest = seen.slowest.max(start.elapsed());
    }
    seen
}

/// What a node answers: a decision, a document, or the refusal of this one document.
fn once(kept: &mut Option<Connection>, address: &str, request: &[u8]) -> Result<(), Failure> {
    let lost = |error: anyhow::Error| Failure::Connection(format!("{error:#}"));
    let mut connection = kept.take().map_or_else(|| Connection::open(address), Ok).map_err(lost)?;
    let reply = connection.exchange(request).map_err(lost)?;
    if !reply.is_last() {
        *kept = Some(connection);
    }
    let is_document = request.starts_with(b"GET ") && reply.header("content-type") == Some("application/json");
    match (reply.status, reply.closed()) {
        (200 | 422, Some(_)) => Ok(()),
        (200, None) if is_document => Ok(()),
        (status, Some(body)) => {
            let code = body.get("code").and_then(Value::as_str).unwrap_or_default();
            Err(Failure::Closed(status, code.to_owned()))
        }
        (status, None) => {
            let body = String::from_utf8_lossy(&reply.body);
            Err(Failure::Open(format!("{status} {:?}: {body}", reply.headers)))
        }
    }
}
