//! A log that leaves its store as plain files, again and again into the same folder.
//!
//! Only what is new or changed is written. Every file is put in place whole; the public keys come first, so that a folder that
//! was left half-done is known by them, and the checkpoint last: until it is there, the folder is the older log that it was.
//! Then what nobody needs any more is removed: partial tiles that grew, and records that were pruned. A folder of another log,
//! or of another history of this one, is refused and left as it is.

use std::{
    collections::BTreeSet,
    fs, io,
    path::{Path, PathBuf},
};

use crate::{
    audit::{self, Pace},
    checkpoint::Checkpoint,
    fault::{JournalFault, JournalFaultKind},
    key::PublicKeys,
    minimum_index::LogStart,
    open::LogReader,
    regular_file,
    source::StoreSource,
    store::{NodesOf, log_start},
    tiles::{self, TilePath},
    transfer::{PUBLIC_KEYS, mark_of},
    tree::{HASH_SIZE, MerkleTree, check_growth},
};

/// The most bytes of keys or a checkpoint.
const MAX_SMALL_BYTES: u64 = 64 * 1024;

/// How a file is called while it is written.
const NEW: &str = ".new";

/// What was exported.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Exported {
    /// Records of the log.
    pub records: u64,
    /// Records that the folder did not have.
    pub new: u64,
    /// Where the log begins.
    pub begins: u64,
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
    let start = log_start(store)?;
    let had = known.as_ref().map_or(0, Checkpoint::size);
    let wanted: Vec<TilePath> = wanted(checkpoint.size(), &start).collect();
    let missing: Vec<&TilePath> =
        wanted.iter().filter(|tile| !tile.is_within(had) || !is_there(folder, tile)).collect();
    // What is written anew has to be checked anew.
    let from = match &known {
        Some(known) if missing.iter().all(|tile| !tile.is_within(had)) => reading.tree_at(known)?,
        Some(_) | None => MerkleTree::empty(),
    };
    let marks = vec![mark_of("the checkpoint", &checkpoint)];
    audit::audit_from(&mut StoreSource::new(store), from, marks, Pace::Fast, progress)?;
    let mut written = u64::from(put(&folder.join(PUBLIC_KEYS), reading.keys.to_file().as_bytes())?);
    for tile in missing {
        written += u64::from(put(&folder.join(tile.path()), &tile.read(store, checkpoint.size())?)?);
    }
    let hand_overs = store.hand_overs()?;
    if !hand_overs.is_empty() {
        written += u64::from(put(&folder.join(tiles::HAND_OVERS), hand_overs.to_file().as_bytes())?);
    }
    if let Some(note) = start.note() {
        written += u64::from(put(&folder.join(tiles::MINIMUM_INDEX), note.text().as_bytes())?);
    }
    if let Some(text) = witnessed(reading, &checkpoint)? {
        written += u64::from(put(&folder.join(tiles::WITNESSED_CHECKPOINT), text.as_bytes())?);
    }
    flush(folder)?;
    written += u64::from(put(&folder.join(tiles::CHECKPOINT), checkpoint.text().as_str().as_bytes())?);
    flush(folder)?;
    let kept: BTreeSet<PathBuf> = wanted.iter().map(|tile| folder.join(tile.path())).collect();
    let removed = remove_others(folder, &folder.join("tile"), &kept)?;
    Ok(Exported { records: checkpoint.size(), new: checkpoint.size() - had, begins: start.index(), written, removed })
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

