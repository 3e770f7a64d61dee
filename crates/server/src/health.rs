//! Whether the service takes requests.

use std::sync::{
    Mutex, MutexGuard, OnceLock, PoisonError,
    atomic::{AtomicU8, AtomicU64, Ordering},
};

use svc_proof::fault::JournalFaultKind;
use svc_registry_api::{
    guard::GuardTrips,
    readiness::{Readiness, UnreadyReason, WitnessReadiness},
};

/// The state that `/readyz` tells.
#[derive(Debug, Default)]
pub struct Health {
    phase: AtomicU8,
    guard_trips: GuardTrips,
    /// Why the store of the journal takes no records at the moment.
    store_fault: Mutex<Option<JournalFaultKind>>,
    /// Why the journal is closed until the next start.
    journal_fault: OnceLock<JournalFaultKind>,
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

impl WitnessSummary {
    fn readiness(&self) -> WitnessReadiness {
        WitnessReadiness {
            alarms: self.rows.iter().filter(|row| row.alarm).count(),
            cosigned: self.cosigned,
            of: self.rows.len(),
            has_quorum: self.has_quorum,
            records: self.records,
        }
    }
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
    /// A service that starts, with a guard that counts here.
    #[must_use]
    pub fn new(guard_trips: GuardTrips) -> Self {
        Self { guard_trips, ..Self::default() }
    }

    /// What `/readyz` says.
    pub(crate) fn readiness(&self) -> Readiness {
        Readiness {
            unready: self.unready(),
            journal_check: self.journal_check(),
            journal_fault: self.journal_fault(),
            witnesses: self.witnesses().map(|witnesses| witnesses.readiness()),
        }
    }

    /// Whether new requests are welcome.
    #[must_use]
    pub fn is_ready(&self) -> bool {
        self.unready().is_none()
    }

    /// Why they are not: of several reasons the one that takes most to go away.
    #[must_use]
    pub fn unready(&self) -> Option<UnreadyReason> {
        let lacks_quorum = || self.witnesses().is_some_and(|witnesses| witnesses.closed);
        if self.guard_trips() > 0 {
            Some(UnreadyReason::AnswerWithheld)
        } else if let Some(kind) = self.journal_fault() {
            Some(UnreadyReason::Journal(kind))
        } else if self.phase() != Phase::Open {
            Some(UnreadyReason::Stopping)
        } else if let Some(kind) = *self.store_fault() {
            Some(UnreadyReason::Journal(kind))
        } else {
            lacks_quorum().then_some(UnreadyReason::QuorumLacking)
        }
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
        self.guard_trips.count()
    }

    /// A journal that was closed is down whatever its store says afterwards.
    pub(crate) fn journal_is_down(&self) -> bool {
        self.journal_fault().is_some() || self.store_fault().is_some()
    }

    /// Notes why the store takes no records, or that it does. Tells whether that is news.
    pub(crate) fn note_store(&self, fault: Option<JournalFaultKind>) -> bool {
        let mut known = self.store_fault();
        let is_news = *known != fault;
        *known = fault;
        is_news
    }

    /// Closes the journal for good. Tells whether that is news.
    pub(crate) fn close_journal(&self, fault: JournalFaultKind) -> bool {
        self.journal_fault.set(fault).is_ok()
    }

    /// The fault that closed the journal.
    pub(crate) fn journal_fault(&self) -> Option<JournalFaultKind> {
        self.journal_fault.get().copied()
    }

    fn store_fault(&self) -> MutexGuard<'_, Option<JournalFaultKind>> {
        self.store_fault.lock().unwrap_or_else(PoisonError::into_inner)
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
}

#[cfg(test)]
mod tests {
    use svc_core::samples::rules;
    use svc_registry_api::{
        answer::{Answer, AnswerKind},
        registry::Registry,
        request::RequestName,
    };

    use super::*;

    /// A record that was made before the journal closed may be noted after it.
    #[test]
    fn a_closed_journal_stays_closed_when_its_store_answers_again() {
        let health = Health::default();
        assert!(health.note_store(Some(JournalFaultKind::Unreachable)));
        assert!(!health.is_ready() && !health.note_store(Some(JournalFaultKind::Unreachable)), "told once");
        assert!(health.note_store(None));
        assert!(health.is_ready());
        assert!(health.close_journal(JournalFaultKind::Corrupt) && !health.close_journal(JournalFaultKind::Rewound));
        health.note_store(None);
        assert!(!health.is_ready() && health.journal_is_down());
        assert_eq!(health.journal_fault(), Some(JournalFaultKind::Corrupt));
    }

    #[test]
    fn the_reason_is_the_one_that_takes_most_to_go_away() {
        let registry = Registry::new(rules().clone());
        let health = Health::new(registry.guard_trips());
        let reason = || health.unready().map(UnreadyReason::code);
        assert_eq!(reason(), None);
        health.note_witnesses(WitnessSummary {
            closed: true,
            cosigned: 0,
            has_quorum: false,
            records: 0,
            rows: Vec::new(),
        });
        assert_eq!(reason(), Some("quorum-lacking"));
        health.note_store(Some(JournalFaultKind::Full));
        assert_eq!(reason(), Some("journal-full"));
        health.enter(Phase::Leaving);
        assert_eq!(reason(), Some("stopping"));
        health.close_journal(JournalFaultKind::Rewound);
        assert_eq!(reason(), Some("journal-rewound"));
        let open = Answer { status: 200, headers: Vec::new(), body: "{}".into(), kind: AnswerKind::Denied(None) };
        assert_eq!(registry.guarded(open, &RequestName::new("/")).status, 500);
        assert_eq!(reason(), Some("answer-withheld"));
        let codes: Vec<_> = UnreadyReason::codes().collect();
        assert!(codes.len() == JournalFaultKind::ALL.len() + 3 && reason().is_some_and(|code| codes.contains(&code)));
    }
}
