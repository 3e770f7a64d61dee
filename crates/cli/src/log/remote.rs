//! A log behind an address: the tiles that a registry serves, or a copy of them behind any web server.
//!
//! The address is a registry's, whose log is below its base path, or the log's own, whose files are right below it. Which it is
//! shows with the first file that is there.
//!
//! A registry that asks to come back later is waited for, a bounded number of times and for a bounded time each.

use std::{cell::Cell, thread, time::Duration};

use clap::ArgMatches;
use svc_client::{
    address::Address,
    client::Client,
    exchange::{Body, Identity, Reply, Request, Transport as _},
};
use svc_core::{contract::contracts::BASE_PATH, words::exit_code::ExitCode};
use svc_proof::{
    fault::{JournalFault, JournalFaultKind},
    public_key::PublicKeys,
    source::LogFiles,
    tiles::{MAX_BUNDLE_BYTES, TilePath},
};

use super::{content_coding::decoded, log_progress::report_wait};
use crate::{failure::Failure, registry_client};

/// How often one file is asked for again, and how long is waited before, at most.
const MAX_WAITS: u32 = 5;
const MAX_WAIT_SECONDS: u64 = 60;

/// Where a registry asks to come back and does not say when.
const DEFAULT_WAIT_SECONDS: u64 = 1;

/// A wait of no time at all would only be another request.
const LEAST_WAIT: Duration = Duration::from_millis(100);

/// A tile of hashes and a checkpoint are far smaller.
const MAX_SMALL_BYTES: usize = 64 * 1024;

pub struct Remote {
    client: Client,
    is_registry: Cell<Option<bool>>,
}

/// Whether a text is an address rather than a folder.
pub fn is_address(text: &str) -> bool {
    text.starts_with("https://") || text.starts_with("http://")
}

impl Remote {
    pub fn new(text: &str, arguments: &ArgMatches) -> Result<Self, Failure> {
        let address = Address::parse(text).map_err(|error| Failure::usage(error.message, error.help))?;
        let client = registry_client::connect(address, arguments)?;
        Ok(Self { client, is_registry: Cell::new(None) })
    }

    /// The reply to one request, after as many waits as the registry asks for and may have.
    fn ask(&self, request: &Request, path: &str) -> Result<Reply, JournalFault> {
        let mut waited = 0;
        loop {
            let sent = self.client.send(request);
            let reply = sent.map_err(|lost| JournalFault::new(JournalFaultKind::Unreachable, lost.message))?;
            if !matches!(reply.status, 429 | 503) {
                return Ok(reply);
            }
            let seconds = wanted_wait(&reply);
            if waited == MAX_WAITS || seconds > MAX_WAIT_SECONDS {
                let said = if reply.status == 429 { "too many requests (429)" } else { "not at the moment (503)" };
                let detail = format!(
                    "the registry answered {said} to {path}, {} times in a row, and asks to wait for {seconds} s",
                    waited + 1
                );
                return Err(JournalFault::new(JournalFaultKind::Busy, detail));
            }
            report_wait(seconds);
            thread::sleep(Duration::from_secs(seconds).max(LEAST_WAIT));
            waited += 1;
        }
    }
}

/// Whether a reply is HTML, which no file of a log is.
fn is_web_page(reply: &Reply) -> bool {
    let is_declared = reply.only("content-type").is_some_and(|kind| kind.to_ascii_lowercase().starts_with("text/html"));
    let begin: Vec<u8> = reply.body.iter().skip_while(|byte| byte.is_ascii_whitespace()).take(9).copied().collect();
    let begin = begin.to_ascii_lowercase();
    is_declared || begin.starts_with(b"<!doctype") || begin.starts_with(b"<html")
}

/// What `Retry-After` says in seconds. A date, or anything else, is taken as nothing said.
fn wanted_wait(reply: &Reply) -> u64 {
    let digits = reply.only("retry-after").map(str::trim).filter(|text| text.bytes().all(|byte| byte.is_ascii_digit()));
    match digits {
        Some(digits) if !digits.is_empty() => digits.parse().unwrap_or(u64::MAX),
        Some(_) | None => DEFAULT_WAIT_SECONDS,
    }
}

