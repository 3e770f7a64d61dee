//! What was counted, in the text format that scrapers read.

use std::{
    collections::BTreeMap,
    fmt::Write as _,
    sync::{
        Mutex, PoisonError,
        atomic::{AtomicU64, Ordering},
    },
};

use crate::{
    health::{Health, WitnessRow, WitnessSummary},
    log,
};

/// Upper bounds of the classes of time that an answer took, in microseconds.
const TIMES: [u64; 10] = [250, 500, 1_000, 2_500, 5_000, 10_000, 50_000, 250_000, 1_000_000, 10_000_000];

type AnswerCounts = BTreeMap<String, BTreeMap<u16, u64>>;

#[derive(Debug, Default)]
pub struct Metrics {
    /// By operation, then by status.
    answers: Mutex<AnswerCounts>,
    /// The same of probes, which count nowhere else.
    probes: Mutex<AnswerCounts>,
    problems: Mutex<BTreeMap<&'static str, u64>>,
    body_bytes: AtomicU64,
    micros: AtomicU64,
    times: [AtomicU64; TIMES.len()],
    connections: AtomicU64,
    open: AtomicU64,
    sent_away: AtomicU64,
    in_flight: AtomicU64,
    recorded: AtomicU64,
    unrecorded: AtomicU64,
}

/// One of what there is at this moment, until it is dropped.
pub(crate) struct GaugeGuard<'a>(&'a AtomicU64);

impl Drop for GaugeGuard<'_> {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::Relaxed);
    }
}

impl Metrics {
    /// Counts an answer, and the code of a refusal.
    pub(crate) fn answered(
        &self,
        operation: &str,
        status: u16,
        refusal: Option<&'static str>,
        bytes: usize,
        micros: u64,
    ) {
        count(&self.answers, operation, status);
        if let Some(code) = refusal {
            *self.problems.lock().unwrap_or_else(PoisonError::into_inner).entry(code).or_default() += 1;
        }
        self.body_bytes.fetch_add(bytes as u64, Ordering::Relaxed);
        self.micros.fetch_add(micros, Ordering::Relaxed);
        for (most, count) in TIMES.iter().zip(&self.times) {
            if micros <= *most {
                count.fetch_add(1, Ordering::Relaxed);
            }
        }
    }

    /// Counts the answer to a probe.
    pub(crate) fn probed(&self, operation: &str, status: u16) {
        count(&self.probes, operation, status);
    }

    pub(crate) fn recorded(&self) {
        self.recorded.fetch_add(1, Ordering::Relaxed);
    }

    pub(crate) fn unrecorded(&self) {
        self.unrecorded.fetch_add(1, Ordering::Relaxed);
    }

    /// Counts a connection, as open until what is returned goes away.
    pub(crate) fn connected(&self) -> GaugeGuard<'_> {
        self.connections.fetch_add(1, Ordering::Relaxed);
        self.open.fetch_add(1, Ordering::Relaxed);
        GaugeGuard(&self.open)
    }

    /// Counts connections that were closed so that others could come in.
    pub(crate) fn sent_away(&self, connections: usize) {
        self.sent_away.fetch_add(connections as u64, Ordering::Relaxed);
    }

    /// Counts a request until what is returned goes away, also when its client hangs up in the middle.
    pub(crate) fn begin(&self) -> GaugeGuard<'_> {
        self.in_flight.fetch_add(1, Ordering::Relaxed);
        GaugeGuard(&self.in_flight)
    }

    /// How many answers were given.
    #[must_use]
    pub fn total(&self) -> u64 {
        let answers = self.answers.lock().unwrap_or_else(PoisonError::into_inner);
        answers.values().flat_map(BTreeMap::values).sum()
    }

    /// The counters as text.
    #[must_use]
    pub fn render(&self, health: &Health) -> String {
        let mut text = String::new();
        for (name, help, answers) in [
            ("svc_answers_total", "Answers by operation and status, but for those to probes.", &self.answers),
            ("svc_probe_answers_total", "Answers to probes of the verifier.", &self.probes),
        ] {
            head(&mut text, name, "counter", help);
            for (operation, by_status) in answers.lock().unwrap_or_else(PoisonError::into_inner).iter() {
                for (status, count) in by_status {
                    let _ = writeln!(text, "{name}{{operation=\"{operation}\",status=\"{status}\"}} {count}");
                }
            }
        }
        head(&mut text, "svc_problems_total", "counter", "Refusals by problem code.");
        for (code, count) in self.problems.lock().unwrap_or_else(PoisonError::into_inner).iter() {
            let _ = writeln!(text, "svc_problems_total{{code=\"{code}\"}} {count}");
        }
        self.render_times(&mut text);
        let load = |counter: &AtomicU64| counter.load(Ordering::Relaxed);
        let (checked, to_check) = health.journal_check();
        for (name, kind, help, value) in [
            ("svc_connections_total", "counter", "Connections that were taken.", load(&self.connections)),
            ("svc_connections_open", "gauge", "Connections at this moment.", load(&self.open)),
            ("svc_connections_cut_total", "counter", "Connections that gave way to others.", load(&self.sent_away)),
            ("svc_body_bytes_total", "counter", "Bytes of bodies that were read.", load(&self.body_bytes)),
            ("svc_requests_in_flight", "gauge", "Requests at this moment.", load(&self.in_flight)),
            ("svc_journal_records_total", "counter", "Answers that were put on record.", load(&self.recorded)),
            (
                "svc_journal_failures_total",
                "counter",
                "Answers that were withheld because they could not be recorded.",
                load(&self.unrecorded),
            ),
            ("svc_journal_checked_records", "gauge", "Records that were checked since the start.", checked),
            ("svc_journal_records_to_check", "gauge", "Records that were there at the start.", to_check),
            ("svc_guard_trips_total", "counter", "Answers that the guard withheld.", health.guard_trips()),
            ("svc_log_lines_lost_total", "counter", "Lines of the log that nobody read.", log::lost()),
            ("svc_ready", "gauge", "Whether requests are welcome.", u64::from(health.is_ready())),
        ] {
            head(&mut text, name, kind, help);
            let _ = writeln!(text, "{name} {value}");
        }
        if let Some(witnesses) = health.witnesses() {
            render_witnesses(&mut text, &witnesses);
        }
        text
    }

    fn render_times(&self, text: &mut String) {
        let name = "svc_answer_seconds";
        head(text, name, "histogram", "Time from the first byte of a request to its answer.");
        let total = self.total();
        for (most, count) in TIMES.iter().zip(&self.times) {
            let _ = writeln!(text, "{name}_bucket{{le=\"{}\"}} {}", seconds(*most), count.load(Ordering::Relaxed));
        }
        let _ = writeln!(text, "{name}_bucket{{le=\"+Inf\"}} {total}");
        let _ = writeln!(text, "{name}_sum {}\n{name}_count {total}", seconds(self.micros.load(Ordering::Relaxed)));
    }
}

