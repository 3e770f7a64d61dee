//! A line about a log that is read, on a terminal only.

use std::{
    io::IsTerminal as _,
    time::{Duration, Instant},
};

use crate::output::stream;

const REFRESH_EVERY: Duration = Duration::from_millis(100);
const CLEAR: &str = "\r\x1b[K";

/// What a terminal is told while a log is read. The line goes with the value.
pub struct LogProgress {
    is_shown: bool,
    printed: Option<Instant>,
}

impl LogProgress {
    #[must_use]
    pub fn start() -> Self {
        Self { is_shown: std::io::stderr().is_terminal(), printed: None }
    }

    pub fn at(&mut self, records: u64, of: u64) {
        let is_due = self.printed.is_none_or(|printed| printed.elapsed() >= REFRESH_EVERY);
        if self.is_shown && is_due {
            stream::status(&format!("{CLEAR}checking record {records} of {of}"));
            self.printed = Some(Instant::now());
        }
    }
}

impl Drop for LogProgress {
    fn drop(&mut self) {
        if self.printed.is_some() {
            stream::status(CLEAR);
        }
    }
}

/// Prints that svc waits for the registry.
pub fn report_wait(seconds: u64) {
    if std::io::stderr().is_terminal() {
        stream::status(&format!("{CLEAR}the registry is busy; trying again in {seconds} s"));
    }
}