/// Every tile that a log of this size and beginning has.
fn wanted(size: u64, start: &LogStart) -> impl Iterator<Item = TilePath> {
    let begins = start.index();
    tiles::all(size).filter(move |tile| !tile.is_entries() || tile.start() >= begins)
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

/// A folder without a checkpoint must be new, or one whose export of this log was cut short.
fn refuse_foreign(folder: &Path, keys: &PublicKeys) -> Result<(), JournalFault> {
    let cannot = |error: io::Error| JournalFault::io(&format!("read {}", folder.display()), &error);
    let entries = match fs::read_dir(folder) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
        entries => entries.map_err(cannot)?,
    };
    let names: Vec<_> =
        entries.map(|entry| entry.map(|entry| entry.file_name())).collect::<Result<_, _>>().map_err(cannot)?;
    let begun = format!(".{PUBLIC_KEYS}{NEW}");
    let is_fresh = names.iter().all(|name| name.to_str() == Some(begun.as_str()));
    let own = small_file(&folder.join(PUBLIC_KEYS))?.and_then(|text| PublicKeys::parse(&text).ok());
    let is_own = own.is_some_and(|own| own.as_slice().iter().any(|key| keys.contains(key)));
    if is_fresh || is_own {
        return Ok(());
    }
    let detail = format!("{} must be a new or empty folder, or one that this log was exported to", folder.display());
    Err(JournalFault::new(JournalFaultKind::Unusable, detail))
}

fn small_file(path: &Path) -> Result<Option<String>, JournalFault> {
    match regular_file::read_text(path, MAX_SMALL_BYTES) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        read => read.map(Some).map_err(|error| JournalFault::io(&format!("read {}", path.display()), &error)),
    }
}

/// Whether a tile is in its place, with its length where that is known. What is in it is the business of `verify`.
fn is_there(folder: &Path, tile: &TilePath) -> bool {
    let length = tile.width() * HASH_SIZE as u64;
    fs::symlink_metadata(folder.join(tile.path()))
        .is_ok_and(|found| found.is_file() && (tile.is_entries() || found.len() == length))
}

/// Puts a file in place whole, unless it is there; whether that was done.
fn put(path: &Path, bytes: &[u8]) -> Result<bool, JournalFault> {
    let write = || -> io::Result<bool> {
        if fs::symlink_metadata(path).is_ok_and(|found| found.is_file()) && fs::read(path)? == bytes {
            return Ok(false);
        }
        let parent = path.parent().unwrap_or(path);
        fs::create_dir_all(parent)?;
        let new = parent.join(format!(".{}{NEW}", path.file_name().unwrap_or_default().to_string_lossy()));
        fs::write(&new, bytes)?;
        fs::rename(&new, path)?;
        Ok(true)
    };
    write().map_err(|error| JournalFault::io(&format!("write {}", path.display()), &error))
}

/// Waits until everything that was written is on the disk: the checkpoint must not be there before the rest.
fn flush(folder: &Path) -> Result<(), JournalFault> {
    #[cfg(target_os = "linux")]
    {
        let cannot = |error: io::Error| JournalFault::io(&format!("flush {}", folder.display()), &error);
        let folder = fs::File::open(folder).map_err(cannot)?;
        rustix::fs::syncfs(&folder).map_err(|error| cannot(error.into()))?;
    }
    #[cfg(not(target_os = "linux"))]
    let _ = folder;
    Ok(())
}

/// Removes tiles that are not among those to keep, and what an export that was cut short left. Whatever else is there stays.
fn remove_others(folder: &Path, below: &Path, kept: &BTreeSet<PathBuf>) -> Result<u64, JournalFault> {
    let cannot = |error: io::Error| JournalFault::io(&format!("clear {}", below.display()), &error);
    let mut removed = 0;
    let entries = match fs::read_dir(below) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(0),
        entries => entries.map_err(cannot)?,
    };
    for entry in entries {
        let entry = entry.map_err(cannot)?;
        let path = entry.path();
        if entry.file_type().map_err(cannot)?.is_dir() {
            removed += remove_others(folder, &path, kept)?;
            // Only one that is empty goes.
            let _ = fs::remove_dir(&path);
            continue;
        }
        let name = entry.file_name().to_string_lossy().into_owned();
        let inside = path.strip_prefix(folder).ok().and_then(Path::to_str).unwrap_or_default().to_owned();
        let is_ours = TilePath::parse(&inside).is_some() || (name.starts_with('.') && name.ends_with(NEW));
        if is_ours && !kept.contains(&path) {
            fs::remove_file(&path).map_err(cannot)?;
            removed += 1;
        }
    }
    Ok(removed)
}
