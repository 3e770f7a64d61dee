//! The embedded store: one SQLite file in WAL mode, written by one thread of one process; another thread checkpoints it.
//!
//! Write-ahead log, `synchronous = FULL`: a commit is on the disk before it returns. An error while flushing ends all
//! writing, because the system may have dropped what it could not write and will not say so a second time.

mod attribution;
mod connection;
mod create;
mod endpoints;
mod fault;
mod files;
mod lifecycle;
mod probe;
mod schema;
mod wal;
mod wal_checkpointer;
mod wal_index;

use std::{
    collections::BTreeMap,
    ops::Range,
    path::{Path, PathBuf},
    sync::{
        Mutex, MutexGuard, PoisonError,
        atomic::{AtomicBool, Ordering},
    },
};

use rusqlite::{Connection, OptionalExtension as _, Transaction, TransactionBehavior, params};
use svc_core::journal::attribution::Attribution;
use svc_proof::{
    fault::{JournalFault, JournalFaultKind},
    hand_over::HandOverNotes,
    minimum_index::MinimumIndex,
    public_key::{PublicKey, PublicKeys},
    tree::{Hash, MerkleTree, kept_with},
};

pub use self::endpoints::SqliteEndpoints;
use self::{
    connection::{check_structure, checkpoint_and_truncate, connect, prepare},
    fault::sql,
    wal_checkpointer::WalCheckpointer,
};
use crate::{
    attribution::AttributionFilter,
    folder::DataFolder,
    store::{Access, Extend, Fetch, Head, LogRow, Store, StoreProbe, check_order, pick, stored_keys},
};

/// Below this much free room nothing is written any more, so that the disk is never filled to the last byte.
const MIN_FREE_BYTES: u64 = 32 * 1024 * 1024;

/// A file of this size is looked at whole whenever it is opened; a larger one by those who read all of it.
const SMALL_FILE_BYTES: u64 = 16 * 1024 * 1024;

#[derive(Debug)]
pub struct Sqlite {
    path: PathBuf,
    access: Access,
    wal_checkpointer: Option<WalCheckpointer>,
    writer: Mutex<Connection>,
    /// Readers do not wait for the writer.
    reader: Mutex<Connection>,
    /// What asks whether the file takes writes waits for neither. Only who writes is asked.
    probe: Option<Mutex<Connection>>,
    /// Something may not have reached the disk: what is there stays as it is.
    failed: AtomicBool,
}

impl Sqlite {
    /// Opens the log. For anything but writing, no file but `-shm` is changed, whatever is found.
    ///
    /// # Errors
    /// When there is none, it cannot be opened, is not a journal, or is damaged.
    pub fn open(path: &Path, access: Access) -> Result<Self, JournalFault> {
        if !Self::exists(path)? {
            return Err(JournalFault::new(
                JournalFaultKind::Missing,
                format!("there is no journal at {}", path.display()),
            ));
        }
        if access == Access::Check {
            files::check(path)?;
        }
        let mut writer = connect(path, access)?;
        match access {
            Access::Read | Access::Check => {
                if is_small(path) {
                    check_structure(&writer)?;
                }
                schema::check(&writer)?;
            }
            Access::Write => {
                prepare(&writer)?;
                schema::update(&mut writer)?;
            }
        }
        if access == Access::Read {
            refuse_older(&writer)?;
        }
        Ok(Self {
            path: path.to_owned(),
            access,
            reader: Mutex::new(connect(path, if access == Access::Check { access } else { Access::Read })?),
            writer: Mutex::new(writer),
            probe: if access == Access::Write { Some(Mutex::new(probe::connect(path)?)) } else { None },
            wal_checkpointer: if access == Access::Write { Some(WalCheckpointer::start(path)?) } else { None },
            failed: AtomicBool::new(false),
        })
    }

    /// Opens the log for reading while nobody writes to it: no file is changed but `-shm`, and no mode.
    ///
    /// # Errors
    /// As [`Sqlite::open`].
    pub fn open_still(path: &Path) -> Result<Self, JournalFault> {
        let still = Self::open(path, Access::Check)?;
        refuse_older(&still.read())?;
        Ok(still)
    }

    /// Whether there is a log at this path.
    ///
    /// # Errors
    /// When the files there are not those of a log.
    pub fn exists(path: &Path) -> Result<bool, JournalFault> {
        files::exist(path)
    }

    /// Makes the file of a new log.
    ///
    /// # Errors
    /// When it cannot be written.
    pub fn create(path: &Path) -> Result<(), JournalFault> {
        create::create(path)
    }

