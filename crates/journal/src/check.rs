//! What must hold before a start writes its first byte. Everything here reads alone: a start that is refused leaves the
//! folder and the database as they were, but for SQLite's `-shm`, so that whoever mends the damage finds all that was there.
//!
//! 1. The files: plain ones, a database with its header, a write-ahead log whose frames hold (`sqlite/files.rs`).
//! 2. The tables: SQLite's own check, ours by name and statement, and no others.
//! 3. The key: the one that the log has.
//! 4. The notes that it serves: where it begins, and the hand-overs of its keys.
//! 5. The state: never behind anything that is [`remembered`](crate::remembered) outside the database, the same history,
//!    the last records those that were hashed. The others are looked at by the [`auditor`](crate::auditor) once the service
//!    runs, so that a start takes the same time for every log.
//!
//! So after a kill every record that was answered is there, or the start is refused. After a power failure the same is true
//! of every record that the flushed checkpoint covers. Those that were answered after it, within the last second, are there
//! too unless the end of the write-ahead log was lost: nothing that is left could tell that from a write that was cut short.

use svc_proof::{
    audit::{self, AuditMark, Pace},
    fault::{JournalFault, JournalFaultKind},
    hand_over::KeyHandOver,
    public_key::{PublicKey, PublicKeys},
    tree::{Hash, MerkleTree, check_growth, edge_indexes, root_of},
};

use crate::{
    folder::DataFolder,
    joining::Joining,
    log_key::LogKey,
    remembered,
    store::{Head, NodesOf, Store, log_start},
    store_source::StoreSource,
};

/// How much of a log is read before the first write.
const RECENT_RECORDS: u64 = 4096;

/// How much of a log is read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Depth {
    /// The last records, for a start.
    End,
    /// Every record.
    Whole,
}

/// What a start finds.
#[derive(Debug)]
pub(crate) enum Found {
    /// No log, or one without a key: it begins now.
    Nothing,
    /// A log that holds.
    Log(Box<Log>),
}

/// A log that was found to hold.
#[derive(Debug)]
pub(crate) struct Log {
    pub(crate) key: LogKey,
    pub(crate) keys: PublicKeys,
    pub(crate) missing_next: Option<PublicKey>,
    head: Head,
}

impl Log {
    pub(crate) fn state(&self) -> (u64, &Hash) {
        (self.head.tree.size(), &self.head.root)
    }
}

/// A folder whose embedded log has no database: only one in which no log ever began.
///
/// # Errors
/// When something of a log is left there.
pub(crate) fn no_database(folder: &DataFolder, joining: &Joining) -> Result<Found, JournalFault> {
    match folder.trace()? {
        None if matches!(joining, Joining::AtLeast(_)) => joining.may_begin().map(|()| Found::Nothing),
        None => Ok(Found::Nothing),
        Some(trace) => {
            let detail = format!("{trace} is in the folder, and the database that belongs to it is gone");
            Err(JournalFault::new(JournalFaultKind::Rewound, detail))
        }
    }
}

/// A database that others may share, without the tables of a log.
///
/// # Errors
/// When something of a log is in this folder, or nobody said that it begins.
pub(crate) fn no_tables(folder: &DataFolder, joining: &Joining) -> Result<Found, JournalFault> {
    if let Some(memory) = folder.memory()? {
        let detail = format!("{memory} in the folder remembers a log, and the database holds no log");
        return Err(JournalFault::new(JournalFaultKind::Rewound, detail));
    }
    begins_shared(folder, joining)
}

/// A log in a database that others may share begins with a key that is made for it: one that is here may have signed another
/// beginning, which nobody could tell from this one.
fn begins_shared(folder: &DataFolder, joining: &Joining) -> Result<Found, JournalFault> {
    if folder.key()?.is_some() {
        let detail = "journal.key is in the folder, and the database holds no log that it could sign: it is another database, or the \
                      log is gone. Only if a first start was cut short here, move the key away and begin again";
        return Err(JournalFault::new(JournalFaultKind::Rewound, detail));
    }
    joining.may_begin().map(|()| Found::Nothing)
}