fn render_witnesses(text: &mut String, witnesses: &WitnessSummary) {
    for (name, help, value) in [
        (
            "svc_witness_quorum",
            "Whether the quorum was lacking for no longer than a minute.",
            u64::from(witnesses.has_quorum),
        ),
        ("svc_witness_records", "Records of the newest state that the quorum has seen.", witnesses.records),
    ] {
        head(text, name, "gauge", help);
        let _ = writeln!(text, "{name} {value}");
    }
    type Read = fn(&WitnessRow) -> u64;
    let columns: [(&str, &str, &str, Read); 4] = [
        ("svc_witness_cosignatures_total", "counter", "Cosignatures by witness.", |row| row.cosignatures),
        ("svc_witness_failures_total", "counter", "Requests without a cosignature, by witness.", |row| row.failures),
        ("svc_witness_last_seconds", "gauge", "When a witness cosigned last, in seconds since 1970.", |row| row.last),
        ("svc_witness_alarm", "gauge", "Whether a witness has seen another log than this one.", |row| {
            u64::from(row.alarm)
        }),
    ];
    for (name, kind, help, read) in columns {
        head(text, name, kind, help);
        for row in &witnesses.rows {
            let witness = row.name.replace('\\', "\\\\").replace('"', "\\\"");
            let _ = writeln!(text, "{name}{{witness=\"{witness}\"}} {}", read(row));
        }
    }
}

fn count(answers: &Mutex<AnswerCounts>, operation: &str, status: u16) {
    let mut answers = answers.lock().unwrap_or_else(PoisonError::into_inner);
    match answers.get_mut(operation) {
        Some(by_status) => *by_status.entry(status).or_default() += 1,
        None => *answers.entry(operation.to_owned()).or_default().entry(status).or_default() += 1,
    }
}

fn head(text: &mut String, name: &str, kind: &str, help: &str) {
    let _ = writeln!(text, "# HELP {name} {help}\n# TYPE {name} {kind}");
}

fn seconds(micros: u64) -> f64 {
    micros as f64 / 1_000_000.0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_counted_in_every_class_that_holds_them() {
        let metrics = Metrics::default();
        metrics.answered("links", 200, None, 0, 400);
        metrics.answered("links", 200, None, 0, 30_000_000);
        let text = metrics.render(&Health::default());
        for line in [
            "svc_answers_total{operation=\"links\",status=\"200\"} 2",
            "svc_answer_seconds_bucket{le=\"0.00025\"} 0",
            "svc_answer_seconds_bucket{le=\"0.0005\"} 1",
            "svc_answer_seconds_bucket{le=\"10\"} 1",
            "svc_answer_seconds_bucket{le=\"+Inf\"} 2",
            "svc_answer_seconds_sum 30.0004",
            "svc_answer_seconds_count 2",
            "svc_ready 1",
        ] {
            assert!(text.lines().any(|there| there == line), "{line} in\n{text}");
        }
    }
}
