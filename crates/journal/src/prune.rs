//! Pruning: the bytes of old records are deleted for good, and the log says where it begins.
//!
//! First the minimum index is signed and kept, then records are deleted in bounded batches. So whoever finds a record gone
//! finds the reason too, also after a kill in between; the next run goes on where that one ended. Hashes stay: every proof of
//! a record that is kept holds, and so does every receipt that was ever given.

use svc_proof::{
    fault::{JournalFault, JournalFaultKind},
    record_bytes::read_record,
    tree::TILE_WIDTH,
};

use crate::{
    attribution::Before,
    check,
    folder::DataFolder,
    joining::Joining,
    open::Location,
    store::{Access, Store, StoreWork, log_start},
};

/// Records that are deleted in one transaction.
const BATCH_LEN: u64 = 8 * TILE_WIDTH;

/// What was pruned.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Pruned {
    /// Where the log begins now.
    pub begins: u64,
    /// Records whose bytes were still there, and are gone.
    pub deleted: u64,
    /// Records of the log, with those that are gone.
    pub size: u64,
}

/// What would be pruned.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PrunePlan {
    /// Where the log begins now.
    pub from: u64,
    /// Where it would begin.
    pub begins: u64,
    /// Records of the log, with those that are gone.
    pub size: u64,
}

/// What [`prune`] would do. Nothing is changed, and nobody is kept from writing.
///
/// # Errors
/// When the log cannot be read, or is shorter than the place.
pub fn plan(location: &Location, before: Before) -> Result<PrunePlan, JournalFault> {
    planned(location.store(Access::Read)?.as_ref(), before)
}

fn planned(store: &dyn Store, before: Before) -> Result<PrunePlan, JournalFault> {
    let size = store.head()?.tree.size();
    let from = log_start(store)?.index();
    let bound = match before {
        Before::Place(place) if place > size => {
            let detail = format!("the log has {size} records, and there is no record {place} to prune up to");
            return Err(JournalFault::new(JournalFaultKind::Unusable, detail));
        }
        Before::Place(place) => place,
        Before::Time(time) => first_at_or_after(store, from, size, time.millis())?,
    };
    Ok(PrunePlan { from, begins: (bound / TILE_WIDTH * TILE_WIDTH).max(from), size })
}

/// Deletes the bytes of records before a place or a moment, by whole tiles of 256. An embedded log is checked whole before, and
/// nobody else may write to it; nodes of a shared one go on.
///
/// # Errors
/// When the log does not hold or is shorter than the place, its key is not here, or the records are not gone.
pub fn prune(location: &Location, before: Before, progress: &mut dyn FnMut(u64)) -> Result<Pruned, JournalFault> {
    // The key signs where the log begins: of a log that has grown from what this folder remembers, as everything that it signs.
    let _locked = location.take_for_change(&Joining::Remembering)?;
    let reading = location.store(Access::Read)?;
    let key = check::own_key(&DataFolder::at(&location.folder), reading.as_ref())?;
    reading.check_rights(StoreWork::Pruning)?;
    let store = location.store(Access::Write)?;
    let PrunePlan { from: known, begins, size } = planned(store.as_ref(), before)?;
    if begins > known {
        store.keep_minimum_index(&key.sign_minimum_index(begins)?)?;
    }
    let (mut deleted, mut from) = (0, 0);
    while from < begins {
        let end = (from + BATCH_LEN).min(begins);
        deleted += store.delete_records(from..end)?;
        progress(end);
        from = end;
    }
    store.free_deleted()?;
    Ok(Pruned { begins, deleted, size })
}

/// The place of the first record that is not older than a moment. Clocks may be set back: what follows it stays.
fn first_at_or_after(store: &dyn Store, from: u64, size: u64, millis: u64) -> Result<u64, JournalFault> {
    let mut from = from;
    while from < size {
        let rows = store.rows(from, usize::try_from(BATCH_LEN).unwrap_or(usize::MAX))?;
        if rows.is_empty() {
            return Err(JournalFault::new(JournalFaultKind::Corrupt, "a record inside the log is missing"));
        }
        for row in &rows {
            let Some(bytes) = &row.record else { continue };
            if read_record(bytes, row.place)?.time().millis() >= millis {
                return Ok(row.place);
            }
        }
        from += rows.len() as u64;
    }
    Ok(size)
}
