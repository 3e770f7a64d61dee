//! Growth of a log that somebody else serves: its tiles are read as they are needed, and each is proven before it is used.

use std::cell::RefCell;

use svc_core::journal::record::Record;
use tlog_tiles::{
    tile::{Tile, TileHashReader, TileReader},
    tlog::{self, Hash},
};

use crate::{
    checkpoint::Checkpoint,
    fault::JournalFault,
    source::LogFiles,
    spans::SpanHashes,
    tiles::{self, TilePath},
    tree::{check_growth, leaf_hash, prove_at},
};

/// Checks that a log has grown from a state into what its checkpoint signs.
///
/// # Errors
/// When it has not, or a tile cannot be read or is not one of the log.
pub fn check(files: &dyn LogFiles, earlier: (u64, &Hash), later: &Checkpoint) -> Result<(), JournalFault> {
    let tiles = LogTiles::new(files);
    let nodes = TileHashReader::new(later.size(), *later.root(), &tiles);
    let checked = check_growth(earlier, (later.size(), later.root()), &nodes);
    // A tile that could not be read says nothing about the log.
    checked.map_err(|fault| tiles.unread().unwrap_or(fault))
}

/// The hashes of a signed state before a place and after it. They lead to the root that is signed, whoever served them.
///
/// # Errors
/// When a tile cannot be read or is not one of the log.
pub fn spans(files: &dyn LogFiles, place: u64, state: &Checkpoint) -> Result<SpanHashes, JournalFault> {
    let tiles = LogTiles::new(files);
    let nodes = TileHashReader::new(state.size(), *state.root(), &tiles);
    let read = SpanHashes::read(place, state.size(), &nodes);
    read.map_err(|fault| tiles.unread().unwrap_or(fault))
}

/// The audit path from a leaf to the root of a signed state.
///
/// # Errors
/// When the tiles do not lead there, or cannot be read.
pub fn path(files: &dyn LogFiles, place: u64, leaf: Hash, state: &Checkpoint) -> Result<Vec<Hash>, JournalFault> {
    let tiles = LogTiles::new(files);
    let nodes = TileHashReader::new(state.size(), *state.root(), &tiles);
    let proven = prove_at((state.size(), state.root()), place, leaf, &nodes);
    proven.map_err(|fault| tiles.unread().unwrap_or(fault))
}

/// Checks that the log serves these records, each at its index, as they were hashed.
///
/// # Errors
/// When it serves another one, or none.
pub fn check_entries(files: &dyn LogFiles, size: u64, records: &[(u64, Hash)]) -> Result<(), JournalFault> {
    let mut read: Option<(u64, Vec<Vec<u8>>)> = None;
    for (index, leaf) in records {
        let number = index / tiles::WIDTH;
        if read.as_ref().is_none_or(|(tile, _)| *tile != number) {
            let records = entries(files, size, number)?;
            if let Some(at) = records.iter().position(|record| Record::parse(record).is_none()) {
                let place = number * tiles::WIDTH + at as u64;
                return Err(JournalFault::corrupt(format!("record {place} of the log is no record of a no")));
            }
            read = Some((number, records));
        }
        let record = read.as_ref().and_then(|(_, records)| records.get(usize::try_from(index % tiles::WIDTH).ok()?));
        if record.map(|record| leaf_hash(record)) != Some(*leaf) {
            return Err(JournalFault::corrupt(format!(
                "the log serves another record {index} than its receipt proves"
            )));
        }
    }
    Ok(())
}

fn entries(files: &dyn LogFiles, size: u64, number: u64) -> Result<Vec<Vec<u8>>, JournalFault> {
    let width = size.saturating_sub(number * tiles::WIDTH).min(tiles::WIDTH);
    let tile = tiles::entries_at(number, width);
    let tile = tile.ok_or_else(|| JournalFault::corrupt("the log is shorter than a receipt of it"))?;
    tiles::unbundle(&files.get(&tile.path())?, width)
}

/// Tiles by their paths.
pub struct LogTiles<'f> {
    files: &'f dyn LogFiles,
    /// Why the first of them could not be read: the library has no room for it.
    unread: RefCell<Option<JournalFault>>,
}

impl<'f> LogTiles<'f> {
    pub const fn new(files: &'f dyn LogFiles) -> Self {
        Self { files, unread: RefCell::new(None) }
    }

    /// Why a tile could not be read, if one could not.
    pub fn unread(&self) -> Option<JournalFault> {
        self.unread.take()
    }
}

impl TileReader for LogTiles<'_> {
    fn height(&self) -> u8 {
        tiles::HEIGHT
    }

    fn read_tiles(&self, wanted: &[Tile]) -> Result<Vec<Vec<u8>>, tlog::Error> {
        let read = |tile: &Tile| {
            let bytes = self.files.get(&TilePath::of(*tile).path()).map_err(|fault| {
                self.unread.borrow_mut().get_or_insert(fault);
                tlog::Error::InvalidTile
            })?;
            let is_whole = bytes.len() == tile.width() as usize * tlog::HASH_SIZE;
            if is_whole { Ok(bytes) } else { Err(tlog::Error::InvalidTile) }
        };
        wanted.iter().map(read).collect()
    }

    fn save_tiles(&self, _: &[Tile], _: &[Vec<u8>]) {}
}
