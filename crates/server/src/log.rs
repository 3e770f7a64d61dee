//! One JSON line a request. Static messages; what came from outside is a field, cut and escaped; no bodies, no tokens.
//!
//! `error` is for what needs a person, `warn` for what one should look at, `info` for the rest.
//!
//! Once the service runs, nobody waits for the reader of the log: lines go through a queue.

mod queue;

use std::{
    io::{self, Write},
    net::IpAddr,
    panic::{self, PanicHookInfo},
    sync::{
        Arc, OnceLock,
        atomic::{AtomicU8, Ordering},
    },
    thread,
    time::Duration,
};

use serde::Serialize;
use svc_core::journal::{scalars::ProbeId, timestamp::Timestamp};
use svc_json::printable;
use svc_registry_api::{
    answer::{Answer, AnswerKind},
    caller::Caller,
    request::RequestName,
};

pub use self::queue::{LineQueue, LossNotice};
use crate::clock;

/// How much a line matters, the most first.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum LogLevel {
    Error,
    Warn,
    #[default]
    Info,
}

impl LogLevel {
    /// The level of a word, as it stands in settings and lines.
    #[must_use]
    pub fn parse(word: &str) -> Option<Self> {
        match word {
            "error" => Some(Self::Error),
            "warn" => Some(Self::Warn),
            "info" => Some(Self::Info),
            _ => None,
        }
    }
}

#[derive(Default, Serialize)]
#[serde(rename_all = "camelCase")]
struct Line<'a> {
    level: LogLevel,
    message: &'static str,
    time: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    address: Option<IpAddr>,
    #[serde(skip_serializing_if = "Option::is_none")]
    bytes: Option<usize>,
    #[serde(skip_serializing_if = "Option::is_none")]
    code: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    decision_id: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    detail: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    method: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    ms: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    operation: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    path: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    probe: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    request_id: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    status: Option<u16>,
    #[serde(skip_serializing_if = "Option::is_none")]
    token: Option<&'a str>,
}

impl Line<'_> {
    fn new(level: LogLevel, message: &'static str) -> Self {
        Self { level, message, time: Timestamp::from_millis(clock::millis_now()).to_string(), ..Self::default() }
    }
}

pub(crate) struct Answered<'a> {
    pub(crate) request: &'a RequestName,
    pub(crate) method: &'a str,
    pub(crate) address: IpAddr,
    pub(crate) operation: &'a str,
    pub(crate) caller: &'a Caller,
    pub(crate) answer: &'a Answer,
    pub(crate) read: usize,
    pub(crate) micros: u64,
}

/// A request that failed for the service's sake is for somebody to look at.
pub(crate) fn answered(answered: &Answered<'_>) {
    let level = if answered.answer.status >= 500 { LogLevel::Warn } else { LogLevel::Info };
    let method: String = answered.method.chars().take(16).collect();
    let (code, decision_id) = match answered.answer.kind {
        AnswerKind::Denied(id) => (None, id.map(|id| id.to_string())),
        AnswerKind::Refused(code) => (Some(code.as_str()), None),
        AnswerKind::Page(code) => (code.map(|code| code.as_str()), None),
        AnswerKind::Document => (None, None),
    };
    write(&Line {
        address: Some(answered.address),
        bytes: Some(answered.read),
        code,
        decision_id,
        method: Some(&method),
        ms: Some(answered.micros as f64 / 1000.0),
        operation: Some(answered.operation),
        path: Some(&answered.request.path),
        request_id: Some(&answered.request.id),
        status: Some(answered.answer.status),
        probe: answered.caller.probe.as_ref().map(ProbeId::as_str),
        token: answered.caller.token.as_deref(),
        ..Line::new(level, "answered")
    });
}

pub(crate) struct Streamed<'a> {
    pub(crate) request: &'a RequestName,
    pub(crate) address: IpAddr,
    pub(crate) token: Option<&'a str>,
    pub(crate) records: u64,
    pub(crate) why: &'static str,
    pub(crate) micros: u64,
}

