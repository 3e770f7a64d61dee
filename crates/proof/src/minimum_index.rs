//! Where a log begins: the number of the first record whose bytes are kept, signed (C2SP tlog-tiles, pruning).
//!
//! What is before it was pruned by somebody who has the log's key: hashes stay, records are gone. A record that is gone and
//! not before it is damage. It lies on the border of a full tile, so that tiles of records are there whole or not at all.

use svc_core::journal::scalars::Count;

use crate::{
    fault::{JournalFault, JournalFaultKind},
    note,
    public_key::PublicKeys,
    signed_text::MINIMUM_INDEX,
    tree::TILE_WIDTH,
};

/// A minimum index whose signature was found to be the log's.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MinimumIndex {
    index: u64,
    text: String,
}

impl MinimumIndex {
    /// Reads a minimum index and its signature.
    ///
    /// # Errors
    /// When it is not one of the log whose keys these are.
    pub fn open(text: &str, keys: &PublicKeys) -> Result<Self, JournalFault> {
        let line = note::open_line(text, keys, MINIMUM_INDEX).map_err(|refused| refused.fault("the minimum index"))?;
        let index = line.parse().ok().filter(|index: &u64| index.to_string() == line && is_border(*index));
        let index = index.ok_or_else(|| JournalFault::corrupt("the minimum index must be a border of tiles"))?;
        Ok(Self { index, text: text.to_owned() })
    }

    #[must_use]
    pub const fn index(&self) -> u64 {
        self.index
    }

    /// The signed note.
    #[must_use]
    pub fn text(&self) -> &str {
        &self.text
    }
}

fn is_border(index: u64) -> bool {
    index > 0 && index.is_multiple_of(TILE_WIDTH) && Count::new(index).is_some()
}

/// Where a log begins: at its first record, or at a minimum index.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LogStart(Option<MinimumIndex>);

impl LogStart {
    /// Reads a note, when there is one.
    ///
    /// # Errors
    /// When it is not the log's.
    pub fn read(text: Option<&str>, keys: &PublicKeys) -> Result<Self, JournalFault> {
        text.map(|text| MinimumIndex::open(text, keys)).transpose().map(Self)
    }

    /// The number of the first record that is kept.
    #[must_use]
    pub fn index(&self) -> u64 {
        self.0.as_ref().map_or(0, MinimumIndex::index)
    }

    #[must_use]
    pub const fn note(&self) -> Option<&MinimumIndex> {
        self.0.as_ref()
    }

    /// Refuses a beginning behind the end.
    ///
    /// # Errors
    /// When the log is shorter.
    pub fn check_within(&self, size: u64) -> Result<(), JournalFault> {
        if self.index() <= size {
            return Ok(());
        }
        let detail = format!("the log has {size} records, and its minimum index is {}", self.index());
        Err(JournalFault::corrupt(detail))
    }

    /// What it means that the bytes of a record are gone.
    #[must_use]
    pub fn gone(&self, place: u64) -> JournalFault {
        let begins = self.index();
        if place < begins {
            let detail = format!("record {place} was pruned; the log begins at {begins}");
            return JournalFault::new(JournalFaultKind::Missing, detail);
        }
        JournalFault::corrupt(format!("the bytes of record {place} are gone, and the log was not pruned there"))
    }
}
