//! The threads: one that chooses the state, and one for each witness that has an address.

use std::{
    io,
    sync::{Arc, MutexGuard, PoisonError},
    thread::{self, JoinHandle},
    time::Duration,
};

use super::{
    ask::{Asked, ask},
    link::WitnessLink,
    state::{WitnessState, Witnessing},
};

/// How often a state is chosen.
const ROUND: Duration = Duration::from_secs(1);

/// How long a witness is left alone after it failed: twice as long each time, up to the second.
const FIRST_PAUSE: Duration = Duration::from_secs(1);
const LONGEST_PAUSE: Duration = Duration::from_secs(60);

/// The threads. They end when this is dropped; a request that is on its way is not waited for.
#[derive(Debug)]
pub struct WitnessThreads {
    witnessing: Arc<Witnessing>,
    chooser: Option<JoinHandle<()>>,
}

impl WitnessThreads {
    /// Starts them, with the way to each witness that has one, by its place in the policy.
    ///
    /// # Errors
    /// When the system gives no thread.
    pub fn start(witnessing: &Arc<Witnessing>, links: Vec<(usize, Box<dyn WitnessLink>)>) -> io::Result<Self> {
        witnessing.begin();
        for (witness, link) in links {
            let shared = Arc::clone(witnessing);
            thread::Builder::new()
                .name("svc-witness".to_owned())
                .spawn(move || follow(&shared, witness, link.as_ref()))?;
        }
        let shared = Arc::clone(witnessing);
        let chooser = thread::Builder::new().name("svc-witnesses".to_owned()).spawn(move || choose(&shared))?;
        Ok(Self { witnessing: Arc::clone(witnessing), chooser: Some(chooser) })
    }
}

impl Drop for WitnessThreads {
    fn drop(&mut self) {
        self.witnessing.keep();
        self.witnessing.stop();
        if let Some(chooser) = self.chooser.take() {
            let _ = chooser.join();
        }
    }
}

fn choose(witnessing: &Witnessing) {
    loop {
        witnessing.tick();
        let state = witnessing.lock();
        if wait(witnessing, state, ROUND, |state| !state.is_stopping).is_stopping {
            return;
        }
    }
}

/// Asks one witness for one state after the other.
fn follow(witnessing: &Witnessing, witness: usize, link: &dyn WitnessLink) {
    let mut done = 0;
    let mut pause = FIRST_PAUSE;
    loop {
        let target = {
            let mut state = witnessing.lock();
            loop {
                if state.is_stopping {
                    return;
                }
                match state.target().filter(|target| target.round > done) {
                    Some(target) => break target.clone(),
                    None => state = witnessing.changed.wait(state).unwrap_or_else(PoisonError::into_inner),
                }
            }
        };
        match ask(witnessing, witness, link, &target.checkpoint) {
            Asked::Cosigned => {
                (done, pause) = (target.round, FIRST_PAUSE);
                continue;
            }
            // A newer state is chosen soon; one that says so all the time is heard less and less often.
            Asked::IsAhead => done = target.round,
            Asked::Failed => {}
            Asked::Stopped => return,
        }
        if wait(witnessing, witnessing.lock(), pause, |state| !state.is_stopping).is_stopping {
            return;
        }
        pause = (pause * 2).min(LONGEST_PAUSE);
    }
}

/// Waits for a time, unless the condition ends before.
fn wait<'s>(
    witnessing: &'s Witnessing,
    state: MutexGuard<'s, WitnessState>,
    time: Duration,
    goes_on: impl Fn(&WitnessState) -> bool,
) -> MutexGuard<'s, WitnessState> {
    let waited = witnessing.changed.wait_timeout_while(state, time, |state| goes_on(state));
    waited.unwrap_or_else(PoisonError::into_inner).0
}
