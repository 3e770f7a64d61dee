//! A new log: its file comes into being whole or not at all, so that a start that is cut short leaves nothing that the next
//! would have to take for damage.

use std::{
    fs::{self, OpenOptions},
    io,
    path::Path,
};

use rusqlite::config::DbConfig;
use svc_archive::plain_files::keep_owner;
use svc_proof::fault::{JournalFault, JournalFaultKind};

use super::{
    connection::{connect, prepare},
    fault::sql,
    schema, wal,
};
use crate::store::Access;

/// The pages of a new file. Each page of a commit costs two calls of the system; larger ones would be written half empty.
const PAGE_BYTES: i64 = 8 * 1024;

pub(super) fn create(path: &Path) -> Result<(), JournalFault> {
    let folder = path.parent().unwrap_or(path);
    let name = path.file_name().unwrap_or_default();
    let new = folder.join(format!(".{}.new", name.to_string_lossy()));
    let cannot = |error: io::Error| JournalFault::io(&format!("make {}", path.display()), &error);
    for leftover in ["", "-journal", "-wal", "-shm"].map(|suffix| wal::beside(&new, suffix)) {
        match fs::remove_file(leftover) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(cannot(error)),
            Ok(()) | Err(_) => {}
        }
    }
    let mut options = OpenOptions::new();
    options.write(true).create_new(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    let file = options.open(&new).map_err(cannot)?;
    // What SQLite puts beside it later has its owner.
    keep_owner(&file, folder).map_err(cannot)?;
    drop(file);
    let mut connection = connect(&new, Access::Write)?;
    connection.pragma_update(None, "page_size", PAGE_BYTES).map_err(sql)?;
    connection.pragma_update(None, "application_id", schema::APPLICATION_ID).map_err(sql)?;
    prepare(&connection)?;
    schema::create(&mut connection)?;
    // Closing runs a full checkpoint and takes the write-ahead log away.
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, false).map_err(sql)?;
    connection.close().map_err(|(_, error)| sql(error))?;
    if wal::path_of(&new).exists() {
        return Err(JournalFault::new(JournalFaultKind::Storage, "the new journal could not be written into one file"));
    }
    fs::rename(&new, path).map_err(cannot)?;
    #[cfg(unix)]
    fs::File::open(folder).and_then(|folder| folder.sync_all()).map_err(cannot)?;
    Ok(())
}
