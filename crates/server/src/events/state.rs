//! What all threads of the deliveries share, and what is told of them.

use std::{
    collections::BTreeMap,
    sync::{
        Arc, Mutex, MutexGuard, PoisonError,
        atomic::{AtomicBool, AtomicUsize, Ordering},
    },
};

use svc_client::webhook_client::WebhookClient;
use svc_journal::{
    endpoint::{EventEndpoint, Standing},
    endpoint_store::EndpointStore,
    endpoints,
    open::Location,
    writer::Journal,
};
use svc_proof::fault::JournalFault;
use tokio::sync::{Semaphore, watch};

use super::retries;
use crate::config::memory::DELIVERIES_AT_ONCE;

/// How a try ended, for the metrics.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum TryOutcome {
    Delivered,
    /// A status that is not 2xx.
    Refused,
    TimedOut,
    Unreachable,
    /// The address is one that must not be connected to.
    Forbidden,
}

impl TryOutcome {
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Delivered => "delivered",
            Self::Refused => "refused",
            Self::TimedOut => "timed-out",
            Self::Unreachable => "unreachable",
            Self::Forbidden => "forbidden-address",
        }
    }
}

/// One endpoint, as the metrics tell it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EndpointSample {
    pub name: String,
    pub cursor: u64,
    /// Records of the log that it has not acknowledged.
    pub behind: u64,
    pub standing: Standing,
    /// Tries of this process.
    pub tries: Vec<(TryOutcome, u64)>,
}

/// The deliveries of a service.
#[derive(Debug)]
pub struct Deliveries {
    pub(super) journal: Arc<Journal>,
    pub(super) client: WebhookClient,
    location: Location,
    /// Who has a lease: another name at every start.
    pub(super) owner: String,
    pub(super) budget: Semaphore,
    pub(super) stop: watch::Sender<bool>,
    store: Mutex<Option<Arc<dyn EndpointStore>>>,
    had_store: AtomicBool,
    samples: Mutex<Vec<EndpointSample>>,
    faults: AtomicUsize,
    tries: Mutex<BTreeMap<(String, TryOutcome), u64>>,
}

impl Deliveries {
    pub(super) fn new(location: Location, journal: Arc<Journal>, client: WebhookClient, owner: String) -> Self {
        Self {
            journal,
            client,
            location,
            owner,
            budget: Semaphore::new(DELIVERIES_AT_ONCE),
            stop: watch::Sender::new(false),
            store: Mutex::default(),
            had_store: AtomicBool::new(false),
            samples: Mutex::default(),
            faults: AtomicUsize::new(0),
            tries: Mutex::default(),
        }
    }

    /// Every endpoint as it was when the store was looked at last.
    #[must_use]
    pub(crate) fn samples(&self) -> Vec<EndpointSample> {
        let tries = lock(&self.tries);
        let with_tries = |sample: &EndpointSample| {
            let own = tries.iter().filter(|((name, _), _)| *name == sample.name);
            EndpointSample { tries: own.map(|((_, outcome), count)| (*outcome, *count)).collect(), ..sample.clone() }
        };
        lock(&self.samples).iter().map(with_tries).collect()
    }

    pub(super) fn note(&self, endpoints: &[EventEndpoint]) {
        let size = self.journal.checkpoint().size();
        let sample = |endpoint: &EventEndpoint| EndpointSample {
            name: endpoint.name.to_string(),
            cursor: endpoint.cursor,
            behind: endpoint.behind(size),
            standing: endpoint.standing,
            tries: Vec::new(),
        };
        *lock(&self.samples) = endpoints.iter().map(sample).collect();
        // Nobody asks any more for what was removed.
        lock(&self.tries).retain(|(name, _), _| endpoints.iter().any(|endpoint| endpoint.name.as_str() == name));
    }

    /// How many endpoints could not be read when the store was looked at last, or one when the store itself could not.
    pub(crate) fn faults(&self) -> usize {
        self.faults.load(Ordering::Relaxed)
    }

    pub(super) fn note_faults(&self, count: usize) {
        self.faults.store(count, Ordering::Relaxed);
    }

    pub(super) fn count(&self, name: &str, outcome: TryOutcome) {
        *lock(&self.tries).entry((name.to_owned(), outcome)).or_default() += 1;
    }

    /// The store, once there is one. It is made by the first `svc-registry events add`.
    pub(super) fn store(&self) -> Result<Option<Arc<dyn EndpointStore>>, JournalFault> {
        let mut store = lock(&self.store);
        if store.is_none() {
            *store = endpoints::find(&self.location)?;
            self.had_store.fetch_or(store.is_some(), Ordering::Relaxed);
        }
        Ok(store.clone())
    }

    /// Whether this process has found a store. One that is then gone was not removed by any command.
    pub(super) fn had_store(&self) -> bool {
        self.had_store.load(Ordering::Relaxed)
    }

    /// Looks for the store anew, after it did not answer.
    pub(super) fn forget_store(&self) {
        *lock(&self.store) = None;
    }

    pub(super) fn is_stopping(&self) -> bool {
        *self.stop.borrow()
    }
}

/// How long it is until a moment that the store has; a moment too far away was written by a clock that was wrong.
pub(super) fn wait_until(next_try: u64, now: u64) -> std::time::Duration {
    let wait = std::time::Duration::from_millis(next_try.saturating_sub(now));
    if wait > retries::LONGEST_WAIT { std::time::Duration::ZERO } else { wait }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
