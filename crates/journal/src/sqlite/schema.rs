//! The tables of an embedded log, and that there is nothing beside them: a trigger or a view of somebody else would take
//! part in what is written and read.

use std::collections::BTreeSet;

use rusqlite::{Connection, TransactionBehavior, params};
use svc_proof::{
    fault::{JournalFault, JournalFaultKind},
    tree::MerkleTree,
};

use super::fault::sql;
use crate::migration::{self, Migration};

/// `svcj`, in the header of the file.
pub(super) const APPLICATION_ID: i64 = 0x7376_636a;

const STEPS: &str = "CREATE TABLE migration (number INTEGER PRIMARY KEY, checksum TEXT NOT NULL) STRICT";

const MIGRATIONS: &[Migration] = &[
    Migration {
    number: 1,
    sql: "CREATE TABLE entry (place INTEGER PRIMARY KEY, record BLOB, hashes BLOB NOT NULL) STRICT;
          CREATE TABLE head (id INTEGER PRIMARY KEY CHECK (id = 1), size INTEGER NOT NULL, edge BLOB NOT NULL, root BLOB NOT NULL) STRICT;
          CREATE TABLE log_key (number INTEGER PRIMARY KEY, public TEXT NOT NULL UNIQUE) STRICT;
          CREATE TABLE attribution (place INTEGER PRIMARY KEY, time INTEGER NOT NULL, owner TEXT, token TEXT, package_id TEXT, package_version TEXT) STRICT;",
    },
    Migration {
        number: 2,
        sql: "CREATE TABLE minimum_index (id INTEGER PRIMARY KEY CHECK (id = 1), note TEXT NOT NULL) STRICT;
          CREATE TABLE hand_over (number INTEGER PRIMARY KEY, note TEXT NOT NULL) STRICT;",
    },
];

/// An object of a database: its type, its name, its table and the statement that made it.
type Object = (String, String, String, Option<String>);

/// Makes the tables of a new log.
///
/// # Errors
/// When they cannot be written.
pub(super) fn create(connection: &mut Connection) -> Result<(), JournalFault> {
    let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate).map_err(sql)?;
    transaction.execute_batch(STEPS).map_err(sql)?;
    apply(&transaction, MIGRATIONS)?;
    let empty = MerkleTree::empty();
    let first = "INSERT INTO head (id, size, edge, root) VALUES (1, 0, ?1, ?2)";
    transaction.execute(first, params![empty.edge(), empty.root()?.0]).map_err(sql)?;
    transaction.commit().map_err(sql)
}

/// Brings the tables up to date.
///
/// # Errors
/// When they are not those of an earlier version, or cannot be written.
pub(super) fn update(connection: &mut Connection) -> Result<(), JournalFault> {
    let steps = pending(connection)?;
    if steps.is_empty() {
        return Ok(());
    }
    let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate).map_err(sql)?;
    apply(&transaction, steps)?;
    transaction.commit().map_err(sql)
}

/// The steps that are still to do.
///
/// # Errors
/// When those that were done are not the ones of this version, or of a form that was never released.
pub(super) fn pending(connection: &Connection) -> Result<&'static [Migration], JournalFault> {
    let mut statement = connection.prepare("SELECT number, checksum FROM migration ORDER BY number").map_err(sql)?;
    let done = statement.query_map([], |row| Ok((row.get(0)?, row.get(1)?)));
    let done: Vec<(i64, String)> = done.and_then(Iterator::collect).map_err(sql)?;
    if migration::began_otherwise(MIGRATIONS, &done) && !has_table(connection, "attribution")? {
        return Err(migration::unreleased());
    }
    migration::pending(MIGRATIONS, &done)
}

/// Refuses what is not a log, and every object that is not of the steps that were done.
///
/// # Errors
/// The first that is too much or missing, by name.
pub(super) fn check(connection: &Connection) -> Result<(), JournalFault> {
    let id: i64 = connection.pragma_query_value(None, "application_id", |row| row.get(0)).map_err(sql)?;
    let found = objects(connection)?;
    if id != APPLICATION_ID {
        return Err(JournalFault::new(
            JournalFaultKind::Unusable,
            "journal.sqlite3 must be a journal, and is a database of another program",
        ));
    }
    if found.is_empty() {
        return Err(JournalFault::new(
            JournalFaultKind::Rewound,
            "the database has no tables: its write-ahead log is gone",
        ));
    }
    if !found.iter().any(|(_, name, ..)| name == "migration") {
        return Err(JournalFault::corrupt("the table `migration` of the journal is missing"));
    }
    let done = MIGRATIONS.len() - pending(connection)?.len();
    let model = Connection::open_in_memory().map_err(sql)?;
    model.execute_batch(STEPS).map_err(sql)?;
    MIGRATIONS.iter().take(done).try_for_each(|step| model.execute_batch(step.sql)).map_err(sql)?;
    let known = objects(&model)?;
    if let Some((kind, name, table, _)) = found.difference(&known).next() {
        let detail =
            format!("the {kind} `{name}` on `{table}` is not one of the journal's: somebody changed the database");
        return Err(JournalFault::corrupt(detail));
    }
    match known.difference(&found).next() {
        Some((kind, name, ..)) => Err(JournalFault::corrupt(format!("the {kind} `{name}` of the journal is missing"))),
        None => Ok(()),
    }
}

fn apply(connection: &Connection, steps: &[Migration]) -> Result<(), JournalFault> {
    for step in steps {
        connection.execute_batch(step.sql).map_err(sql)?;
        let remember = "INSERT INTO migration (number, checksum) VALUES (?1, ?2)";
        connection.execute(remember, params![step.number, step.checksum()]).map_err(sql)?;
    }
    Ok(())
}

pub(super) fn has_table(connection: &Connection, name: &str) -> Result<bool, JournalFault> {
    let query = "SELECT count(*) FROM sqlite_schema WHERE type = 'table' AND name = ?1";
    connection.query_row(query, [name], |row| row.get::<_, i64>(0)).map(|count| count > 0).map_err(sql)
}

fn objects(connection: &Connection) -> Result<BTreeSet<Object>, JournalFault> {
    let mut statement = connection.prepare("SELECT type, name, tbl_name, sql FROM sqlite_schema").map_err(sql)?;
    let objects = statement.query_map([], |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?, row.get(3)?)));
    objects.and_then(Iterator::collect).map_err(sql)
}
