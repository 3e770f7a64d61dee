//! Connections to the database: what each may do, and what none does by itself.

use std::{fs, io::ErrorKind, path::Path, time::Duration};

use rusqlite::{Connection, OpenFlags, config::DbConfig};
use svc_proof::fault::{JournalFault, JournalFaultKind};

use super::{fault::sql, wal};
use crate::store::Access;

/// At this many pages the writer runs a checkpoint itself, which bounds the write-ahead log to 32 MiB.
const WAL_AUTOCHECKPOINT_PAGES: i64 = 4096;

pub(super) fn connect(path: &Path, access: Access) -> Result<Connection, JournalFault> {
    let reading = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let writing = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let connection = match access {
        Access::Write => Connection::open_with_flags(path, writing),
        // SQLite would make the file of a write-ahead log for a reader as well, and give an empty one the mode of the database.
        Access::Read | Access::Check if is_still(path, access) => {
            Connection::open_with_flags(immutable(path), reading | OpenFlags::SQLITE_OPEN_URI)
        }
        Access::Read | Access::Check => Connection::open_with_flags(path, reading),
    };
    let connection = connection.map_err(sql)?;
    connection.busy_timeout(Duration::from_secs(5)).map_err(sql)?;
    connection.pragma_update(None, "trusted_schema", false).map_err(sql)?;
    // The last to close would otherwise run a checkpoint, also after a fault.
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, true).map_err(sql)?;
    Ok(connection)
}

/// Whether nobody is writing: there is no write-ahead log, or an empty one and nobody else could fill it.
fn is_still(path: &Path, access: Access) -> bool {
    match fs::metadata(wal::path_of(path)) {
        Err(error) => error.kind() == ErrorKind::NotFound,
        Ok(log) => access == Access::Check && log.len() == 0,
    }
}

/// The address of a database that nobody changes: it is read without locks and without a file beside it.
fn immutable(path: &Path) -> String {
    let mut address = "file:".to_owned();
    for byte in path.as_os_str().as_encoded_bytes() {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'/' | b'.' | b'-' | b'_' => address.push(char::from(*byte)),
            b'\\' if cfg!(windows) => address.push('/'),
            _ => address.push_str(&format!("%{byte:02x}")),
        }
    }
    address + "?immutable=1"
}

/// Makes commits durable and deletes for good, or refuses.
pub(super) fn prepare(connection: &Connection) -> Result<(), JournalFault> {
    connection.pragma_update(None, "journal_mode", "wal").map_err(sql)?;
    connection.pragma_update(None, "synchronous", "full").map_err(sql)?;
    connection.pragma_update(None, "wal_autocheckpoint", WAL_AUTOCHECKPOINT_PAGES).map_err(sql)?;
    // What is deleted is overwritten.
    connection.pragma_update(None, "secure_delete", true).map_err(sql)?;
    let mode: String = connection.pragma_query_value(None, "journal_mode", |row| row.get(0)).map_err(sql)?;
    let flushes: i64 = connection.pragma_query_value(None, "synchronous", |row| row.get(0)).map_err(sql)?;
    let overwrites: i64 = connection.pragma_query_value(None, "secure_delete", |row| row.get(0)).map_err(sql)?;
    if mode != "wal" || flushes != 2 || overwrites != 1 {
        return Err(JournalFault::new(
            JournalFaultKind::Unusable,
            "the file system of the data folder does not allow a durable write-ahead log; use a local one",
        ));
    }
    Ok(())
}

/// Runs a full checkpoint and empties the write-ahead log, unless somebody reads: then the next start does.
pub(super) fn checkpoint_and_truncate(connection: &Connection) {
    let _ = connection.query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |_| Ok(()));
}

/// SQLite's own look at the file: pages, tables and the order of keys. What rows say is the tree's business.
pub(super) fn check_structure(connection: &Connection) -> Result<(), JournalFault> {
    let verdict: String = connection.pragma_query_value(None, "quick_check", |row| row.get(0)).map_err(sql)?;
    if verdict == "ok" { Ok(()) } else { Err(JournalFault::corrupt("the journal's file is damaged")) }
}
