//! A log as a folder of plain files: how its files are put in place, and how those that nobody needs any more go.
//!
//! The folder is an archive: records that the log prunes later stay in it, and what `minimum-index` says in it is where its own
//! records begin.
//!
//! Every file is put in place whole. The public keys come first, so that a folder that was left half-done is known by them, and
//! the checkpoint last: until it is there, the folder is the older log that it was.

use std::{fs, io, ops::Range, path::Path};

use svc_proof::{
    fault::{JournalFault, JournalFaultKind},
    minimum_index::LogStart,
    public_key::PublicKeys,
    record_bytes::read_record,
    source::start_of,
    tiles::{self, TilePath},
    tree::{HASH_SIZE, Hash, leaf_hash},
};

use crate::{
    folder_files::FolderFiles,
    plain_files::{Care, Named, PlainFiles, is_temporary, temporary},
    regular_file,
};

/// The public keys in a folder.
pub const PUBLIC_KEYS: &str = "journal.pub";

/// The most bytes of keys or a checkpoint.
const MAX_SMALL_BYTES: u64 = 64 * 1024;

/// Every tile that a log of this size and beginning has.
pub fn wanted(size: u64, start: &LogStart) -> impl Iterator<Item = TilePath> {
    let begins = start.index();
    tiles::all(size).filter(move |tile| !tile.is_entries() || tile.start() >= begins)
}

/// A folder without a checkpoint must be new, or one whose export of this log was cut short.
pub fn refuse_foreign(folder: &Path, keys: &PublicKeys) -> Result<(), JournalFault> {
    let cannot = |error: io::Error| JournalFault::io(&format!("read {}", folder.display()), &error);
    let entries = match fs::read_dir(folder) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
        entries => entries.map_err(cannot)?,
    };
    let names: Vec<_> =
        entries.map(|entry| entry.map(|entry| entry.file_name())).collect::<Result<_, _>>().map_err(cannot)?;
    let begun = temporary(PUBLIC_KEYS);
    let is_fresh = names.iter().all(|name| name.to_str() == Some(begun.as_str()));
    let own = small_file(&folder.join(PUBLIC_KEYS))?.and_then(|text| PublicKeys::parse(&text).ok());
    let is_own = own.is_some_and(|own| own.as_slice().iter().any(|key| keys.contains(key)));
    if is_fresh || is_own {
        return Ok(());
    }
    let detail = format!("{} must be a new or empty folder, or one that this log was exported to", folder.display());
    Err(JournalFault::new(JournalFaultKind::Unusable, detail))
}

pub fn small_file(path: &Path) -> Result<Option<String>, JournalFault> {
    match regular_file::read_text(path, MAX_SMALL_BYTES) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        read => read.map(Some).map_err(|error| JournalFault::io(&format!("read {}", path.display()), &error)),
    }
}

/// A log in plain files: its tiles, and the small files beside them. It only grows: no record in it is ever removed.
#[derive(Debug)]
pub struct LogFolder<'f> {
    path: &'f Path,
    files: PlainFiles,
}

/// Which records a folder has, once the log was pruned that it is of.
#[derive(Debug)]
pub struct KeptRecords {
    /// Where the records in the folder begin: where the log does, or before.
    pub start: LogStart,
    /// The records that were pruned before the folder had them.
    pub lost: Range<u64>,
}

impl<'f> LogFolder<'f> {
    pub fn at(path: &'f Path) -> Self {
        Self { path, files: PlainFiles::below(path) }
    }

    /// What the folder keeps of a log that begins here now. It had so many records.
    pub fn kept(&self, had: u64, start: LogStart, keys: &PublicKeys) -> Result<KeptRecords, JournalFault> {
        let before = start_of(&FolderFiles::new(self.path), keys)?;
        Ok(if had < start.index() {
            // A folder that is new has lost nothing.
            let lost = if had == 0 { 0..0 } else { had..start.index() };
            KeptRecords { start, lost }
        } else if before.index() < start.index() {
            KeptRecords { start: before, lost: 0..0 }
        } else {
            KeptRecords { start, lost: 0..0 }
        })
    }

    /// The tiles that are not in their place, of those that a log of this size has from a record on.
    pub fn missing(&self, wanted: &[TilePath], had: u64) -> Result<Vec<TilePath>, JournalFault> {
        let mut missing = Vec::new();
        for tile in wanted {
            if !tile.is_within(had) || !self.has(tile)? {
                missing.push(*tile);
            }
        }
        Ok(missing)
    }

    /// Whether a tile is in its place, with its length where that is known. What is in it is the business of `verify`.
    fn has(&self, tile: &TilePath) -> Result<bool, JournalFault> {
        let length = self.files.length(&tile.path()).map_err(|error| self.cannot("read", &tile.path(), &error))?;
        Ok(length.is_some_and(|length| tile.is_entries() || length == tile.width() * HASH_SIZE as u64))
    }

    /// Puts a file in place whole, unless it is there; whether that was done.
    pub fn put(&self, inside: &str, bytes: &[u8]) -> Result<bool, JournalFault> {
        self.files.put(inside, bytes, Care::Public).map_err(|error| self.cannot("write", inside, &error))
    }

    /// Removes tiles that a wider one has taken the place of, and what a run that was cut short left; how many. The last tiles
    /// of a state that readers may still be at stay.
    pub fn remove_outgrown(&self, size: u64, in_use: u64) -> Result<u64, JournalFault> {
        self.remove_below("tile", size, in_use)
    }

    fn remove_below(&self, inside: &str, size: u64, in_use: u64) -> Result<u64, JournalFault> {
        let cannot = |path: &str, error: &io::Error| self.cannot("clear", path, error);
        let mut removed = 0;
        for Named { name, is_folder } in self.files.names(inside).map_err(|error| cannot(inside, &error))? {
            let path = format!("{inside}/{name}");
            if is_folder {
                removed += self.remove_below(&path, size, in_use)?;
                self.files.remove_empty(&path);
                continue;
            }
            let is_outgrown = match TilePath::parse(&path) {
                Some(tile) => {
                    tile.grown(size).is_some_and(|grown| self.has(&grown).unwrap_or(false)) && !tile.is_last_of(in_use)
                }
                None => is_temporary(&name),
            };
            if is_outgrown {
                self.files.remove(&path).map_err(|error| cannot(&path, &error))?;
                removed += 1;
            }
        }
        Ok(removed)
    }

    fn cannot(&self, what: &str, inside: &str, error: &io::Error) -> JournalFault {
        JournalFault::io(&format!("{what} {}", self.path.join(inside).display()), error)
    }
}

/// Checks that a tile of records has these leaves, and holds nothing but noes.
pub fn check_records(tile: &TilePath, bytes: &[u8], leaves: &[Hash]) -> Result<(), JournalFault> {
    for ((record, leaf), place) in tiles::unbundle(bytes, tile.width())?.iter().zip(leaves).zip(tile.start()..) {
        if leaf_hash(record) != *leaf {
            return Err(JournalFault::corrupt(format!("record {place} is not the one that was hashed")));
        }
        read_record(record, place)?;
    }
    Ok(())
}

/// A tile of records that is not in the folder any more, and not in the log either.
pub fn lost_tile(folder: &Path, tile: &TilePath) -> JournalFault {
    JournalFault::new(
        JournalFaultKind::Unusable,
        format!(
            "{}: the file is missing, and the log was pruned there: bring it back from a copy, or give a new folder",
            folder.join(tile.path()).display()
        ),
    )
}

/// Waits until everything that was written is on the disk: the checkpoint must not be there before the rest.
pub fn flush(folder: &Path) -> Result<(), JournalFault> {
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