    fn append_once(&self, extend: &mut Extend<'_>) -> Result<(), JournalFault> {
        let mut connection = self.write();
        let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate).map_err(sql)?;
        let extension = extend(&head_in(&transaction)?, &Within(&transaction))?;
        insert(&transaction, &extension.rows)?;
        attribution::insert(&transaction, &extension.attributions)?;
        let head = &extension.head;
        let size = number(head.tree.size())?;
        let changed = "UPDATE head SET size = ?1, edge = ?2, root = ?3 WHERE id = 1";
        let changed = transaction
            .prepare_cached(changed)
            .and_then(|mut statement| statement.execute(params![size, head.tree.edge(), head.root.0]));
        if changed.map_err(sql)? != 1 {
            return Err(JournalFault::corrupt("the row with the size and the root of the log is missing"));
        }
        transaction.commit().map_err(sql)?;
        self.wal_checkpointer.as_ref().inspect(|checkpointer| checkpointer.note_committed(&extension.rows));
        Ok(())
    }

    fn write(&self) -> MutexGuard<'_, Connection> {
        self.writer.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn read(&self) -> MutexGuard<'_, Connection> {
        self.reader.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Whether SQLite looks at the whole file in a moment.
fn is_small(path: &Path) -> bool {
    std::fs::metadata(path).is_ok_and(|found| found.len() <= SMALL_FILE_BYTES)
}

fn refuse_older(connection: &Connection) -> Result<(), JournalFault> {
    if schema::pending(connection)?.is_empty() {
        return Ok(());
    }
    Err(JournalFault::new(
        JournalFaultKind::Drift,
        "the tables of the journal are those of an older version; start `svc-registry serve` or `svc-registry journal init` once to bring them up to date",
    ))
}

/// A clean end leaves one whole file: everything that was committed is in the database, and nothing in the write-ahead log.
/// That one stays, empty, so that whoever reads later makes no file.
impl Drop for Sqlite {
    fn drop(&mut self) {
        self.wal_checkpointer = None;
        self.probe = None;
        if self.access == Access::Write && !*self.failed.get_mut() {
            checkpoint_and_truncate(self.writer.get_mut().unwrap_or_else(PoisonError::into_inner));
        }
    }
}

impl Fetch for Sqlite {
    fn hashes(&self, indexes: &[u64]) -> Result<Vec<Hash>, JournalFault> {
        hashes_in(&self.read(), indexes)
    }
}

impl Store for Sqlite {
    fn append(&self, extend: &mut Extend<'_>) -> Result<(), JournalFault> {
        let appended = self.append_once(extend);
        if appended.as_ref().is_err_and(|fault| fault.kind.is_final()) {
            self.failed.store(true, Ordering::Relaxed);
        }
        appended
    }

    fn head(&self) -> Result<Head, JournalFault> {
        head_in(&self.read())
    }

    fn rows(&self, from: u64, most: usize) -> Result<Vec<LogRow>, JournalFault> {
        let connection = self.read();
        let query = "SELECT place, record, hashes FROM entry WHERE place >= ?1 ORDER BY place LIMIT ?2";
        let mut statement = connection.prepare_cached(query).map_err(sql)?;
        let most = i64::try_from(most).unwrap_or(i64::MAX);
        let rows = statement.query_map(params![number(from)?, most], |row| {
            let place: i64 = row.get(0)?;
            Ok(LogRow { place: u64::try_from(place).unwrap_or(u64::MAX), record: row.get(1)?, hashes: row.get(2)? })
        });
        let rows: Vec<LogRow> = rows.and_then(Iterator::collect).map_err(sql)?;
        check_order(&rows, from)?;
        Ok(rows)
    }

    fn attributions(&self, places: Range<u64>) -> Result<BTreeMap<u64, Attribution>, JournalFault> {
        attribution::between(&self.read(), &places)
    }

    fn count_attributions(&self, of: &AttributionFilter) -> Result<u64, JournalFault> {
        attribution::count(&self.read(), of)
    }

    fn forget(&self, of: &AttributionFilter) -> Result<u64, JournalFault> {
        attribution::forget(&mut self.write(), of)
    }

    fn own_keys(&self) -> Result<Option<PublicKeys>, JournalFault> {
        let connection = self.read();
        let mut statement =
            connection.prepare_cached("SELECT public FROM log_key ORDER BY number DESC").map_err(sql)?;
        let keys = statement.query_map([], |row| row.get(0));
        let keys: Vec<String> = keys.and_then(Iterator::collect).map_err(sql)?;
        stored_keys(&keys)
    }

