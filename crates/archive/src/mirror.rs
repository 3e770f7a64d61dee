//! A log that somebody else serves, copied into plain files that any web server can serve again.
//!
//! Nothing is written that the signed state does not prove: tiles of hashes lead to its root, records have their leaves in them
//! and are noes. The checkpoint comes last, so that a reader of the copy never meets a state whose tiles are missing, and the
//! tiles of the state before stay until the next run, for readers who are still on their way. A copy that was cut short goes on,
//! and one of a log that was pruned since keeps the records that it has.

use std::{cell::RefCell, collections::VecDeque, fs, ops::Range, path::Path};

use svc_proof::{
    checkpoint::Checkpoint,
    fault::{JournalFault, JournalFaultKind},
    growth::{self, LogTiles},
    hand_over::HandOverNotes,
    public_key::PublicKeys,
    source::{LogFiles, start_of},
    tiles::{self, TilePath},
    tree::{Hash, bad_tree},
};
use tlog_tiles::{
    tile::TileHashReader,
    tlog::{self, HashReader as _},
};

use crate::{
    folder_files::FolderFiles,
    log_folder::{LogFolder, PUBLIC_KEYS, check_records, flush, lost_tile, refuse_foreign, small_file, wanted},
};

/// The public keys as a registry serves them.
const KEYS: &str = "keys";

/// Tiles of hashes that are at hand: those above the ones that are read stay the same for long.
const MAX_CACHED: usize = 32;

/// What was copied.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mirrored {
    /// Records of the log.
    pub records: u64,
    /// Records that the copy did not have, and has now: those that were pruned are nowhere.
    pub new: u64,
    /// Where the log begins.
    pub begins: u64,
    /// Where the records of the copy begin: there, or before.
    pub kept_from: u64,
    /// Records that were pruned before they were copied to a folder that had earlier ones.
    pub lost: Range<u64>,
    /// Files that were written.
    pub written: u64,
    /// Files that were removed.
    pub removed: u64,
}

/// The states that a log serves, as they came, with the lines of witnesses.
#[derive(Clone, Copy, Debug)]
pub struct ServedStates<'t> {
    pub newest: &'t str,
    /// The newest that its witnesses have seen.
    pub witnessed: Option<&'t str>,
}

/// The state that a copy has, if there is one.
///
/// # Errors
/// When the folder holds something else.
pub fn known_state(folder: &Path, keys: &PublicKeys) -> Result<Option<Checkpoint>, JournalFault> {
    let Some(text) = small_file(&folder.join(tiles::CHECKPOINT))? else {
        return refuse_foreign(folder, keys).map(|()| None);
    };
    let other = |why: &str| {
        let detail = format!("{}: the checkpoint there is refused: {why}", folder.display());
        JournalFault::new(JournalFaultKind::Unusable, detail)
    };
    let known = Checkpoint::open(&text, keys).map_err(|refused| other(refused.reason()))?;
    // Damage of the copy is not the log's.
    start_of(&FolderFiles::new(folder), keys).map_err(|fault| {
        let detail = format!("{}: `{}` there is damaged: {}", folder.display(), tiles::MINIMUM_INDEX, fault.detail);
        JournalFault::new(JournalFaultKind::Unusable, detail)
    })?;
    Ok(Some(known))
}

