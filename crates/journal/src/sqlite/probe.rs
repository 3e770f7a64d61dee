//! Whether the file would take a record: what can be told without reading or writing much of it.

use std::{
    fs,
    path::Path,
    sync::{Mutex, PoisonError},
    time::Duration,
};

use rusqlite::{Connection, TransactionBehavior};
use svc_proof::fault::{JournalFault, JournalFaultKind};

use super::{connection, fault::sql};
use crate::{folder::DataFolder, store::Access};

/// How long another process may have the lock.
const LOCK_TIMEOUT: Duration = Duration::from_secs(1);

pub(super) fn connect(path: &Path) -> Result<Connection, JournalFault> {
    let connection = connection::connect(path, Access::Write)?;
    connection.busy_timeout(LOCK_TIMEOUT).map_err(sql)?;
    Ok(connection)
}

/// Looks at the disk, and takes the lock of the writer for a moment.
pub(super) fn look(path: &Path, folder: &Path, probe: Option<&Mutex<Connection>>) -> Result<(), JournalFault> {
    // What is written to a deleted file is gone with the process.
    fs::metadata(path).map_err(|error| JournalFault::io("find the journal", &error))?;
    if DataFolder::at(folder).is_read_only().map_err(|error| JournalFault::io("look at the disk", &error))? {
        return Err(JournalFault::new(JournalFaultKind::Storage, "the disk of the journal is read-only"));
    }
    let Some(probe) = probe else { return Ok(()) };
    let mut connection = probe.lock().unwrap_or_else(PoisonError::into_inner);
    let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate).map_err(sql)?;
    let found = transaction.query_row("SELECT size FROM head WHERE id = 1", [], |_| Ok(()));
    found.and_then(|()| transaction.rollback()).map_err(sql)
}
