//! What the service says of itself: whether it lives and takes requests, what is running, and what was counted.

use serde::Serialize;
use svc_core::{rules::ruleset::Rules, scalar::ruleset_ref::RulesetRef};
use svc_json::canonical;

use crate::{
    answer::{Answer, AnswerKind, JSON},
    health::Health,
    metrics::Metrics,
};

/// The text format of scrapers.
const METRICS_TEXT: &str = "application/openmetrics-text; version=1.0.0; charset=utf-8";

pub(crate) fn live() -> Answer {
    answer(200, JSON, "{\"live\": true}\n".into())
}

pub(crate) fn ready(health: &Health) -> Answer {
    let unready = health.unready();
    let ready = unready.is_none();
    let journal = match health.journal_check() {
        (checked, of) if checked < of => format!("\"journal\": {{\"checked\": {checked}, \"of\": {of}}}, "),
        _ => String::new(),
    };
    // The name alone: what happened is in the log, where it may name folders and hosts.
    let fault = health.journal_fault().map(|kind| format!("\"journalFault\": \"{}\", ", kind.code()));
    let fault = fault.unwrap_or_default();
    let reason = unready.map(|reason| format!(", \"reason\": \"{}\"", reason.code())).unwrap_or_default();
    let witnesses = health.witnesses().map_or_else(String::new, |witnesses| {
        format!(
            ", \"witnesses\": {{\"alarms\": {}, \"cosigned\": {}, \"of\": {}, \"quorum\": {}, \"records\": {}}}",
            witnesses.rows.iter().filter(|row| row.alarm).count(),
            witnesses.cosigned,
            witnesses.rows.len(),
            witnesses.has_quorum,
            witnesses.records,
        )
    });
    let body = format!("{{{journal}{fault}\"ready\": {ready}{reason}{witnesses}}}\n").into_bytes();
    answer(if ready { 200 } else { 503 }, JSON, body)
}

pub(crate) fn version(rules: &Rules, commit: &str) -> Answer {
    #[derive(Serialize)]
    #[serde(rename_all = "camelCase")]
    struct RunningVersion<'a> {
        commit: &'a str,
        ruleset: &'a RulesetRef,
        schema_version: &'a str,
        version: &'a str,
    }

    let version =
        RunningVersion { commit, ruleset: rules.ruleset(), schema_version: "1.0", version: env!("CARGO_PKG_VERSION") };
    answer(200, JSON, canonical::to_pretty(&version))
}

/// The same in a line.
pub(crate) fn running(rules: &Rules, commit: &str) -> String {
    format!("version {}, commit {commit}, rule set {}", env!("CARGO_PKG_VERSION"), rules.ruleset().digest)
}

pub(crate) fn metrics(metrics: &Metrics, health: &Health, token_ends: &[(String, u64)]) -> Answer {
    answer(200, METRICS_TEXT, metrics.render(health, token_ends).into_bytes())
}

fn answer(status: u16, media_type: &'static str, body: Vec<u8>) -> Answer {
    Answer {
        status,
        headers: vec![("content-type", media_type.into()), ("cache-control", "no-store".into())],
        body: body.into(),
        kind: AnswerKind::Document,
    }
}
