//! The log as plain files: C2SP tlog-tiles.
//!
//! | path | what |
//! |---|---|
//! | `checkpoint` | the signed state |
//! | `tile/<level>/<number>[.p/<width>]` | up to 256 hashes of a level |
//! | `minimum-index`, `hand-overs` | where it begins, and how it came to its keys, each signed |
//! | `tile/entries/<number>[.p/<width>]` | up to 256 records, each behind its length in two bytes, the higher first |
//!
//! Full tiles never change. Of the last tile of each level there is the part that exists.

use tlog_tiles::{tile::Tile, tlog::HashReader};

use crate::{
    fault::JournalFault,
    tree::{TILE_WIDTH, bad_tree},
};

/// The path of the checkpoint.
pub const CHECKPOINT: &str = "checkpoint";

/// The path of the newest checkpoint that the quorum of witnesses has seen.
pub const WITNESSED_CHECKPOINT: &str = "witnessed-checkpoint";

/// The path of the note that says where the log begins; none in a log that was never pruned.
pub const MINIMUM_INDEX: &str = "minimum-index";

/// The path of the notes that hand the log over from key to key; none where there are none.
pub const HAND_OVERS: &str = "hand-overs";

pub const MEDIA_TYPE: &str = "application/octet-stream";

/// Records in a full tile.
pub const WIDTH: u64 = TILE_WIDTH;

/// The most bytes that a tile of records has: lengths have 16 bits.
pub const MAX_BUNDLE_BYTES: usize = 256 * (2 + 65_535);

pub const HEIGHT: u8 = 8;
const HASHES: &str = "tile/8/";
const ENTRIES: &str = "tile/8/data/";
/// A tile of this level covers more records than are counted.
pub(crate) const LEVELS: u8 = 7;
const MAX_PATH_LEN: usize = 48;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TilePath(Tile);

impl TilePath {
    pub(crate) const fn of(tile: Tile) -> Self {
        Self(tile)
    }

    /// Reads a path; it has one spelling.
    #[must_use]
    pub fn parse(path: &str) -> Option<Self> {
        let rest = path.strip_prefix("tile/").filter(|rest| rest.len() <= MAX_PATH_LEN)?;
        let (level, tail) = rest.split_once('/')?;
        // The library stops the process on a width of zero and on levels that no log has.
        let known = level == "entries" || level.parse::<u8>().is_ok_and(|number| number < LEVELS);
        if !known || tail.contains(".p/0") || !tail.bytes().all(|byte| byte.is_ascii_digit() || b"/.xp".contains(&byte))
        {
            return None;
        }
        let inner = if level == "entries" { format!("{ENTRIES}{tail}") } else { format!("{HASHES}{rest}") };
        let tile = Self(Tile::from_path(&inner).ok()?);
        (tile.path() == path).then_some(tile)
    }

    #[must_use]
    pub fn path(&self) -> String {
        let path = self.0.path();
        match path.strip_prefix(ENTRIES) {
            Some(tail) => format!("tile/entries/{tail}"),
            None => format!("tile/{}", path.strip_prefix(HASHES).unwrap_or_default()),
        }
    }

    /// Whether it holds records.
    #[must_use]
    pub fn is_entries(&self) -> bool {
        self.0.is_data()
    }

    /// Whether it never changes.
    #[must_use]
    pub fn is_full(&self) -> bool {
        u64::from(self.0.width()) == WIDTH
    }

    #[must_use]
    pub fn level(&self) -> u8 {
        self.0.level()
    }

    /// The number of its first node, within its level.
    #[must_use]
    pub fn start(&self) -> u64 {
        self.0.level_index().saturating_mul(WIDTH)
    }

    /// How many nodes it has.
    #[must_use]
    pub fn width(&self) -> u64 {
        u64::from(self.0.width())
    }

    /// Whether a log of this size has it.
    #[must_use]
    pub fn is_within(&self, size: u64) -> bool {
        let nodes = size >> (u32::from(self.level()) * u32::from(HEIGHT));
        self.start().checked_add(self.width()).is_some_and(|end| end <= nodes)
    }

    /// What has taken its place in a log of this size, if that is wider.
    #[must_use]
    pub fn grown(&self, size: u64) -> Option<Self> {
        let nodes = size >> (u32::from(self.level()) * u32::from(HEIGHT));
        let width = nodes.checked_sub(self.start())?.min(WIDTH);
        if width <= self.width() {
            return None;
        }
        make(self.level(), self.start() / WIDTH, width, self.is_entries())
    }

    /// Whether it is the last of its level in a log of this size.
    #[must_use]
    pub fn is_last_of(&self, size: u64) -> bool {
        let nodes = size >> (u32::from(self.level()) * u32::from(HEIGHT));
        self.start().checked_add(self.width()) == Some(nodes)
    }

