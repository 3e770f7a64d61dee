//! Moves committed pages from the write-ahead log into the file while the writer goes on. Where it fails, the writer does so
//! in its own time, or the next start does.

use std::{
    path::Path,
    sync::{
        atomic::{AtomicU64, Ordering},
        mpsc::{self, SyncSender},
    },
    thread::{self, JoinHandle},
};

use super::connection::connect;
use crate::{
    fault::Fault,
    store::{Access, Row},
};

/// After so many bytes of rows.
const MOVE_EVERY: u64 = 4 * 1024 * 1024;

/// The thread that moves.
#[derive(Debug)]
pub(super) struct Mover {
    wake: Option<SyncSender<()>>,
    thread: Option<JoinHandle<()>>,
    since: AtomicU64,
}

impl Mover {
    pub(super) fn start(path: &Path) -> Result<Self, Fault> {
        let connection = connect(path, Access::Write)?;
        let (wake, woken) = mpsc::sync_channel(1);
        let thread = thread::Builder::new().name("svc-journal-move".to_owned()).spawn(move || {
            for () in woken {
                let _ = connection.query_row("PRAGMA wal_checkpoint(PASSIVE)", [], |_| Ok(()));
            }
        });
        let thread = thread.map_err(|error| Fault::io("start a thread", &error))?;
        Ok(Self { wake: Some(wake), thread: Some(thread), since: AtomicU64::new(0) })
    }

    /// Counts what was committed.
    pub(super) fn note(&self, rows: &[Row]) {
        let bytes = rows.iter().map(|row| row.record.as_ref().map_or(0, Vec::len) + row.hashes.len()).sum::<usize>();
        if self.since.fetch_add(bytes as u64, Ordering::Relaxed) >= MOVE_EVERY {
            self.since.store(0, Ordering::Relaxed);
            // One that is under way, or waits, moves this too.
            let _ = self.wake.as_ref().map(|wake| wake.try_send(()));
        }
    }
}

/// Its connection is closed before the writer moves what is left.
impl Drop for Mover {
    fn drop(&mut self) {
        self.wake = None;
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}
