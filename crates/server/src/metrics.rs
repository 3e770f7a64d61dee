//! What was counted, in the OpenMetrics text that scrapers read.
//!
//! Every label has few values: operations and statuses of the routes, codes of problems, witnesses of the policy, and the
//! tokens that end first.

mod sampled;

use std::{
    sync::{
        Arc, Mutex, PoisonError,
        atomic::{AtomicU64, Ordering},
    },
    time::Duration,
};

use prometheus_client::{
    encoding::{EncodeLabelSet, text},
    metrics::{counter::Counter, family::Family, gauge::Gauge, histogram::Histogram, info::Info},
    registry::Registry,
};
use svc_core::rules::ruleset::Rules;
use svc_registry_api::answer::{Answer, AnswerKind};

use self::sampled::Sampled;
pub(crate) use self::sampled::{JournalSample, MetricSample};
use crate::health::Health;

/// The text format of scrapers.
const METRICS_TEXT: &str = "application/openmetrics-text; version=1.0.0; charset=utf-8";

/// Upper bounds of the classes of time that an answer took, in seconds.
const ANSWER_SECONDS: [f64; 10] = [0.000_25, 0.000_5, 0.001, 0.002_5, 0.005, 0.01, 0.05, 0.25, 1.0, 10.0];

/// The same for the flush of a batch of records.
const FLUSH_SECONDS: [f64; 9] = [0.000_5, 0.001, 0.002_5, 0.005, 0.01, 0.05, 0.25, 1.0, 5.0];

#[derive(Clone, Debug, PartialEq, Eq, Hash, EncodeLabelSet)]
struct AnswerLabels {
    operation: String,
    status: u16,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash, EncodeLabelSet)]
struct OperationLabel {
    operation: String,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash, EncodeLabelSet)]
struct ProblemLabel {
    code: &'static str,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash, EncodeLabelSet)]
struct BuildLabels {
    commit: &'static str,
    ruleset: String,
    version: &'static str,
}

#[derive(Debug)]
pub struct Metrics {
    registry: Registry,
    total: AtomicU64,
    answers: Family<AnswerLabels, Counter>,
    /// Answers to probes, which count nowhere else.
    probes: Family<AnswerLabels, Counter>,
    problems: Family<ProblemLabel, Counter>,
    seconds: Family<OperationLabel, Histogram>,
    body_bytes: Counter,
    connections: Counter,
    open: Gauge,
    sent_away: Counter,
    malformed: Counter,
    in_flight: Gauge,
    recorded: Counter,
    unrecorded: Counter,
    streams: Gauge,
    streamed: Counter,
    streams_cut: Counter,
    flush_seconds: Histogram,
    /// 0 where there is no certificate.
    /// When the certificate ends, which may change with it.
    pub certificate_end: CertificateEnd,
    sample: Mutex<MetricSample>,
}

/// When the certificate that is in use ends, in seconds since 1970; shared by all who hold a copy.
#[derive(Clone, Debug, Default)]
pub struct CertificateEnd(Arc<AtomicU64>);

impl CertificateEnd {
    pub fn set(&self, seconds: u64) {
        self.0.store(seconds, Ordering::Relaxed);
    }

    fn get(&self) -> Option<u64> {
        Some(self.0.load(Ordering::Relaxed)).filter(|end| *end > 0)
    }
}

/// One of what there is at this moment, until it is dropped.
pub(crate) struct GaugeGuard<'a>(&'a Gauge);

impl Drop for GaugeGuard<'_> {
    fn drop(&mut self) {
        self.0.dec();
    }
}

