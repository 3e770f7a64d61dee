//! Where the log is kept: one interface, two stores, the same rows in both.
//!
//! A row is a record: its place, its RFC 8785 bytes, and the tree's hashes that it completed. Beside the rows there is
//! the head: size, right edge and root of the tree. And there is who asked ([`AttributionRow`]), which no hash covers. All
//! three are written in one transaction or not at all.
//!
//! The bytes of a row may be gone (an operator pruned them); its hashes never are, so that the tree stays whole. Who asked
//! may be deleted at any time, and nothing of the log changes with it.

use std::{collections::BTreeMap, fmt, ops::Range, time::Duration};

use svc_core::journal::{attribution::Attribution, record::Record};
use svc_proof::{
    fault::JournalFault,
    hand_over::HandOverNotes,
    minimum_index::{LogStart, MinimumIndex},
    public_key::{PublicKey, PublicKeys},
    record_bytes::read_record,
    tree::{HASH_SIZE, Hash, MerkleTree, kept_with},
};
use tlog_tiles::tlog::{self, HashReader};

use crate::{
    attribution::{AttributionFilter, AttributionRow},
    timeline::Timeline,
};

/// One record as it is kept.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LogRow {
    /// Its place in the log, from zero.
    pub place: u64,
    /// Its RFC 8785 bytes; none when they were pruned.
    pub record: Option<Vec<u8>>,
    /// The hashes that it completed, its leaf's first.
    pub hashes: Vec<u8>,
}

impl LogRow {
    #[must_use]
    pub fn hash(&self, level: usize) -> Option<Hash> {
        let from = level.checked_mul(HASH_SIZE)?;
        let bytes = self.hashes.get(from..from.checked_add(HASH_SIZE)?)?;
        bytes.try_into().ok().map(Hash)
    }

    /// The record, read.
    ///
    /// # Errors
    /// When the bytes were pruned or are gone otherwise, which the beginning of the log tells, or are not those of a no.
    pub fn read(&self, start: &LogStart) -> Result<Record, JournalFault> {
        match &self.record {
            Some(bytes) => read_record(bytes, self.place),
            None => Err(start.gone(self.place)),
        }
    }
}

/// What a store is opened for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Access {
    /// Reading alone; another process may be writing.
    Read,
    /// Reading alone, by the one who will write once everything was found to hold: files are looked at before SQLite opens
    /// them, and tables may be those of an earlier version.
    Check,
    /// Writing, after a check.
    Write,
}

/// What somebody is about to do with a store.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StoreWork {
    /// Put answers on record, as a node does.
    Recording,
    /// Give the log its next key.
    ChangingKeys,
    /// Delete the bytes of old records.
    Pruning,
}

/// What a store is asked to show once a second.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StoreProbe {
    /// That it answers, and says of itself that it takes writes.
    Read,
    /// That it takes a write, which changes nothing.
    Write,
}

/// How long a store has to answer a probe.
pub const HEARTBEAT_DEADLINE: Duration = Duration::from_millis(1500);

/// The state of the log.
#[derive(Clone, Debug, PartialEq)]
pub struct Head {
    pub tree: MerkleTree,
    pub root: Hash,
}

/// What is appended in one transaction.
#[derive(Debug)]
pub struct Extension {
    /// The new rows, in order.
    pub rows: Vec<LogRow>,
    /// Who asked for them, as far as that is known.
    pub attributions: Vec<AttributionRow>,
    pub head: Head,
}

/// Makes what follows a head. It may read nodes of the log as it is within the transaction.
pub type Extend<'a> = dyn FnMut(&Head, &dyn Fetch) -> Result<Extension, JournalFault> + Send + 'a;

/// Reads hashes of nodes.
pub trait Fetch {
    /// The hashes with these numbers, in the same order.
    ///
    /// # Errors
    /// When one is not there or the store does not answer.
    fn hashes(&self, indexes: &[u64]) -> Result<Vec<Hash>, JournalFault>;
}

