//! What SQLite's errors are to the journal.

use rusqlite::ErrorCode;
use svc_proof::fault::{JournalFault, JournalFaultKind};

pub(super) fn sql(error: rusqlite::Error) -> JournalFault {
    let kind = match error.sqlite_error_code() {
        Some(ErrorCode::DiskFull) => JournalFaultKind::Full,
        Some(ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked | ErrorCode::FileLockingProtocolFailed) => {
            JournalFaultKind::Locked
        }
        Some(ErrorCode::DatabaseCorrupt | ErrorCode::NotADatabase | ErrorCode::SchemaChanged) => {
            JournalFaultKind::Corrupt
        }
        Some(_) => JournalFaultKind::Storage,
        None => JournalFaultKind::Corrupt,
    };
    JournalFault::new(kind, format!("SQLite: {error}"))
}