impl Remote {
    /// The keys that the log names itself.
    ///
    /// # Errors
    /// When they cannot be had; what is served in their place is no key of the reader's.
    pub fn keys(&self) -> Result<PublicKeys, JournalFault> {
        let named = self.get("keys")?;
        PublicKeys::parse(&String::from_utf8_lossy(&named)).map_err(|fault| {
            let detail = format!("what is served as `keys` is no file of public keys: {}", fault.detail);
            JournalFault::new(JournalFaultKind::Unreachable, detail)
        })
    }
}

impl LogFiles for Remote {
    fn get(&self, path: &str) -> Result<Vec<u8>, JournalFault> {
        let is_bundle = TilePath::parse(path).is_some_and(|tile| tile.is_entries());
        let ask = |below: String| {
            let headers = if is_bundle { vec![("accept-encoding", "gzip, identity".into())] } else { Vec::new() };
            let body = Body::empty();
            self.ask(&Request { method: "GET", path: below, headers, body, identity: Identity::Own }, path)
        };
        let reply = match self.is_registry.get() {
            Some(true) => ask(format!("{BASE_PATH}/journal/{path}"))?,
            Some(false) => ask(format!("/{path}"))?,
            None => {
                let own = ask(format!("{BASE_PATH}/journal/{path}"))?;
                let is_registry = own.status != 404;
                let reply = if is_registry { own } else { ask(format!("/{path}"))? };
                if reply.status == 200 {
                    self.is_registry.set(Some(is_registry));
                }
                reply
            }
        };
        match reply.status {
            // A portal or a proxy answers for the registry: that says nothing about the log.
            200 if is_web_page(&reply) => Err(JournalFault::new(
                JournalFaultKind::Unreachable,
                format!("a web page was answered in place of {path}, not by a registry"),
            )),
            200 => decoded(reply, if is_bundle { MAX_BUNDLE_BYTES } else { MAX_SMALL_BYTES }),
            404 => Err(JournalFault::new(JournalFaultKind::Missing, format!("the registry has no {path}"))),
            401 | 403 => Err(JournalFault::new(
                JournalFaultKind::Unusable,
                format!("the registry shows {path} only with a token of scope read (it answered {})", reply.status),
            )),
            status => Err(JournalFault::new(
                JournalFaultKind::Unreachable,
                format!("the registry answered {status} to {path}"),
            )),
        }
    }
}

/// What stops the reading of a served log, with a way out for its reader, who does not run it.
pub fn stopped(fault: &JournalFault) -> Failure {
    let (exit, help) = match fault.kind {
        JournalFaultKind::Busy => {
            (ExitCode::Registry, "wait and run it again; with --state DIR it goes on where it stopped")
        }
        JournalFaultKind::Unreachable => {
            (ExitCode::Registry, "check the address, and that the registry runs and can be reached")
        }
        JournalFaultKind::Missing => {
            (ExitCode::InputOutput, "check the address: a registry serves its log only when it keeps a journal")
        }
        JournalFaultKind::Unusable => (
            ExitCode::Usage,
            "give --token-file FILE with a token of scope read, or ask the operator to publish the log",
        ),
        JournalFaultKind::Corrupt => {
            (ExitCode::Digest, "the log that is served does not hold: keep the message, and ask the operator")
        }
        JournalFaultKind::OpenClaim => {
            (ExitCode::OpenClaim, "the log that is served holds a yes: keep the message, and ask the operator")
        }
        JournalFaultKind::Rewound => (
            ExitCode::Digest,
            "the log shrank or was changed: keep the older state, which is signed and proves it, and ask the operator",
        ),
        JournalFaultKind::WrongKey => (
            ExitCode::Usage,
            "no key that was given or handed over signed what is served: check --public-key; if that is right, ask the operator",
        ),
        JournalFaultKind::Drift
        | JournalFaultKind::Full
        | JournalFaultKind::Locked
        | JournalFaultKind::Storage
        | JournalFaultKind::UnreleasedForm
        | JournalFaultKind::Unremembered
        | JournalFaultKind::WrongPrimary => return Failure::log(fault),
    };
    Failure { exit, message: fault.to_string(), help: Some(help.to_owned()) }
}
