//! What is not counted but looked at, each time that somebody asks: states, queues, ends.
//!
//! What a service does not have, as a certificate, has no line.

use std::{fmt, time::Duration};

use prometheus_client::{
    collector::Collector,
    encoding::{DescriptorEncoder, EncodeMetric, MetricEncoder},
    metrics::{MetricType, counter::ConstCounter, gauge::ConstGauge},
};

use svc_journal::endpoint::Standing;

use crate::{
    events::EndpointSample,
    health::{Health, WitnessRow},
    log,
};

/// What is looked at when somebody asks for the metrics.
#[derive(Clone, Debug, Default)]
pub(crate) struct MetricSample {
    /// Bodies that wait for a thread.
    pub(crate) worker_jobs: usize,
    pub(crate) journal: Option<JournalSample>,
    /// The endpoints of webhooks.
    pub(crate) endpoints: Vec<EndpointSample>,
    /// Those of them that cannot be read, or one for their store; nothing where nothing is delivered.
    pub(crate) endpoint_faults: Option<u64>,
}

#[derive(Clone, Debug)]
pub(crate) struct JournalSample {
    /// How many records the newest signed state has, and how old that is.
    pub(crate) size: u64,
    pub(crate) checkpoint_age: Duration,
    /// Records that wait for the writer.
    pub(crate) waiting: usize,
    /// What is left on the disk of the data folder, where that can be told.
    pub(crate) free_bytes: Option<u64>,
}

#[derive(Debug)]
pub(super) struct Sampled {
    rows: Vec<Row>,
}

#[derive(Debug)]
struct Row {
    /// A counter without its `_total`.
    name: &'static str,
    help: &'static str,
    kind: MetricType,
    values: Values,
}

