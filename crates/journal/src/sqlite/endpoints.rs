//! Endpoints of webhooks in a file of their own beside the embedded log.
//!
//! It is opened for each step and closed after it, so that commands beside a running service change the same file, and one
//! that was put back from a backup is seen. The secrets are in it: nobody but its owner may read it.

use std::{
    fs::{self, OpenOptions},
    io,
    path::{Path, PathBuf},
    time::{Duration, SystemTime, UNIX_EPOCH},
};

use rusqlite::{Connection, OpenFlags, Row, TransactionBehavior, params};
use svc_archive::plain_files::keep_owner;
use svc_core::journal::delivery::EndpointName;
use svc_proof::fault::{JournalFault, JournalFaultKind};

use super::fault::sql;
use crate::{
    endpoint::EventEndpoint,
    endpoint_store::{EndpointList, EndpointStore, MOST_ENDPOINTS, StoredEndpoint, read, too_many, write},
    folder::refuse_shown,
    stored_name,
};

/// `svce`, in the header of the file.
const APPLICATION_ID: i64 = 0x7376_6365;

const FORMAT: i64 = 1;

const TABLE: &str =
    "CREATE TABLE endpoint (name TEXT PRIMARY KEY, version INTEGER NOT NULL, document TEXT NOT NULL) STRICT";

#[derive(Clone, Debug)]
pub struct SqliteEndpoints {
    path: PathBuf,
}

impl SqliteEndpoints {
    /// The store at a path, when there is one. Nothing is changed.
    ///
    /// # Errors
    /// When others may read it, or it is no store of endpoints.
    pub fn find(path: &Path) -> Result<Option<Self>, JournalFault> {
        if length_of(path)?.is_none() {
            return Ok(None);
        }
        let store = Self { path: path.to_owned() };
        store.connect().map(|_| Some(store))
    }

    /// The same, made when it is missing.
    ///
    /// # Errors
    /// When it cannot be made or used.
    pub fn open_or_create(path: &Path) -> Result<Self, JournalFault> {
        if let Some(found) = Self::find(path)? {
            return Ok(found);
        }
        create(path)?;
        let store = Self { path: path.to_owned() };
        store.connect().map(|_| store)
    }

    /// A step with the open file. Whatever is wrong with it is said of this file.
    fn with<T>(&self, step: impl FnOnce(&mut Connection) -> Result<T, JournalFault>) -> Result<T, JournalFault> {
        let mut connection = self.connect()?;
        step(&mut connection).map_err(|fault| self.named(fault))
    }

    /// Looked at each time: whoever may write the folder may have put something else there.
    fn connect(&self) -> Result<Connection, JournalFault> {
        let place = self.path.display();
        match length_of(&self.path)? {
            None => {
                let detail = format!("{place}, the store of endpoints, is gone");
                return Err(JournalFault::new(JournalFaultKind::Missing, detail));
            }
            Some(0) => return Err(self.named(JournalFault::corrupt("it is empty"))),
            Some(_) => {}
        }
        let shown = |fault: JournalFault| JournalFault { kind: JournalFaultKind::Unusable, ..fault };
        refuse_shown(&self.path).map_err(shown)?;
        self.checked().map_err(|fault| self.named(fault))
    }

    /// Says that it is this file, and not the log.
    fn named(&self, fault: JournalFault) -> JournalFault {
        let place = self.path.display();
        if fault.kind == JournalFaultKind::Corrupt {
            let detail = format!(
                "{place}, the store of endpoints, is damaged: {}; put it back from a backup, or move it away and add its endpoints again",
                fault.detail
            );
            return JournalFault::new(JournalFaultKind::Unusable, detail);
        }
        if fault.detail.contains(&*place.to_string()) {
            fault
        } else {
            JournalFault { detail: format!("{place}: {}", fault.detail), ..fault }
        }
    }

