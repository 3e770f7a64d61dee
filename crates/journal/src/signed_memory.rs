//! The newest states that this node signed, remembered before anyone is given them: the file `journal.signed`.
//!
//! `journal.checkpoint` is flushed, and so written once a second. This file is written for every state, in place and
//! without a flush, into two slots in turn. A process that is killed loses none of it, so a start after a kill knows of every
//! record that was answered, whatever happened to the database. A power failure may leave an older state or a torn slot. An
//! older state is still one that the log must have grown from; a slot that is not a checkpoint of this log is skipped.

use std::{
    fs::{self, File},
    io,
    path::Path,
};

use svc_archive::plain_files::{Care, PlainFiles};
use svc_proof::{checkpoint::Checkpoint, public_key::PublicKeys};

/// The file in the data folder.
pub(crate) const FILE: &str = "journal.signed";

/// As long as the text of a checkpoint can be.
const SLOT: usize = 4096;

#[derive(Debug)]
pub(crate) struct SignedMemory {
    file: File,
    next: Slot,
}

#[derive(Clone, Copy, Debug)]
enum Slot {
    First,
    Second,
}

impl SignedMemory {
    /// Goes on with a file that has this state already, and else replaces it by one that has this state alone: a start that is
    /// refused later leaves what was remembered as it was.
    pub(crate) fn begin(folder: &Path, state: &Checkpoint) -> io::Result<Self> {
        let files = PlainFiles::below(folder);
        if let Some(next) = after(&fs::read(folder.join(FILE)).unwrap_or_default(), state) {
            return Ok(Self { file: files.open_for_writing(FILE)?, next });
        }
        let mut bytes = slot_of(state);
        bytes.resize(2 * SLOT, 0);
        files.put(FILE, &bytes, Care::Private)?;
        Ok(Self { file: files.open_for_writing(FILE)?, next: Slot::Second })
    }

    /// Remembers a newer state. The other slot keeps the one before.
    pub(crate) fn note(&mut self, state: &Checkpoint) -> io::Result<()> {
        let (at, next) = match self.next {
            Slot::First => (0, Slot::Second),
            Slot::Second => (SLOT as u64, Slot::First),
        };
        write_at(&self.file, &slot_of(state), at)?;
        self.next = next;
        Ok(())
    }
}

/// The states that the bytes of such a file have, signed by a key of the log.
pub(crate) fn states(bytes: &[u8], keys: &PublicKeys) -> Vec<Checkpoint> {
    let text = |slot: &[u8]| {
        let end = slot.iter().position(|byte| *byte == 0).unwrap_or(slot.len());
        String::from_utf8(slot.get(..end)?.to_vec()).ok()
    };
    bytes.chunks(SLOT).filter_map(text).filter_map(|text| Checkpoint::open(&text, keys).ok()).collect()
}

/// The slot to write next in a file that has this state.
fn after(bytes: &[u8], state: &Checkpoint) -> Option<Slot> {
    let (first, second) = bytes.split_at_checked(SLOT).filter(|_| bytes.len() == 2 * SLOT)?;
    let slot = slot_of(state);
    if first == slot {
        return Some(Slot::Second);
    }
    (second == slot).then_some(Slot::First)
}

fn slot_of(state: &Checkpoint) -> Vec<u8> {
    let mut slot = state.text().as_str().as_bytes().to_vec();
    slot.resize(SLOT, 0);
    slot
}

#[cfg(unix)]
fn write_at(file: &File, bytes: &[u8], at: u64) -> io::Result<()> {
    std::os::unix::fs::FileExt::write_all_at(file, bytes, at)
}

#[cfg(not(unix))]
fn write_at(mut file: &File, bytes: &[u8], at: u64) -> io::Result<()> {
    use std::io::{Seek as _, Write as _};

    file.seek(io::SeekFrom::Start(at))?;
    file.write_all(bytes)
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;
    use crate::log_key::LogKey;
    use svc_proof::tree::Hash;

    #[test]
    fn the_last_two_states_are_remembered_and_a_torn_one_is_skipped() {
        let (folder, key) = (tempfile::tempdir().unwrap(), LogKey::generate().unwrap());
        let keys = PublicKeys::one(key.public().clone());
        let state = |size: u64| key.sign_checkpoint(size, &Hash([7; 32])).unwrap();
        let file = folder.path().join(FILE);
        let sizes = || states(&fs::read(&file).unwrap(), &keys).iter().map(Checkpoint::size).collect::<Vec<_>>();
        let mut memory = SignedMemory::begin(folder.path(), &state(3)).unwrap();
        assert_eq!(sizes(), [3]);
        for size in 4..7 {
            memory.note(&state(size)).unwrap();
        }
        assert_eq!(sizes(), [5, 6]);
        let before = fs::read(&file).unwrap();
        SignedMemory::begin(folder.path(), &state(6)).unwrap();
        assert_eq!(fs::read(&file).unwrap(), before, "what is remembered already is left as it is");
        SignedMemory::begin(folder.path(), &state(6)).unwrap().note(&state(7)).unwrap();
        assert_eq!(sizes(), [7, 6], "the older of the two makes room");
        fs::write(&file, before).unwrap();
        let mut torn = fs::read(&file).unwrap();
        torn[SLOT + 40] ^= 1;
        fs::write(&file, torn).unwrap();
        assert_eq!(sizes(), [5]);
        let other = PublicKeys::one(LogKey::generate().unwrap().public().clone());
        assert!(states(&fs::read(&file).unwrap(), &other).is_empty());
        assert!(states(&[0xff; 100], &keys).is_empty() && states(&[], &keys).is_empty());
    }
}
