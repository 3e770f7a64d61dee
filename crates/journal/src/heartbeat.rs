//! Whether the store takes records: asked once a second, whether or not anybody posts.
//!
//! A record that was taken is the best answer, so that a busy store is not asked at all. An idle one is asked on a connection of
//! its own, one question at a time, each within [`HEARTBEAT_DEADLINE`](crate::store::HEARTBEAT_DEADLINE). After a record has
//! failed, the store must show that it takes writes: reading works on a full disk too. A question that never returns leaves an
//! answer that gets old, and an old answer counts as none.

use std::{
    sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError},
    thread,
    time::{Duration, Instant},
};

use svc_proof::fault::{JournalFault, JournalFaultKind};

use crate::store::{HEARTBEAT_DEADLINE, StoreProbe};

/// How often a store is asked.
#[derive(Clone, Copy, Debug)]
struct Pace {
    /// While it answers.
    interval: Duration,
    /// While it does not.
    retry: Duration,
    /// An answer that is older says nothing any more.
    max_age: Duration,
}

const PACE: Pace =
    Pace { interval: Duration::from_secs(1), retry: Duration::from_millis(200), max_age: Duration::from_secs(3) };

/// What is known of a store, shared by the one who asks it and those who write to it.
#[derive(Debug)]
pub(crate) struct StoreHealth {
    pace: Pace,
    state: Mutex<State>,
    changed: Condvar,
}

#[derive(Debug)]
struct State {
    /// When the store last took a record or answered.
    answered: Instant,
    /// When the last question ended.
    asked: Option<Instant>,
    fault: Option<JournalFault>,
    /// What must be shown next.
    probe: StoreProbe,
    phase: Phase,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Phase {
    Asking,
    /// Nothing more is to be asked.
    Ending,
    /// The store was given back.
    Ended,
}

/// The thread that asks. It ends when this is dropped.
#[derive(Debug)]
pub(crate) struct Heartbeat {
    health: Arc<StoreHealth>,
}

impl StoreHealth {
    /// Of a store that was opened a moment ago.
    pub(crate) fn new() -> Self {
        Self::at(PACE)
    }

    fn at(pace: Pace) -> Self {
        let (answered, probe) = (Instant::now(), StoreProbe::Read);
        let state = State { answered, asked: None, fault: None, probe, phase: Phase::Asking };
        Self { pace, state: Mutex::new(state), changed: Condvar::new() }
    }

    /// Why the store takes no records; nothing while it does.
    pub(crate) fn fault(&self) -> Option<JournalFault> {
        let state = self.lock();
        state.fault.clone().or_else(|| {
            let age = state.answered.elapsed();
            let silent =
                || JournalFault::new(JournalFaultKind::Unreachable, format!("no answer for {} s", age.as_secs()));
            (age > self.pace.max_age).then(silent)
        })
    }

    /// A record is durable.
    pub(crate) fn note_taken(&self) {
        self.lock().answer();
    }

    /// A record is not.
    pub(crate) fn note_failed(&self, fault: &JournalFault) {
        let mut state = self.lock();
        state.fault = Some(fault.clone());
        state.probe = StoreProbe::Write;
        self.changed.notify_all();
    }

    fn note(&self, probe: StoreProbe, since: Instant, answer: Result<(), JournalFault>) {
        let mut state = self.lock();
        state.asked = Some(Instant::now());
        match answer {
            // A record that failed meanwhile asks for more than was shown.
            Ok(()) if state.probe == StoreProbe::Write && probe == StoreProbe::Read => {}
            Ok(()) => state.answer(),
            // A record that was taken meanwhile is newer.
            Err(_) if state.answered > since => {}
            Err(fault) => state.fault = Some(fault),
        }
    }

    /// Waits until the store is to be asked again, and says for what. Nothing when all is over.
    fn wait(&self) -> Option<StoreProbe> {
        let mut state = self.lock();
        loop {
            if state.phase != Phase::Asking {
                return None;
            }
            let left = state.due(self.pace).saturating_duration_since(Instant::now());
            if left.is_zero() {
                return Some(state.probe);
            }
            state = self.changed.wait_timeout(state, left).unwrap_or_else(PoisonError::into_inner).0;
        }
    }

