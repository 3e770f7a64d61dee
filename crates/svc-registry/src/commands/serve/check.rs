//! `svc-registry serve --check-config`: everything that a start would do, tried without doing it. It may run beside the service whose
//! restart it is for, so that an address or a journal which is in use is told and is no fault.

use std::{fmt::Write as _, io, net::SocketAddr};

use svc_cli::{
    failure::Failure,
    output::{escape::Safe, stream},
};
use svc_journal::{
    endpoints,
    open::{TriedLog, WriteTrial},
};
use svc_server::{
    clock,
    config::{Config, EventsMode},
    door::Door,
    http::{serve, tls::CertificateStore},
};

use super::{parts, sockets::Sockets, witnesses::WitnessPlan};

/// What was tried, a line each, and the first thing that a start would end with.
#[derive(Default)]
struct Tried {
    lines: String,
    failure: Option<Failure>,
}

/// What a try came to, when nothing is wrong.
enum Outcome {
    Fine(String),
    /// It holds only while something else is as it is now.
    Note(String),
    /// There is nothing of this kind to try.
    Absent,
}

/// Tries everything, in the order of a start.
pub(super) fn run(config: &Config, sockets: &Sockets) -> Result<String, Failure> {
    let mut tried = Tried::default();
    tried.add("settings", Ok(Outcome::Fine("read".to_owned())));
    tried.add("certificate", parts::certificate(config).map(certificate));
    let tokens = parts::tokens(config);
    let count = tokens.as_ref().ok().and_then(Option::as_ref).map(|tokens| format!("{} in the file", tokens.count()));
    tried.add("tokens", tokens.map(|_| fine(count)));
    // Tokens change nothing in what is evaluated.
    let passed = parts::self_test(&Door::new(parts::setup(config, None)));
    tried.add(
        "self-test",
        passed.map(|passed| fine(Some(format!("{} denied, {} refused", passed.denied, passed.refused)))),
    );
    let plan = config.witnesses.as_ref().map(WitnessPlan::read).transpose();
    tried.add("witnesses", plan.map(|plan| fine(plan.map(|plan| format!("{} to ask; none was asked", plan.count())))));
    let journal = journal(config);
    let endpoints = if journal.is_ok() { webhooks(config) } else { Ok(Outcome::Absent) };
    tried.add("journal", journal);
    tried.add("endpoints", endpoints);
    tried.add("bind", address("bind", Some(config.bind), sockets.public.is_some()));
    tried.add("admin-bind", address("admin-bind", config.admin_bind, sockets.admin.is_some()));
    match tried.failure {
        None => Ok(tried.lines),
        Some(failure) => {
            stream::result(tried.lines.as_bytes())?;
            Err(failure)
        }
    }
}

impl Tried {
    fn add(&mut self, thing: &str, outcome: Result<Outcome, Failure>) {
        let (word, detail) = match outcome {
            Ok(Outcome::Fine(detail)) => ("ok", detail),
            Ok(Outcome::Note(detail)) => ("note", detail),
            Ok(Outcome::Absent) => return,
            Err(failure) => {
                let message = failure.message.clone();
                self.failure.get_or_insert(failure);
                ("failed", message)
            }
        };
        let _ = writeln!(self.lines, "{word:<7} {thing}: {}", Safe(&detail));
    }
}

fn fine(detail: Option<impl ToString>) -> Outcome {
    detail.map_or(Outcome::Absent, |detail| Outcome::Fine(detail.to_string()))
}

/// A certificate that clients would refuse as it is now, though it may be meant so: for later, or for a client that is told.
fn certificate(store: Option<CertificateStore>) -> Outcome {
    let Some(facts) = store.map(|store| store.facts()) else { return Outcome::Absent };
    if facts.names.is_empty() || facts.begins > clock::seconds_now() {
        return Outcome::Note(facts.to_string());
    }
    Outcome::Fine(facts.to_string())
}

fn journal(config: &Config) -> Result<Outcome, Failure> {
    let origin = config.journal.origin();
    let tried = parts::with_journal(config, |place| {
        let name = place.name();
        place.try_write(origin).map(|trial| (name, trial))
    });
    Ok(match tried? {
        None => Outcome::Note("off: nothing is put on record".to_owned()),
        Some((name, WriteTrial::Begins)) => Outcome::Fine(format!("begins in {name}")),
        Some((name, WriteTrial::InUse(log))) => Outcome::Note(format!(
            "{} records in {name}, in use: stop the service that has it before the start{}",
            log.records,
            without_next(&log)
        )),
        Some((name, WriteTrial::Holds(log))) => {
            let found = format!("{} records in {name}{}", log.records, without_next(&log));
            if log.missing_next.is_some() { Outcome::Note(found) } else { Outcome::Fine(found) }
        }
    })
}

/// What is missing of an announced change of keys.
fn without_next(log: &TriedLog) -> String {
    log.missing_next.as_ref().map_or_else(String::new, |next| {
        format!(
            "; {} was announced as the next key, and journal.key.next is not in the data folder: bring it from the node that announced it, \
             or from a copy, before `svc-registry journal rotate-key`",
            next.id()
        )
    })
}

/// A start does not end with a store of endpoints that cannot be used: its deliveries wait.
fn webhooks(config: &Config) -> Result<Outcome, Failure> {
    let Some(location) = config.journal.location().map_err(|fault| Failure::journal(&fault))? else {
        return Ok(Outcome::Absent);
    };
    let listed = endpoints::find(&location).and_then(|store| store.map(|store| store.list()).transpose());
    Ok(match listed {
        Ok(None) => Outcome::Absent,
        Ok(Some(all)) if !all.unreadable.is_empty() => {
            let names = all.unreadable.join(", ");
            Outcome::Note(format!("{}, and these cannot be read: {names}", all.readable.len()))
        }
        Ok(Some(all)) if config.events == EventsMode::Off && !all.readable.is_empty() => {
            Outcome::Note(format!("{}, and nothing is delivered: `events` is off", all.readable.len()))
        }
        Ok(Some(all)) => Outcome::Fine(all.readable.len().to_string()),
        Err(fault) => Outcome::Note(format!("deliveries would wait: {fault}")),
    })
}

fn address(setting: &str, address: Option<SocketAddr>, is_given: bool) -> Result<Outcome, Failure> {
    let Some(address) = address else { return Ok(Outcome::Absent) };
    if is_given {
        return Ok(Outcome::Fine(format!("{address}, a socket of the service manager")));
    }
    match serve::try_bind(address) {
        Ok(()) => Ok(Outcome::Fine(format!("{address} can be listened on"))),
        Err(error) if error.kind() == io::ErrorKind::AddrInUse => {
            Ok(Outcome::Note(format!("{address} is in use: stop the service that has it before the start")))
        }
        Err(error) => Err(parts::cannot_listen(setting, address, &error)),
    }
}
