//! The embedded store: one SQLite file, written by one thread of one process. Another moves what was committed to its place.
//!
//! Write-ahead log, `synchronous = FULL`: a commit is on the disk before it returns. An error while flushing ends all
//! writing, because the system may have dropped what it could not write and will not say so a second time.

mod mover;

use std::{
    collections::BTreeMap,
    path::{Path, PathBuf},
    sync::{Mutex, MutexGuard, PoisonError},
    time::Duration,
};

use rusqlite::{Connection, ErrorCode, OpenFlags, OptionalExtension as _, Transaction, TransactionBehavior, params};

use self::mover::Mover;
use crate::{
    fault::{Fault, FaultKind},
    key::{PublicKey, PublicKeys},
    migration::{self, Migration},
    store::{Extend, Fetch, Head, Row, Store, check_order, pick},
    tree::{Hash, Tree, kept_with},
};

/// `svcj`, in the header of the file.
const APPLICATION_ID: i64 = 0x7376_636a;

/// Below this much free room nothing is written any more, so that the disk is never filled to the last byte.
const LEAST_ROOM: u64 = 32 * 1024 * 1024;

/// The pages of a new file. Each page of a commit costs two calls of the system; larger ones would be written half empty.
const PAGE_BYTES: i64 = 8 * 1024;

/// At this many pages the writer moves what is left itself, which bounds the write-ahead log to 32 MiB.
const MOST_PAGES_AHEAD: i64 = 4096;

const MIGRATIONS: &[Migration] = &[Migration {
    number: 1,
    sql: "CREATE TABLE entry (place INTEGER PRIMARY KEY, record BLOB, hashes BLOB NOT NULL) STRICT;
          CREATE TABLE head (id INTEGER PRIMARY KEY CHECK (id = 1), size INTEGER NOT NULL, edge BLOB NOT NULL, root BLOB NOT NULL) STRICT;
          CREATE TABLE log_key (number INTEGER PRIMARY KEY, public TEXT NOT NULL UNIQUE) STRICT;",
}];

/// What a store is opened for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Access {
    /// Reading alone; another process may be writing.
    Read,
    /// Writing; the file is made when it is missing.
    Write,
}

/// The store.
#[derive(Debug)]
pub struct Sqlite {
    path: PathBuf,
    // The first to go.
    mover: Option<Mover>,
    writer: Mutex<Connection>,
    /// Readers do not wait for the writer.
    reader: Mutex<Connection>,
}

impl Sqlite {
    /// Opens the file, checks its structure, and brings its tables up to date.
    ///
    /// # Errors
    /// When it cannot be opened, is not a journal, or is damaged.
    pub fn open(path: &Path, access: Access) -> Result<Self, Fault> {
        if access == Access::Read && !path.exists() {
            return Err(Fault::new(FaultKind::Missing, format!("there is no journal at {}", path.display())));
        }
        let writer = connect(path, access)?;
        if access == Access::Write {
            prepare(&writer)?;
        }
        check_structure(&writer)?;
        let mut store = Self {
            path: path.to_owned(),
            reader: Mutex::new(connect(path, Access::Read)?),
            writer: Mutex::new(writer),
            mover: if access == Access::Write { Some(Mover::start(path)?) } else { None },
        };
        store.migrate(access)?;
        Ok(store)
    }

    fn migrate(&mut self, access: Access) -> Result<(), Fault> {
        let connection = self.writer.get_mut().unwrap_or_else(PoisonError::into_inner);
        let begun: bool = connection
            .query_row("SELECT count(*) FROM sqlite_schema WHERE name = 'migration'", [], |row| row.get(0))
            .map_err(sql)?;
        if access == Access::Read {
            let done = if begun { applied(connection)? } else { Vec::new() };
            let current = migration::pending(MIGRATIONS, &done)?.is_empty();
            return if current { Ok(()) } else { Err(Fault::new(FaultKind::Drift, "the journal's tables are older")) };
        }
        let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate).map_err(sql)?;
        if !begun {
            let table = "CREATE TABLE migration (number INTEGER PRIMARY KEY, checksum TEXT NOT NULL) STRICT";
            transaction.execute_batch(table).map_err(sql)?;
        }
        for step in migration::pending(MIGRATIONS, &applied(&transaction)?)? {
            transaction.execute_batch(step.sql).map_err(sql)?;
            let remember = "INSERT INTO migration (number, checksum) VALUES (?1, ?2)";
            transaction.execute(remember, params![step.number, step.checksum()]).map_err(sql)?;
        }
        if !begun {
            let empty = Tree::empty();
            let first = "INSERT INTO head (id, size, edge, root) VALUES (1, 0, ?1, ?2)";
            transaction.execute(first, params![empty.edge(), empty.root()?.0]).map_err(sql)?;
        }
        transaction.commit().map_err(sql)
    }

    fn write(&self) -> MutexGuard<'_, Connection> {
        self.writer.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn read(&self) -> MutexGuard<'_, Connection> {
        self.reader.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Fetch for Sqlite {
    fn hashes(&self, indexes: &[u64]) -> Result<Vec<Hash>, Fault> {
        hashes_in(&self.read(), indexes)
    }
}

