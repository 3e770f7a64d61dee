//! A log that is not one, told by its receipts alone; and a log that could not be asked for.

use svc_client::exchange::{Request, TransportError, TransportKind};
use svc_core::samples::rules;
use svc_core::{
    journal::{
        draft::{EntryDraft, RequestIdentity},
        record::Record,
        scalars::{Count, RequestId},
        timestamp::Timestamp,
    },
    words::kind,
};
use svc_journal::log_key::LogKey;
use svc_proof::tree::HASH_SIZE;

use super::*;
use crate::samples::Samples;

fn key() -> LogKey {
    LogKey::from_seed("registry.example/journal", &[7; 32]).unwrap()
}

fn record(index: u64) -> Record {
    let spec = &kind::ACCEPTANCE_REQUEST;
    let document = Samples::make().unwrap().good(spec).unwrap();
    let request = RequestId::parse(&format!("request-{index}")).unwrap();
    let decision = svc_core::read::decide(rules(), spec.artifact, &document).unwrap().for_request(request.as_str());
    let draft = EntryDraft::denied(&decision, RequestIdentity { request, token: None, probe: None }).unwrap();
    draft.record.place(Count::new(index).unwrap(), Timestamp::from_millis(0))
}

/// A proven answer: a record, and the state of the log that its receipt signs.
fn answer(index: u64, size: u64, root: u8) -> Proven {
    let checkpoint = key().sign_checkpoint(size, &Hash([root; HASH_SIZE])).unwrap();
    Proven { record: record(index), checkpoint, with_answer: true }
}

fn told(faults: &[CheckFault]) -> Vec<(FaultCode, &str)> {
    faults.iter().map(|fault| (fault.code, fault.message.as_str())).collect()
}

#[test]
fn a_log_that_grows_is_one_log() {
    let mut watch = LogWatch::default();
    // Two answers of one batch lie under one state.
    for (index, size, root) in [(0, 1, 1), (1, 3, 3), (2, 3, 3), (3, 4, 4)] {
        assert_eq!(watch.proven(&answer(index, size, root)), []);
    }
    assert_eq!(watch.newest.as_ref().map(Checkpoint::size), Some(4));
    assert_eq!(watch.roots.len(), 3);
    assert_eq!(watch.records.len(), 4);
}

#[test]
fn two_roots_of_one_size_are_two_logs() {
    let mut watch = LogWatch::default();
    assert_eq!(watch.proven(&answer(0, 2, 1)), []);
    let faults = watch.proven(&answer(1, 2, 9));
    assert_eq!(told(&faults), [(FaultCode::LogRewritten, "the log of 2 records was signed with two roots")]);
}

#[test]
fn a_log_that_shrinks_is_told_and_the_longer_one_is_remembered() {
    let mut watch = LogWatch::default();
    assert_eq!(watch.proven(&answer(4, 5, 5)), []);
    let faults = watch.proven(&answer(2, 3, 3));
    assert_eq!(told(&faults), [(FaultCode::LogRewritten, "the log has 3 records, and had 5 before")]);
    assert_eq!(watch.newest.as_ref().map(Checkpoint::size), Some(5));
}

#[test]
fn a_record_is_the_receipt_of_one_answer() {
    let mut watch = LogWatch::default();
    assert_eq!(watch.proven(&answer(0, 1, 1)), []);
    let faults = watch.proven(&answer(0, 2, 2));
    assert_eq!(told(&faults), [(FaultCode::ReceiptUnproven, "record 0 is the receipt of two answers")]);
}

/// A registry that answers every request the same, and counts them.
struct Always {
    reply: Reply,
    asked: Cell<usize>,
}

impl Always {
    fn says(status: u16, headers: &[(&str, &str)], body: &[u8]) -> Self {
        let headers = headers.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect();
        Self { reply: Reply { status, headers, body: body.to_vec(), ..Reply::default() }, asked: Cell::new(0) }
    }
}

impl Transport for Always {
    fn send(&self, _: &Request) -> Result<Reply, TransportError> {
        self.asked.set(self.asked.get() + 1);
        Ok(self.reply.clone())
    }

    fn kind(&self) -> TransportKind {
        TransportKind::Network
    }
}

const AGAIN: &[(&str, &str)] = &[("retry-after", "0")];

/// The faults of the checks at the end, after one receipt, with a key that was given; and how often was asked.
fn end(registry: &Always) -> (Vec<FaultCode>, usize) {
    let keys = PublicKeys::one(key().public().clone());
    let mut watch = LogWatch::of(registry, RetryPolicy::default(), Some(&keys));
    assert_eq!(watch.proven(&answer(0, 1, 1)), []);
    watch.receipts = 1;
    let (line, checks) = watch.finish(registry, RetryPolicy::default(), false);
    assert!(line.pinned);
    assert_eq!(checks.len(), CHECKS);
    (checks.iter().flat_map(|check| &check.faults).map(|fault| fault.code).collect(), registry.asked.get())
}

