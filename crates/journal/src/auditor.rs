//! The whole of a log, checked in the background: a start looks at its end alone, which takes the same time for every log.
//!
//! It reads on a connection of its own, rests as long as it works, and ends at the state that was there when it began:
//! what was appended since was checked when it was. What it finds closes the journal.

use std::{
    sync::{
        Arc,
        atomic::{AtomicBool, AtomicU64, Ordering},
    },
    thread::{self, JoinHandle},
    time::{Duration, Instant},
};

use svc_proof::{
    audit::{self, AuditMark, Pace},
    fault::{JournalFault, JournalFaultKind},
    source::{LogEntry, LogSource},
    tree::{GrownTree, MerkleTree},
};

use crate::{
    store::{Head, Store},
    store_source::StoreSource,
};

/// A store that cannot be reached is asked again after this long.
const RETRY_PAUSE: Duration = Duration::from_secs(5);

/// It looks this often whether it should stop while it rests.
const REST_STEP: Duration = Duration::from_millis(50);

/// How far the check of a whole log is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AuditProgress {
    /// Records from the first on that were found to be those that were hashed.
    pub checked: u64,
    /// How many there were when it began.
    pub of: u64,
}

impl AuditProgress {
    /// Whether every record was looked at.
    #[must_use]
    pub const fn is_done(self) -> bool {
        self.checked >= self.of
    }
}

/// A check that is under way. It ends with the value.
#[derive(Debug)]
pub(crate) struct Auditor {
    shared: Arc<Shared>,
    thread: Option<JoinHandle<()>>,
}

#[derive(Debug)]
struct Shared {
    checked: AtomicU64,
    of: u64,
    stop: AtomicBool,
}

impl Auditor {
    /// Begins to check a log up to a state. The store is the check's own.
    ///
    /// # Errors
    /// When there is no thread to be had.
    pub(crate) fn start(
        store: Arc<dyn Store>,
        until: &Head,
        found: impl FnOnce(JournalFault) + Send + 'static,
    ) -> Result<Self, JournalFault> {
        let of = until.tree.size();
        let shared = Arc::new(Shared { checked: AtomicU64::new(0), of, stop: AtomicBool::new(false) });
        let mark = AuditMark { name: "the state at the start".to_owned(), size: of, root: until.root };
        let own = Arc::clone(&shared);
        let thread = thread::Builder::new().name("svc-journal-audit".to_owned()).spawn(move || {
            if let Some(fault) = run(&own, store.as_ref(), &mark) {
                found(fault);
            }
        });
        let thread = thread.map_err(|error| JournalFault::io("start a thread", &error))?;
        Ok(Self { shared, thread: Some(thread) })
    }

    pub(crate) fn progress(&self) -> AuditProgress {
        AuditProgress { checked: self.shared.checked.load(Ordering::Relaxed), of: self.shared.of }
    }
}

impl Drop for Auditor {
    fn drop(&mut self) {
        self.shared.stop.store(true, Ordering::Relaxed);
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

/// Checks until the end, until it is stopped, or until something does not hold.
fn run(shared: &Shared, store: &dyn Store, mark: &AuditMark) -> Option<JournalFault> {
    let mut checked = MerkleTree::empty();
    loop {
        let mut source = Resting { inner: StoreSource::new(store), shared, began: None, checked: &mut checked };
        let start = source.checked.clone();
        let looked = audit::audit_from(&mut source, start, vec![mark.clone()], Pace::Quiet, &mut |_| {});
        match looked {
            Ok(_) => return None,
            _ if shared.stop.load(Ordering::Relaxed) => return None,
            Err(fault) if fault.kind.is_final() => return Some(fault),
            // The database is away: it goes on where it was.
            Err(_) => shared.rest(RETRY_PAUSE),
        }
    }
}

impl Shared {
    fn rest(&self, duration: Duration) {
        let until = Instant::now() + duration;
        while !self.stop.load(Ordering::Relaxed) {
            match until.checked_duration_since(Instant::now()) {
                None => return,
                Some(left) => thread::sleep(left.min(REST_STEP)),
            }
        }
    }
}

/// A source that is read slowly, and no further once the check should stop.
struct Resting<'s, 't> {
    inner: StoreSource<'s>,
    shared: &'s Shared,
    began: Option<Instant>,
    checked: &'t mut MerkleTree,
}

impl LogSource for Resting<'_, '_> {
    fn next(&mut self, from: u64, most: usize) -> Result<Vec<LogEntry>, JournalFault> {
        if let Some(began) = self.began {
            self.shared.rest(began.elapsed());
        }
        if self.shared.stop.load(Ordering::Relaxed) {
            return Err(JournalFault::new(JournalFaultKind::Busy, "the check was stopped"));
        }
        self.began = Some(Instant::now());
        self.inner.next(from, most)
    }

    fn confirm(&mut self, grown: &GrownTree) -> Result<(), JournalFault> {
        self.inner.confirm(grown)?;
        *self.checked = grown.tree().clone();
        self.shared.checked.store(grown.tree().size(), Ordering::Relaxed);
        Ok(())
    }
}
