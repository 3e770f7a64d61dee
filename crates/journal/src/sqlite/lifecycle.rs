//! What changes in an embedded log besides its growth: where it begins, and who signs. What is deleted leaves no byte behind
//! in the database or its write-ahead log.

use std::ops::Range;

use rusqlite::{Connection, OptionalExtension as _, TransactionBehavior, params};
use svc_proof::{
    fault::{JournalFault, JournalFaultKind},
    hand_over::HandOverNotes,
    minimum_index::MinimumIndex,
};

use super::{fault::sql, schema};

/// Tables of an earlier version have neither; a start looks at them before it brings them up to date.
pub(super) fn minimum_index(connection: &Connection) -> Result<Option<String>, JournalFault> {
    if !schema::has_table(connection, "minimum_index")? {
        return Ok(None);
    }
    let query = "SELECT note FROM minimum_index WHERE id = 1";
    connection.query_row(query, [], |row| row.get(0)).optional().map_err(sql)
}

pub(super) fn hand_overs(connection: &Connection) -> Result<HandOverNotes, JournalFault> {
    if !schema::has_table(connection, "hand_over")? {
        return Ok(HandOverNotes::default());
    }
    let mut statement = connection.prepare("SELECT note FROM hand_over ORDER BY number").map_err(sql)?;
    let notes = statement.query_map([], |row| row.get(0));
    notes.and_then(Iterator::collect).map(HandOverNotes::new).map_err(sql)
}

pub(super) fn announce(connection: &Connection, number: i64, note: &str) -> Result<(), JournalFault> {
    let add = "INSERT OR IGNORE INTO hand_over (number, note) VALUES (?1, ?2)";
    connection.execute(add, params![number, note]).map(drop).map_err(sql)
}

pub(super) fn keep_minimum_index(connection: &Connection, note: &MinimumIndex) -> Result<(), JournalFault> {
    let keep = "INSERT OR REPLACE INTO minimum_index (id, note) VALUES (1, ?1)";
    connection.execute(keep, [note.text()]).map(|_| ()).map_err(sql)
}

/// Overwrites records where they lie, then takes them out. The other way round, SQLite could move one from page to page
/// before its turn, and leave a copy behind that nobody overwrites.
pub(super) fn delete_records(connection: &mut Connection, places: Range<i64>) -> Result<u64, JournalFault> {
    let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate).map_err(sql)?;
    let those = "place >= ?1 AND place < ?2 AND record IS NOT NULL";
    let range = params![places.start, places.end];
    let blank = format!("UPDATE entry SET record = zeroblob(length(record)) WHERE {those}");
    transaction.execute(&blank, range).map_err(sql)?;
    let range = params![places.start, places.end];
    let deleted = transaction.execute(&format!("UPDATE entry SET record = NULL WHERE {those}"), range).map_err(sql)?;
    transaction.commit().map_err(sql)?;
    Ok(deleted as u64)
}

pub(super) fn empty_write_ahead_log(connection: &Connection) -> Result<(), JournalFault> {
    let blocked = connection.query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |row| row.get::<_, i64>(0));
    if blocked.map_err(sql)? == 0 {
        return Ok(());
    }
    Err(JournalFault::new(
        JournalFaultKind::Locked,
        "the records are deleted, and still in the write-ahead log, because another process reads the journal; run the command \
         again when it has ended",
    ))
}
