//! One lie, and that it is found out: with its fault, its message and its exit code, and with every check accounted for.

use std::{
    sync::LazyLock,
    time::{Duration, Instant},
};

use serde_json::{Map, Value};
use svc_client::{
    address::Address,
    client::{BearerToken, Client, Timeouts},
};
use svc_core::verification::{FaultCode, Level};
use svc_json::canonical;
use svc_verify::{
    check::Verification,
    hosted::{CHECKS, KIT_CHECKS, Plan, RetryPolicy},
};

use crate::liar::{Bend, Liar, RequestHead, Said};

/// A lie and how it is found out.
pub(crate) struct Lie {
    pub(crate) name: &'static str,
    /// The fault that names it.
    pub(crate) code: FaultCode,
    /// The lowest level that does not hold.
    pub(crate) breaks: Level,
    /// The exit code of a verification that asks for level build.
    pub(crate) exit: u8,
    /// What the message of the fault holds.
    pub(crate) told: &'static str,
    pub(crate) bend: Bend,
}

/// A row of a table of lies.
macro_rules! lie {
    ($name:literal, $code:ident @ $breaks:ident, $exit:literal, $told:literal, $bend:expr) => {
        Lie {
            name: $name,
            code: $code,
            breaks: svc_core::verification::Level::$breaks,
            exit: $exit,
            told: $told,
            bend: $bend,
        }
    };
}

pub(crate) use lie;

/// Everything that is sent, made once.
pub(crate) static PLAN: LazyLock<Plan> = LazyLock::new(|| {
    let files = svc_core::samples::bundle("{}", 0).unwrap();
    Plan::make(files, Level::Build).unwrap()
});

pub(crate) const IMPATIENT: RetryPolicy = RetryPolicy {
    max_attempts: 2,
    max_wait: Duration::from_secs(1),
    max_total_wait: Duration::from_secs(5),
    first_wait: Duration::from_millis(10),
};

pub(crate) fn client(url: &str, token: Option<&str>) -> Client {
    let timeouts = Timeouts { connect: Duration::from_secs(2), exchange: Duration::from_millis(2500) };
    Client::new(Address::parse(url).unwrap(), token.and_then(BearerToken::parse), None, timeouts).unwrap()
}

pub(crate) fn verify(liar: &Liar) -> Verification {
    PLAN.verify(&client(&liar.url(), None), &liar.url(), IMPATIENT, None, &mut |_| {})
}

/// Tells each lie of a table and holds what comes out against it.
pub(crate) fn all_are_found_out(lies: &[Lie]) {
    let mut missed = Vec::new();
    for lie in lies {
        let started = Instant::now();
        missed.extend(missed_by(lie).map(|why| format!("{}: {why}", lie.name)));
        assert!(started.elapsed() < Duration::from_secs(120), "{} took too long", lie.name);
    }
    assert!(missed.is_empty(), "{} of {} lies:\n{}", missed.len(), lies.len(), missed.join("\n"));
}

fn missed_by(lie: &Lie) -> Option<String> {
    let verification = on_record(verify(&Liar::start(lie.bend)));
    let told = verification.faults().any(|(_, fault)| fault.code == lie.code && fault.message.contains(lie.told));
    let exit = verification.exit_code().code();
    let breaks = Level::ALL.iter().copied().find(|level| !verification.holds(*level));
    let whole = verification.checks.len() == CHECKS + KIT_CHECKS && verification.own_fault().is_none();
    let found: Vec<String> =
        verification.faults().take(6).map(|(check, fault)| format!("{}: {fault:?}", check.name)).collect();
    (!told || exit != lie.exit || breaks != Some(lie.breaks) || !whole)
        .then(|| format!("exit {exit}, breaks {breaks:?}, told {told}, whole {whole}\n  {}", found.join("\n  ")))
}

/// The registry of this suite keeps no journal. What it lacks for that alone is left out, so that a row shows its own lie.
pub(crate) fn on_record(mut verification: Verification) -> Verification {
    for check in &mut verification.checks {
        check.faults.retain(|fault| fault.code != FaultCode::ReceiptMissing);
    }
    verification
}

/// Whether this is a completed evaluation of an acceptance request.
pub(crate) fn is_decision(asked: &RequestHead, said: &Said) -> bool {
    asked.method == "POST" && said.status == 200 && asked.path.ends_with("/acceptance-requests")
}

/// Changes the members of a completed evaluation.
pub(crate) fn in_decision(asked: &RequestHead, said: &mut Said, change: impl FnOnce(&mut Map<String, Value>)) {
    if is_decision(asked, said) {
        in_body(said, change);
    }
}

/// Changes them and makes the decision id fit again.
pub(crate) fn resealed(asked: &RequestHead, said: &mut Said, change: impl FnOnce(&mut Map<String, Value>)) {
    in_decision(asked, said, |body| {
        change(body);
        let mut hashed = body.clone();
        hashed.remove("decisionId");
        hashed.remove("requestId");
        let id = canonical::digest(&hashed).0.to_string();
        body.insert("decisionId".to_owned(), Value::from(id));
    });
}

/// Changes the members of a body.
pub(crate) fn in_body(said: &mut Said, change: impl FnOnce(&mut Map<String, Value>)) {
    let mut body: Map<String, Value> = serde_json::from_slice(&said.body).unwrap();
    change(&mut body);
    said.body = serde_json::to_vec(&body).unwrap();
}

/// Changes the text of a completed evaluation.
pub(crate) fn in_text(asked: &RequestHead, said: &mut Said, from: &str, to: &str) {
    if is_decision(asked, said) {
        let text = String::from_utf8(said.body.clone()).unwrap();
        assert!(text.contains(from), "{from} in {text}");
        said.body = text.replacen(from, to, 1).into_bytes();
    }
}

/// Sets a header, or takes it away.
pub(crate) fn set_header(said: &mut Said, name: &str, value: Option<&str>) {
    said.headers.retain(|(other, _)| other != name);
    said.headers.extend(value.map(|value| (name.to_owned(), value.to_owned())));
}
