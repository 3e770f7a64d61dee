//! Whether the service takes requests.

use std::sync::{
    Mutex, OnceLock, PoisonError,
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
    witnesses: Mutex<Option<WitnessSummary>>,
}

/// How the witnesses of the log do.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WitnessSummary {
    /// Whether nothing is evaluated until there is a quorum.
    pub closed: bool,
    /// How many cosigned the state that all are asked for.
    pub cosigned: usize,
    /// Whether the log was without its quorum for no longer than a minute.
    pub has_quorum: bool,
    /// The size of the newest state with a quorum.
    pub records: u64,
    pub rows: Vec<WitnessRow>,
}

/// One witness.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WitnessRow {
    /// What the policy calls it.
    pub name: String,
    /// The size of the newest state that it is known to have seen.
    pub size: u64,
    pub cosignatures: u64,
    pub failures: u64,
    /// When it cosigned last, in seconds of POSIX.
    pub last: u64,
    /// Whether it has seen another log than this one.
    pub alarm: bool,
}

impl WitnessRow {
    pub(crate) fn new(name: &str) -> Self {
        Self { name: name.to_owned(), size: 0, cosignatures: 0, failures: 0, last: 0, alarm: false }
    }
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
        let is_closed = self.witnesses().is_some_and(|witnesses| witnesses.closed);
        self.phase() == Phase::Open && self.guard_trips() == 0 && !self.journal_is_down() && !is_closed
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

    /// A journal that was closed is down whatever an answer that was on its way says of it afterwards.
    pub(crate) fn journal_is_down(&self) -> bool {
        self.journal_down.load(Ordering::Relaxed) || self.journal_fault().is_some()
    }

    pub(crate) fn journal_answers(&self, answers: bool) {
        self.journal_down.store(!answers, Ordering::Relaxed);
    }

    /// Closes the journal for good, by the name of the fault. Tells whether that is news.
    pub(crate) fn close_journal(&self, fault: &'static str) -> bool {
        self.journal_answers(false);
        self.journal_fault.set(fault).is_ok()
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

    /// How the witnesses did when they were looked at last, where there are any.
    pub(crate) fn witnesses(&self) -> Option<WitnessSummary> {
        self.witnesses.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    pub(crate) fn note_witnesses(&self, summary: WitnessSummary) {
        *self.witnesses.lock().unwrap_or_else(PoisonError::into_inner) = Some(summary);
    }

    pub(crate) fn trip_guard(&self) {
        self.guard_trips.fetch_add(1, Ordering::Relaxed);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A record that was made before the journal closed may be noted after it.
    #[test]
    fn a_closed_journal_stays_closed_when_an_earlier_record_is_noted_late() {
        let health = Health::default();
        health.journal_answers(false);
        assert!(!health.is_ready());
        health.journal_answers(true);
        assert!(health.is_ready());
        assert!(health.close_journal("journal-corrupt"));
        health.journal_answers(true);
        assert!(!health.is_ready() && health.journal_is_down());
        assert_eq!(health.journal_fault(), Some("journal-corrupt"));
    }
}
