//! A log that a test makes, record by record, with a key of its own: what only a thief of the key could serve.

use std::{
    io::{BufRead as _, BufReader, Write as _},
    net::{Shutdown, TcpListener},
    sync::{Arc, Mutex},
    thread,
};

use sha2::{Digest as _, Sha256};
use svc_journal::log_key::LogKey;
use svc_proof::{
    checkpoint::Checkpoint,
    tiles::TilePath,
    tree::{Hash, MerkleTree, leaf_hash},
};

pub(crate) const ORIGIN: &str = "registry.example/journal";

pub(crate) fn key(seed: u8) -> LogKey {
    LogKey::from_seed(ORIGIN, &[seed; 32]).unwrap()
}

/// The record of a no for a place, in a history of this name.
pub(crate) fn record(place: usize, history: u8) -> Vec<u8> {
    let answer = svc_testkit::kit::case("receipts", "whole-decision");
    let answer: serde_json::Value = serde_json::from_slice(&answer).unwrap();
    let mut record = answer["receipt"]["record"].clone();
    record["sequence"] = place.into();
    record["answerDigest"] = format!("sha256:{}", format!("{history:02x}").repeat(32)).into();
    serde_json::to_vec(&record).unwrap()
}

#[derive(Clone)]
pub(crate) struct MadeLog {
    pub(crate) records: Vec<Vec<u8>>,
    pub(crate) seed: u8,
    pub(crate) hand_overs: Option<String>,
    /// Lines of witnesses.
    pub(crate) cosignatures: String,
}

impl MadeLog {
    /// So many records, which are of another history from a place on.
    pub(crate) fn new(count: usize, other_from: usize) -> Self {
        let records = (0..count).map(|place| record(place, if place < other_from { 1 } else { 2 })).collect();
        Self { records, seed: 7, hand_overs: None, cosignatures: String::new() }
    }

    pub(crate) fn checkpoint(&self) -> Checkpoint {
        let leaves = self.records.iter().map(|record| leaf_hash(record));
        let tree = MerkleTree::empty().grow_by_hashes(leaves).unwrap().tree().clone();
        key(self.seed).sign_checkpoint(self.records.len() as u64, &tree.root().unwrap()).unwrap()
    }

    /// A file of the log by its path.
    pub(crate) fn file(&self, path: &str) -> Option<Vec<u8>> {
        match path {
            "checkpoint" => Some(format!("{}{}", self.checkpoint().text().as_str(), self.cosignatures).into_bytes()),
            "keys" => Some(format!("{}\n", key(self.seed).public().as_str()).into_bytes()),
            "hand-overs" => self.hand_overs.clone().map(String::into_bytes),
            path => self.tile(&TilePath::parse(path)?),
        }
    }

    fn tile(&self, tile: &TilePath) -> Option<Vec<u8>> {
        if !tile.is_within(self.records.len() as u64) {
            return None;
        }
        let range = usize::try_from(tile.start()).ok()?..usize::try_from(tile.start() + tile.width()).ok()?;
        if tile.is_entries() {
            let bundled = |record: &Vec<u8>| [&u16::try_from(record.len()).unwrap().to_be_bytes()[..], record].concat();
            return Some(self.records.get(range)?.iter().flat_map(bundled).collect());
        }
        let mut level: Vec<Hash> = self.records.iter().map(|record| leaf_hash(record)).collect();
        for _ in 0..u32::from(tile.level()) * 8 {
            let join = |pair: &[Hash; 2]| Hash(Sha256::digest([&[1][..], &pair[0].0, &pair[1].0].concat()).into());
            level = level.as_chunks::<2>().0.iter().map(join).collect();
        }
        Some(level.get(range)?.iter().flat_map(|hash| hash.0).collect())
    }
}

type Answer = Box<dyn FnMut(&str) -> Served + Send>;

/// What is answered to one request.
pub(crate) enum Served {
    File(Option<Vec<u8>>),
    /// Bytes as they are, and then for ever the same again.
    Endless(Vec<u8>),
    /// The head of an answer, and never its body.
    Silent,
}

/// A server on this machine, whose answers can be changed while it runs.
pub(crate) struct Server {
    pub(crate) address: String,
    answer: Arc<Mutex<Answer>>,
    asked: Arc<Mutex<Vec<String>>>,
}

impl Server {
    pub(crate) fn serving(log: MadeLog) -> Self {
        Self::start(Box::new(move |path| Served::File(log.file(path))))
    }

    pub(crate) fn start(answer: Answer) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = format!("http://{}", listener.local_addr().unwrap());
        let (answer, asked) = (Arc::new(Mutex::new(answer)), Arc::new(Mutex::new(Vec::new())));
        let (answers, seen) = (Arc::clone(&answer), Arc::clone(&asked));
        thread::spawn(move || {
            for stream in listener.incoming() {
                let Ok(mut stream) = stream else { return };
                let mut lines = BufReader::new(stream.try_clone().unwrap()).lines();
                let Some(Ok(first)) = lines.next() else { continue };
                lines.map_while(Result::ok).take_while(|line| !line.is_empty()).for_each(drop);
                let path = first.split(' ').nth(1).unwrap();
                let path = path.strip_prefix("/api/sdk/registry/journal/").unwrap_or("").to_owned();
                let served = answers.lock().unwrap()(&path);
                seen.lock().unwrap().push(path);
                thread::spawn(move || {
                    let head = |status: &str, length: usize| {
                        format!("HTTP/1.1 {status}\r\ncontent-length: {length}\r\nconnection: close\r\n\r\n")
                    };
                    let _ = match served {
                        Served::File(Some(body)) => {
                            stream.write_all(&[head("200 OK", body.len()).as_bytes(), &body].concat())
                        }
                        Served::File(None) => stream.write_all(head("404 Not Found", 0).as_bytes()),
                        Served::Endless(body) => {
                            stream.write_all(b"HTTP/1.1 200 OK\r\nconnection: close\r\n\r\n").and_then(|()| {
                                loop {
                                    stream.write_all(&body)?
                                }
                            })
                        }
                        Served::Silent => {
                            let sent = stream.write_all(head("200 OK", 99).as_bytes());
                            thread::sleep(std::time::Duration::from_secs(60));
                            sent
                        }
                    };
                    let _ = stream.shutdown(Shutdown::Both);
                });
            }
        });
        Self { address, answer, asked }
    }

    /// Serves another log from now on, at the same address.
    pub(crate) fn change(&self, log: MadeLog) {
        self.answer(Box::new(move |path| Served::File(log.file(path))));
    }

    pub(crate) fn answer(&self, answer: Answer) {
        *self.answer.lock().unwrap() = answer;
    }

    pub(crate) fn asked(&self) -> Vec<String> {
        self.asked.lock().unwrap().clone()
    }
}