/// A log that is there.
///
/// # Errors
/// The first thing that does not hold.
pub(crate) fn log(store: &dyn Store, folder: &DataFolder, joining: &Joining) -> Result<Found, JournalFault> {
    folder.trace()?;
    let Some(keys) = store.keys()? else {
        return not_begun(store, folder, joining);
    };
    let followed = remembered::check_hand_overs(folder, &keys, &store.hand_overs()?);
    let key = own_key(folder, store);
    // A database from before a change of keys has another key than the folder: the notes say so.
    if let (Ok(()), Err(fault)) = (&followed, &key) {
        return Err(fault.clone());
    }
    let head = state(store, folder, &keys, Depth::End, joining)?;
    followed?;
    remembered::check_public_keys(folder, &keys)?;
    Ok(Found::Log(Box::new(Log { key: key?, keys, missing_next: missing_next(folder, store)?, head })))
}

/// A start that was cut short leaves tables without a key, and never a record or a signed state.
fn not_begun(store: &dyn Store, folder: &DataFolder, joining: &Joining) -> Result<Found, JournalFault> {
    if store.head()?.tree.size() > 0 || !store.rows(0, 1)?.is_empty() {
        return Err(JournalFault::corrupt("the log has records, and its public keys are missing in the database"));
    }
    if let Some(memory) = folder.memory()? {
        let detail = format!("{memory} in the folder remembers a log, and the database is empty");
        return Err(JournalFault::new(JournalFaultKind::Rewound, detail));
    }
    if store.is_shared() { begins_shared(folder, joining) } else { folder.key().map(|_| Found::Nothing) }
}

/// The key in the folder, when it is the one that the log has now, with the one that it announced where that is here too. A
/// change of keys that was cut short after the log heard of the new one left that beside the old.
///
/// # Errors
/// When it is another one, or none.
pub(crate) fn own_key(folder: &DataFolder, store: &dyn Store) -> Result<LogKey, JournalFault> {
    let keys = store.own_keys()?.ok_or_else(|| JournalFault::corrupt("the public keys of the log are missing"))?;
    key_of(folder, &keys, store.hand_overs()?.announced(&keys)?.as_ref(), store.is_shared())
}

/// The same of a log whose keys are known.
///
/// # Errors
/// As [`own_key`].
pub(crate) fn key_of(
    folder: &DataFolder,
    keys: &PublicKeys,
    announced: Option<&PublicKey>,
    is_shared: bool,
) -> Result<LogKey, JournalFault> {
    let newest = keys.as_slice().first();
    let (key, next) = (folder.key()?, folder.next_key()?);
    match (key, next) {
        (Some(key), Some(next)) if newest == Some(key.public()) && announced == Some(next.public()) => {
            Ok(key.with_announced(next))
        }
        // With several nodes, one may have the announced key alone: readers of an older one follow its note.
        (Some(key), _) if newest == Some(key.public()) || (is_shared && announced == Some(key.public())) => Ok(key),
        (_, Some(next)) if newest == Some(next.public()) => Ok(next),
        // A log of one node changes its database before its key. Where the state that this folder remembers is one of the new
        // key alone, no record is missing.
        (Some(key), _) if announced == Some(key.public()) && is_state_of(folder, key.public(), newest) => Ok(key),
        (Some(key), _) if announced == Some(key.public()) => Err(JournalFault::new(
            JournalFaultKind::Rewound,
            "journal.key is the key that was announced as the next, and the database is from before the change to it",
        )),
        (Some(key), _)
            if !keys.contains(key.public())
                && key.public().origin() == keys.origin()
                && is_state_of(folder, key.public(), newest) =>
        {
            Err(JournalFault::new(
                JournalFaultKind::Rewound,
                "journal.key signed the state that this folder remembers, and the database does not know that key: it is from \
                 before the change to it",
            ))
        }
        (found, _) => Err(JournalFault::new(JournalFaultKind::WrongKey, why_not(found.as_ref(), keys))),
    }
}

/// The key that was announced as the next of a log, where its secret half is not in the folder.
///
/// # Errors
/// When a key or a note cannot be read.
pub(crate) fn missing_next(folder: &DataFolder, store: &dyn Store) -> Result<Option<PublicKey>, JournalFault> {
    let Some(keys) = store.own_keys()? else { return Ok(None) };
    let announced = store.hand_overs()?.announced(&keys)?;
    let here = [folder.key()?, folder.next_key()?];
    Ok(announced.filter(|next| !here.iter().flatten().any(|key| key.public() == next)))
}

