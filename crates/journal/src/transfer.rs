//! Proofs of kept records, and logs in plain files: checked, and taken in. How they leave a store is in [`export`](crate::export).

use std::{path::Path, sync::Arc};

use svc_archive::{folder_files::FolderFiles, log_folder::PUBLIC_KEYS, regular_file};
use svc_core::journal::receipt::Receipt;
use svc_proof::{
    audit::{self, AuditMark, AuditSummary, audit_files},
    checkpoint::{Checkpoint, signers},
    fault::{JournalFault, JournalFaultKind},
    hand_over::HandOverNotes,
    public_key::{PublicKey, PublicKeys},
    receipt,
    source::{LogEntry, LogSource, TileSource, checkpoint_of, hand_overs_of, start_of},
    tree::{GrownTree, MerkleTree},
};

use crate::{
    folder::DataFolder,
    joining::Joining,
    open::{Location, LogReader},
    remembered::{self, RememberedState},
    store::{Access, Extension, Fetch, Head, LogRow, NodesOf, Store, log_start},
};

const MAX_KEY_BYTES: u64 = 64 * 1024;

/// The receipt of a record that is in the log.
///
/// # Errors
/// When it is not there, or nothing signed covers it.
pub fn prove(reading: &LogReader, place: u64) -> Result<Receipt, JournalFault> {
    let missing = || JournalFault::new(JournalFaultKind::Missing, format!("there is no record {place}"));
    let row = reading.store.rows(place, 1)?.into_iter().next().ok_or_else(missing)?;
    let checkpoint = reading.newest()?;
    if checkpoint.size() <= place {
        return Err(JournalFault::new(
            JournalFaultKind::Missing,
            format!("no signed checkpoint covers record {place} yet; try again in a moment"),
        ));
    }
    let tree = reading.tree_at(&checkpoint)?;
    receipt::of_kept(
        row.read(&log_start(reading.store.as_ref())?)?,
        &tree,
        &checkpoint,
        &NodesOf(reading.store.as_ref()),
    )
}

/// Fills an empty store from plain files. Nothing is written that was not checked, and the end is the signed state.
///
/// # Errors
/// When the store is not empty, or the files do not hold.
pub fn import(
    from: &Path,
    into: &Location,
    joining: &Joining,
    progress: &mut dyn FnMut(u64),
) -> Result<AuditSummary, JournalFault> {
    let files = FolderFiles::new(from);
    let keys = regular_file::read_text(&from.join(PUBLIC_KEYS), MAX_KEY_BYTES)
        .map_err(|error| JournalFault::io("read the public keys", &error))?;
    let keys = PublicKeys::parse(&keys)?;
    let hand_overs = hand_overs_of(&files)?;
    hand_overs.changes(&keys)?;
    let folder = DataFolder::at(&into.folder);
    // Files that were written long ago hold too: what tells them from the newest is a state that is known.
    let mut known = remembered::by_folder(&folder, &keys)?;
    known.extend(into.remembered_by_endpoints()?);
    known.extend(match joining {
        // The files are the log's beginning here, whoever wrote them.
        Joining::First => Vec::new(),
        Joining::Remembering | Joining::AtLeast(_) | Joining::Looking if !known.is_empty() => joining.given(&keys)?,
        Joining::Remembering | Joining::AtLeast(_) | Joining::Looking => {
            joining.known(&keys, checkpoint_of(&files, &keys)?.size())?
        }
    });
    let marks = known.iter().map(RememberedState::mark).collect();
    // A first pass without writing: a log that does not hold leaves nothing behind.
    let (_, checkpoint) = audit_files(&files, &keys, marks, &mut |_| {})?;
    // Where nobody has been yet, the file of the lock would be the first thing that is written.
    if !folder.has_lock_file() {
        refuse_begun(into, &keys, &checkpoint)?;
    }
    let locked = folder.lock()?;
    refuse_begun(into, &keys, &checkpoint)?;
    let store = into.store(Access::Write)?;
    let start = start_of(&files, &keys)?;
    if let Some(note) = start.note() {
        store.keep_minimum_index(note)?;
    }
    let inner = TileSource::new(&files, checkpoint.size(), start)?;
    let mut source = Copying { inner, store: Arc::clone(&store), held: Vec::new() };
    let (seen, _) = audit::audit(&mut source, vec![AuditMark::new("the checkpoint", &checkpoint)], progress)?;
    // While the key before the newest signs too, the newest is announced and not yet the log's only one.
    let signed = signers(checkpoint.text().as_str());
    let announced =
        keys.as_slice().first().filter(|_| keys.as_slice().get(1).is_some_and(|key| signed.contains(&key.id())));
    add_keys(store.as_ref(), &keys, &hand_overs, announced)?;
    locked.keep_hand_overs(&hand_overs)?;
    locked.keep_public_keys(&keys)?;
    locked.keep_checkpoint(&checkpoint)?;
    Ok(seen)
}

