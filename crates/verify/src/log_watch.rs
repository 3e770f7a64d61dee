//! Insists on receipts: each one proves its answer, and all of them lie in one growing log.
//!
//! A receipt that is offered and proves nothing is a lie at every level; one that is missing is a fault of level build.

mod served_records;
#[cfg(test)]
mod tests;

use std::{
    cell::{Cell, RefCell},
    collections::BTreeMap,
    thread,
    time::{Duration, Instant, SystemTime, UNIX_EPOCH},
};

use serde::Deserialize;
use serde_json::Value;
use svc_client::exchange::{Reply, Request, Transport};
use svc_core::{
    contract::contracts::BASE_PATH,
    journal::record::Refusal,
    verification::{FaultCode, LogLine},
    words::kind,
};
use svc_json::{digest::Digest, tree};
use svc_proof::{
    checkpoint::{Checkpoint, signers},
    cosignature::TimeWindow,
    fault::{JournalFault, JournalFaultKind},
    growth,
    hand_over::HandOverNotes,
    policy::{Policy, Witnessed},
    public_key::{PublicKey, PublicKeys},
    receipt::{self, Proven, Unproven},
    source::{LogFiles, checkpoint_of, hand_overs_of},
    tiles::{HAND_OVERS, WITNESSED_CHECKPOINT},
    tree::{Hash, leaf_hash},
};

use crate::{
    check::{CheckFault, VerifierCheck, cut},
    claims,
    field::without_body,
    judge,
    probe::{self, ExpectedReply, Probe},
    retry::RetryPolicy,
    shell,
};

const AREA: &str = "journal";

const KEYS: &str = "keys";
const CHECKPOINT: &str = "checkpoint";
const ENTRIES: &str = "entries";

/// How many checks look at the log, after the last request to a route.
pub const CHECKS: usize = 5;

/// What is looked at after the last request to a route.
const NAMES: [&str; CHECKS] = [
    "GET /journal/checkpoint",
    "one growing log",
    "the records of the receipts",
    "GET /journal/entries",
    "GET /journal/proof/…",
];

/// What is looked at besides where a policy was given.
const QUORUM: &str = "the quorum of the policy";

/// How long the witnesses may take to see what was answered last, and how often is asked.
const QUORUM_TIMEOUT: Duration = Duration::from_secs(15);
const QUORUM_PAUSE: Duration = Duration::from_millis(500);

/// The keys that receipts are checked with, and where they are from.
#[derive(Clone, Copy, Debug)]
pub enum LogKeys<'k> {
    /// They were given by the user.
    Given(&'k PublicKeys),
    /// The registry showed them in an earlier run.
    Earlier(&'k PublicKeys),
    /// The registry is asked for them now.
    Served,
}

impl<'k> From<Option<&'k PublicKeys>> for LogKeys<'k> {
    fn from(given: Option<&'k PublicKeys>) -> Self {
        given.map_or(Self::Served, Self::Given)
    }
}

impl LogKeys<'_> {
    /// Which keys receipts were checked with, in words.
    #[must_use]
    pub fn note(self) -> String {
        match self {
            Self::Given(_) => "checked with the public keys that were given".to_owned(),
            Self::Earlier(keys) => {
                let origin = keys.origin();
                format!(
                    "checked with the key of {origin} that an earlier run kept; give --public-key FILE to pin one in this run"
                )
            }
            Self::Served => "no log is served: nothing that was answered is on record".to_owned(),
        }
    }
}

