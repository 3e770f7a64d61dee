//! Logs that can be read from the first record to the last: a store, or tiles in a folder or behind an address.

use crate::{
    checkpoint::Checkpoint,
    fault::{JournalFault, JournalFaultKind},
    hand_over::HandOverNotes,
    minimum_index::LogStart,
    public_key::PublicKeys,
    tiles::{self, TilePath, WIDTH},
    tree::{GrownTree, HASH_SIZE, Hash, MerkleTree, leaf_hash},
};

/// A record and the hash of its leaf. The bytes are gone when they were pruned.
#[derive(Clone, Debug)]
pub struct LogEntry {
    /// The record's bytes.
    pub record: Option<Vec<u8>>,
    /// The leaf's hash: of the bytes when they are there, else as it was kept.
    pub leaf: Hash,
}

pub trait LogSource {
    /// The next entries after those that were read, in order; none at the end.
    ///
    /// # Errors
    /// When they cannot be read.
    fn next(&mut self, from: u64, most: usize) -> Result<Vec<LogEntry>, JournalFault>;

    /// Compares every hash that the log keeps for the entries that were read last with the ones computed from them.
    ///
    /// # Errors
    /// When one differs.
    fn confirm(&mut self, grown: &GrownTree) -> Result<(), JournalFault>;
}

/// Files by path: a folder, or an address.
pub trait LogFiles {
    /// The bytes of a file.
    ///
    /// # Errors
    /// When it is not there or cannot be read.
    fn get(&self, path: &str) -> Result<Vec<u8>, JournalFault>;
}

/// Tiles as a source: entries are read tile by tile, and every tile of hashes is compared.
pub struct TileSource<'f> {
    files: &'f dyn LogFiles,
    size: u64,
    start: LogStart,
    /// Hashes of the levels that tiles are kept of, as far as their last tile has not been compared.
    levels: Vec<(u64, Vec<u8>)>,
}

impl<'f> TileSource<'f> {
    /// The first records of a log, as many as its checkpoint says. Of what is before its beginning only hashes are read.
    ///
    /// # Errors
    /// When it begins behind its end.
    pub fn new(files: &'f dyn LogFiles, size: u64, start: LogStart) -> Result<Self, JournalFault> {
        start.check_within(size)?;
        Ok(Self { files, size, start, levels: Vec::new() })
    }

    /// The leaves of a full tile whose records were pruned.
    fn pruned(&self, number: u64, skipped: usize, most: usize) -> Result<Vec<LogEntry>, JournalFault> {
        let tile = tiles::at(0, number, WIDTH).ok_or_else(too_large)?;
        let bytes = self.files.get(&tile.path())?;
        let (hashes, rest) = bytes.as_chunks::<HASH_SIZE>();
        if hashes.len() as u64 != WIDTH || !rest.is_empty() {
            return Err(JournalFault::corrupt(format!("{} does not hold 256 hashes", tile.path())));
        }
        Ok(hashes.iter().skip(skipped).take(most).map(|hash| LogEntry { record: None, leaf: Hash(*hash) }).collect())
    }

    /// The same from a tree on whose records were read before. The tiles that it ends in are read again, as far as they were
    /// there, and have to lead to its edge.
    ///
    /// # Errors
    /// When they do not, or cannot be read.
    pub fn resumed(
        files: &'f dyn LogFiles,
        size: u64,
        start: LogStart,
        tree: &MerkleTree,
    ) -> Result<Self, JournalFault> {
        start.check_within(size)?;
        let (mut levels, mut edge) = (Vec::new(), Vec::new());
        for level in (0..tiles::LEVELS).rev() {
            let nodes = |size: u64| size >> (u32::from(level) * 8);
            let (number, before) = (nodes(tree.size()) / WIDTH, nodes(tree.size()) % WIDTH);
            let mut bytes = Vec::new();
            if before > 0 {
                let width = (nodes(size) - number * WIDTH).min(WIDTH);
                let tile = tiles::at(usize::from(level), number, width)
                    .ok_or_else(|| JournalFault::corrupt("the number of a tile is too large"))?;
                bytes = files.get(&tile.path())?;
                if bytes.len() as u64 != width * HASH_SIZE as u64 {
                    return Err(JournalFault::corrupt(format!("{} has another length than its hashes", tile.path())));
                }
                bytes.truncate(usize::try_from(before).unwrap_or_default() * HASH_SIZE);
                let hashes = bytes.as_chunks::<HASH_SIZE>().0.iter().map(|hash| Hash(*hash));
                edge.extend(MerkleTree::empty().grow_by_hashes(hashes)?.tree().edge());
            }
            levels.push((number, bytes));
        }
        levels.reverse();
        if edge != tree.edge() {
            let detail = format!("the first {} records are not those that were read before", tree.size());
            return Err(JournalFault::new(JournalFaultKind::Rewound, detail));
        }
        Ok(Self { files, size, start, levels })
    }

