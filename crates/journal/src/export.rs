//! A log that leaves its store as plain files, again and again into the same folder.
//!
//! Only what is new or changed is written. Every file is put in place whole; the public keys come first, so that a folder that
//! was left half-done is known by them, and the checkpoint last: until it is there, the folder is the older log that it was.
//! Then what nobody needs any more is removed: partial tiles that grew. Records that the log has pruned since stay, and are
//! proven by its hashes. A folder of another log, or of another history of this one, is refused and left as it is.

use std::{ops::Range, path::Path};

use svc_archive::{
    folder_files::FolderFiles,
    log_folder::{LogFolder, PUBLIC_KEYS, check_records, flush, lost_tile, refuse_foreign, small_file, wanted},
};
use svc_proof::{
    audit::{self, AuditMark, Pace},
    checkpoint::Checkpoint,
    fault::{JournalFault, JournalFaultKind},
    source::LogFiles as _,
    tiles::{self, TilePath},
    tree::{HASH_SIZE, Hash, MerkleTree, check_growth},
};

use crate::{
    open::LogReader,
    served,
    store::{NodesOf, Store, log_start},
    store_source::StoreSource,
};

/// What was exported.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Exported {
    /// Records of the log.
    pub records: u64,
    /// Records that the folder did not have.
    pub new: u64,
    /// Where the log begins.
    pub begins: u64,
    /// Where the records in the folder begin: there, or before.
    pub kept_from: u64,
    /// Records that were pruned before they were exported to a folder that had earlier ones.
    pub lost: Range<u64>,
    /// Files that were written.
    pub written: u64,
    /// Files that were removed.
    pub removed: u64,
}

/// Writes the log as plain files into a new folder, or brings an exported one up to date. What is written was checked first.
///
/// # Errors
/// When the folder holds something else or cannot be written, or the log does not hold.
pub fn export(reading: &LogReader, folder: &Path, progress: &mut dyn FnMut(u64)) -> Result<Exported, JournalFault> {
    let checkpoint = reading.newest()?;
    let store = reading.store.as_ref();
    let known = known_state(reading, folder, &checkpoint)?;
    let begins = log_start(store)?.index();
    let had = known.as_ref().map_or(0, Checkpoint::size);
    let (path, folder) = (folder, LogFolder::at(folder));
    let kept = folder.kept(had, log_start(store)?, &reading.keys)?;
    let wanted: Vec<TilePath> = wanted(checkpoint.size(), &kept.start).collect();
    let missing = folder.missing(&wanted, had)?;
    let is_pruned = |tile: &&TilePath| tile.is_entries() && tile.start() < begins;
    if let Some(lost) = missing.iter().find(is_pruned) {
        return Err(lost_tile(path, lost));
    }
    for tile in wanted.iter().filter(is_pruned) {
        check_kept(path, tile, store, checkpoint.size())?;
    }
    // What is written anew has to be checked anew.
    let from = match &known {
        Some(known) if missing.iter().all(|tile| !tile.is_within(had)) => reading.tree_at(known)?,
        Some(_) | None => MerkleTree::empty(),
    };
    let marks = vec![AuditMark::new("the checkpoint", &checkpoint)];
    audit::audit_from(&mut StoreSource::new(store), from, marks, Pace::Fast, progress)?;
    let mut written = u64::from(folder.put(PUBLIC_KEYS, reading.keys.to_file().as_bytes())?);
    for tile in missing {
        written += u64::from(folder.put(&tile.path(), &served::tile(store, &tile, checkpoint.size())?)?);
    }
    let hand_overs = store.hand_overs()?;
    if !hand_overs.is_empty() {
        written += u64::from(folder.put(tiles::HAND_OVERS, hand_overs.to_file().as_bytes())?);
    }
    if let Some(note) = kept.start.note() {
        written += u64::from(folder.put(tiles::MINIMUM_INDEX, note.text().as_bytes())?);
    }
    if let Some(text) = witnessed(reading, &checkpoint)? {
        written += u64::from(folder.put(tiles::WITNESSED_CHECKPOINT, text.as_bytes())?);
    }
    flush(path)?;
    written += u64::from(folder.put(tiles::CHECKPOINT, checkpoint.text().as_str().as_bytes())?);
    flush(path)?;
    let removed = folder.remove_outgrown(checkpoint.size(), checkpoint.size())?;
    let (records, new) = (checkpoint.size(), checkpoint.size() - had);
    Ok(Exported { records, new, begins, kept_from: kept.start.index(), lost: kept.lost, written, removed })
}

/// Holds records that only the folder has to the hashes that the log keeps of them.
fn check_kept(folder: &Path, tile: &TilePath, store: &dyn Store, size: u64) -> Result<(), JournalFault> {
    let bytes = FolderFiles::new(folder).get(&tile.path())?;
    let leaves = tiles::at(0, tile.start() / tiles::WIDTH, tile.width());
    let leaves = leaves.ok_or_else(|| JournalFault::corrupt("a tile that no log has"))?;
    let leaves = served::tile(store, &leaves, size)?;
    let leaves: Vec<Hash> = leaves.as_chunks::<HASH_SIZE>().0.iter().map(|hash| Hash(*hash)).collect();
    check_records(tile, &bytes, &leaves).map_err(|fault| {
        let place = folder.join(tile.path());
        let detail = format!(
            "{}: {}, and the log was pruned there: bring the file back from a copy, or give a new folder",
            place.display(),
            fault.detail
        );
        JournalFault { detail, ..fault }
    })
}

/// The newest state that witnesses cosigned, proven to be an earlier one of this log. A service that runs may be past what is
/// exported; then the next export has it.
fn witnessed(reading: &LogReader, now: &Checkpoint) -> Result<Option<String>, JournalFault> {
    let Some(text) = reading.folder.witnessed()? else { return Ok(None) };
    let seen = Checkpoint::open(&text, &reading.keys)?;
    if seen.size() > now.size() {
        return Ok(None);
    }
    check_growth((seen.size(), seen.root()), (now.size(), now.root()), &NodesOf(reading.store.as_ref()))?;
    Ok(Some(text))
}

/// The state that the folder has, proven to be an earlier one of this log; none for a new folder, or one half-done.
fn known_state(reading: &LogReader, folder: &Path, now: &Checkpoint) -> Result<Option<Checkpoint>, JournalFault> {
    let Some(text) = small_file(&folder.join(tiles::CHECKPOINT))? else {
        return refuse_foreign(folder, &reading.keys).map(|()| None);
    };
    let other = |why: &str| JournalFault::new(JournalFaultKind::Unusable, format!("{}: {why}", folder.display()));
    let known = Checkpoint::open(&text, &reading.keys)
        .map_err(|refused| other(&format!("the checkpoint there is refused: {}", refused.reason())))?;
    let (earlier, later) = ((known.size(), known.root()), (now.size(), now.root()));
    check_growth(earlier, later, &NodesOf(reading.store.as_ref()))
        .map_err(|fault| JournalFault { detail: format!("{}: {}", folder.display(), fault.detail), ..fault })?;
    Ok(Some(known))
}
