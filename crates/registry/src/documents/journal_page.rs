//! A page of the log, as it is listed.

use serde::Serialize;
use svc_core::journal::attribution::JournalEntry;
use svc_json::canonical;

#[derive(Serialize)]
struct Page {
    entries: Vec<JournalEntry>,
    #[serde(skip_serializing_if = "Option::is_none")]
    next: Option<u64>,
    size: u64,
}

/// Records as they are listed, the cursor to go on with, and how many there are.
#[must_use]
pub fn render(entries: Vec<JournalEntry>, next: Option<u64>, size: u64) -> Vec<u8> {
    canonical::to_bytes(&Page { entries, next, size })
}
