//! The write-ahead log as SQLite's description of its format has it, read without SQLite and without a write.
//!
//! SQLite takes the frames up to the first that does not checksum, and overwrites what follows with its next commit. That is
//! right after a crash and wrong after damage. This look tells the two apart before SQLite opens the file:
//!
//! | what follows the last whole commit | what it is |
//! |---|---|
//! | frames with other salts | left over from before the log was reset: normal |
//! | a part of one transaction, its commit frame at most the last | a write that was cut short, never answered: normal |
//! | a commit frame, and behind it more frames with the same salts | damage: that commit was flushed before the next began |
//! | fewer commits than `-shm` counted (`wal_index.rs`) | damage: SQLite counts a commit after its flush |
//!
//! What this cannot tell is a damaged last transaction of which `-shm` knows nothing, for example after a loss of power: it
//! looks like one that was cut short. There the checkpoint outside the database decides, and that is at most a second old.

use std::{
    ffi::OsString,
    fs::File,
    io::{self, BufReader, Read},
    path::{Path, PathBuf},
};

use svc_proof::fault::JournalFault;

const HEADER: usize = 32;
const FRAME_HEADER: usize = 24;

/// The last bit tells the order of the bytes that are summed.
const MAGIC: u32 = 0x377f_0682;
const VERSION: u32 = 3_007_000;

/// What the log holds for certain.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Wal {
    pub(super) page_bytes: u32,
    /// They change whenever SQLite resets the log to write it from its beginning.
    pub(super) salts: [u8; 8],
    /// Frames up to the last whole commit.
    pub(super) committed: u32,
}

/// Where the write-ahead log of a database is.
pub(super) fn path_of(database: &Path) -> PathBuf {
    beside(database, "-wal")
}

/// A file of SQLite's beside the database.
pub(super) fn beside(database: &Path, suffix: &str) -> PathBuf {
    let mut name = OsString::from(database);
    name.push(suffix);
    name.into()
}

/// Reads the log from end to end; nothing when there is none or it is empty.
///
/// # Errors
/// When it is damaged, or cannot be read.
pub(super) fn scan(database: &Path) -> Result<Option<Wal>, JournalFault> {
    let unreadable = |error: io::Error| JournalFault::io("read the write-ahead log", &error);
    let file = match File::open(path_of(database)) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        opened => opened.map_err(unreadable)?,
    };
    let mut log = BufReader::with_capacity(1 << 16, file);
    let mut header = [0; HEADER];
    // A loss of power can leave a file that has grown and was not filled: nothing in it was flushed.
    if !fill(&mut log, &mut header).map_err(unreadable)? || header == [0; HEADER] {
        return Ok(None);
    }
    let mut sum = Sum::begin(&header).ok_or_else(|| damaged("its header does not checksum"))?;
    let (page_bytes, salts) = (number(&header, 8), salts(&header, 16));
    if !page_bytes.is_power_of_two() || !(512..=65536).contains(&page_bytes) || number(&header, 4) != VERSION {
        return Err(damaged("its header is not one of SQLite"));
    }
    let mut frame = vec![0; FRAME_HEADER + page_bytes as usize];
    let mut tail = Tail { salts, at: 0, committed: 0, broken: false, ended: false };
    while fill(&mut log, &mut frame).map_err(unreadable)? {
        tail.take(&frame, &mut sum)?;
    }
    Ok(Some(Wal { page_bytes, salts, committed: tail.committed }))
}

/// The frames as they come: whole ones up to the first that is not, then what is left behind it.
struct Tail {
    salts: [u8; 8],
    at: u32,
    committed: u32,
    broken: bool,
    /// A commit frame with the same salts was passed behind the last whole commit.
    ended: bool,
}

impl Tail {
    fn take(&mut self, frame: &[u8], sum: &mut Sum) -> Result<(), JournalFault> {
        self.at = self.at.saturating_add(1);
        let has_salts = salts(frame, 8) == self.salts;
        let is_commit = number(frame, 4) != 0;
        self.broken = self.broken || !has_salts || !sum.covers(frame) || number(frame, 0) == 0;
        if !self.broken {
            if is_commit {
                self.committed = self.at;
            }
            return Ok(());
        }
        if has_salts && self.ended {
            let detail = format!("a frame behind frame {} does not checksum, and later commits follow", self.committed);
            return Err(damaged(&detail));
        }
        self.ended = self.ended || (has_salts && is_commit);
        Ok(())
    }
}

/// SQLite's running checksum: each frame's covers all before it.
struct Sum {
    word: fn([u8; 4]) -> u32,
    value: (u32, u32),
}

impl Sum {
    /// The sum of the header, when it is the one that the header says.
    fn begin(header: &[u8; HEADER]) -> Option<Self> {
        let magic = number(header, 0);
        let word = if magic & 1 == 1 { u32::from_be_bytes } else { u32::from_le_bytes };
        let mut sum = Self { word, value: (0, 0) };
        sum.add(header.get(..24)?);
        (magic & !1 == MAGIC && sum.value == (number(header, 24), number(header, 28))).then_some(sum)
    }