    fn enter(&self, phase: Phase) {
        self.lock().phase = phase;
        self.changed.notify_all();
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl State {
    fn answer(&mut self) {
        (self.answered, self.fault, self.probe) = (Instant::now(), None, StoreProbe::Read);
    }

    fn due(&self, pace: Pace) -> Instant {
        match (&self.fault, self.asked) {
            (None, _) => self.answered + pace.interval,
            (Some(_), Some(asked)) => asked + pace.retry,
            (Some(_), None) => Instant::now(),
        }
    }
}

impl Heartbeat {
    /// Asks from now on.
    ///
    /// # Errors
    /// When there is no thread to be had.
    pub(crate) fn start(
        health: Arc<StoreHealth>,
        ask: impl Fn(StoreProbe) -> Result<(), JournalFault> + Send + 'static,
    ) -> Result<Self, JournalFault> {
        let shared = Arc::clone(&health);
        let thread = thread::Builder::new().name("svc-journal-beat".to_owned()).spawn(move || {
            while let Some(probe) = shared.wait() {
                let since = Instant::now();
                shared.note(probe, since, ask(probe));
            }
            // The store is given back first: whoever waits here is about to close it.
            drop(ask);
            shared.enter(Phase::Ended);
        });
        thread.map_err(|error| JournalFault::io("start a thread", &error))?;
        Ok(Self { health })
    }
}

/// A question that never returns is not waited for.
impl Drop for Heartbeat {
    fn drop(&mut self) {
        self.health.enter(Phase::Ending);
        let ends = |state: &mut State| state.phase != Phase::Ended;
        let _ = self.health.changed.wait_timeout_while(self.health.lock(), 2 * HEARTBEAT_DEADLINE, ends);
    }
}

#[cfg(test)]
mod tests {
    use std::sync::{
        atomic::{AtomicUsize, Ordering},
        mpsc,
    };

    use super::*;

    const QUICK: Pace = Pace {
        interval: Duration::from_millis(20),
        retry: Duration::from_millis(10),
        max_age: Duration::from_millis(150),
    };

    fn refused() -> JournalFault {
        JournalFault::new(JournalFaultKind::Unreachable, "refused")
    }

    fn until(what: &str, is_so: impl Fn() -> bool) {
        let start = Instant::now();
        while !is_so() {
            assert!(start.elapsed() < Duration::from_secs(20), "{what}");
            thread::sleep(Duration::from_millis(2));
        }
    }

    #[test]
    fn a_store_that_refuses_is_down_without_a_record_and_back_by_itself() {
        let health = Arc::new(StoreHealth::at(QUICK));
        let answer = Arc::new(Mutex::new(Ok(())));
        let given = Arc::clone(&answer);
        let _beat = Heartbeat::start(Arc::clone(&health), move |_| given.lock().unwrap().clone()).unwrap();
        assert_eq!(health.fault(), None);
        *answer.lock().unwrap() = Err(refused());
        until("it is down", || health.fault() == Some(refused()));
        *answer.lock().unwrap() = Ok(());
        until("it is back", || health.fault().is_none());
    }

    #[test]
    fn a_store_that_hangs_is_down_and_asked_once() {
        let health = Arc::new(StoreHealth::at(QUICK));
        let (release, hung) = mpsc::sync_channel::<()>(0);
        let (asked, hung) = (Arc::new(AtomicUsize::new(0)), Mutex::new(hung));
        let count = Arc::clone(&asked);
        let beat = Heartbeat::start(Arc::clone(&health), move |_| {
            count.fetch_add(1, Ordering::Relaxed);
            let _ = hung.lock().unwrap().recv();
            Ok(())
        });
        let _beat = beat.unwrap();
        until("it is down", || health.fault().is_some_and(|fault| fault.kind == JournalFaultKind::Unreachable));
        thread::sleep(QUICK.max_age);
        assert_eq!(asked.load(Ordering::Relaxed), 1, "one question at a time");
        drop(release);
        until("it is back", || health.fault().is_none());
    }

    #[test]
    fn after_a_record_failed_reading_proves_nothing() {
        let health = Arc::new(StoreHealth::at(QUICK));
        let takes_writes = Arc::new(Mutex::new(false));
        let given = Arc::clone(&takes_writes);
        let _beat = Heartbeat::start(Arc::clone(&health), move |probe| match probe {
            StoreProbe::Write if !*given.lock().unwrap() => Err(JournalFault::new(JournalFaultKind::Full, "no room")),
            StoreProbe::Read | StoreProbe::Write => Ok(()),
        });
        health.note_failed(&refused());
        until("it says why", || health.fault().is_some_and(|fault| fault.kind == JournalFaultKind::Full));
        thread::sleep(5 * QUICK.interval);
        assert!(health.fault().is_some(), "it can be read all the while");
        *takes_writes.lock().unwrap() = true;
        until("it is back", || health.fault().is_none());
    }

    #[test]
    fn a_record_that_is_taken_counts_more_than_a_question_that_failed_meanwhile() {
        let health = StoreHealth::at(QUICK);
        let since = Instant::now();
        thread::sleep(Duration::from_millis(2));
        health.note_taken();
        health.note(StoreProbe::Read, since, Err(refused()));
        assert_eq!(health.fault(), None);
        health.note(StoreProbe::Read, Instant::now(), Err(refused()));
        assert_eq!(health.fault(), Some(refused()));
        health.note_taken();
        assert_eq!(health.fault(), None);
    }

    #[test]
    fn a_store_that_takes_records_is_not_asked() {
        let health = Arc::new(StoreHealth::at(Pace { interval: Duration::from_secs(5), ..QUICK }));
        let asked = Arc::new(AtomicUsize::new(0));
        let count = Arc::clone(&asked);
        let _beat = Heartbeat::start(Arc::clone(&health), move |_| {
            count.fetch_add(1, Ordering::Relaxed);
            Err(refused())
        });
        for _ in 0..20 {
            health.note_taken();
            thread::sleep(Duration::from_millis(2));
        }
        assert_eq!(asked.load(Ordering::Relaxed), 0);
    }

    /// Records that fail one after the other are no reason to ask more often.
    #[test]
    fn failing_records_do_not_make_a_storm_of_questions() {
        let health = Arc::new(StoreHealth::at(Pace { retry: Duration::from_secs(5), ..QUICK }));
        let asked = Arc::new(AtomicUsize::new(0));
        let count = Arc::clone(&asked);
        let _beat = Heartbeat::start(Arc::clone(&health), move |_| {
            count.fetch_add(1, Ordering::Relaxed);
            Err(refused())
        });
        for _ in 0..100 {
            health.note_failed(&refused());
            thread::sleep(Duration::from_millis(1));
        }
        assert_eq!(asked.load(Ordering::Relaxed), 1);
    }
}
