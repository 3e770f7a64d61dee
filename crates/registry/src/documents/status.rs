//! What the service says of itself: whether it lives and takes requests, and what is running.

use serde::Serialize;
use svc_core::{rules::ruleset::Rules, scalar::ruleset_ref::RulesetRef};
use svc_json::canonical;

use crate::{
    answer::{Answer, AnswerKind, JSON},
    readiness::Readiness,
};

#[must_use]
pub fn live() -> Answer {
    answer(200, "{\"live\": true}\n".into())
}

#[must_use]
pub fn ready(readiness: &Readiness) -> Answer {
    let Readiness { unready, journal_check: (checked, of), journal_fault, witnesses } = readiness;
    let ready = unready.is_none();
    let journal =
        if checked < of { format!("\"journal\": {{\"checked\": {checked}, \"of\": {of}}}, ") } else { String::new() };
    // The name alone: what happened is in the log, where it may name folders and hosts.
    let fault = journal_fault.map(|kind| format!("\"journalFault\": \"{}\", ", kind.code()));
    let fault = fault.unwrap_or_default();
    let reason = unready.map(|reason| format!(", \"reason\": \"{}\"", reason.code())).unwrap_or_default();
    let witnesses = witnesses.map_or_else(String::new, |witnesses| {
        format!(
            ", \"witnesses\": {{\"alarms\": {}, \"cosigned\": {}, \"of\": {}, \"quorum\": {}, \"records\": {}}}",
            witnesses.alarms, witnesses.cosigned, witnesses.of, witnesses.has_quorum, witnesses.records,
        )
    });
    let body = format!("{{{journal}{fault}\"ready\": {ready}{reason}{witnesses}}}\n").into_bytes();
    answer(if ready { 200 } else { 503 }, body)
}

#[must_use]
pub fn version(rules: &Rules, commit: &str) -> Answer {
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
    answer(200, canonical::to_pretty(&version))
}

/// The same in a line.
#[must_use]
pub fn running(rules: &Rules, commit: &str) -> String {
    format!("version {}, commit {commit}, rule set {}", env!("CARGO_PKG_VERSION"), rules.ruleset().digest)
}

fn answer(status: u16, body: Vec<u8>) -> Answer {
    Answer {
        status,
        headers: vec![("content-type", JSON.into()), ("cache-control", "no-store".into())],
        body: body.into(),
        kind: AnswerKind::Document,
    }
}
