//! Whether the service takes requests.

use std::sync::{
    OnceLock,
    atomic::{AtomicBool, AtomicU8, AtomicU64, Ordering},
};

/// The state that `/readyz` tells.
#[derive(Debug, Default)]
pub struct Health {
    phase: AtomicU8,
    guard_trips: AtomicU64,
    journal_down: AtomicBool,
    /// Why the journal is closed until the next start.
    journal_fault: OnceLock<&'static str>,
    /// How far the check of the whole journal is.
    checked: AtomicU64,
    to_check: AtomicU64,
}

/// How far a service is on its way out.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Phase {
    /// It takes requests.
    Open,
    /// It asks to be left alone, and still takes requests.
    Leaving,
    /// It evaluates nothing new.
    Stopping,
}

impl Health {
    /// Whether new requests are welcome.
    #[must_use]
    pub fn is_ready(&self) -> bool {
        self.phase() == Phase::Open && self.guard_trips() == 0 && !self.journal_is_down()
    }

    /// How far the service is on its way out.
    #[must_use]
    pub fn phase(&self) -> Phase {
        match self.phase.load(Ordering::Relaxed) {
            0 => Phase::Open,
            1 => Phase::Leaving,
            _ => Phase::Stopping,
        }
    }

    /// Moves on. There is no way back.
    pub fn enter(&self, phase: Phase) {
        self.phase.fetch_max(phase as u8, Ordering::Relaxed);
    }

    /// How often an answer was withheld.
    #[must_use]
    pub fn guard_trips(&self) -> u64 {
        self.guard_trips.load(Ordering::Relaxed)
    }

    pub(crate) fn journal_is_down(&self) -> bool {
        self.journal_down.load(Ordering::Relaxed)
    }

    pub(crate) fn journal_answers(&self, answers: bool) {
        self.journal_down.store(!answers, Ordering::Relaxed);
    }

    /// Closes the journal for good, by the name of the fault.
    pub(crate) fn journal_is_closed(&self, fault: &'static str) {
        let _ = self.journal_fault.set(fault);
        self.journal_answers(false);
    }

    /// The name of the fault that closed the journal.
    pub(crate) fn journal_fault(&self) -> Option<&'static str> {
        self.journal_fault.get().copied()
    }

    /// How far the check of the whole journal is, and how many records there were when it began.
    pub(crate) fn journal_check(&self) -> (u64, u64) {
        (self.checked.load(Ordering::Relaxed), self.to_check.load(Ordering::Relaxed))
    }

    pub(crate) fn note_journal_check(&self, checked: u64, of: u64) {
        self.checked.store(checked, Ordering::Relaxed);
        self.to_check.store(of, Ordering::Relaxed);
    }

    pub(crate) fn trip_guard(&self) {
        self.guard_trips.fetch_add(1, Ordering::Relaxed);
    }
}
