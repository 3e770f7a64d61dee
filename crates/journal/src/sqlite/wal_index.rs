//! How many frames SQLite counted as committed: the header of the index of the write-ahead log, which is the file `-shm`.
//!
//! The index is memory that processes share, so that it outlives a process that was killed, and the first to open the
//! database makes it anew. Until then it is a witness: a commit is counted after its flush, so that a log with fewer whole
//! commits has lost some. A missing or other index says nothing.

use std::{fs::File, io::Read as _, path::Path};

use super::wal::{beside, checksum};

/// The length of the header, of which there are two copies.
const HEADER: usize = 48;
const VERSION: u32 = 3_007_000;

/// What an index counted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct WalIndex {
    /// Of the log that is counted.
    pub(super) salts: [u8; 8],
    /// Frames up to the last commit.
    pub(super) committed: u32,
}

/// The index beside a database, as far as there is one that holds.
pub(super) fn read(database: &Path) -> Option<WalIndex> {
    let mut bytes = [0; 2 * HEADER];
    File::open(beside(database, "-shm")).ok()?.read_exact(&mut bytes).ok()?;
    let (header, copy) = bytes.split_first_chunk::<HEADER>()?;
    let number = |at: usize| bytes.get(at..)?.first_chunk().map(|bytes| u32::from_ne_bytes(*bytes));
    let sum = checksum(header.first_chunk::<40>()?, u32::from_ne_bytes, (0, 0));
    let holds = copy.starts_with(header) && sum == (number(40)?, number(44)?) && number(0)? == VERSION;
    let salts = *header.get(32..)?.first_chunk()?;
    holds.then_some(WalIndex { salts, committed: number(16)? })
}
