//! Runs passive WAL checkpoints while the writer goes on. Where one fails, the writer runs it in its own time, or the next
//! start does.

use std::{
    path::Path,
    sync::{
        atomic::{AtomicU64, Ordering},
        mpsc::{self, SyncSender},
    },
    thread::{self, JoinHandle},
};

use super::connection::connect;
use svc_proof::fault::JournalFault;

use crate::store::{Access, LogRow};

/// Bytes of rows between two checkpoints.
const CHECKPOINT_EVERY_BYTES: u64 = 4 * 1024 * 1024;

#[derive(Debug)]
pub(super) struct WalCheckpointer {
    wake: Option<SyncSender<()>>,
    thread: Option<JoinHandle<()>>,
    since: AtomicU64,
}

impl WalCheckpointer {
    pub(super) fn start(path: &Path) -> Result<Self, JournalFault> {
        let connection = connect(path, Access::Write)?;
        let (wake, woken) = mpsc::sync_channel(1);
        let thread = thread::Builder::new().name("svc-journal-move".to_owned()).spawn(move || {
            for () in woken {
                let _ = connection.query_row("PRAGMA wal_checkpoint(PASSIVE)", [], |_| Ok(()));
            }
        });
        let thread = thread.map_err(|error| JournalFault::io("start a thread", &error))?;
        Ok(Self { wake: Some(wake), thread: Some(thread), since: AtomicU64::new(0) })
    }

    /// Counts what was committed, and starts a checkpoint when it is due.
    pub(super) fn note_committed(&self, rows: &[LogRow]) {
        let bytes = rows.iter().map(|row| row.record.as_ref().map_or(0, Vec::len) + row.hashes.len()).sum::<usize>();
        if self.since.fetch_add(bytes as u64, Ordering::Relaxed) >= CHECKPOINT_EVERY_BYTES {
            self.since.store(0, Ordering::Relaxed);
            // A checkpoint that waits its turn will cover this too.
            let _ = self.wake.as_ref().map(|wake| wake.try_send(()));
        }
    }
}

/// Its connection is closed before the writer runs the last checkpoint.
impl Drop for WalCheckpointer {
    fn drop(&mut self) {
        self.wake = None;
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}