fn not_pinned(keys: &PublicKeys, how: &str) -> String {
    let origin = cut(keys.origin());
    format!("checked with the key of {origin} that the registry {how}, which was not pinned: give --public-key FILE")
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum KeySource {
    Given,
    Earlier,
    #[default]
    Served,
}

/// What is known of the log so far.
#[derive(Debug, Default)]
pub(crate) struct LogWatch {
    keys: Option<PublicKeys>,
    source: KeySource,
    /// Why there is no key, and whether the registry could not be asked for it.
    why_no_key: String,
    unasked: Option<FaultCode>,
    receipts: usize,
    /// The newest signed state, with the hash of its root by its size for all that were seen.
    newest: Option<Checkpoint>,
    roots: BTreeMap<u64, Hash>,
    /// The hash of each proven record, by its index.
    records: BTreeMap<u64, Hash>,
    /// Who must have seen the log, where that is demanded.
    policy: Option<Policy>,
    /// What the file of the keys claims, or what is wrong with the notes from key to key.
    claim: Option<CheckFault>,
    /// How many keys the known ones led to, and by which notes.
    led_to: usize,
    notes: HandOverNotes,
}

/// The journal of a registry, as files.
struct Served<'t> {
    transport: &'t dyn Transport,
    retry: RetryPolicy,
    /// Why the registry could not be asked for a file: a log that was not seen is no rewritten one.
    unasked: Cell<Option<FaultCode>>,
    /// The file that was asked for last, which is the one that a fault was seen in.
    last: RefCell<String>,
    /// What a file of the log claims that is no log's.
    claim: Cell<Option<CheckFault>>,
}

impl<'t> Served<'t> {
    /// The file that a check goes by stands for it until it asks for another.
    fn by(transport: &'t dyn Transport, retry: RetryPolicy, first: &str) -> Self {
        Self {
            transport,
            retry,
            unasked: Cell::new(None),
            last: RefCell::new(first.to_owned()),
            claim: Cell::new(None),
        }
    }

    /// What a check came to, with the request that shows it.
    fn check(&self, name: &str, fault: Option<CheckFault>) -> VerifierCheck {
        let request = request_for(&self.last.borrow());
        let line = shell::curl_file(self.transport.base(), self.transport.has_token(), &request);
        VerifierCheck::ran(AREA, name, self.claim.take().into_iter().chain(fault).collect()).by(line)
    }

    /// A fault of the log, or that it could not be asked for.
    fn fault(&self, code: FaultCode, fault: &JournalFault) -> CheckFault {
        let base = self.transport.base();
        let place = if base.is_empty() { String::new() } else { format!("the log at {base}: ") };
        CheckFault::new(self.unasked.take().unwrap_or(code), format!("{place}{}", cut(&fault.to_string())))
    }
}

impl LogFiles for Served<'_> {
    fn get(&self, path: &str) -> Result<Vec<u8>, JournalFault> {
        let lost = |code: FaultCode, message: String| {
            self.unasked.set(Some(code));
            JournalFault::new(JournalFaultKind::Unreachable, message)
        };
        path.clone_into(&mut self.last.borrow_mut());
        let request = request_for(path);
        let sent = self.retry.send(self.transport, &request);
        let reply = sent.map_err(|unanswered| lost(unanswered.code, unanswered.message))?;
        // Tiles are bytes, and records are judged where they are read.
        let is_statement =
            matches!(path, KEYS | CHECKPOINT | HAND_OVERS) || path.starts_with(ENTRIES) || reply.status != 200;
        let read = if is_statement { reply.clone() } else { without_body(&reply) };
        let claim = claims::open_claims(&read, claims::Reading::Statement).into_iter().next();
        let claim = claim.or_else(|| judge::headers::cross_origin(&request, &reply));
        self.claim.set(self.claim.take().or(claim));
        let said = |status: u16| format!("the registry answered {status} to /journal/{path}");
        match reply.status {
            200 => Ok(reply.body),
            404 => Err(JournalFault::new(JournalFaultKind::Missing, format!("the registry has no /journal/{path}"))),
            status @ (401 | 403) => Err(lost(FaultCode::NoEntry, said(status))),
            status @ (429 | 500..=599) => Err(lost(FaultCode::ServerError, said(status))),
            status => Err(JournalFault::new(JournalFaultKind::Corrupt, said(status))),
        }
    }
}

fn request_for(path: &str) -> Request {
    probe::get(format!("{BASE_PATH}/journal/{path}"))
}