    /// Compares the records of a tile that were read before with their hashes, where those are still at hand.
    fn compare_skipped(&self, tile: &TilePath, records: &[Vec<u8>], skipped: usize) -> Result<(), JournalFault> {
        let Some((number, hashes)) = self.levels.first() else { return Ok(()) };
        let is_at_hand = number * WIDTH == tile.start() && hashes.len() == skipped * HASH_SIZE;
        let differs = |(record, hash): (&Vec<u8>, &[u8; HASH_SIZE])| leaf_hash(record).0 != *hash;
        if is_at_hand && records.iter().zip(hashes.as_chunks::<HASH_SIZE>().0).any(differs) {
            return Err(JournalFault::corrupt(format!("{} holds other records than were read before", tile.path())));
        }
        Ok(())
    }

    /// Takes the computed hashes of a level, and compares each tile that is full or the last.
    fn compare(&mut self, level: usize, hash: &[u8], is_last: bool) -> Result<(), JournalFault> {
        if self.levels.len() <= level {
            self.levels.resize(level + 1, (0, Vec::new()));
        }
        let Some((number, bytes)) = self.levels.get_mut(level) else { return Ok(()) };
        bytes.extend(hash);
        let width = (bytes.len() / HASH_SIZE) as u64;
        if width == 0 || (width < WIDTH && !is_last) {
            return Ok(());
        }
        let tile = tiles::at(level, *number, width).ok_or_else(too_large)?;
        if self.files.get(&tile.path())? != *bytes {
            let detail = match tiles::entries_at(*number, width).filter(|_| level == 0) {
                Some(records) => {
                    format!(
                        "{} and {} do not belong together: the records do not have these hashes",
                        records.path(),
                        tile.path()
                    )
                }
                None => format!("{} does not hold the hashes of its records", tile.path()),
            };
            return Err(JournalFault::corrupt(detail));
        }
        *number += 1;
        bytes.clear();
        Ok(())
    }
}

impl LogSource for TileSource<'_> {
    fn next(&mut self, from: u64, most: usize) -> Result<Vec<LogEntry>, JournalFault> {
        if from >= self.size {
            return Ok(Vec::new());
        }
        let (number, skipped) = (from / WIDTH, usize::try_from(from % WIDTH).unwrap_or_default());
        if from < self.start.index() {
            return self.pruned(number, skipped, most);
        }
        let width = (self.size - number * WIDTH).min(WIDTH);
        let tile = tiles::entries_at(number, width).ok_or_else(too_large)?;
        let records = tiles::unbundle(&self.files.get(&tile.path())?, width)?;
        self.compare_skipped(&tile, &records, skipped)?;
        let wanted = records.into_iter().skip(skipped).take(most);
        Ok(wanted.map(|record| LogEntry { leaf: leaf_hash(&record), record: Some(record) }).collect())
    }

    fn confirm(&mut self, grown: &GrownTree) -> Result<(), JournalFault> {
        for place in grown.start()..grown.tree().size() {
            let hashes =
                grown.completed_by(place).ok_or_else(|| JournalFault::corrupt("a node of the tree is missing"))?;
            for (level, hash) in hashes.chunks(HASH_SIZE).enumerate().filter(|(level, _)| level % 8 == 0) {
                self.compare(level / 8, hash, false)?;
            }
        }
        if grown.tree().size() == self.size {
            for level in 0..self.levels.len() {
                self.compare(level, &[], true)?;
            }
        }
        Ok(())
    }
}

fn too_large() -> JournalFault {
    JournalFault::corrupt("the number of a tile is too large")
}

/// Where a log in files begins.
///
/// # Errors
/// When that cannot be read, or no key of the log signed it.
pub fn start_of(files: &dyn LogFiles, keys: &PublicKeys) -> Result<LogStart, JournalFault> {
    LogStart::read(small_text(files, tiles::MINIMUM_INDEX)?.as_deref(), keys)
}

/// The hand-overs of a log in files.
///
/// # Errors
/// When they cannot be read.
pub fn hand_overs_of(files: &dyn LogFiles) -> Result<HandOverNotes, JournalFault> {
    small_text(files, tiles::HAND_OVERS)?
        .map_or_else(|| Ok(HandOverNotes::default()), |text| HandOverNotes::parse(&text))
}

fn small_text(files: &dyn LogFiles, path: &str) -> Result<Option<String>, JournalFault> {
    let bytes = match files.get(path) {
        Err(fault) if fault.kind == JournalFaultKind::Missing => return Ok(None),
        read => read?,
    };
    let text = String::from_utf8(bytes);
    text.map(Some).map_err(|_| JournalFault::corrupt(format!("{path} must be text in UTF-8")))
}

/// The checkpoint of plain files.
///
/// # Errors
/// When there is none, or it is not one of the log.
pub fn checkpoint_of(files: &dyn LogFiles, keys: &PublicKeys) -> Result<Checkpoint, JournalFault> {
    let text = String::from_utf8(files.get(tiles::CHECKPOINT)?);
    let text = text.map_err(|_| JournalFault::corrupt("the checkpoint must be text in UTF-8"))?;
    Checkpoint::open(&text, keys).map_err(JournalFault::from)
}
