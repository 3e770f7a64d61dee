//! What SQLite's errors are to the journal.

use rusqlite::ErrorCode;

use crate::fault::{Fault, FaultKind};

pub(super) fn sql(error: rusqlite::Error) -> Fault {
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
