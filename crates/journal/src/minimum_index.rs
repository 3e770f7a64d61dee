//! Where a log begins: the number of the first record whose bytes are kept, signed (C2SP tlog-tiles, pruning).
//!
//! What is before it was pruned by somebody who has the log's key: hashes stay, records are gone. A record that is gone and
//! not before it is damage. It lies on the border of a full tile, so that tiles of records are there whole or not at all.

use svc_core::journal::scalars::Count;

use crate::{
    fault::{JournalFault, JournalFaultKind},
    key::{LogKey, PublicKeys},
    note,
    signed_text::{MINIMUM_INDEX, SignedText},
    tree::TILE_WIDTH,
};

/// A minimum index whose signature was found to be the log's.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MinimumIndex {
    index: u64,
    text: String,
}

impl MinimumIndex {
    /// Signs that records before this one are gone.
    ///
    /// # Errors
    /// When it is not on the border of a tile, or the key does not sign.
    pub(crate) fn sign(key: &LogKey, index: u64) -> Result<Self, JournalFault> {
        if !is_border(index) {
            return Err(JournalFault::new(JournalFaultKind::Unusable, "a log is pruned by whole tiles of 256 records"));
        }
        Ok(Self { index, text: key.sign(&SignedText::MinimumIndex { index })? })
    }

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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{checkpoint::Checkpoint, hand_over::KeyHandOver, tree::MerkleTree};

    fn key() -> LogKey {
        LogKey::from_seed("registry.example/journal", &[7; 32]).unwrap()
    }

    #[test]
    fn only_a_signed_border_of_tiles_is_one() {
        let key = key();
        let keys = PublicKeys::one(key.public().clone());
        for line in ["0", "1", "255", "0256", "+256", "256 ", " 256", "-256", "", "256\n256", "9007199254740992", "x"] {
            let text = format!("registry.example/journal/minimum-index\n{line}\n");
            let signed = key.sign_anything(text.as_bytes());
            assert!(MinimumIndex::open(&signed, &keys).is_err(), "{line:?}");
        }
        for origin in ["registry.example/other", "registry.example", "registry.example/journal/minimum-index", ""] {
            let signed = key.sign_anything(format!("{origin}/minimum-index\n256\n").as_bytes());
            assert!(MinimumIndex::open(&signed, &keys).is_err(), "{origin:?}");
        }
        let signed = MinimumIndex::sign(&key, 512).unwrap();
        assert_eq!(MinimumIndex::open(signed.text(), &keys).unwrap(), signed);
        for at in 0..signed.text().len() {
            let mut changed = signed.text().as_bytes().to_vec();
            changed[at] ^= 1;
            let changed = String::from_utf8_lossy(&changed).into_owned();
            assert!(MinimumIndex::open(&changed, &keys).is_err(), "byte {at}");
        }
        assert!(MinimumIndex::sign(&key, 100).is_err() && MinimumIndex::sign(&key, 0).is_err());
    }

    /// Each kind is read by its own reader alone, also under a name that ends like another kind's first line.
    #[test]
    fn no_text_of_one_kind_is_read_as_another() {
        let key = key();
        let keys = PublicKeys::one(key.public().clone());
        let root = MerkleTree::empty().root().unwrap();
        let next = LogKey::from_seed(key.origin(), &[8; 32]).unwrap();
        let texts = [
            Checkpoint::sign(&key, 256, &root).unwrap().text().as_str().to_owned(),
            MinimumIndex::sign(&key, 256).unwrap().text().to_owned(),
            KeyHandOver::sign(&key, next.public()).unwrap().text().to_owned(),
        ];
        for (at, text) in texts.iter().enumerate() {
            let read = [
                Checkpoint::open(text, &keys).is_ok(),
                MinimumIndex::open(text, &keys).is_ok(),
                KeyHandOver::open(text, &keys).is_ok(),
            ];
            let own: Vec<bool> = (0..3).map(|kind| kind == at).collect();
            assert_eq!(read.as_slice(), own, "{text}");
        }
        for name in ["registry.example/journal/minimum-index", "registry.example/journal/next-key", "/next-key"] {
            assert!(LogKey::from_seed(name, &[7; 32]).is_err(), "{name} is a name that a log could be mistaken by");
        }
    }
}
