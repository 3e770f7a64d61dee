//! A log as a folder of plain files: how its files are put in place, and how those that nobody needs any more go.
//!
//! Every file is put in place whole. The public keys come first, so that a folder that was left half-done is known by them, and
//! the checkpoint last: until it is there, the folder is the older log that it was.

use std::{
    collections::BTreeSet,
    fs, io,
    path::{Path, PathBuf},
};

use crate::{
    fault::{JournalFault, JournalFaultKind},
    key::PublicKeys,
    minimum_index::LogStart,
    regular_file,
    tiles::{self, TilePath},
    tree::HASH_SIZE,
};

/// The public keys in a folder.
pub const PUBLIC_KEYS: &str = "journal.pub";

/// The most bytes of keys or a checkpoint.
const MAX_SMALL_BYTES: u64 = 64 * 1024;

/// How a file is called while it is written.
const NEW: &str = ".new";

/// Every tile that a log of this size and beginning has.
pub(crate) fn wanted(size: u64, start: &LogStart) -> impl Iterator<Item = TilePath> {
    let begins = start.index();
    tiles::all(size).filter(move |tile| !tile.is_entries() || tile.start() >= begins)
}

/// A folder without a checkpoint must be new, or one whose export of this log was cut short.
pub(crate) fn refuse_foreign(folder: &Path, keys: &PublicKeys) -> Result<(), JournalFault> {
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

pub(crate) fn small_file(path: &Path) -> Result<Option<String>, JournalFault> {
    match regular_file::read_text(path, MAX_SMALL_BYTES) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        read => read.map(Some).map_err(|error| JournalFault::io(&format!("read {}", path.display()), &error)),
    }
}

/// Whether a tile is in its place, with its length where that is known. What is in it is the business of `verify`.
pub(crate) fn is_there(folder: &Path, tile: &TilePath) -> bool {
    let length = tile.width() * HASH_SIZE as u64;
    fs::symlink_metadata(folder.join(tile.path()))
        .is_ok_and(|found| found.is_file() && (tile.is_entries() || found.len() == length))
}

/// Puts a file in place whole, unless it is there; whether that was done.
pub(crate) fn put(path: &Path, bytes: &[u8]) -> Result<bool, JournalFault> {
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
pub(crate) fn flush(folder: &Path) -> Result<(), JournalFault> {
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
pub(crate) fn remove_others(folder: &Path, below: &Path, kept: &BTreeSet<PathBuf>) -> Result<u64, JournalFault> {
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