pub trait Store: Fetch + Send + Sync + fmt::Debug {
    /// Appends in one transaction, in which nobody else appends. Once it returns, the rows survive a crash.
    ///
    /// An outbox of events would be filled in the same transaction.
    ///
    /// # Errors
    /// When nothing was appended, or when it cannot be told whether something was.
    fn append(&self, extend: &mut Extend<'_>) -> Result<(), JournalFault>;

    /// The state of the log.
    ///
    /// # Errors
    /// When it cannot be read or does not hold.
    fn head(&self) -> Result<Head, JournalFault>;

    /// The state of the log, for whoever signs it. A database that crashed may show what its synchronous standby never got,
    /// and lose it with the next failover: here it is waited for until the standby has it.
    ///
    /// # Errors
    /// As [`Store::head`], and when the standby does not answer.
    fn settled_head(&self) -> Result<Head, JournalFault> {
        self.head()
    }

    /// Rows from a place on, in order, as many as there are up to a number.
    ///
    /// # Errors
    /// When they cannot be read or have gaps.
    fn rows(&self, from: u64, most: usize) -> Result<Vec<LogRow>, JournalFault>;

    /// Who asked for the records at these places, as far as that is kept.
    ///
    /// # Errors
    /// When it cannot be read.
    fn attributions(&self, places: Range<u64>) -> Result<BTreeMap<u64, Attribution>, JournalFault>;

    /// How many attributions are meant.
    ///
    /// # Errors
    /// When they cannot be counted.
    fn count_attributions(&self, of: &AttributionFilter) -> Result<u64, JournalFault>;

    /// Deletes attributions so that the store's files do not hold them any more, and tells how many.
    ///
    /// # Errors
    /// When they are not deleted, or something may be left of them.
    fn forget(&self, of: &AttributionFilter) -> Result<u64, JournalFault>;

    /// The public keys that the log has, the newest first; none for a log that has not begun. One that is announced is not
    /// among them.
    ///
    /// # Errors
    /// When they cannot be read.
    fn own_keys(&self) -> Result<Option<PublicKeys>, JournalFault>;

    /// The same with the key that was announced as the next: whatever one of these signed is the log's.
    ///
    /// # Errors
    /// When they cannot be read.
    fn keys(&self) -> Result<Option<PublicKeys>, JournalFault> {
        let Some(own) = self.own_keys()? else { return Ok(None) };
        // A damaged note is told by whoever checks the notes.
        match self.hand_overs()?.announced(&own) {
            Ok(Some(announced)) => own.with_newer(announced).map(Some),
            Ok(None) | Err(_) => Ok(Some(own)),
        }
    }

    /// Adds the public key with this number, from one, and the note that hands the log over to it, unless there is one: read
    /// the keys again to see whose it is.
    ///
    /// # Errors
    /// When it cannot be written.
    fn add_key(&self, number: usize, key: &PublicKey, hand_over: Option<&str>) -> Result<(), JournalFault>;

    /// Keeps the note that announces the key with this number, unless there is one: read the notes again to see whose it is.
    ///
    /// # Errors
    /// When it cannot be written.
    fn announce_key(&self, number: usize, hand_over: &str) -> Result<(), JournalFault>;

    /// The notes that hand the log over from key to key, the oldest first.
    ///
    /// # Errors
    /// When they cannot be read.
    fn hand_overs(&self) -> Result<HandOverNotes, JournalFault>;

    /// The note that says where the log begins, when it was pruned. Who signed it is not looked at.
    ///
    /// # Errors
    /// When it cannot be read.
    fn minimum_index(&self) -> Result<Option<String>, JournalFault>;

    /// Keeps where the log begins from now on. Durable once it returns.
    ///
    /// # Errors
    /// When it cannot be written.
    fn keep_minimum_index(&self, note: &MinimumIndex) -> Result<(), JournalFault>;

    /// Deletes the bytes of these records, hashes stay; tells how many were still there. Everything before the minimum index
    /// must have been given up before.
    ///
    /// # Errors
    /// When they are not deleted.
    fn delete_records(&self, places: Range<u64>) -> Result<u64, JournalFault>;

    /// Frees what deleted records took, as far as that can be done while others write.
    ///
    /// # Errors
    /// When something may be left of them.
    fn free_deleted(&self) -> Result<(), JournalFault>;

    /// Looks at the store's own files as a whole, which takes longer the more there is.
    ///
    /// # Errors
    /// When they are damaged.
    fn check_structure(&self) -> Result<(), JournalFault>;

    /// Whether there is room for more.
    ///
    /// # Errors
    /// When there is not.
    fn check_room(&self) -> Result<(), JournalFault>;

    /// Looks whether the store would take records, within [`HEARTBEAT_DEADLINE`] and without waiting for whoever else reads it.
    /// It costs little: nothing is checked but what the store says at once.
    ///
    /// # Errors
    /// When it would not, or does not answer in time.
    fn probe(&self, probe: StoreProbe) -> Result<(), JournalFault>;

    /// Whether whoever opened the store may do a work of these. Nothing is written.
    ///
    /// # Errors
    /// When something of it is not allowed, by name.
    fn check_rights(&self, _work: StoreWork) -> Result<(), JournalFault> {
        Ok(())
    }

    /// What it is, for people: never with a password.
    fn name(&self) -> String;

    /// The timeline of the database, where it has one.
    fn timeline(&self) -> Option<Timeline> {
        None
    }

    /// Whether other processes append too.
    fn is_shared(&self) -> bool;
}

/// The public keys as a store keeps them, the newest first. A line that is none is damage of the store, and no question of
/// which key is the right one.
pub(crate) fn stored_keys(lines: &[String]) -> Result<Option<PublicKeys>, JournalFault> {
    if lines.is_empty() {
        return Ok(None);
    }
    let damaged = |fault: JournalFault| {
        JournalFault::corrupt(format!("the public keys in the database are damaged: {}", fault.detail))
    };
    PublicKeys::parse(&lines.join("\n")).map(Some).map_err(damaged)
}

/// Where the log of a store begins.
///
/// # Errors
/// When it cannot be read, or no key of the log signed it.
pub fn log_start(store: &dyn Store) -> Result<LogStart, JournalFault> {
    let Some(note) = store.minimum_index()? else { return Ok(LogStart::default()) };
    let keys = store.keys()?;
    let keys =
        keys.ok_or_else(|| JournalFault::corrupt("the log has a minimum index, and its public keys are missing"))?;
    LogStart::read(Some(&note), &keys).map_err(|fault| JournalFault::corrupt(fault.detail))
}

/// Nodes of a store, as the library reads them. Keeps the fault that the library's errors cannot carry.
pub(crate) struct NodesOf<'a>(pub(crate) &'a dyn Fetch);