impl LogWatch {
    /// The watch over a registry: with the keys that are known, else with those that it serves itself.
    pub(crate) fn of<'k>(transport: &dyn Transport, retry: RetryPolicy, keys: impl Into<LogKeys<'k>>) -> Self {
        match keys.into() {
            LogKeys::Given(keys) => return Self::following(keys, KeySource::Given, transport, retry),
            LogKeys::Earlier(keys) => return Self::following(keys, KeySource::Earlier, transport, retry),
            LogKeys::Served => {}
        }
        let files = Served::by(transport, retry, KEYS);
        match files.get(KEYS).and_then(|bytes| PublicKeys::parse(&String::from_utf8_lossy(&bytes))) {
            Ok(keys) => Self { keys: Some(keys), claim: files.claim.take(), ..Self::default() },
            Err(fault) => {
                let why_no_key = cut(&fault.to_string());
                Self { why_no_key, unasked: files.unasked.take(), claim: files.claim.take(), ..Self::default() }
            }
        }
    }

    /// The watch with keys that are known, and those that the log's own notes lead to from them. Notes that cannot be had lead
    /// nowhere.
    fn following(keys: &PublicKeys, source: KeySource, transport: &dyn Transport, retry: RetryPolicy) -> Self {
        let files = Served::by(transport, retry, HAND_OVERS);
        let notes = hand_overs_of(&files);
        let followed = notes.as_ref().map_err(Clone::clone).and_then(|notes| notes.extend(keys));
        let is_unasked = files.unasked.take().is_some();
        let (known, broken) = match followed {
            Ok(known) => (known, None),
            Err(_) if is_unasked => (keys.clone(), None),
            Err(fault) => (keys.clone(), Some(files.fault(FaultCode::LogRewritten, &fault))),
        };
        let led_to = known.as_slice().len() - keys.as_slice().len();
        let claim = files.claim.take().or(broken);
        let notes = notes.map(|notes| notes.signed_by(&known)).unwrap_or_default();
        Self { keys: Some(known), source, claim, led_to, notes, ..Self::default() }
    }

    /// The watch over answers that were kept, with the keys that were kept beside them.
    pub(crate) fn with_keys(keys: Option<PublicKeys>) -> Self {
        let why_no_key = "no key was kept beside it".to_owned();
        Self { keys, source: KeySource::Earlier, why_no_key, ..Self::default() }
    }

    /// The same watch, which demands that the quorum of a policy has seen every state that a receipt signed.
    pub(crate) fn with_policy(self, policy: Option<Policy>) -> Self {
        Self { policy, ..self }
    }

    /// The keys that receipts are checked with.
    pub(crate) fn keys(&self) -> Option<&PublicKeys> {
        self.keys.as_ref()
    }

    /// The notes that led from a known key to others.
    pub(crate) fn notes(&self) -> &HandOverNotes {
        &self.notes
    }

    /// What is wrong with the receipt of an answer.
    pub(crate) fn judge(&mut self, probe: &Probe, reply: &Reply) -> Vec<CheckFault> {
        let is_answer = match &probe.expected {
            ExpectedReply::Denied { .. } => reply.status == 200,
            ExpectedReply::Refused(_) => reply.status == 422,
            ExpectedReply::Document { .. }
            | ExpectedReply::Described { .. }
            | ExpectedReply::LikeGet { .. }
            | ExpectedReply::Anything => false,
        };
        let has_receipt = tree::read(&reply.body).is_ok_and(|document| document.root.get("receipt").is_some());
        match (&self.keys, has_receipt) {
            (Some(keys), true) => {
                self.receipts += 1;
                match receipt::check_file(&reply.body, keys) {
                    Ok(proven) => {
                        let mut faults = of_another(probe, &reply.body, &proven);
                        faults.extend(self.proven(&proven));
                        faults
                    }
                    Err(reason) => vec![self.other_key(reason, &reply.body).unwrap_or_else(|| unproven(reason))],
                }
            }
            (None, true) => {
                self.receipts += 1;
                let message = format!("nothing shows who signed the receipt: {}", self.why_no_key);
                vec![CheckFault::new(self.unasked.unwrap_or(FaultCode::ReceiptUnproven), message)]
            }
            (_, false) if is_answer => {
                vec![CheckFault::new(FaultCode::ReceiptMissing, "the answer has no receipt")]
            }
            (_, false) => Vec::new(),
        }
    }

    /// The fault of a receipt by another key than the known ones. A key that has proven a receipt is the log's own, and
    /// one that the registry serves now is its own word: then the receipt itself is wrong.
    fn other_key(&self, reason: Unproven, answer: &[u8]) -> Option<CheckFault> {
        let keys = self.keys.as_ref().filter(|_| self.source != KeySource::Served && self.newest.is_none())?;
        let answered: Value = serde_json::from_slice(answer).ok().filter(|_| reason == Unproven::UnknownKey)?;
        let checkpoint = answered.pointer("/receipt/checkpoint").and_then(Value::as_str)?;
        Some(key_differs("the receipt", checkpoint, keys))
    }

    /// A proven answer, held against those before it.
    fn proven(&mut self, proven: &Proven) -> Vec<CheckFault> {
        let mut faults = Vec::new();
        let (size, root) = (proven.checkpoint.size(), *proven.checkpoint.root());
        if self.roots.insert(size, root).is_some_and(|other| other != root) {
            let message = format!("the log of {size} records was signed with two roots");
            faults.push(CheckFault::new(FaultCode::LogRewritten, message));
        }
        let before = self.newest.as_ref().map_or(0, Checkpoint::size);
        if size < before {
            let message = format!("the log has {size} records, and had {before} before");
            faults.push(CheckFault::new(FaultCode::LogRewritten, message));
        } else {
            self.newest = Some(proven.checkpoint.clone());
        }
        let (index, leaf) = (proven.record.sequence(), leaf_hash(&proven.record.to_bytes()));
        if self.records.insert(index, leaf).is_some() {
            let message = format!("record {index} is the receipt of two answers");
            faults.push(CheckFault::new(FaultCode::ReceiptUnproven, message));
        }
        faults
    }

    /// Looks at the log itself: its checkpoint, its growth from every state that a receipt signed, and its records.
    pub(crate) fn finish(
        self,
        transport: &dyn Transport,
        retry: RetryPolicy,
        is_silent: bool,
    ) -> (LogLine, Vec<VerifierCheck>) {
        let line = |size: Option<u64>, seen: &str| LogLine {
            pinned: self.source == KeySource::Given,
            receipts: self.receipts,
            size,
            note: format!("{}{seen}", self.note()),
        };
        let names = NAMES.iter().chain(self.policy.iter().map(|_| &QUORUM));
        if is_silent {
            return (line(None, ""), names.map(|name| VerifierCheck::not_run(AREA, *name)).collect());
        }
        let Some(keys) = &self.keys else {
            let missing =
                || CheckFault::new(FaultCode::ReceiptMissing, format!("no log is served: {}", self.why_no_key));
            let files = Served::by(transport, retry, KEYS);
            files.claim.set(self.claim.clone());
            return (line(None, ""), names.map(|name| files.check(name, Some(missing()))).collect());
        };
        let [first, second, third, fourth, fifth] = NAMES.map(|name| (name, Served::by(transport, retry, CHECKPOINT)));
        first.1.claim.set(self.claim.clone());
        let checkpoint = checkpoint_of(&first.1, keys);
        let unserved = checkpoint.as_ref().err().map(|fault| self.of_checkpoint(&first.1, fault));
        let checkpoint = checkpoint.ok();
        let growth = checkpoint.as_ref().and_then(|checkpoint| self.growth(&second.1, checkpoint));
        let entries = checkpoint.as_ref().and_then(|checkpoint| self.entries(&third.1, checkpoint));
        let pages = checkpoint.as_ref().and_then(|checkpoint| self.pages(&fourth.1, checkpoint));
        let proofs = checkpoint.as_ref().and_then(|checkpoint| self.proofs(&fifth.1, checkpoint, keys));
        let checks = [(first, unserved), (second, growth), (third, entries), (fourth, pages), (fifth, proofs)];
        let checks = checks.into_iter().map(|((name, files), fault)| files.check(name, fault));
        let mut checks: Vec<VerifierCheck> = checks.collect();
        let mut seen = String::new();
        if let Some(policy) = &self.policy {
            let files = Served::by(transport, retry, WITNESSED_CHECKPOINT);
            let fault = match self.quorum(&files, policy, keys) {
                Ok(witnessed) => {
                    seen = format!("; {}", witnessed.seen());
                    None
                }
                Err(fault) => Some(fault),
            };
            checks.push(files.check(QUORUM, fault));
        }
        (line(checkpoint.as_ref().map(Checkpoint::size), &seen), checks)
    }

    /// Waits until the quorum has seen all that the receipts signed, and checks that the log has grown into what it saw.
    fn quorum(&self, files: &Served<'_>, policy: &Policy, keys: &PublicKeys) -> Result<Witnessed, CheckFault> {
        let wanted = self.newest.as_ref().map_or(0, Checkpoint::size);
        let started = Instant::now();
        let witnessed = loop {
            let found = self.witnessed(files, policy, keys);
            match found {
                Ok(witnessed) if witnessed.checkpoint().size() >= wanted => break witnessed,
                Ok(_) | Err(_) if started.elapsed() < QUORUM_TIMEOUT => thread::sleep(QUORUM_PAUSE),
                Ok(witnessed) => {
                    let message = format!(
                        "the witnesses have seen the log up to {} records, and a receipt is of a state of {wanted}",
                        witnessed.checkpoint().size()
                    );
                    return Err(CheckFault::new(FaultCode::QuorumLacking, message));
                }
                Err(fault) => return Err(fault),
            }
        };
        let state = witnessed.checkpoint();
        match self.roots.iter().find_map(|(size, root)| growth::check(files, (*size, root), state).err()) {
            Some(broken) => Err(files.fault(FaultCode::LogRewritten, &broken)),
            None => Ok(witnessed),
        }
    }

    fn witnessed(&self, files: &Served<'_>, policy: &Policy, keys: &PublicKeys) -> Result<Witnessed, CheckFault> {
        let text = files.get(WITNESSED_CHECKPOINT).map_err(|fault| files.fault(FaultCode::QuorumLacking, &fault))?;
        let checked = policy.check(&String::from_utf8_lossy(&text), keys, TimeWindow::until(seconds_now()));
        checked.map_err(|refused| CheckFault::new(FaultCode::QuorumLacking, cut(&refused.to_string())))
    }

    fn of_checkpoint(&self, files: &Served<'_>, fault: &JournalFault) -> CheckFault {
        let checkpoint = || files.get(CHECKPOINT).ok().and_then(|text| String::from_utf8(text).ok());
        // Only a key that signed a receipt can show that the log is another one.
        if let (JournalFaultKind::WrongKey, None, Some(keys)) = (fault.kind, &self.newest, &self.keys)
            && let Some(text) = checkpoint()
        {
            return key_differs("the checkpoint", &text, keys);
        }
        // Receipts promise a log that everybody can ask for.
        let never_promised = self.receipts == 0 && fault.kind == JournalFaultKind::Missing;
        files.fault(if never_promised { FaultCode::ReceiptMissing } else { FaultCode::LogRewritten }, fault)
    }

    fn growth(&self, files: &Served<'_>, checkpoint: &Checkpoint) -> Option<CheckFault> {
        let broken =
            self.roots.iter().find_map(|(size, root)| growth::check(files, (*size, root), checkpoint).err())?;
        Some(files.fault(FaultCode::LogRewritten, &broken))
    }

    fn entries(&self, files: &Served<'_>, checkpoint: &Checkpoint) -> Option<CheckFault> {
        let records: Vec<(u64, Hash)> = self.records.iter().map(|(index, leaf)| (*index, *leaf)).collect();
        let broken = growth::check_entries(files, checkpoint.size(), &records).err()?;
        Some(files.fault(FaultCode::LogRewritten, &broken))
    }

    const fn and_followed(&self) -> &'static str {
        if self.led_to == 0 { "" } else { ", and the newer keys that those signed" }
    }

    fn note(&self) -> String {
        match (&self.keys, self.source) {
            (None, _) => LogKeys::Served.note(),
            (Some(keys), KeySource::Given) => LogKeys::Given(keys).note() + self.and_followed(),
            (Some(keys), KeySource::Earlier) => LogKeys::Earlier(keys).note() + self.and_followed(),
            (Some(keys), KeySource::Served) => not_pinned(keys, "serves itself"),
        }
    }
}