    fn checked(&self) -> Result<Connection, JournalFault> {
        let connection = open(&self.path)?;
        let pragma = |name: &str| connection.pragma_query_value(None, name, |row| row.get::<_, i64>(0)).map_err(sql);
        let place = self.path.display();
        if pragma("application_id")? != APPLICATION_ID {
            let detail = format!("{place} must be a store of endpoints, and is a database of another program");
            return Err(JournalFault::new(JournalFaultKind::Unusable, detail));
        }
        if pragma("user_version")? != FORMAT {
            let detail = format!("{place} was written by another version of svc");
            return Err(JournalFault::new(JournalFaultKind::Drift, detail));
        }
        // A trigger or a view of somebody else would take part in what is written and read.
        if objects(&connection)? != [TABLE.to_owned()] {
            return Err(JournalFault::corrupt(format!("{place} has other tables than svc made: somebody changed it")));
        }
        Ok(connection)
    }
}

/// Makes the file. It comes into being whole or not at all, so that an empty one is damage.
fn create(path: &Path) -> Result<(), JournalFault> {
    let cannot = |error: io::Error| JournalFault::io(&format!("make {}", path.display()), &error);
    let folder = path.parent().unwrap_or(path);
    let new = folder.join(format!(".{}.new", path.file_name().unwrap_or_default().to_string_lossy()));
    let mut options = OpenOptions::new();
    options.write(true).create(true).truncate(false);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    let file = options.open(&new).map_err(cannot)?;
    // One command after the other; what one that was killed has left is begun anew.
    file.lock().map_err(cannot)?;
    if length_of(path)?.is_some() {
        let _ = fs::remove_file(&new);
        return Ok(());
    }
    if length_of(&new)?.is_none() {
        return Err(JournalFault::new(
            JournalFaultKind::Busy,
            format!("{} is made by another command", path.display()),
        ));
    }
    file.set_len(0).map_err(cannot)?;
    keep_owner(&file, folder).map_err(cannot)?;
    let connection = open(&new)?;
    connection.execute_batch(TABLE).map_err(sql)?;
    connection.pragma_update(None, "application_id", APPLICATION_ID).map_err(sql)?;
    connection.pragma_update(None, "user_version", FORMAT).map_err(sql)?;
    connection.close().map_err(|(_, error)| sql(error))?;
    fs::rename(&new, path).map_err(cannot)?;
    #[cfg(unix)]
    fs::File::open(folder).and_then(|folder| folder.sync_all()).map_err(cannot)?;
    Ok(())
}

/// How long the file is, when there is one; a link or anything else is refused.
fn length_of(path: &Path) -> Result<Option<u64>, JournalFault> {
    match fs::symlink_metadata(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(JournalFault::io(&format!("look at {}", path.display()), &error)),
        Ok(found) if found.is_file() => Ok(Some(found.len())),
        Ok(_) => {
            let detail = format!("{} must be a regular file, and is something else", path.display());
            Err(JournalFault::new(JournalFaultKind::Unusable, detail))
        }
    }
}

fn open(path: &Path) -> Result<Connection, JournalFault> {
    let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let connection = Connection::open_with_flags(path, flags).map_err(sql)?;
    connection.busy_timeout(Duration::from_secs(5)).map_err(sql)?;
    connection.pragma_update(None, "trusted_schema", false).map_err(sql)?;
    // A step that was told to be done stays done, and a secret that was deleted leaves no byte.
    connection.pragma_update(None, "synchronous", "extra").map_err(sql)?;
    connection.pragma_update(None, "secure_delete", true).map_err(sql)?;
    Ok(connection)
}

/// A text of a row, whatever its bytes are.
fn bytes_of<'r>(row: &'r Row<'_>, column: usize) -> Result<&'r [u8], JournalFault> {
    let value = row.get_ref(column).map_err(sql)?;
    value.as_bytes().map_err(|_| JournalFault::corrupt("a column holds what is no text"))
}

/// The statements that made what the file holds, but for what SQLite makes by itself.
fn objects(connection: &Connection) -> Result<Vec<String>, JournalFault> {
    let query = "SELECT sql FROM sqlite_schema WHERE sql IS NOT NULL ORDER BY name";
    let mut statement = connection.prepare(query).map_err(sql)?;
    let made = statement.query_map([], |row| row.get(0)).and_then(Iterator::collect);
    made.map_err(sql)
}