impl HashReader for NodesOf<'_> {
    fn read_hashes(&self, indexes: &[u64]) -> Result<Vec<Hash>, tlog::Error> {
        let hashes = self.0.hashes(indexes).map_err(|fault| tlog::Error::InvalidInput(fault.to_string()))?;
        if hashes.len() == indexes.len() { Ok(hashes) } else { Err(tlog::Error::IndexesNotInTree) }
    }
}

/// Picks the asked hashes from the rows that hold them.
pub(crate) fn pick(indexes: &[u64], row: impl Fn(u64) -> Option<Vec<u8>>) -> Result<Vec<Hash>, JournalFault> {
    let one = |index: &u64| {
        let (place, level) = kept_with(*index);
        let row = LogRow { place, record: None, hashes: row(place)? };
        row.hash(level)
    };
    indexes
        .iter()
        .map(|index| one(index).ok_or_else(|| JournalFault::corrupt("a node of the tree is missing")))
        .collect()
}

/// Refuses rows that are not one after the other from a place on.
pub(crate) fn check_order(rows: &[LogRow], from: u64) -> Result<(), JournalFault> {
    let in_order = rows.iter().zip(from..).all(|(row, place)| row.place == place);
    if in_order { Ok(()) } else { Err(JournalFault::corrupt("a record inside the log is missing")) }
}
