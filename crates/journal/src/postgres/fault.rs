//! What the database's errors are to the journal, and its columns.

use svc_proof::fault::{JournalFault, JournalFaultKind};
use tokio_postgres::{Error, Row as SqlRow, error::SqlState};

pub(super) fn cell<'r, T: tokio_postgres::types::FromSql<'r>>(
    row: &'r SqlRow,
    place: usize,
) -> Result<T, JournalFault> {
    row.try_get(place).map_err(|_| JournalFault::corrupt("a column of the journal's tables has another type"))
}

/// What an error says, and what its causes say beside it, in one line.
pub(super) fn with_causes(error: &dyn std::error::Error) -> String {
    let mut text = error.to_string();
    let mut cause = error.source();
    while let Some(inner) = cause {
        let said = inner.to_string();
        if !text.contains(&said) {
            text = format!("{text}: {said}");
        }
        cause = inner.source();
    }
    in_one_line(&text)
}

fn in_one_line(text: &str) -> String {
    text.lines().map(str::trim).collect::<Vec<_>>().join("; ")
}

/// What a database waits for that answers everything but writes.
pub(super) const MAY_WAIT: &str = "it may wait for a synchronous standby that does not answer";

pub(super) fn sql(error: &Error) -> JournalFault {
    let Some(told) = error.as_db_error() else {
        return JournalFault::new(JournalFaultKind::Unreachable, format!("the database: {}", with_causes(error)));
    };
    let code = told.code();
    let kind = if *code == SqlState::DISK_FULL {
        JournalFaultKind::Full
    } else if [SqlState::UNIQUE_VIOLATION, SqlState::DATA_CORRUPTED, SqlState::INDEX_CORRUPTED].contains(code) {
        JournalFaultKind::Corrupt
    } else if [SqlState::UNDEFINED_COLUMN, SqlState::DATATYPE_MISMATCH].contains(code) {
        JournalFaultKind::Drift
    } else if *code == SqlState::INSUFFICIENT_PRIVILEGE {
        let said = in_one_line(told.message());
        let detail = format!(
            "the database: {said} ({}): run deploy/postgresql-rights.sql as the role that owns the tables, or use that role",
            code.code()
        );
        return JournalFault::new(JournalFaultKind::Unusable, detail);
    } else if [SqlState::LOCK_NOT_AVAILABLE, SqlState::QUERY_CANCELED].contains(code) {
        let detail = format!("the database: {} ({}): {MAY_WAIT}", in_one_line(told.message()), code.code());
        return JournalFault::new(JournalFaultKind::Unreachable, detail);
    } else if *code == SqlState::UNDEFINED_TABLE {
        let detail = format!(
            "the database: {} ({}): unless another version of svc wrote it, the tables of the log are gone: stop every node, and \
             restore the log as the runbook says",
            in_one_line(told.message()),
            code.code()
        );
        return JournalFault::new(JournalFaultKind::Drift, detail);
    } else {
        JournalFaultKind::Unreachable
    };
    JournalFault::new(kind, format!("the database: {} ({})", in_one_line(told.message()), code.code()))
}