    /// The hashes in it, out of the nodes of a tree.
    ///
    /// # Errors
    /// When a node is missing.
    pub fn hashes(&self, nodes: &impl HashReader) -> Result<Vec<u8>, JournalFault> {
        self.0.read_data(nodes).map_err(bad_tree)
    }
}

/// Every tile of a log of this size: hashes of each level, then records.
pub fn all(size: u64) -> impl Iterator<Item = TilePath> {
    let hashes = (0..LEVELS).flat_map(move |level| of_level(size, level, false));
    hashes.chain(of_level(size, 0, true))
}

/// The tiles of records of a log of this size.
pub fn of_entries(size: u64) -> impl Iterator<Item = TilePath> {
    of_level(size, 0, true)
}

/// A tile of hashes.
#[must_use]
pub fn at(level: usize, number: u64, width: u64) -> Option<TilePath> {
    let level = u8::try_from(level).ok().filter(|level| *level < LEVELS)?;
    make(level, number, width, false)
}

/// A tile of records.
#[must_use]
pub fn entries_at(number: u64, width: u64) -> Option<TilePath> {
    make(0, number, width, true)
}

fn make(level: u8, number: u64, width: u64, is_data: bool) -> Option<TilePath> {
    let width = u32::try_from(width).ok().filter(|width| (1..=WIDTH).contains(&u64::from(*width)))?;
    Some(TilePath(Tile::new(HEIGHT, level, number, width, is_data)))
}

fn of_level(size: u64, level: u8, is_data: bool) -> impl Iterator<Item = TilePath> {
    let nodes = size >> (u32::from(level) * u32::from(HEIGHT));
    (0..nodes.div_ceil(WIDTH))
        .filter_map(move |number| make(level, number, (nodes - number * WIDTH).min(WIDTH), is_data))
}

/// The records of a bundle.
///
/// # Errors
/// When it does not hold exactly this many.
pub fn unbundle(mut bytes: &[u8], width: u64) -> Result<Vec<Vec<u8>>, JournalFault> {
    let torn = || JournalFault::corrupt("a tile of records ends inside a record");
    let mut records = Vec::new();
    while let Some((length, rest)) = bytes.split_first_chunk::<2>() {
        let (record, rest) = rest.split_at_checked(usize::from(u16::from_be_bytes(*length))).ok_or_else(torn)?;
        records.push(record.to_vec());
        bytes = rest;
    }
    if bytes.is_empty() && records.len() as u64 == width { Ok(records) } else { Err(torn()) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_have_one_spelling_and_none_stops_the_process() {
        for path in
            ["tile/0/000", "tile/1/000.p/3", "tile/0/x001/x234/067", "tile/entries/000.p/255", "tile/entries/x001/000"]
        {
            assert_eq!(TilePath::parse(path).map(|tile| tile.path()).as_deref(), Some(path));
        }
        for path in [
            "",
            "tile",
            "tile/",
            "tile/0",
            "tile/0/",
            "tile/0/0",
            "tile/0/00",
            "tile/0/0000",
            "tile/00/000",
            "tile/+1/000",
            "tile/64/000",
            "tile/7/000",
            "tile/255/000",
            "tile/256/000",
            "tile/-1/000",
            "tile/0/000.p/0",
            "tile/0/000.p/256",
            "tile/0/000.p/257",
            "tile/0/000.p/00",
            "tile/0/000.p/",
            "tile/0/000.p",
            "tile/0/x000/001",
            "tile/0/001/000",
            "tile/data/000",
            "tile/8/data/000",
            "tile/8/0/000",
            "tile/entries/000.p/0",
            "tile/0/../000",
            "tile/0/%30",
            "tile/0/x018/x446/x744/x073/x709/x551/615",
            "tile/0/x018/x446/x744/x073/x709/x551/616.p/255",
            "/tile/0/000",
            "tile/0/000/",
            "tile//000",
            "tile/0/é00",
            "tile/0/000.p/3.p/3",
        ] {
            let parsed = TilePath::parse(path);
            // A number beyond any log has a path, and is within none.
            assert!(parsed.is_none_or(|tile| !tile.is_within((1 << 53) - 1)), "{path}");
        }
    }

    #[test]
    fn tiles_cover_every_node_once() {
        for size in [0_u64, 1, 255, 256, 257, 65_535, 65_536, 65_793] {
            let tiles: Vec<TilePath> = all(size).collect();
            for level in 0..3_u8 {
                let of_level: Vec<&TilePath> =
                    tiles.iter().filter(|tile| !tile.is_entries() && tile.level() == level).collect();
                let nodes: u64 = of_level.iter().map(|tile| tile.width()).sum();
                assert_eq!(nodes, size >> (8 * level), "size {size}, level {level}");
                assert!(of_level.iter().all(|tile| tile.is_within(size)));
            }
            assert_eq!(of_entries(size).map(|tile| tile.width()).sum::<u64>(), size);
        }
    }
}