impl EndpointStore for SqliteEndpoints {
    fn name(&self) -> String {
        self.path.display().to_string()
    }

    fn now(&self) -> Result<u64, JournalFault> {
        let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        Ok(u64::try_from(since.as_millis()).unwrap_or(u64::MAX))
    }

    fn list(&self) -> Result<EndpointList, JournalFault> {
        let query = "SELECT name, version, document FROM endpoint ORDER BY name LIMIT ?1";
        self.with(|connection| {
            let mut list = EndpointList::default();
            let mut statement = connection.prepare(query).map_err(sql)?;
            let mut rows = statement.query([MOST_ENDPOINTS.cast_signed()]).map_err(sql)?;
            // Their texts are taken as bytes: one that is none keeps back no other.
            while let Some(row) = rows.next().map_err(sql)? {
                list.add(bytes_of(row, 0)?, row.get(1).map_err(sql)?, bytes_of(row, 2)?);
            }
            Ok(list)
        })
    }

    fn get(&self, name: &EndpointName) -> Result<Option<StoredEndpoint>, JournalFault> {
        self.with(|connection| {
            let query = "SELECT version, document FROM endpoint WHERE name = ?1";
            let mut statement = connection.prepare(query).map_err(sql)?;
            let mut rows = statement.query([name.as_str()]).map_err(sql)?;
            let Some(row) = rows.next().map_err(sql)? else { return Ok(None) };
            read(name.as_str(), row.get(0).map_err(sql)?, bytes_of(row, 1)?).map(Some)
        })
    }

    fn insert(&self, endpoint: &EventEndpoint) -> Result<bool, JournalFault> {
        self.with(|connection| {
            let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate).map_err(sql)?;
            let count: i64 =
                transaction.query_row("SELECT count(*) FROM endpoint", [], |row| row.get(0)).map_err(sql)?;
            let add = "INSERT INTO endpoint (name, version, document) VALUES (?1, 1, ?2) ON CONFLICT DO NOTHING";
            let added = transaction.execute(add, params![endpoint.name.as_str(), write(endpoint)?]).map_err(sql)?;
            if added > 0 && count >= MOST_ENDPOINTS.cast_signed() as i64 {
                return Err(too_many());
            }
            transaction.commit().map_err(sql)?;
            Ok(added > 0)
        })
    }

    fn replace(&self, version: i64, endpoint: &EventEndpoint) -> Result<bool, JournalFault> {
        let change = "UPDATE endpoint SET version = version + 1, document = ?3 WHERE name = ?1 AND version = ?2";
        let document = write(endpoint)?;
        let values = params![endpoint.name.as_str(), version, document];
        self.with(|connection| connection.execute(change, values).map(|changed| changed > 0).map_err(sql))
    }

    fn remove(&self, name: &EndpointName) -> Result<bool, JournalFault> {
        self.with(|connection| {
            let removed = connection.execute("DELETE FROM endpoint WHERE name = ?1", [name.as_str()]);
            removed.map(|removed| removed > 0).map_err(sql)
        })
    }

    fn remove_unreadable(&self, shown: &str) -> Result<bool, JournalFault> {
        self.with(|connection| {
            let mut statement = connection.prepare("SELECT rowid, name FROM endpoint").map_err(sql)?;
            let mut rows = statement.query([]).map_err(sql)?;
            let mut found: Option<i64> = None;
            while let Some(row) = rows.next().map_err(sql)? {
                if stored_name::shown(bytes_of(row, 1)?) == shown {
                    found = Some(row.get(0).map_err(sql)?);
                }
            }
            let Some(row) = found else { return Ok(false) };
            connection.execute("DELETE FROM endpoint WHERE rowid = ?1", [row]).map(|removed| removed > 0).map_err(sql)
        })
    }

    /// Only the process that has locked the data folder delivers, so that there is nobody to keep off.
    fn take_lease(&self, name: &EndpointName, _: &str, _: u64) -> Result<bool, JournalFault> {
        self.get(name).map(|found| found.is_some())
    }

    fn give_back(&self, _: &str) -> Result<(), JournalFault> {
        Ok(())
    }
}