/// Writes down what passes by.
struct Copying<'f> {
    inner: TileSource<'f>,
    store: Arc<dyn Store>,
    held: Vec<Option<Vec<u8>>>,
}

impl LogSource for Copying<'_> {
    fn next(&mut self, from: u64, most: usize) -> Result<Vec<LogEntry>, JournalFault> {
        let entries = self.inner.next(from, most)?;
        self.held = entries.iter().map(|entry| entry.record.clone()).collect();
        Ok(entries)
    }

    fn confirm(&mut self, grown: &GrownTree) -> Result<(), JournalFault> {
        self.inner.confirm(grown)?;
        let held = std::mem::take(&mut self.held);
        let rows: Option<Vec<LogRow>> = held
            .into_iter()
            .zip(grown.start()..)
            .map(|(record, place)| Some(LogRow { place, record, hashes: grown.completed_by(place)? }))
            .collect();
        let mut rows = rows;
        self.store.append(&mut |head: &Head, _: &dyn Fetch| {
            if head.tree.size() != grown.start() {
                return Err(JournalFault::new(
                    JournalFaultKind::Unusable,
                    "another process writes to the journal; stop it, and import again",
                ));
            }
            let rows = rows.take().ok_or_else(|| JournalFault::corrupt("a node of the tree is missing"))?;
            let tree: MerkleTree = grown.tree().clone();
            // Who asked does not leave with the files.
            Ok(Extension { rows, attributions: Vec::new(), head: Head { tree, root: *grown.root() } })
        })
    }
}

/// The keys of a log, the oldest first, each with the note of the one before it.
fn add_keys(
    store: &dyn Store,
    keys: &PublicKeys,
    notes: &HandOverNotes,
    announced: Option<&PublicKey>,
) -> Result<(), JournalFault> {
    let mut before: Option<&PublicKey> = None;
    for (number, key) in (1..).zip(keys.as_slice().iter().rev()) {
        let note = before.and_then(|before| notes.note_between(before, key));
        match note {
            Some(note) if Some(key) == announced => store.announce_key(number, note)?,
            note => store.add_key(number, key, note)?,
        }
        before = Some(key);
    }
    Ok(())
}

/// Refuses a journal that has begun, and a folder that knows a newer state of the log: its checkpoint would be lost.
fn refuse_begun(into: &Location, keys: &PublicKeys, checkpoint: &Checkpoint) -> Result<(), JournalFault> {
    if let Some(store) = into.found()?
        && (store.head()?.tree.size() > 0 || store.keys()?.is_some())
    {
        return Err(JournalFault::new(
            JournalFaultKind::Unusable,
            "the journal to import into must be empty, and holds records or keys: give a new --data-dir, or another database",
        ));
    }
    match DataFolder::at(&into.folder).checkpoint(keys)? {
        Some(kept) if kept.size() > checkpoint.size() => {
            let (kept, given) = (kept.size(), checkpoint.size());
            let detail = format!("the files have {given} records, and the checkpoint in the folder has {kept}");
            Err(JournalFault::new(JournalFaultKind::Rewound, detail))
        }
        Some(_) | None => Ok(()),
    }
}
