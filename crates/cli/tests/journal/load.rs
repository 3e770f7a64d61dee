//! Clients that ask without a pause, keep what every answer proves, and hold the log to all of it in the end.

use std::{
    collections::BTreeMap,
    sync::{
        Mutex, RwLock,
        atomic::{AtomicBool, Ordering},
    },
    thread,
    time::{Duration, Instant},
};

use svc_journal::{
    audit::{self, AuditMark},
    key::PublicKeys,
    open::Location,
    receipt::check_file,
    source::StoreSource,
    tree::{Hash, leaf_hash},
};

use crate::running::{connect, document, exchange, post};

/// What answers proved: the leaf at a place, and the root at a size.
#[derive(Default)]
pub(crate) struct Proven {
    leaves: BTreeMap<u64, Hash>,
    states: BTreeMap<u64, Hash>,
    pub(crate) answers: usize,
    pub(crate) refusals: usize,
}

/// What clients and their driver share.
#[derive(Default)]
pub(crate) struct Load {
    addresses: RwLock<Vec<Option<String>>>,
    keys: RwLock<Option<PublicKeys>>,
    proven: Mutex<Proven>,
    stop: AtomicBool,
}

impl Load {
    /// Load on so many services, none of which runs yet.
    pub(crate) fn on(services: usize) -> Self {
        Self { addresses: RwLock::new(vec![None; services]), ..Self::default() }
    }

    pub(crate) fn set_keys(&self, keys: PublicKeys) {
        *self.keys.write().unwrap() = Some(keys);
    }

    pub(crate) fn set_address(&self, service: usize, address: Option<String>) {
        self.addresses.write().unwrap()[service] = address;
    }

    pub(crate) fn answers(&self) -> usize {
        self.proven.lock().unwrap().answers
    }

    /// Waits until clients got so many answers more.
    pub(crate) fn wait_for(&self, more: usize) {
        let (start, goal) = (Instant::now(), self.answers() + more);
        while self.answers() < goal {
            assert!(start.elapsed() < Duration::from_secs(60), "the service does not go on");
            thread::sleep(Duration::from_millis(2));
        }
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
                let Some(answer) = exchange(&mut stream, if turn % 3 == 0 { &forged } else { &good }) else { break };
                self.keep(&answer);
            }
        }
    }

    /// An answer is a no on record with its proof, or a closed failure without one.
    fn keep(&self, answer: &str) {
        let status = answer.split(' ').nth(1).unwrap();
        let (_, body) = answer.split_once("\r\n\r\n").unwrap();
        for closed in ["\"accepted\":false", "\"signed\":false", "\"installable\":false"] {
            assert!(body.contains(closed), "{answer}");
        }
        if status == "503" {
            assert!(
                body.contains("journal-unavailable") || body.contains("overloaded") || body.contains("shutting-down")
            );
            self.proven.lock().unwrap().refusals += 1;
            return thread::sleep(Duration::from_millis(5));
        }
        assert!(status == "200" || status == "422", "{answer}");
        let keys = self.keys.read().unwrap();
        let proof =
            check_file(body.as_bytes(), keys.as_ref().unwrap()).unwrap_or_else(|reason| panic!("{reason:?}: {body}"));
        assert!(proof.with_answer);
        let mut proven = self.proven.lock().unwrap();
        let place = proof.record.sequence();
        let leaf = leaf_hash(&proof.record.to_bytes());
        assert!(proven.leaves.insert(place, leaf).is_none(), "two answers have the place {place}");
        let before = proven.states.insert(proof.checkpoint.size(), *proof.checkpoint.root());
        assert!(before.is_none_or(|root| root == *proof.checkpoint.root()), "two roots at {}", proof.checkpoint.size());
        proven.answers += 1;
    }

    /// Holds the log to everything that was answered: each record at its place, each signed state on the way.
    pub(crate) fn settle(self, location: &Location) -> Proven {
        let proven = self.proven.into_inner().unwrap();
        let reading = location.read().unwrap();
        let head = reading.store.head().unwrap();
        let mut marks: Vec<AuditMark> = proven
            .states
            .iter()
            .map(|(size, root)| AuditMark { name: format!("the state at {size}"), size: *size, root: *root })
            .collect();
        marks.push(AuditMark { name: "the head".to_owned(), size: head.tree.size(), root: head.root });
        let (seen, _) = audit::audit(&mut StoreSource::new(reading.store.as_ref()), marks, &mut |_| {}).unwrap();
        assert!(seen.records >= proven.answers as u64);
        for (place, leaf) in &proven.leaves {
            let row = &reading.store.rows(*place, 1).unwrap()[0];
            assert_eq!(leaf_hash(row.record.as_deref().unwrap()), *leaf, "place {place}");
        }
        proven
    }
}
