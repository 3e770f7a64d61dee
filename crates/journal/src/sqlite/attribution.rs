//! The table of who asked, in SQLite. What is deleted from it leaves no byte behind in the database or its write-ahead log.

use std::{collections::BTreeMap, ops::Range};

use rusqlite::{Connection, Row, Transaction, TransactionBehavior, params};
use svc_core::journal::attribution::Attribution;
use svc_proof::fault::{JournalFault, JournalFaultKind};

use super::fault::sql;
use crate::attribution::{AttributionFilter, AttributionRow, FilterParameters, NameColumns};

/// What a filter means; its parameters are place, time, owner, token and package.
const WANTED: &str = "(?1 IS NULL OR place < ?1) AND (?2 IS NULL OR time < ?2) AND (?3 IS NULL OR owner = ?3) \
                      AND (?4 IS NULL OR token = ?4) AND (?5 IS NULL OR package_id = ?5)";

pub(super) fn insert(transaction: &Transaction<'_>, rows: &[AttributionRow]) -> Result<(), JournalFault> {
    let add = "INSERT INTO attribution (place, time, owner, token, package_id, package_version) \
               VALUES (?1, ?2, ?3, ?4, ?5, ?6)";
    let mut statement = transaction.prepare_cached(add).map_err(sql)?;
    for row in rows {
        let names = NameColumns::of(&row.attribution);
        let (place, time) = (row.place.cast_signed(), row.time.millis().cast_signed());
        let values = params![place, time, names.owner, names.token, names.package_id, names.package_version];
        statement.execute(values).map_err(sql)?;
    }
    Ok(())
}

pub(super) fn between(
    connection: &Connection,
    places: &Range<u64>,
) -> Result<BTreeMap<u64, Attribution>, JournalFault> {
    let query =
        "SELECT place, owner, token, package_id, package_version FROM attribution WHERE place >= ?1 AND place < ?2";
    let mut statement = connection.prepare_cached(query).map_err(sql)?;
    let bound = |place: u64| i64::try_from(place).unwrap_or(i64::MAX);
    let rows = statement.query_map(params![bound(places.start), bound(places.end)], |row| {
        // A column that holds no text any more is damage of this row alone.
        let attribution = names(row).map_or_else(|_| Attribution::unreadable(), |names| names.read());
        Ok((row.get::<_, i64>(0)?.cast_unsigned(), attribution))
    });
    rows.and_then(Iterator::collect).map_err(sql)
}

fn names(row: &Row<'_>) -> rusqlite::Result<NameColumns<String>> {
    Ok(NameColumns { owner: row.get(1)?, token: row.get(2)?, package_id: row.get(3)?, package_version: row.get(4)? })
}

pub(super) fn count(connection: &Connection, of: &AttributionFilter) -> Result<u64, JournalFault> {
    let FilterParameters { place, time, owner, token, package_id } = FilterParameters::of(of);
    let query = format!("SELECT count(*) FROM attribution WHERE {WANTED}");
    let counted = connection.query_row(&query, params![place, time, owner, token, package_id], |row| row.get(0));
    counted.map(i64::cast_unsigned).map_err(sql)
}

/// Deletes rows, makes the table anew from those that are left, and empties the write-ahead log. The connection overwrites
/// what it frees, and every page that the table ever had is freed: so nothing is left either of what SQLite moved from page
/// to page.
pub(super) fn forget(connection: &mut Connection, of: &AttributionFilter) -> Result<u64, JournalFault> {
    let FilterParameters { place, time, owner, token, package_id } = FilterParameters::of(of);
    let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate).map_err(sql)?;
    let delete = format!("DELETE FROM attribution WHERE {WANTED}");
    let deleted = transaction.execute(&delete, params![place, time, owner, token, package_id]).map_err(sql)?;
    let made = "SELECT sql FROM sqlite_schema WHERE type = 'table' AND name = 'attribution'";
    let made: String = transaction.query_row(made, [], |row| row.get(0)).map_err(sql)?;
    let anew = format!(
        "ALTER TABLE attribution RENAME TO forgotten; {made};
         INSERT INTO attribution SELECT * FROM forgotten ORDER BY place; DROP TABLE forgotten;"
    );
    transaction.execute_batch(&anew).map_err(sql)?;
    transaction.commit().map_err(sql)?;
    empty_write_ahead_log(connection)?;
    Ok(deleted as u64)
}

fn empty_write_ahead_log(connection: &Connection) -> Result<(), JournalFault> {
    let blocked = connection.query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |row| row.get::<_, i64>(0));
    if blocked.map_err(sql)? == 0 {
        return Ok(());
    }
    Err(JournalFault::new(
        JournalFaultKind::Locked,
        "the names are deleted, and still in the write-ahead log, because another process reads the journal; run the command \
         again when it has ended",
    ))
}