#[derive(Debug)]
enum Values {
    One(u64),
    By(&'static str, Vec<(String, u64)>),
    ByBoth([&'static str; 2], Vec<([String; 2], u64)>),
}

impl Sampled {
    pub(super) fn of(
        health: &Health,
        sample: &MetricSample,
        certificate_end: Option<u64>,
        token_ends: &[(String, u64)],
    ) -> Self {
        let mut sampled = Self { rows: Vec::new() };
        sampled.add_journal(health, sample);
        sampled.add_witnesses(health);
        sampled.add_endpoints(&sample.endpoints, sample.endpoint_faults);
        sampled.counter("svc_guard_trips", "Answers that the guard withheld", health.guard_trips());
        sampled.counter("svc_log_lines_lost", "Lines of the log that nobody read", log::lost());
        sampled.gauge("svc_log_queue_bytes", "Bytes of lines that wait to be read", log::waiting_bytes() as u64);
        sampled.gauge("svc_worker_queue_jobs", "Large bodies that wait for a thread", sample.worker_jobs as u64);
        if let Some(end) = certificate_end {
            sampled.gauge("svc_certificate_end_seconds", "When the certificate ends, in seconds since 1970", end);
        }
        if !token_ends.is_empty() {
            let help = "When a token ends, in seconds since 1970, of those that end first";
            let values = Values::By("token", token_ends.to_vec());
            sampled.rows.push(Row { name: "svc_token_end_seconds", help, kind: MetricType::Gauge, values });
        }
        sampled.gauge("svc_ready", "Whether requests are welcome", health.is_ready().into());
        sampled
    }

    fn add_journal(&mut self, health: &Health, sample: &MetricSample) {
        let Some(journal) = &sample.journal else { return };
        let (checked, to_check) = health.journal_check();
        self.gauge("svc_journal_size_records", "Records of the newest signed state", journal.size);
        self.gauge(
            "svc_journal_checkpoint_age_seconds",
            "How long ago the newest state was signed",
            journal.checkpoint_age.as_secs(),
        );
        self.gauge("svc_journal_queue_records", "Records that wait to be written", journal.waiting as u64);
        self.gauge(
            "svc_journal_takes_records",
            "Whether the store took the last record, or said that it would",
            (!health.journal_is_down()).into(),
        );
        self.gauge(
            "svc_journal_closed",
            "Whether the journal is closed until the next start",
            health.journal_fault().is_some().into(),
        );
        self.gauge("svc_journal_checked_records", "Records that were checked since the start", checked);
        self.gauge("svc_journal_records_to_check", "Records that were there at the start", to_check);
        if let Some(free) = journal.free_bytes {
            self.gauge("svc_disk_free_bytes", "Free bytes on the disk of the data folder", free);
        }
    }

    fn add_witnesses(&mut self, health: &Health) {
        type Read = fn(&WitnessRow) -> u64;

        let Some(witnesses) = health.witnesses() else { return };
        let help = "Whether the quorum was lacking for no longer than a minute";
        self.gauge("svc_witness_quorum", help, witnesses.has_quorum.into());
        self.gauge("svc_witness_records", "Records of the newest state that the quorum has seen", witnesses.records);
        let columns: [(&str, &str, MetricType, Read); 4] = [
            ("svc_witness_cosignatures", "Cosignatures by witness", MetricType::Counter, |row| row.cosignatures),
            ("svc_witness_failures", "Requests without a cosignature, by witness", MetricType::Counter, |row| {
                row.failures
            }),
            (
                "svc_witness_last_seconds",
                "When a witness cosigned last, in seconds since 1970",
                MetricType::Gauge,
                |row| row.last,
            ),
            ("svc_witness_alarm", "Whether a witness has seen another log than this one", MetricType::Gauge, |row| {
                row.alarm.into()
            }),
        ];
        for (name, help, kind, read) in columns {
            let values = witnesses.rows.iter().map(|row| (row.name.clone(), read(row))).collect();
            self.rows.push(Row { name, help, kind, values: Values::By("witness", values) });
        }
    }

    fn add_endpoints(&mut self, endpoints: &[EndpointSample], faults: Option<u64>) {
        if let Some(faults) = faults {
            let help = "Endpoints that cannot be read, or their store: nothing is delivered to them";
            self.gauge("svc_events_faults", help, faults);
        }
        if endpoints.is_empty() {
            return;
        }
        let by = |read: fn(&EndpointSample) -> u64| {
            Values::By("endpoint", endpoints.iter().map(|endpoint| (endpoint.name.clone(), read(endpoint))).collect())
        };
        let (cursors, behind) = (by(|endpoint| endpoint.cursor), by(|endpoint| endpoint.behind));
        let standing = |endpoint: &EndpointSample| {
            let (name, own) = (endpoint.name.clone(), endpoint.standing.as_str());
            Standing::WORDS.iter().map(move |word| ([name.clone(), (*word).to_owned()], u64::from(*word == own)))
        };
        let standing = Values::ByBoth(["endpoint", "state"], endpoints.iter().flat_map(standing).collect());
        let tries = |endpoint: &EndpointSample| {
            let name = endpoint.name.clone();
            let each = endpoint.tries.clone().into_iter();
            each.map(move |(outcome, count)| ([name.clone(), outcome.as_str().to_owned()], count))
        };
        let tries = Values::ByBoth(["endpoint", "outcome"], endpoints.iter().flat_map(tries).collect());
        for (name, help, kind, values) in [
            (
                "svc_events_cursor_records",
                "Records that an endpoint has, from the first on",
                MetricType::Gauge,
                cursors,
            ),
            (
                "svc_events_behind_records",
                "Records of the log that an endpoint does not have yet",
                MetricType::Gauge,
                behind,
            ),
            ("svc_events_state", "Whether an endpoint is active, paused or disabled", MetricType::Gauge, standing),
            ("svc_events_tries", "Tries to deliver, by endpoint and outcome", MetricType::Counter, tries),
        ] {
            self.rows.push(Row { name, help, kind, values });
        }
    }

    fn gauge(&mut self, name: &'static str, help: &'static str, value: u64) {
        self.rows.push(Row { name, help, kind: MetricType::Gauge, values: Values::One(value) });
    }

    fn counter(&mut self, name: &'static str, help: &'static str, value: u64) {
        self.rows.push(Row { name, help, kind: MetricType::Counter, values: Values::One(value) });
    }
}

impl Collector for Sampled {
    fn encode(&self, mut encoder: DescriptorEncoder<'_>) -> fmt::Result {
        for row in &self.rows {
            let mut metric = encoder.encode_descriptor(row.name, row.help, None, row.kind)?;
            let is_counter = matches!(row.kind, MetricType::Counter);
            match &row.values {
                Values::One(value) if is_counter => ConstCounter::new(*value).encode(metric)?,
                Values::One(value) => ConstGauge::new(*value).encode(metric)?,
                Values::By(label, values) => {
                    for (of, value) in values {
                        encode(metric.encode_family(&[(*label, of.as_str())])?, *value, is_counter)?;
                    }
                }
                Values::ByBoth([one, other], values) => {
                    for ([first, second], value) in values {
                        let labels = [(*one, first.as_str()), (*other, second.as_str())];
                        encode(metric.encode_family(&labels)?, *value, is_counter)?;
                    }
                }
            }
        }
        Ok(())
    }
}

fn encode(of: MetricEncoder<'_>, value: u64, is_counter: bool) -> fmt::Result {
    if is_counter { ConstCounter::new(value).encode(of) } else { ConstGauge::new(value).encode(of) }
}
