//! Clients that ask without a pause, keep what every answer proves and when, and hold the log to all of it in the end.

use std::{
    collections::BTreeMap,
    sync::{
        Mutex, RwLock,
        atomic::{AtomicBool, Ordering},
    },
    thread,
    time::{Duration, Instant},
};

use svc_core::journal::record::Record;
use svc_journal::{open::Location, store::Store, store_source::StoreSource};
use svc_proof::{
    audit::{self, AuditMark},
    public_key::PublicKeys,
    receipt::check_file,
    tree::{Hash, leaf_hash, to_digest},
};

use crate::{
    order::{Answered, Logged, disorders},
    running::{connect, document, exchange, post},
};

/// Rows of the log that are read at once.
const PAGE: usize = 1000;

/// Closed failures, by the service and the code of the problem.
pub(crate) type Refusals = BTreeMap<(usize, &'static str), usize>;

/// The problems that may keep a service from an answer for a while.
const PASSING: [&str; 3] = ["journal-unavailable", "overloaded", "shutting-down"];

/// What answers proved: the record at a place, and the root at a size.
#[derive(Default)]
pub(crate) struct Proven {
    answers: Vec<Answered>,
    states: BTreeMap<u64, Hash>,
    refusals: Refusals,
    /// When the last good document was sent that each service has put on record, on the clients' clock.
    recorded: BTreeMap<usize, Duration>,
    /// The last answer, as a client keeps it.
    last: String,
}

/// What the log was held to.
pub(crate) struct Settled {
    pub(crate) answers: usize,
    pub(crate) refusals: Refusals,
    /// Records of the log, with those that nobody was told of.
    pub(crate) records: usize,
    /// What does not hold.
    pub(crate) found: Vec<String>,
}

impl Settled {
    /// Closed failures of each service and code, for the record of a campaign.
    pub(crate) fn refusals(&self, names: &[&str]) -> Vec<(String, usize)> {
        let told = |((node, code), count): (&(usize, &str), &usize)| {
            (format!("closed failures of node {} in between (`{code}`)", names[*node]), *count)
        };
        self.refusals.iter().map(told).collect()
    }
}

/// What clients and their driver share.
pub(crate) struct Load {
    addresses: RwLock<Vec<Option<String>>>,
    keys: RwLock<Option<PublicKeys>>,
    proven: Mutex<Proven>,
    stop: AtomicBool,
    clock: Instant,
}

impl Load {
    /// Load on so many services, none of which runs yet.
    pub(crate) fn on(services: usize) -> Self {
        Self {
            addresses: RwLock::new(vec![None; services]),
            keys: RwLock::default(),
            proven: Mutex::default(),
            stop: AtomicBool::default(),
            clock: Instant::now(),
        }
    }

    pub(crate) fn set_keys(&self, keys: PublicKeys) {
        *self.keys.write().unwrap() = Some(keys);
    }

    pub(crate) fn set_address(&self, service: usize, address: Option<String>) {
        self.addresses.write().unwrap()[service] = address;
    }

    pub(crate) fn answers(&self) -> usize {
        self.proven.lock().unwrap().answers.len()
    }

    /// The last answer that somebody got.
    pub(crate) fn last_answer(&self) -> String {
        self.proven.lock().unwrap().last.clone()
    }

    /// Waits until clients got so many answers more.
    pub(crate) fn wait_for(&self, more: usize) {
        let (start, goal) = (Instant::now(), self.answers() + more);
        while self.answers() < goal {
            assert!(start.elapsed() < Duration::from_secs(60), "the service does not go on");
            thread::sleep(Duration::from_millis(2));
        }
    }

    /// The time on the clock that all clients share.
    pub(crate) fn now(&self) -> Duration {
        self.clock.elapsed()
    }

    /// Whether a service has answered 200, and put it on record, when it was asked after a moment.
    pub(crate) fn has_recorded(&self, service: usize, after: Duration) -> bool {
        self.proven.lock().unwrap().recorded.get(&service).is_some_and(|asked| *asked > after)
    }

    pub(crate) fn end(&self) {
        self.stop.store(true, Ordering::Relaxed);
    }

    /// One client of one service. Every third document is a forged one.
    pub(crate) fn client(&self, service: usize) {
        let good = post("", &document());
        let forged = String::from_utf8(document()).unwrap().replacen("\"accepted\": false", "\"accepted\": true", 1);
        let forged = post("", forged.as_bytes());
        for number in 0_usize.. {
            if self.stop.load(Ordering::Relaxed) {
                return;
            }
            let address = self.addresses.read().unwrap()[service].clone();
            let stream = address.and_then(|address| connect(&address));
            let Some(mut stream) = stream else {
                thread::sleep(Duration::from_millis(5));
                continue;
            };
            // As long as the connection holds.
            for turn in number.. {
                if self.stop.load(Ordering::Relaxed) {
                    return;
                }
                let asked = self.clock.elapsed();
                let Some(answer) = exchange(&mut stream, if turn % 3 == 0 { &forged } else { &good }) else { break };
                self.keep(&answer, service, asked);
            }
        }
    }

    /// An answer is a no on record with its proof, or a closed failure without one.
    fn keep(&self, answer: &str, node: usize, asked: Duration) {
        let received = self.clock.elapsed();
        let status = answer.split(' ').nth(1).unwrap();
        let (_, body) = answer.split_once("\r\n\r\n").unwrap();
        for closed in ["\"accepted\":false", "\"signed\":false", "\"installable\":false"] {
            assert!(body.contains(closed), "{answer}");
        }
        if status == "503" {
            let code = PASSING.into_iter().find(|code| body.contains(code)).unwrap_or_else(|| panic!("{answer}"));
            *self.proven.lock().unwrap().refusals.entry((node, code)).or_default() += 1;
            return thread::sleep(Duration::from_millis(5));
        }
        assert!(status == "200" || status == "422", "{answer}");
        let keys = self.keys.read().unwrap();
        let proof =
            check_file(body.as_bytes(), keys.as_ref().unwrap()).unwrap_or_else(|reason| panic!("{reason:?}: {body}"));
        assert!(proof.with_answer);
        let record = to_digest(&leaf_hash(&proof.record.to_bytes()));
        let mut proven = self.proven.lock().unwrap();
        proven.answers.push(Answered { node, asked, received, index: proof.record.sequence(), record });
        if status == "200" {
            let recorded = proven.recorded.entry(node).or_default();
            *recorded = asked.max(*recorded);
        }
        let before = proven.states.insert(proof.checkpoint.size(), *proof.checkpoint.root());
        assert!(before.is_none_or(|root| root == *proof.checkpoint.root()), "two roots at {}", proof.checkpoint.size());
        body.clone_into(&mut proven.last);
    }

    /// Holds the log to everything that was answered: each signed state on the way, each record once, at its place, and in
    /// an order that no client's clock speaks against.
    pub(crate) fn settle(&self, location: &Location) -> Settled {
        let proven = self.proven.lock().unwrap();
        let reading = location.read().unwrap();
        let head = reading.store.head().unwrap();
        let mut marks: Vec<AuditMark> = proven
            .states
            .iter()
            .map(|(size, root)| AuditMark { name: format!("the state at {size}"), size: *size, root: *root })
            .collect();
        marks.push(AuditMark { name: "the head".to_owned(), size: head.tree.size(), root: head.root });
        let audited = audit::audit(&mut StoreSource::new(reading.store.as_ref()), marks, &mut |_| {});
        let log = logged(reading.store.as_ref());
        let found = disorders(&proven.answers, &log).into_iter().map(|disorder| format!("{disorder:?}"));
        Settled {
            answers: proven.answers.len(),
            refusals: proven.refusals.clone(),
            records: log.len(),
            found: audited.err().map(|fault| fault.to_string()).into_iter().chain(found).collect(),
        }
    }
}

/// The log as it is kept. Of pruned records only the hash is left.
fn logged(store: &dyn Store) -> Vec<Logged> {
    let mut log = Vec::new();
    loop {
        let rows = store.rows(log.len() as u64, PAGE).unwrap();
        if rows.is_empty() {
            return log;
        }
        log.extend(rows.iter().map(|row| {
            let request = row.record.as_deref().map(|bytes| Record::parse(bytes).unwrap().request_id().to_string());
            let request = request.unwrap_or_else(|| format!("pruned {}", row.place));
            Logged { record: to_digest(&row.hash(0).unwrap()), request }
        }));
    }
}