    fn add_key(&self, place: usize, key: &PublicKey, hand_over: Option<&str>) -> Result<(), JournalFault> {
        let place = number(place as u64)?;
        let mut connection = self.write();
        let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate).map_err(sql)?;
        let add = "INSERT OR IGNORE INTO log_key (number, public) VALUES (?1, ?2)";
        let added = transaction.execute(add, params![place, key.as_str()]).map_err(sql)?;
        if let Some(note) = hand_over.filter(|_| added == 1) {
            lifecycle::announce(&transaction, place, note)?;
        }
        transaction.commit().map_err(sql)
    }

    fn announce_key(&self, place: usize, hand_over: &str) -> Result<(), JournalFault> {
        lifecycle::announce(&self.write(), number(place as u64)?, hand_over)
    }

    fn hand_overs(&self) -> Result<HandOverNotes, JournalFault> {
        lifecycle::hand_overs(&self.read())
    }

    fn minimum_index(&self) -> Result<Option<String>, JournalFault> {
        lifecycle::minimum_index(&self.read())
    }

    fn keep_minimum_index(&self, note: &MinimumIndex) -> Result<(), JournalFault> {
        lifecycle::keep_minimum_index(&self.write(), note)
    }

    fn delete_records(&self, places: Range<u64>) -> Result<u64, JournalFault> {
        lifecycle::delete_records(&mut self.write(), number(places.start)?..number(places.end)?)
    }

    fn free_deleted(&self) -> Result<(), JournalFault> {
        lifecycle::empty_write_ahead_log(&self.write())
    }

    fn check_structure(&self) -> Result<(), JournalFault> {
        check_structure(&self.read())
    }

    fn check_room(&self) -> Result<(), JournalFault> {
        check_room(self.path.parent().unwrap_or(&self.path))
    }

    /// To take the lock of the writer and give it back shows as much as a write would.
    fn probe(&self, _: StoreProbe) -> Result<(), JournalFault> {
        let folder = self.path.parent().unwrap_or(&self.path);
        check_room(folder)?;
        probe::look(&self.path, folder, self.probe.as_ref())
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
    fn hashes(&self, indexes: &[u64]) -> Result<Vec<Hash>, JournalFault> {
        hashes_in(self.0, indexes)
    }
}

/// Refuses to go on when the disk of a folder is almost full.
pub(crate) fn check_room(folder: &Path) -> Result<(), JournalFault> {
    let free = DataFolder::at(folder).free_bytes().map_err(|error| JournalFault::io("look at the disk", &error))?;
    match free {
        Some(free) if free < MIN_FREE_BYTES => Err(JournalFault::new(
            JournalFaultKind::Full,
            format!("the disk of the journal has only {} MiB free", free >> 20),
        )),
        Some(_) | None => Ok(()),
    }
}

fn head_in(connection: &Connection) -> Result<Head, JournalFault> {
    let query = "SELECT size, edge, root FROM head WHERE id = 1";
    let row = connection.prepare_cached(query).and_then(|mut statement| {
        statement
            .query_row([], |row| Ok((row.get::<_, i64>(0)?, row.get::<_, Vec<u8>>(1)?, row.get::<_, [u8; 32]>(2)?)))
            .optional()
    });
    let (size, edge, root) = row
        .map_err(sql)?
        .ok_or_else(|| JournalFault::corrupt("the row with the size and the root of the log is missing"))?;
    let size = u64::try_from(size).map_err(|_| JournalFault::corrupt("the journal's size is negative"))?;
    let root = Hash(root);
    Ok(Head { tree: MerkleTree::restore(size, &edge, &root)?, root })
}

fn insert(transaction: &Transaction<'_>, rows: &[LogRow]) -> Result<(), JournalFault> {
    let statement = transaction.prepare_cached("INSERT INTO entry (place, record, hashes) VALUES (?1, ?2, ?3)");
    let mut statement = statement.map_err(sql)?;
    for row in rows {
        statement.execute(params![number(row.place)?, row.record, row.hashes]).map_err(sql)?;
    }
    Ok(())
}

fn hashes_in(connection: &Connection, indexes: &[u64]) -> Result<Vec<Hash>, JournalFault> {
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

fn number(value: u64) -> Result<i64, JournalFault> {
    i64::try_from(value).map_err(|_| JournalFault::corrupt("an index is larger than the database can hold"))
}
