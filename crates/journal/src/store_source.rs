//! The log of a store, from the first record to the last.

use svc_proof::{
    fault::JournalFault,
    minimum_index::LogStart,
    source::{LogEntry, LogSource},
    tree::{GrownTree, leaf_hash},
};

use crate::store::{LogRow, Store, log_start};

pub struct StoreSource<'s> {
    store: &'s dyn Store,
    start: LogStart,
    rows: Vec<(u64, Vec<u8>)>,
}

impl<'s> StoreSource<'s> {
    /// The log of a store.
    #[must_use]
    pub fn new(store: &'s dyn Store) -> Self {
        Self { store, start: LogStart::default(), rows: Vec::new() }
    }

    /// Refuses a record that is gone and was not pruned. The log may be pruned while it is read: its beginning is kept
    /// before the first record is deleted, and so is read after one was found to be gone.
    fn check_gone(&mut self, place: u64) -> Result<(), JournalFault> {
        if place >= self.start.index() {
            self.start = log_start(self.store)?;
        }
        if place < self.start.index() { Ok(()) } else { Err(self.start.gone(place)) }
    }
}

impl LogSource for StoreSource<'_> {
    fn next(&mut self, from: u64, most: usize) -> Result<Vec<LogEntry>, JournalFault> {
        let rows = self.store.rows(from, most)?;
        self.rows.clear();
        let mut entries = Vec::with_capacity(rows.len());
        for row in rows {
            let leaf = match &row.record {
                Some(bytes) => leaf_hash(bytes),
                None => {
                    self.check_gone(row.place)?;
                    row.hash(0).ok_or_else(|| JournalFault::corrupt(format!("record {} has no hash", row.place)))?
                }
            };
            let LogRow { place, record, hashes } = row;
            self.rows.push((place, hashes));
            entries.push(LogEntry { record, leaf });
        }
        Ok(entries)
    }

    fn confirm(&mut self, grown: &GrownTree) -> Result<(), JournalFault> {
        let wrong = self.rows.iter().find(|(place, hashes)| !grown.is_completed_by(*place, hashes));
        wrong.map_or(Ok(()), |(place, _)| {
            Err(JournalFault::corrupt(format!("record {place} is not the one that was hashed")))
        })
    }
}