/// An event stream that is over.
pub(crate) fn streamed(streamed: &Streamed<'_>) {
    let detail = format!("{} records were sent; {}", streamed.records, streamed.why);
    write(&Line {
        address: Some(streamed.address),
        detail: Some(&detail),
        method: Some("GET"),
        ms: Some(streamed.micros as f64 / 1000.0),
        operation: Some("journal-stream"),
        path: Some(&streamed.request.path),
        request_id: Some(&streamed.request.id),
        status: Some(200),
        token: streamed.token,
        ..Line::new(LogLevel::Info, "streamed")
    });
}

/// A connection that ended because what came on it was no request.
pub(crate) fn malformed(address: IpAddr, detail: &'static str) {
    write(&Line { address: Some(address), detail: Some(detail), ..Line::new(LogLevel::Info, "malformed") });
}

/// Notes something about the service itself.
pub fn note(message: &'static str, detail: &str) {
    write(&Line { detail: Some(detail), ..Line::new(LogLevel::Info, message) });
}

/// Notes what somebody should look at.
pub fn warn(message: &'static str, detail: &str) {
    write(&Line { detail: Some(detail), ..Line::new(LogLevel::Warn, message) });
}

/// Notes what does not mend itself.
pub fn error(message: &'static str, detail: &str) {
    write(&Line { detail: Some(detail), ..Line::new(LogLevel::Error, message) });
}

/// From now on lines that matter less are left out.
pub fn set_level(level: LogLevel) {
    LEVEL.store(level as u8, Ordering::Relaxed);
}

/// From now on lines go through a queue, and what a panic says is one of them: the usual message would wait for a reader
/// that stalls, and a request with it.
///
/// # Errors
/// When standard error cannot be opened again, or there can be no more threads.
pub fn start() -> io::Result<()> {
    let queue = LineQueue::start("svc-log", stderr()?, loss)?;
    if QUEUE.set(queue).is_ok() {
        panic::set_hook(Box::new(panicked));
    }
    Ok(())
}

/// Gives the last lines a time to be written.
pub fn flush(limit: Duration) {
    if let Some(queue) = QUEUE.get() {
        queue.flush(limit);
    }
}

/// How many lines nobody read.
pub(crate) fn lost() -> u64 {
    QUEUE.get().map_or(0, |queue| queue.lost())
}

/// How many bytes of lines wait for a reader.
pub(crate) fn waiting_bytes() -> usize {
    QUEUE.get().map_or(0, |queue| queue.waiting_bytes())
}

static QUEUE: OnceLock<Arc<LineQueue>> = OnceLock::new();

static LEVEL: AtomicU8 = AtomicU8::new(LogLevel::Info as u8);

fn write(line: &Line<'_>) {
    if line.level as u8 > LEVEL.load(Ordering::Relaxed) {
        return;
    }
    let text = in_bytes(line);
    match QUEUE.get() {
        Some(queue) => queue.push(&text),
        // Before the service runs there is nobody to hold up.
        None => drop(io::stderr().lock().write_all(&text)),
    }
}

fn in_bytes(line: &Line<'_>) -> Vec<u8> {
    let mut text = printable::escaped_everywhere(serde_json::to_vec(line).unwrap_or_default());
    text.push(b'\n');
    text
}

fn loss(lines: u64) -> Vec<u8> {
    let detail = format!("{lines} lines: the reader of the log was away or too slow");
    in_bytes(&Line { detail: Some(&detail), ..Line::new(LogLevel::Warn, "lines of the log were lost") })
}

/// Where it happened, and what was said if that is part of the program: a message that was put together may hold a part of
/// a body.
fn panicked(panic: &PanicHookInfo<'_>) {
    let place = panic.location().map_or_else(String::new, ToString::to_string);
    let said =
        panic.payload().downcast_ref::<&'static str>().copied().unwrap_or("a message that may hold foreign text");
    let thread = thread::current();
    let detail = format!("{place}, thread {}: {said}", thread.name().unwrap_or("without a name"));
    write(&Line { detail: Some(&detail), ..Line::new(LogLevel::Error, "panicked") });
}

/// Standard error past the lock of the library, which would be held for as long as the reader stalls.
#[cfg(unix)]
fn stderr() -> io::Result<impl Write + Send + 'static> {
    use std::os::fd::AsFd as _;

    Ok(std::fs::File::from(io::stderr().as_fd().try_clone_to_owned()?))
}

#[cfg(not(unix))]
fn stderr() -> io::Result<impl Write + Send + 'static> {
    Ok(io::stderr())
}