/// What was signed with another key than it is checked with.
fn key_differs(what: &str, checkpoint: &str, keys: &PublicKeys) -> CheckFault {
    let known: Vec<String> = keys.as_slice().iter().map(PublicKey::id).collect();
    let [signed, known] = [signers(checkpoint), known].map(|ids| cut(&ids.join("`, `")));
    let message = format!("{what} is signed with the key `{signed}`, and is checked with the key `{known}`");
    CheckFault::new(FaultCode::KeyDiffers, message)
}

/// What a record says that is not about this request: a proof of another no proves nothing here.
fn of_another(probe: &Probe, answer: &[u8], proven: &Proven) -> Vec<CheckFault> {
    let record = &proven.record;
    let told = |what: &str| {
        let message = format!("the record that the receipt proves is of another {what}");
        CheckFault::new(FaultCode::ReceiptUnproven, message)
    };
    let spec = kind::ALL.iter().find(|spec| {
        spec.endpoint.is_some_and(|endpoint| probe.request.path == format!("{BASE_PATH}{}", endpoint.path))
    });
    let operation = spec.and_then(|spec| spec.endpoint).map(|endpoint| endpoint.operation);
    let mut faults = Vec::new();
    if operation.is_some_and(|operation| record.operation().to_string() != operation) {
        faults.push(told("operation"));
    }
    let answered: Answered = serde_json::from_slice(answer).unwrap_or_default();
    if record.outcome() == Refusal::Denied {
        let recorded =
            record.artifact().and_then(|artifact| Some((artifact.digest?.to_string(), artifact.kind?.spec().kind)));
        let named = answered.artifact.map(|artifact| (artifact.digest, artifact.kind));
        if recorded.map(|(digest, kind)| (digest, kind.to_owned())) != named {
            faults.push(told("artifact"));
        }
    } else if record.body_digest() != Some(&Digest::of(&probe.request.body.to_bytes())) {
        faults.push(told("body"));
    }
    if answered.ruleset.is_some_and(|rulesets| rulesets.own.digest != record.ruleset().to_string()) {
        faults.push(told("rule set"));
    }
    faults
}

/// What of an answer its record repeats.
#[derive(Default, Deserialize)]
struct Answered {
    artifact: Option<Named>,
    ruleset: Option<Rulesets>,
}

#[derive(Deserialize)]
struct Named {
    digest: String,
    kind: String,
}

#[derive(Deserialize)]
struct Rulesets {
    own: Rules,
}

#[derive(Deserialize)]
struct Rules {
    digest: String,
}

/// What claims to be open is told as that by itself.
fn unproven(reason: Unproven) -> CheckFault {
    CheckFault::new(FaultCode::ReceiptUnproven, format!("{} ({})", reason.reason(), reason.code()))
}

/// Seconds since 1970. A clock before that reads as the end of time, so that no cosignature looks current.
fn seconds_now() -> u64 {
    SystemTime::now().duration_since(UNIX_EPOCH).map_or(u64::MAX, |since| since.as_secs())
}