/// Copies a log to the state that was served, or brings a copy up to date. Checkpoints are kept as they came, with the lines of
/// witnesses.
///
/// # Errors
/// When the log does not hold or has not grown from the state of the copy, and when the folder cannot be written. What was
/// there stays as it was.
pub fn mirror(
    files: &dyn LogFiles,
    served: ServedStates<'_>,
    (keys, notes): (&PublicKeys, &HandOverNotes),
    folder: &Path,
    progress: &mut dyn FnMut(u64, u64),
) -> Result<Mirrored, JournalFault> {
    let known = known_state(folder, keys)?;
    let checkpoint = Checkpoint::open(served.newest, keys)?;
    let witnessed = served.witnessed.map(|text| Checkpoint::open(text, keys)).transpose()?;
    for earlier in known.iter().chain(&witnessed) {
        growth::check(files, (earlier.size(), earlier.root()), &checkpoint)?;
    }
    let start = start_of(files, keys)?;
    start.check_within(checkpoint.size())?;
    let begins = start.index();
    let had = known.as_ref().map_or(0, Checkpoint::size);
    let (path, folder) = (folder, LogFolder::at(folder));
    let kept = folder.kept(had, start, keys)?;
    let needed: Vec<TilePath> = wanted(checkpoint.size(), &kept.start).collect();
    let mut missing = folder.missing(&needed, had)?;
    if let Some(lost) = missing.iter().find(|tile| tile.is_entries() && tile.start() < begins) {
        return Err(lost_tile(path, lost));
    }
    // The leaves of records are at hand when the records come.
    missing.sort_by_key(|tile| (tile.level() == 0, tile.level(), tile.start(), tile.is_entries()));
    let mut written = 0;
    for name in [PUBLIC_KEYS, KEYS] {
        written += u64::from(folder.put(name, keys.to_file().as_bytes())?);
    }
    let files = CachedTiles { files, kept: RefCell::default() };
    let copying = Copying { files, state: &checkpoint, folder: &folder, path };
    for tile in missing {
        written += u64::from(copying.copy(&tile)?);
        if tile.is_entries() {
            progress(tile.start() + tile.width(), checkpoint.size());
        }
    }
    if !notes.is_empty() {
        written += u64::from(folder.put(tiles::HAND_OVERS, notes.to_file().as_bytes())?);
    }
    if let Some(note) = kept.start.note() {
        written += u64::from(folder.put(tiles::MINIMUM_INDEX, note.text().as_bytes())?);
    }
    flush(path)?;
    if let Some(text) = served.witnessed {
        written += u64::from(folder.put(tiles::WITNESSED_CHECKPOINT, text.as_bytes())?);
    }
    written += u64::from(folder.put(tiles::CHECKPOINT, served.newest.as_bytes())?);
    flush(path)?;
    let removed = folder.remove_outgrown(checkpoint.size(), had)?;
    let records = checkpoint.size();
    let new = records - had.max(begins).min(records);
    Ok(Mirrored { records, new, begins, kept_from: kept.start.index(), lost: kept.lost, written, removed })
}

struct Copying<'f> {
    files: CachedTiles<'f>,
    state: &'f Checkpoint,
    folder: &'f LogFolder<'f>,
    path: &'f Path,
}

impl Copying<'_> {
    /// Puts a tile in place; whether that had to be done.
    fn copy(&self, tile: &TilePath) -> Result<bool, JournalFault> {
        let hashes = self.hashes(tile)?;
        if !tile.is_entries() {
            return self.folder.put(&tile.path(), &hashes.iter().flat_map(|hash| hash.0).collect::<Vec<u8>>());
        }
        // A run that was cut short may have left it here; what it left is believed as little as what is served.
        let is_left = fs::symlink_metadata(self.path.join(tile.path())).is_ok_and(|found| found.is_file());
        let left = is_left.then(|| FolderFiles::new(self.path).get(&tile.path())).and_then(Result::ok);
        if left.is_some_and(|bytes| check_records(tile, &bytes, &hashes).is_ok()) {
            return Ok(false);
        }
        let bytes = self.files.get(&tile.path())?;
        check_records(tile, &bytes, &hashes)?;
        self.folder.put(&tile.path(), &bytes)
    }

    /// The hashes of a tile, or the leaves of its records, as the signed state proves them.
    fn hashes(&self, tile: &TilePath) -> Result<Vec<Hash>, JournalFault> {
        let tiles = LogTiles::new(&self.files);
        let nodes = TileHashReader::new(self.state.size(), *self.state.root(), &tiles);
        let level = tile.level() * tiles::HEIGHT;
        let indexes: Vec<u64> =
            (tile.start()..tile.start() + tile.width()).map(|number| tlog::stored_hash_index(level, number)).collect();
        let read = nodes.read_hashes(&indexes).map_err(bad_tree);
        read.map_err(|fault| tiles.unread().unwrap_or(fault))
    }
}

struct CachedTiles<'f> {
    files: &'f dyn LogFiles,
    kept: RefCell<VecDeque<(String, Vec<u8>)>>,
}

impl LogFiles for CachedTiles<'_> {
    fn get(&self, path: &str) -> Result<Vec<u8>, JournalFault> {
        let is_bundle = TilePath::parse(path).is_some_and(|tile| tile.is_entries());
        let found = self.kept.borrow().iter().find(|(known, _)| known == path).map(|(_, bytes)| bytes.clone());
        if let Some(bytes) = found {
            return Ok(bytes);
        }
        let bytes = self.files.get(path)?;
        if !is_bundle {
            let mut kept = self.kept.borrow_mut();
            kept.push_back((path.to_owned(), bytes.clone()));
            if kept.len() > MAX_CACHED {
                kept.pop_front();
            }
        }
        Ok(bytes)
    }
}