impl Metrics {
    pub(crate) fn new(rules: &Rules, commit: &'static str) -> Self {
        let answer_seconds: fn() -> Histogram = || Histogram::new(ANSWER_SECONDS);
        let metrics = Self {
            registry: Registry::default(),
            total: AtomicU64::default(),
            answers: Family::default(),
            probes: Family::default(),
            problems: Family::default(),
            seconds: Family::new_with_constructor(answer_seconds),
            body_bytes: Counter::default(),
            connections: Counter::default(),
            open: Gauge::default(),
            sent_away: Counter::default(),
            malformed: Counter::default(),
            in_flight: Gauge::default(),
            recorded: Counter::default(),
            unrecorded: Counter::default(),
            streams: Gauge::default(),
            streamed: Counter::default(),
            streams_cut: Counter::default(),
            flush_seconds: Histogram::new(FLUSH_SECONDS),
            certificate_end: CertificateEnd::default(),
            sample: Mutex::default(),
        };
        metrics.registered(rules, commit)
    }

    fn registered(mut self, rules: &Rules, commit: &'static str) -> Self {
        let (to, version) = (&mut self.registry, env!("CARGO_PKG_VERSION"));
        let build = BuildLabels { commit, ruleset: rules.ruleset().digest.to_string(), version };
        to.register("svc_build", "What is running", Info::new(build));
        to.register("svc_answers", "Answers by operation and status, but for those to probes", self.answers.clone());
        to.register("svc_probe_answers", "Answers to probes of the verifier", self.probes.clone());
        to.register("svc_problems", "Refusals by problem code", self.problems.clone());
        to.register(
            "svc_answer_seconds",
            "Time from the first byte of a request to its answer, by operation",
            self.seconds.clone(),
        );
        to.register("svc_connections", "Connections that were taken", self.connections.clone());
        to.register("svc_connections_open", "Connections at this moment", self.open.clone());
        to.register("svc_connections_cut", "Connections that gave way to others", self.sent_away.clone());
        to.register("svc_requests_malformed", "What came and was no request", self.malformed.clone());
        to.register("svc_body_bytes", "Bytes of bodies that were read", self.body_bytes.clone());
        to.register("svc_requests_in_flight", "Requests at this moment", self.in_flight.clone());
        to.register("svc_journal_records", "Answers that were put on record", self.recorded.clone());
        to.register(
            "svc_journal_failures",
            "Answers that were withheld because they could not be recorded",
            self.unrecorded.clone(),
        );
        to.register("svc_event_streams_open", "Event streams at this moment", self.streams.clone());
        to.register("svc_event_records", "Records that were sent in event streams", self.streamed.clone());
        to.register(
            "svc_event_streams_cut",
            "Event streams that ended because nobody read them, or gave way to another client",
            self.streams_cut.clone(),
        );
        to.register(
            "svc_journal_flush_seconds",
            "Time until a batch of records was durable",
            self.flush_seconds.clone(),
        );
        self
    }

    /// Counts an answer, and the code of a refusal.
    pub(crate) fn answered(
        &self,
        operation: &str,
        status: u16,
        refusal: Option<&'static str>,
        bytes: usize,
        micros: u64,
    ) {
        self.total.fetch_add(1, Ordering::Relaxed);
        self.answers.get_or_create(&AnswerLabels { operation: operation.to_owned(), status }).inc();
        if let Some(code) = refusal {
            self.problems.get_or_create(&ProblemLabel { code }).inc();
        }
        self.body_bytes.inc_by(bytes as u64);
        let seconds = micros as f64 / 1_000_000.0;
        self.seconds.get_or_create(&OperationLabel { operation: operation.to_owned() }).observe(seconds);
    }

    /// Counts the answer to a probe.
    pub(crate) fn probed(&self, operation: &str, status: u16) {
        self.probes.get_or_create(&AnswerLabels { operation: operation.to_owned(), status }).inc();
    }

    pub(crate) fn recorded(&self) {
        self.recorded.inc();
    }

    pub(crate) fn unrecorded(&self) {
        self.unrecorded.inc();
    }

    pub(crate) fn stream_opened(&self) {
        self.streams.inc();
    }

    /// Counts records that were sent to one who follows.
    pub(crate) fn streamed(&self, records: u64) {
        self.streamed.inc_by(records);
    }