    fn covers(&mut self, frame: &[u8]) -> bool {
        self.add(frame.get(..8).unwrap_or_default());
        self.add(frame.get(FRAME_HEADER..).unwrap_or_default());
        self.value == (number(frame, 16), number(frame, 20))
    }

    fn add(&mut self, bytes: &[u8]) {
        self.value = checksum(bytes, self.word, self.value);
    }
}

/// The checksum of SQLite's write-ahead log and of its index.
pub(super) fn checksum(bytes: &[u8], word: fn([u8; 4]) -> u32, start: (u32, u32)) -> (u32, u32) {
    let (pairs, _) = bytes.as_chunks::<8>();
    pairs.iter().fold(start, |(first, second), [a, b, c, d, e, f, g, h]| {
        let first = first.wrapping_add(word([*a, *b, *c, *d])).wrapping_add(second);
        (first, second.wrapping_add(word([*e, *f, *g, *h])).wrapping_add(first))
    })
}

/// A number of the header of the log or of a frame.
fn number(bytes: &[u8], at: usize) -> u32 {
    bytes.get(at..).and_then(<[u8]>::first_chunk).map_or(0, |bytes| u32::from_be_bytes(*bytes))
}

fn salts(bytes: &[u8], at: usize) -> [u8; 8] {
    bytes.get(at..).and_then(<[u8]>::first_chunk).copied().unwrap_or_default()
}

/// Whether the buffer could be filled: the last frame of a log may be cut.
fn fill(from: &mut impl Read, buffer: &mut [u8]) -> io::Result<bool> {
    match from.read_exact(buffer) {
        Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => Ok(false),
        read => read.map(|()| true),
    }
}

fn damaged(what: &str) -> JournalFault {
    JournalFault::corrupt(format!("the write-ahead log is damaged: {what}"))
}

#[cfg(test)]
mod tests {
    use std::fs;

    use rusqlite::{Connection, config::DbConfig};

    use super::*;

    /// A database with a commit a row, and how many frames the log had after each.
    fn database(folder: &Path, rows: u32) -> (PathBuf, Vec<u32>) {
        let path = folder.join("database");
        let connection = Connection::open(&path).unwrap();
        connection.set_db_config(DbConfig::SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, true).unwrap();
        connection.execute_batch("PRAGMA page_size = 512; PRAGMA journal_mode = wal; CREATE TABLE t (x)").unwrap();
        let frames = |_| {
            connection.execute("INSERT INTO t VALUES (randomblob(700))", []).unwrap();
            scan(&path).unwrap().unwrap().committed
        };
        let frames = (0..rows).map(frames).collect();
        (path, frames)
    }

    /// How many rows SQLite finds in a copy with this log.
    fn recovered(path: &Path, log: &[u8]) -> u32 {
        let folder = tempfile::tempdir().unwrap();
        let copy = folder.path().join("database");
        fs::copy(path, &copy).unwrap();
        fs::write(path_of(&copy), log).unwrap();
        let rows = Connection::open(&copy).unwrap().query_row("SELECT count(*) FROM t", [], |row| row.get(0));
        rows.unwrap_or(0)
    }

    /// SQLite is the oracle: where the look finds no damage, it counts the commits that SQLite recovers. Where SQLite leaves
    /// out more than one, the look finds damage.
    #[test]
    fn the_look_counts_what_sqlite_recovers_and_notices_what_it_leaves_out() {
        let folder = tempfile::tempdir().unwrap();
        let (path, frames) = database(folder.path(), 25);
        let whole = fs::read(path_of(&path)).unwrap();
        let looked = |log: &[u8]| {
            fs::write(path_of(&path), log).unwrap();
            let found = scan(&path).map(|found| found.map_or(0, |found| found.committed));
            found.map(|committed| {
                (0_u32..)
                    .zip(&frames)
                    .take_while(|(_, frame)| **frame <= committed)
                    .last()
                    .map_or(0, |(row, _)| row + 1)
            })
        };
        assert_eq!((looked(&whole), recovered(&path, &whole)), (Ok(25), 25));
        for at in (0..whole.len()).step_by(397) {
            assert_eq!(looked(&whole[..at]), Ok(recovered(&path, &whole[..at])), "cut at {at}");
            let mut changed = whole.clone();
            changed[at] ^= 0x10;
            let rows = recovered(&path, &changed);
            match looked(&changed) {
                Ok(found) => assert!(found == rows && rows >= 24, "byte {at}: {found} and {rows}"),
                Err(fault) => assert!(rows < 25, "byte {at}: {fault}, and SQLite finds all"),
            }
        }
    }
}
