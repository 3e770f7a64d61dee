//! What `svc log watch` says: a line a round, which a terminal shows in one place.

use std::{
    io::{self, IsTerminal as _},
    path::Path,
};

use serde::Serialize;
use svc_cli::{
    clock,
    failure::Failure,
    files::stdout::{StdoutResult, write_stdout},
    output::{escape::Safe, format::Format},
    scope::Scope,
};
use svc_core::diagnostics::RunScope;
use svc_json::printable;
use svc_proof::{evidence::EvidenceKind, fault::JournalFault};

const CLEAR: &str = "\r\x1b[K";

/// A log that was read to the state that it signs.
#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct ReadRound {
    pub(super) denied: u64,
    pub(super) pruned: u64,
    /// Records that no round before had read.
    pub(super) read_now: u64,
    pub(super) records: u64,
    pub(super) refused: u64,
    pub(super) root_hash: String,
    /// What was checked of it.
    #[serde(skip)]
    pub(super) scope: Scope,
    /// How many rounds in a row, with this one, saw the same state.
    pub(super) unchanged_rounds: u64,
}

/// What happened in a round, or ended the watch.
pub(super) enum WatchEvent<'a> {
    Read(&'a ReadRound),
    Waiting { fault: &'a JournalFault, seconds: u64 },
    Found { kind: EvidenceKind, folder: &'a Path, fault: &'a JournalFault },
    Stopped,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct EventLine<'a> {
    event: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    evidence: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    fault: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    finding: Option<EvidenceKind>,
    kind: &'static str,
    origin: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    retry_seconds: Option<u64>,
    round: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    scope: Option<RunScope<'static>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    state: Option<&'a ReadRound>,
    time: String,
}

/// Where lines go.
pub(super) struct WatchLines {
    pub(super) is_json: bool,
    is_quiet: bool,
    is_terminal: bool,
    is_open: bool,
    /// What was said last of what is checked: it is said again when it changes.
    scope: String,
}

impl WatchLines {
    pub(super) fn new(format: Format, is_quiet: bool) -> Self {
        let is_json = format == Format::Json;
        Self {
            is_json,
            is_quiet,
            is_terminal: !is_json && io::stdout().is_terminal(),
            is_open: false,
            scope: String::new(),
        }
    }

    /// Writes the event. Whether there is still a reader.
    pub(super) fn write(&mut self, origin: &str, round: u64, event: &WatchEvent<'_>) -> Result<bool, Failure> {
        let line = if self.is_json { json(origin, round, event) } else { self.words(origin, event) };
        if line.is_empty() {
            return Ok(true);
        }
        let written = write_stdout(line.as_bytes()).map_err(|error| Failure::stdout(&error))?;
        Ok(written == StdoutResult::Written)
    }

    fn words(&mut self, origin: &str, event: &WatchEvent<'_>) -> String {
        let text = match event {
            WatchEvent::Read(_) | WatchEvent::Stopped if self.is_quiet => return String::new(),
            // The stop says it, with the way out.
            WatchEvent::Found { .. } => {
                return if std::mem::take(&mut self.is_open) { "\n".into() } else { String::new() };
            }
            WatchEvent::Read(read) => {
                let new = match read.read_now {
                    0 => format!("unchanged for {} rounds", read.unchanged_rounds),
                    some => format!("{some} read now"),
                };
                let when = if read.read_now == read.records - read.pruned { "" } else { " when they were read" };
                let noes = match read.pruned {
                    0 => "nothing but noes".to_owned(),
                    some => format!("{some} of them pruned and not read, nothing but noes in the others"),
                };
                format!("{} records, {noes}{when}, {new}; root {}", read.records, read.root_hash)
            }
            WatchEvent::Waiting { fault, seconds } => {
                format!("not read: {}; trying again in {seconds} s", Safe(&fault.detail))
            }
            WatchEvent::Stopped => "stopped; what was read is remembered".to_owned(),
        };
        let line = format!("{} {}: {text}", clock::now(), Safe(origin));
        let scope = match event {
            WatchEvent::Read(read) => self.changed_scope(&read.scope),
            WatchEvent::Waiting { .. } | WatchEvent::Stopped | WatchEvent::Found { .. } => String::new(),
        };
        match event {
            WatchEvent::Read(_) | WatchEvent::Waiting { .. } if self.is_terminal => {
                self.is_open = scope.is_empty();
                let end = if self.is_open { "" } else { "\n" };
                format!("{CLEAR}{line}{end}{scope}")
            }
            WatchEvent::Stopped if std::mem::take(&mut self.is_open) => format!("\n{line}\n"),
            WatchEvent::Read(_) | WatchEvent::Waiting { .. } | WatchEvent::Stopped | WatchEvent::Found { .. } => {
                format!("{line}\n{scope}")
            }
        }
    }

    /// What is checked, in lines, when other lines were said last.
    fn changed_scope(&mut self, scope: &Scope) -> String {
        let lines = scope.in_lines();
        if self.scope == lines {
            return String::new();
        }
        self.scope.clone_from(&lines);
        lines
    }

    /// Leaves the line of a terminal, so that what follows stands on its own.
    pub(super) fn close(&mut self) {
        if std::mem::take(&mut self.is_open) {
            let _ = write_stdout(b"\n");
        }
    }
}

fn json(origin: &str, round: u64, event: &WatchEvent<'_>) -> String {
    let mut line = EventLine {
        event: "stopped",
        evidence: None,
        fault: None,
        finding: None,
        kind: "svc-journal-watch",
        origin,
        retry_seconds: None,
        round,
        scope: None,
        state: None,
        time: clock::now().to_string(),
    };
    match event {
        WatchEvent::Read(read) => {
            (line.event, line.state, line.scope) = ("read", Some(*read), Some(read.scope.to_report()));
        }
        WatchEvent::Waiting { fault, seconds } => {
            (line.event, line.fault, line.retry_seconds) = ("waiting", Some(fault.to_string()), Some(*seconds));
        }
        WatchEvent::Found { kind, folder, fault } => {
            (line.event, line.finding, line.fault) = ("found", Some(*kind), Some(fault.to_string()));
            line.evidence = Some(folder.display().to_string());
        }
        WatchEvent::Stopped => {}
    }
    let text = serde_json::to_vec(&line).unwrap_or_default();
    format!("{}\n", String::from_utf8_lossy(&printable::escaped(text)))
}