    /// A stream is over, cut by the service or not.
    pub(crate) fn stream_closed(&self, is_cut: bool) {
        self.streams.dec();
        self.streams_cut.inc_by(is_cut.into());
    }

    /// What takes the time of each flush of the journal.
    pub(crate) fn flush_observer(&self) -> impl Fn(Duration) + Send + Sync + 'static {
        let histogram = self.flush_seconds.clone();
        move |time| histogram.observe(time.as_secs_f64())
    }

    /// Counts a connection, as open until what is returned goes away.
    pub(crate) fn connected(&self) -> GaugeGuard<'_> {
        self.connections.inc();
        self.open.inc();
        GaugeGuard(&self.open)
    }

    /// Counts connections that were closed so that others could come in.
    pub(crate) fn sent_away(&self, connections: usize) {
        self.sent_away.inc_by(connections as u64);
    }

    /// Counts what came on a connection and was no request.
    pub(crate) fn malformed(&self) {
        self.malformed.inc();
    }

    /// Counts a request until what is returned goes away, also when its client hangs up in the middle.
    pub(crate) fn begin(&self) -> GaugeGuard<'_> {
        self.in_flight.inc();
        GaugeGuard(&self.in_flight)
    }

    pub(crate) fn note_sample(&self, sample: MetricSample) {
        *self.sample.lock().unwrap_or_else(PoisonError::into_inner) = sample;
    }

    /// How many answers were given.
    #[must_use]
    pub fn total(&self) -> u64 {
        self.total.load(Ordering::Relaxed)
    }

    /// The answer to a scraper.
    pub(crate) fn answer(&self, health: &Health, token_ends: &[(String, u64)]) -> Answer {
        Answer {
            status: 200,
            headers: vec![("content-type", METRICS_TEXT.into()), ("cache-control", "no-store".into())],
            body: self.render(health, token_ends).into_bytes().into(),
            kind: AnswerKind::Document,
        }
    }

    /// Everything as text. The tokens are those that end first, each with its end.
    fn render(&self, health: &Health, token_ends: &[(String, u64)]) -> String {
        let sample = self.sample.lock().unwrap_or_else(PoisonError::into_inner).clone();
        let certificate_end = self.certificate_end.get();
        let mut sampled = Registry::default();
        sampled.register_collector(Box::new(Arc::new(Sampled::of(health, &sample, certificate_end, token_ends))));
        let mut text = String::new();
        let written = text::encode_registry(&mut text, &self.registry)
            .and_then(|()| text::encode_registry(&mut text, &sampled))
            .and_then(|()| text::encode_eof(&mut text));
        // A text takes whatever is written to it.
        written.map_or_else(|_| String::new(), |()| text)
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;
    use svc_journal::endpoint::Standing;
    use svc_proof::fault::JournalFaultKind;

    use crate::{
        events::{EndpointSample, TryOutcome},
        health::{WitnessRow, WitnessSummary},
    };

    fn has(text: &str, line: &str) {
        assert!(text.lines().any(|there| there == line), "{line} in\n{text}");
    }

    #[test]
    fn times_are_counted_in_every_class_that_holds_them() {
        let metrics = Metrics::new(&Rules::svc_default(), "abc");
        metrics.answered("links", 200, None, 0, 400);
        metrics.answered("links", 200, None, 0, 30_000_000);
        let text = metrics.render(&Health::default(), &[]);
        for line in [
            "svc_answers_total{operation=\"links\",status=\"200\"} 2",
            "svc_answer_seconds_bucket{le=\"0.00025\",operation=\"links\"} 0",
            "svc_answer_seconds_bucket{le=\"0.0005\",operation=\"links\"} 1",
            "svc_answer_seconds_bucket{le=\"10.0\",operation=\"links\"} 1",
            "svc_answer_seconds_bucket{le=\"+Inf\",operation=\"links\"} 2",
            "svc_answer_seconds_sum{operation=\"links\"} 30.0004",
            "svc_answer_seconds_count{operation=\"links\"} 2",
            "svc_ready 1",
        ] {
            has(&text, line);
        }
        assert!(text.contains("svc_build_info{commit=\"abc\",ruleset=\"sha256:"), "{text}");
        assert!(text.ends_with("# EOF\n"), "{text}");
        assert!(!text.contains("svc_certificate") && !text.contains("svc_journal_size"), "{text}");
    }

    /// A service that has everything: a journal, witnesses, an endpoint of webhooks, a certificate and tokens.
    fn whole() -> String {
        let (metrics, health) = (Metrics::new(&Rules::svc_default(), "abc"), Health::default());
        metrics.answered("links", 200, Some("not-found"), 0, 400);
        metrics.probed("links", 200);
        let journal = JournalSample {
            size: 7,
            checkpoint_age: Duration::from_millis(2_900),
            waiting: 3,
            free_bytes: Some(1 << 40),
        };
        let endpoint = EndpointSample {
            name: "audit".to_owned(),
            cursor: 5,
            behind: 2,
            standing: Standing::Active,
            tries: vec![(TryOutcome::Delivered, 1)],
        };
        metrics.note_sample(MetricSample {
            worker_jobs: 2,
            journal: Some(journal),
            endpoints: vec![endpoint],
            endpoint_faults: Some(0),
        });
        metrics.certificate_end.set(1_900_000_000);
        metrics.certificate_end.set(2_000_000_000);
        metrics.flush_observer()(Duration::from_millis(2));
        let row = WitnessRow { alarm: true, ..WitnessRow::new("a \"name\" \\ of\n two lines") };
        health.note_witnesses(WitnessSummary {
            closed: false,
            cosigned: 1,
            has_quorum: true,
            records: 5,
            rows: vec![row],
        });
        health.close_journal(JournalFaultKind::Storage);
        metrics.render(&health, &[("ci".to_owned(), 2_100_000_000)])
    }

    #[test]
    fn what_is_looked_at_is_there_and_no_name_breaks_a_line() {
        let text = whole();
        for line in [
            "svc_journal_size_records 7",
            "svc_journal_checkpoint_age_seconds 2",
            "svc_journal_queue_records 3",
            "svc_journal_closed 1",
            "svc_journal_takes_records 0",
            "svc_disk_free_bytes 1099511627776",
            "svc_worker_queue_jobs 2",
            "svc_certificate_end_seconds 2000000000",
            "svc_token_end_seconds{token=\"ci\"} 2100000000",
            "svc_journal_flush_seconds_bucket{le=\"0.0025\"} 1",
            "svc_witness_alarm{witness=\"a \\\"name\\\" \\\\ of\\n two lines\"} 1",
            "svc_events_behind_records{endpoint=\"audit\"} 2",
            "svc_events_state{endpoint=\"audit\",state=\"active\"} 1",
            "svc_events_tries_total{endpoint=\"audit\",outcome=\"delivered\"} 1",
            "svc_ready 0",
        ] {
            has(&text, line);
        }
    }

    #[test]
    fn the_guide_has_every_metric_and_no_other() {
        let text = whole();
        let of = |line: &str| -> Option<String> {
            let (name, kind) = line.strip_prefix("# TYPE ")?.split_once(' ')?;
            Some(match kind {
                "counter" => format!("{name}_total"),
                "info" => format!("{name}_info"),
                _ => name.to_owned(),
            })
        };
        let exposed: BTreeSet<String> = text.lines().filter_map(of).collect();
        let guide = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/guides/operators.md");
        let guide = std::fs::read_to_string(guide).unwrap();
        let rows = guide.lines().skip_while(|line| *line != "| Metric | What it counts |").skip(2);
        let cells = rows.take_while(|line| line.starts_with('|')).filter_map(|row| row.split('|').nth(1));
        let names = cells.flat_map(|cell| cell.split('`').skip(1).step_by(2));
        let told: BTreeSet<String> = names.map(|name| name.split('{').next().unwrap().to_owned()).collect();
        assert_eq!(told, exposed);
    }
}