impl Store for Sqlite {
    fn append(&self, extend: &mut Extend<'_>) -> Result<(), Fault> {
        let mut connection = self.write();
        let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate).map_err(sql)?;
        let extension = extend(&head_in(&transaction)?, &Within(&transaction))?;
        insert(&transaction, &extension.rows)?;
        let head = &extension.head;
        let size = number(head.tree.size())?;
        let changed = "UPDATE head SET size = ?1, edge = ?2, root = ?3 WHERE id = 1";
        let changed = transaction
            .prepare_cached(changed)
            .and_then(|mut statement| statement.execute(params![size, head.tree.edge(), head.root.0]));
        if changed.map_err(sql)? != 1 {
            return Err(Fault::corrupt("the journal has no head"));
        }
        transaction.commit().map_err(sql)?;
        self.mover.as_ref().inspect(|mover| mover.note(&extension.rows));
        Ok(())
    }

    fn head(&self) -> Result<Head, Fault> {
        head_in(&self.read())
    }

    fn rows(&self, from: u64, most: usize) -> Result<Vec<Row>, Fault> {
        let connection = self.read();
        let query = "SELECT place, record, hashes FROM entry WHERE place >= ?1 ORDER BY place LIMIT ?2";
        let mut statement = connection.prepare_cached(query).map_err(sql)?;
        let most = i64::try_from(most).unwrap_or(i64::MAX);
        let rows = statement.query_map(params![number(from)?, most], |row| {
            let place: i64 = row.get(0)?;
            Ok(Row { place: u64::try_from(place).unwrap_or(u64::MAX), record: row.get(1)?, hashes: row.get(2)? })
        });
        let rows: Vec<Row> = rows.and_then(Iterator::collect).map_err(sql)?;
        check_order(&rows, from)?;
        Ok(rows)
    }

    fn keys(&self) -> Result<Option<PublicKeys>, Fault> {
        let connection = self.read();
        let mut statement =
            connection.prepare_cached("SELECT public FROM log_key ORDER BY number DESC").map_err(sql)?;
        let keys = statement.query_map([], |row| row.get(0));
        let keys: Vec<String> = keys.and_then(Iterator::collect).map_err(sql)?;
        if keys.is_empty() { Ok(None) } else { PublicKeys::parse(&keys.join("\n")).map(Some) }
    }

    fn add_key(&self, place: usize, key: &PublicKey) -> Result<(), Fault> {
        let add = "INSERT OR IGNORE INTO log_key (number, public) VALUES (?1, ?2)";
        let added = self.write().execute(add, params![number(place as u64)?, key.as_str()]);
        added.map(|_| ()).map_err(sql)
    }

    fn check_room(&self) -> Result<(), Fault> {
        check_room(self.path.parent().unwrap_or(&self.path))
    }

    fn name(&self) -> String {
        self.path.display().to_string()
    }

    fn is_shared(&self) -> bool {
        false
    }
}

/// Nodes as a transaction sees them.
struct Within<'t>(&'t Transaction<'t>);

impl Fetch for Within<'_> {
    fn hashes(&self, indexes: &[u64]) -> Result<Vec<Hash>, Fault> {
        hashes_in(self.0, indexes)
    }
}

/// Refuses to go on when the disk of a folder is almost full.
pub(crate) fn check_room(folder: &Path) -> Result<(), Fault> {
    #[cfg(unix)]
    {
        let room = rustix::fs::statvfs(folder).map_err(|error| Fault::io("look at the disk", &error.into()))?;
        let free = room.f_bavail.saturating_mul(room.f_frsize);
        if free < LEAST_ROOM {
            return Err(Fault::new(FaultKind::Full, format!("{} MiB are free on the journal's disk", free >> 20)));
        }
    }
    #[cfg(not(unix))]
    let _ = folder;
    Ok(())
}

fn connect(path: &Path, access: Access) -> Result<Connection, Fault> {
    let flags = match access {
        Access::Read => OpenFlags::SQLITE_OPEN_READ_ONLY,
        Access::Write => OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_CREATE,
    };
    let connection = Connection::open_with_flags(path, flags | OpenFlags::SQLITE_OPEN_NO_MUTEX).map_err(sql)?;
    connection.busy_timeout(Duration::from_secs(5)).map_err(sql)?;
    connection.pragma_update(None, "trusted_schema", false).map_err(sql)?;
    Ok(connection)
}