/// Whether the flushed state is signed by one key and not by the other.
fn is_state_of(folder: &DataFolder, signer: &PublicKey, other: Option<&PublicKey>) -> bool {
    let is_signed_by = |key: &PublicKey| matches!(folder.kept_checkpoint(&PublicKeys::one(key.clone())), Ok(Some(_)));
    is_signed_by(signer) && !other.is_some_and(is_signed_by)
}

fn why_not(found: Option<&LogKey>, keys: &PublicKeys) -> &'static str {
    match found {
        Some(key) if keys.contains(key.public()) => {
            "journal.key must be the newest key of this log, and is an earlier one"
        }
        Some(_) => "journal.key must be the key of this log, and is the key of another",
        None => "journal.key, the key of this log, is missing in the data folder",
    }
}

/// The store against the checkpoint outside it, and its records against its tree.
///
/// # Errors
/// The first thing that does not hold.
pub(crate) fn state(
    store: &dyn Store,
    folder: &DataFolder,
    keys: &PublicKeys,
    depth: Depth,
    joining: &Joining,
) -> Result<Head, JournalFault> {
    if depth == Depth::Whole {
        store.check_structure()?;
    }
    let kept = remembered::by_folder(folder, keys)?;
    let head = store.head()?;
    let mut marks = vec![AuditMark { name: "the journal's head".to_owned(), size: head.tree.size(), root: head.root }];
    for state in &kept {
        state.check((head.tree.size(), &head.root), &NodesOf(store))?;
        marks.push(state.mark());
    }
    let known = match kept.first() {
        Some(_) => joining.given(keys)?,
        None if store.is_shared() => joining.known(keys, head.tree.size())?,
        None if head.tree.size() == 0 => joining.given(keys)?,
        None => {
            let detail = "the checkpoint that is kept outside the database is gone";
            return Err(JournalFault::new(JournalFaultKind::Rewound, detail));
        }
    };
    for known in known {
        known.check((head.tree.size(), &head.root), &NodesOf(store))?;
    }
    if !store.is_shared() && !store.rows(head.tree.size(), 1)?.is_empty() {
        return Err(JournalFault::corrupt("there are records after the end of the log"));
    }
    check_notes(store, keys)?;
    let start = match depth {
        Depth::End => recent(store, &head)?,
        Depth::Whole => MerkleTree::empty(),
    };
    marks.retain(|mark| mark.size >= start.size());
    audit::audit_from(&mut StoreSource::new(store), start, marks, Pace::Fast, &mut |_| {})?;
    Ok(head)
}

/// The notes that a store serves: where the log begins, and from which key to which it went.
fn check_notes(store: &dyn Store, known: &PublicKeys) -> Result<(), JournalFault> {
    log_start(store)?;
    let notes = store.hand_overs()?;
    // Read after the notes: another node may change the key meanwhile.
    let keys = store.keys()?;
    let keys = keys.as_ref().unwrap_or(known);
    for note in notes.as_slice() {
        KeyHandOver::open(note, keys).map_err(|fault| {
            JournalFault::corrupt(format!("a note of a hand-over is not this log's: {}", fault.detail))
        })?;
    }
    let led_to = notes.extend(keys).map_err(|fault| JournalFault::corrupt(fault.detail))?;
    if led_to.as_slice().len() == keys.as_slice().len() {
        return Ok(());
    }
    Err(JournalFault::corrupt("a note hands the log over to a key that is not among its public keys"))
}

/// The tree of a store at a state.
///
/// # Errors
/// When the store's nodes do not lead to its root.
pub(crate) fn tree_at(store: &dyn Store, size: u64, root: &Hash) -> Result<MerkleTree, JournalFault> {
    let edge: Vec<u8> = store.hashes(&edge_indexes(size))?.iter().flat_map(|hash| hash.0).collect();
    MerkleTree::restore(size, &edge, root)
}

/// The tree before the last records of a log.
fn recent(store: &dyn Store, head: &Head) -> Result<MerkleTree, JournalFault> {
    let size = head.tree.size().saturating_sub(RECENT_RECORDS);
    let nodes = NodesOf(store);
    let root = root_of(size, &nodes)?;
    check_growth((size, &root), (head.tree.size(), &head.root), &nodes)?;
    tree_at(store, size, &root)
}
