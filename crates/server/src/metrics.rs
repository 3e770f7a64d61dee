//! What was counted, in the text format that scrapers read.

use std::{
    collections::BTreeMap,
    fmt::Write as _,
    sync::{
        Mutex, PoisonError,
        atomic::{AtomicU64, Ordering},
    },
};

use crate::health::Health;

/// The counters.
#[derive(Debug, Default)]
pub struct Metrics {
    answers: Mutex<BTreeMap<(String, u16), u64>>,
    body_bytes: AtomicU64,
    micros: AtomicU64,
    connections: AtomicU64,
    in_flight: AtomicU64,
}

/// A request in flight.
pub(crate) struct InFlight<'a>(&'a AtomicU64);

impl Drop for InFlight<'_> {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::Relaxed);
    }
}

impl Metrics {
    pub(crate) fn answered(&self, operation: &str, status: u16, bytes: usize, micros: u64) {
        let mut answers = self.answers.lock().unwrap_or_else(PoisonError::into_inner);
        *answers.entry((operation.to_owned(), status)).or_default() += 1;
        self.body_bytes.fetch_add(bytes as u64, Ordering::Relaxed);
        self.micros.fetch_add(micros, Ordering::Relaxed);
    }

    pub(crate) fn connected(&self) {
        self.connections.fetch_add(1, Ordering::Relaxed);
    }

    /// Counts a request until what is returned goes away, also when its client hangs up in the middle.
    pub(crate) fn begin(&self) -> InFlight<'_> {
        self.in_flight.fetch_add(1, Ordering::Relaxed);
        InFlight(&self.in_flight)
    }

    /// How many answers were given.
    #[must_use]
    pub fn total(&self) -> u64 {
        self.answers.lock().unwrap_or_else(PoisonError::into_inner).values().sum()
    }

    /// The counters as text.
    #[must_use]
    pub fn render(&self, health: &Health) -> String {
        let mut text = String::from("# TYPE svc_answers_total counter\n");
        for ((operation, status), count) in self.answers.lock().unwrap_or_else(PoisonError::into_inner).iter() {
            let _ = writeln!(text, "svc_answers_total{{operation=\"{operation}\",status=\"{status}\"}} {count}");
        }
        let counters = [
            ("svc_connections_total", "counter", self.connections.load(Ordering::Relaxed)),
            ("svc_body_bytes_total", "counter", self.body_bytes.load(Ordering::Relaxed)),
            ("svc_answer_microseconds_total", "counter", self.micros.load(Ordering::Relaxed)),
            ("svc_requests_in_flight", "gauge", self.in_flight.load(Ordering::Relaxed)),
            ("svc_guard_trips_total", "counter", health.guard_trips()),
            ("svc_ready", "gauge", u64::from(health.is_ready())),
        ];
        for (name, kind, value) in counters {
            let _ = writeln!(text, "# TYPE {name} {kind}\n{name} {value}");
        }
        text
    }
}
