//! The files of an embedded log, looked at before SQLite opens them: reading alone can make it delete a log beside an empty
//! database, follow a link to other files, or play back a rollback journal that somebody put there.

use std::{
    fs::{self, File},
    io::{self, Read as _},
    path::Path,
};

use super::{
    wal::{self, beside},
    wal_index,
};
use svc_proof::fault::{JournalFault, JournalFaultKind};

/// The first bytes of every database, and what is read of its header.
const MAGIC: &[u8; 16] = b"SQLite format 3\0";
const HEADER: usize = 100;

/// Whether there is a database; one without a byte is none.
///
/// # Errors
/// When something else is in its place, or what belongs to a database lies there without one.
pub(super) fn exist(database: &Path) -> Result<bool, JournalFault> {
    let length = regular(database)?;
    let log = regular(&wal::path_of(database))?;
    regular(&beside(database, "-shm"))?;
    if regular(&beside(database, "-journal"))?.is_some() {
        let detail = format!("{} has a rollback journal beside it, and svc makes none", database.display());
        return Err(JournalFault::new(JournalFaultKind::Unusable, detail));
    }
    if length.unwrap_or(0) == 0 && log.is_some() {
        return Err(JournalFault::new(
            JournalFaultKind::Rewound,
            "there is a write-ahead log, and the database that it belongs to is missing",
        ));
    }
    Ok(length.is_some_and(|length| length > 0))
}

/// The header of the database and every frame of its write-ahead log. SQLite's locks on a file end when the process closes
/// it anywhere, so that this is for a process that has not opened the database yet.
///
/// # Errors
/// When something is damaged or missing.
pub(super) fn check(database: &Path) -> Result<(), JournalFault> {
    let page_bytes = page_bytes(database)?;
    let (log, index) = (wal::scan(database)?, wal_index::read(database));
    if log.is_some_and(|log| log.page_bytes != page_bytes) {
        return Err(JournalFault::corrupt(
            "the write-ahead log belongs to another database: the size of its pages differs",
        ));
    }
    match (log, index) {
        (Some(log), Some(index)) if log.salts == index.salts && log.committed < index.committed => {
            let (whole, counted) = (log.committed, index.committed);
            let detail = format!("{whole} frames of the write-ahead log are whole, and {counted} were committed");
            Err(JournalFault::corrupt(detail))
        }
        // Nothing ties an index to a log of other salts, or to none: it may be left over from files that were replaced.
        (Some(_) | None, Some(_) | None) => Ok(()),
    }
}

fn page_bytes(database: &Path) -> Result<u32, JournalFault> {
    let mut header = [0; HEADER];
    let read = File::open(database).and_then(|mut file| file.read_exact(&mut header));
    match read {
        Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => {}
        read => read.map_err(|error| JournalFault::io("read the database", &error))?,
    }
    let [magic @ .., high, low, writes, reads] = header.first_chunk::<20>().copied().unwrap_or_default();
    // With other versions of its format SQLite would open the file, and refuse to write later.
    if magic != *MAGIC || ![writes, reads].iter().all(|version| [1, 2].contains(version)) {
        return Err(JournalFault::corrupt(format!(
            "{} is not an SQLite database: its first bytes differ",
            database.display()
        )));
    }
    Ok(match u16::from_be_bytes([high, low]) {
        1 => 65536,
        bytes => u32::from(bytes),
    })
}

/// The length of a file, when there is one.
///
/// # Errors
/// When something else has its name: a link could lead to files of somebody else, and SQLite would look for the
/// write-ahead log beside those.
fn regular(path: &Path) -> Result<Option<u64>, JournalFault> {
    match fs::symlink_metadata(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(JournalFault::io(&format!("look at {}", path.display()), &error)),
        Ok(found) if found.is_file() => Ok(Some(found.len())),
        Ok(_) => Err(JournalFault::new(
            JournalFaultKind::Unusable,
            format!("{} must be a regular file, and is a link or something else", path.display()),
        )),
    }
}