fn prepare(connection: &Connection) -> Result<(), Fault> {
    let id: i64 = connection.pragma_query_value(None, "application_id", |row| row.get(0)).map_err(sql)?;
    let tables: i64 = connection.query_row("SELECT count(*) FROM sqlite_schema", [], |row| row.get(0)).map_err(sql)?;
    if id != APPLICATION_ID && tables > 0 {
        return Err(Fault::new(FaultKind::Unusable, "the file is a database of something else"));
    }
    if tables == 0 {
        connection.pragma_update(None, "page_size", PAGE_BYTES).map_err(sql)?;
    }
    connection.pragma_update(None, "application_id", APPLICATION_ID).map_err(sql)?;
    connection.pragma_update(None, "journal_mode", "wal").map_err(sql)?;
    connection.pragma_update(None, "synchronous", "full").map_err(sql)?;
    connection.pragma_update(None, "wal_autocheckpoint", MOST_PAGES_AHEAD).map_err(sql)?;
    let mode: String = connection.pragma_query_value(None, "journal_mode", |row| row.get(0)).map_err(sql)?;
    let flushes: i64 = connection.pragma_query_value(None, "synchronous", |row| row.get(0)).map_err(sql)?;
    if mode != "wal" || flushes != 2 {
        return Err(Fault::new(FaultKind::Unusable, "the file system does not allow a durable write-ahead log"));
    }
    Ok(())
}

/// SQLite's own look at the file: pages, tables and the order of keys. What rows say is the tree's business.
fn check_structure(connection: &Connection) -> Result<(), Fault> {
    let verdict: String = connection.pragma_query_value(None, "quick_check", |row| row.get(0)).map_err(sql)?;
    if verdict == "ok" { Ok(()) } else { Err(Fault::corrupt("the journal's file is damaged")) }
}

fn applied(connection: &Connection) -> Result<Vec<(i64, String)>, Fault> {
    let mut statement = connection.prepare("SELECT number, checksum FROM migration ORDER BY number").map_err(sql)?;
    let steps = statement.query_map([], |row| Ok((row.get(0)?, row.get(1)?)));
    steps.and_then(Iterator::collect).map_err(sql)
}

fn head_in(connection: &Connection) -> Result<Head, Fault> {
    let query = "SELECT size, edge, root FROM head WHERE id = 1";
    let row = connection.prepare_cached(query).and_then(|mut statement| {
        statement
            .query_row([], |row| Ok((row.get::<_, i64>(0)?, row.get::<_, Vec<u8>>(1)?, row.get::<_, [u8; 32]>(2)?)))
            .optional()
    });
    let (size, edge, root) = row.map_err(sql)?.ok_or_else(|| Fault::corrupt("the journal has no head"))?;
    let size = u64::try_from(size).map_err(|_| Fault::corrupt("the journal's size is negative"))?;
    let root = Hash(root);
    Ok(Head { tree: Tree::restore(size, &edge, &root)?, root })
}

fn insert(transaction: &Transaction<'_>, rows: &[Row]) -> Result<(), Fault> {
    let statement = transaction.prepare_cached("INSERT INTO entry (place, record, hashes) VALUES (?1, ?2, ?3)");
    let mut statement = statement.map_err(sql)?;
    for row in rows {
        statement.execute(params![number(row.place)?, row.record, row.hashes]).map_err(sql)?;
    }
    Ok(())
}

fn hashes_in(connection: &Connection, indexes: &[u64]) -> Result<Vec<Hash>, Fault> {
    let mut statement = connection.prepare_cached("SELECT hashes FROM entry WHERE place = ?1").map_err(sql)?;
    let mut kept: BTreeMap<u64, Vec<u8>> = BTreeMap::new();
    for index in indexes {
        let (place, _) = kept_with(*index);
        if !kept.contains_key(&place) {
            let hashes: Option<Vec<u8>> =
                statement.query_row([number(place)?], |row| row.get(0)).optional().map_err(sql)?;
            kept.extend(hashes.map(|hashes| (place, hashes)));
        }
    }
    pick(indexes, |place| kept.get(&place).cloned())
}

fn number(value: u64) -> Result<i64, Fault> {
    i64::try_from(value).map_err(|_| Fault::corrupt("a place beyond what is counted"))
}

fn sql(error: rusqlite::Error) -> Fault {
    let kind = match error.sqlite_error_code() {
        Some(ErrorCode::DiskFull) => FaultKind::Full,
        Some(ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked | ErrorCode::FileLockingProtocolFailed) => {
            FaultKind::Locked
        }
        Some(ErrorCode::DatabaseCorrupt | ErrorCode::NotADatabase | ErrorCode::SchemaChanged) => FaultKind::Corrupt,
        Some(_) => FaultKind::Storage,
        None => FaultKind::Corrupt,
    };
    Fault::new(kind, format!("SQLite: {error}"))
}
