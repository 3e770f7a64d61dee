//! The bytes of a record in a log: those of a denial or a refusal, or of nothing that a log may hold.

use svc_core::{journal::record::Record, open_claim};
use svc_json::tree as json_tree;

use crate::fault::{JournalFault, JournalFaultKind};

/// The record at a place, from its bytes.
///
/// # Errors
/// When they are not those of a no, or of an older form.
pub fn read_record(bytes: &[u8], place: u64) -> Result<Record, JournalFault> {
    let record = Record::parse(bytes).filter(|record| record.sequence() == place);
    record.ok_or_else(|| {
        if Record::is_unreleased(bytes) {
            let detail = format!("record {place} was made before the first release and has an older form");
            return JournalFault::new(JournalFaultKind::UnreleasedForm, detail);
        }
        if is_open(bytes) {
            let detail = format!("record {place} claims something else than no");
            return JournalFault::new(JournalFaultKind::OpenClaim, detail);
        }
        JournalFault::corrupt(format!("record {place} is not the record of a denial or a refusal"))
    })
}

/// Whether the bytes of a record claim to be anything but a no.
#[must_use]
pub fn is_open(record: &[u8]) -> bool {
    json_tree::read(record).is_ok_and(|document| open_claim::is_open(&document.root))
}