#[test]
fn a_log_that_could_not_be_asked_for_is_no_rewritten_one() {
    assert_eq!(end(&Always::says(503, AGAIN, b"")), (vec![FaultCode::ServerError], 8), "notes and state");
    assert_eq!(end(&Always::says(500, &[], b"")), (vec![FaultCode::ServerError], 2));
    assert_eq!(end(&Always::says(401, &[], b"")), (vec![FaultCode::NoEntry], 2));
    // What was promised and is not there, or is something else, is one.
    for (status, faults) in [(404, 1), (200, 2), (302, 2)] {
        let told = (vec![FaultCode::LogRewritten; faults], 2);
        assert_eq!(end(&Always::says(status, &[], b"nothing")), told, "{status}");
    }
    let other = key().sign_checkpoint(1, &Hash([2; HASH_SIZE])).unwrap();
    let (faults, _) = end(&Always::says(200, &[], other.text().as_str().as_bytes()));
    // Its notes, its tiles, its records, their pages and their proofs are none of this log.
    assert_eq!(faults, [FaultCode::LogRewritten; 5]);
}

/// A registry that serves its notes from key to key, and no log.
struct WithNotes(String);

impl Transport for WithNotes {
    fn send(&self, request: &Request) -> Result<Reply, TransportError> {
        let body = if request.path.ends_with("/hand-overs") { self.0.clone().into_bytes() } else { Vec::new() };
        Ok(Reply { status: if body.is_empty() { 404 } else { 200 }, body, ..Reply::default() })
    }

    fn kind(&self) -> TransportKind {
        TransportKind::Network
    }
}

#[test]
fn a_known_key_leads_to_those_that_it_signed_and_to_no_others() {
    let next = |seed: u8| LogKey::from_seed("registry.example/journal", &[seed; 32]).unwrap();
    let note = |from: &LogKey, to: &LogKey| from.hand_over_to(to.public()).unwrap().text().to_owned();
    let known = PublicKeys::one(key().public().clone());
    let led_to = |notes: String| {
        let watch = LogWatch::of(&WithNotes(notes), RetryPolicy::default(), Some(&known));
        (
            watch.keys().map_or(0, |keys| keys.as_slice().len()),
            watch.claim.as_ref().map(|fault| fault.code),
            watch.note(),
        )
    };
    let (keys, fault, said) = led_to(note(&key(), &next(8)) + &note(&next(8), &next(9)));
    assert_eq!((keys, fault), (3, None));
    assert!(said.contains("and the newer keys that those signed"), "{said}");
    let stranger = led_to(note(&next(5), &next(6)));
    assert_eq!((stranger.0, stranger.1), (1, None));
    assert!(!stranger.2.contains("newer keys"), "{}", stranger.2);
    let twice = led_to(note(&key(), &next(8)) + &note(&key(), &next(9)));
    assert_eq!((twice.0, twice.1), (1, Some(FaultCode::LogRewritten)));
}

#[test]
fn the_keys_of_a_busy_registry_are_asked_for_again() {
    let busy = Always::says(429, AGAIN, b"");
    let watch = LogWatch::of(&busy, RetryPolicy::default(), None);
    assert_eq!((watch.unasked, busy.asked.get()), (Some(FaultCode::ServerError), 4));
    assert!(watch.keys.is_none());
    let served = Always::says(200, &[], PublicKeys::one(key().public().clone()).to_file().as_bytes());
    let watch = LogWatch::of(&served, RetryPolicy::default(), None);
    assert!(watch.keys.is_some() && watch.source == KeySource::Served);
    assert!(watch.note().contains("that the registry serves itself, which was not pinned"), "{}", watch.note());
}

#[test]
fn each_check_of_the_log_comes_with_the_request_that_shows_it() {
    let shown = |registry: &Always, pinned: Option<&PublicKeys>| {
        let mut watch = LogWatch::of(registry, RetryPolicy::default(), pinned);
        assert_eq!(watch.proven(&answer(0, 1, 1)), []);
        let (_, checks) = watch.finish(registry, RetryPolicy::default(), false);
        let paths = checks.into_iter().map(|check| {
            let request = check.request.unwrap();
            let (_, path) = request.split_once("/journal/").unwrap();
            path.to_owned()
        });
        paths.collect::<Vec<_>>()
    };
    let keys = PublicKeys::one(key().public().clone());
    let withheld = Always::says(404, &[], b"");
    assert_eq!(shown(&withheld, Some(&keys)), ["checkpoint'"; CHECKS]);
    assert_eq!(shown(&withheld, None), ["keys'"; CHECKS], "without a key there is nothing to go on with");
    let grown = key().sign_checkpoint(3, &Hash([3; HASH_SIZE])).unwrap();
    let bent = Always::says(200, &[], grown.text().as_str().as_bytes());
    let tiles =
        ["checkpoint'", "tile/0/000.p/3' | od -c", "tile/entries/000.p/3' | od -c", "entries?limit=2'", "proof/0'"];
    assert_eq!(shown(&bent, Some(&keys)), tiles);
    let shrunk = key().sign_checkpoint(0, &Hash([0; HASH_SIZE])).unwrap();
    let bent = Always::says(200, &[], shrunk.text().as_str().as_bytes());
    assert_eq!(
        shown(&bent, Some(&keys)).get(1).map(String::as_str),
        Some("checkpoint'"),
        "no tile is needed to see that"
    );
}
