//! What requests of all connections share, and what is known of the one they came by.

use std::{io, net::IpAddr, sync::Arc, time::Duration};

use svc_core::words::limits;
use svc_journal::writer::Journal;
use tokio::{
    task::{self, JoinHandle},
    time,
};

use super::{
    answer_budget::AnswerBudget, body_budget::BodyBudget, connection_slots::SlotState, turns::Turns,
    worker_pool::WorkerPool,
};
use crate::{
    config::EventsMode,
    door::Door,
    events::Deliveries,
    follow::feed::Feed,
    metrics::{JournalSample, MetricSample},
    record::JournalDesk,
    witnessing::Witnessing,
};

/// A disk that has not told by then how full it is tells nothing.
const DISK_TIMEOUT: Duration = Duration::from_secs(2);

const JOURNAL_INTERVAL: Duration = Duration::from_secs(1);

/// What all connections share.
#[derive(Debug)]
pub(super) struct ServerState {
    pub(super) door: Door,
    pub(super) journal: Option<Arc<Journal>>,
    pub(super) witnessing: Option<Arc<Witnessing>>,
    /// What those are sent who follow the journal; nothing where nobody may.
    pub(super) feed: Option<Arc<Feed>>,
    deliveries: Option<Arc<Deliveries>>,
    pub(super) turns: Turns,
    pub(super) body_budget: Arc<BodyBudget>,
    pub(super) answer_budget: Arc<AnswerBudget>,
    /// The same for pages of the console.
    pub(super) console_budget: Arc<AnswerBudget>,
    pub(super) pool: WorkerPool,
}

impl ServerState {
    pub(super) fn new(
        door: Door,
        journal: Option<Arc<Journal>>,
        witnessing: Option<Arc<Witnessing>>,
        deliveries: Option<Arc<Deliveries>>,
        behind_proxy: bool,
        events: EventsMode,
    ) -> io::Result<Self> {
        if let Some(journal) = &journal {
            journal.observe_flushes(door.metrics.flush_observer());
        }
        let cores = std::thread::available_parallelism().map_or(1, usize::from);
        Ok(Self {
            door,
            journal,
            witnessing,
            feed: match events {
                EventsMode::On => Some(Feed::new(behind_proxy)),
                EventsMode::Off => None,
            },
            deliveries,
            turns: Turns::new(behind_proxy),
            answer_budget: AnswerBudget::new(limits::ANSWERS_IN_FLIGHT),
            console_budget: AnswerBudget::new(limits::PAGES_IN_FLIGHT),
            body_budget: BodyBudget::new(limits::BODIES_IN_FLIGHT / 1024),
            pool: WorkerPool::start(cores)?,
        })
    }

    /// Reads the journal for all who follow it, until that ends.
    pub(super) fn spawn_feed(&self) -> Option<JoinHandle<()>> {
        let (feed, journal) = (self.feed.as_ref()?, self.journal.as_ref()?);
        Some(tokio::spawn(Arc::clone(feed).run(Arc::clone(journal), self.witnessing.clone())))
    }

    /// Notes once a second how the journal does, so that the log says so whether or not anybody asks.
    pub(super) async fn watch_journal(&self) {
        loop {
            self.journal_desk().note_journal();
            time::sleep(JOURNAL_INTERVAL).await;
        }
    }

    /// Looks at what nobody counts, for whoever asks for the metrics.
    pub(super) async fn sample_metrics(&self) {
        self.journal_desk().note_journal();
        let journal = match &self.journal {
            Some(journal) => Some(JournalSample {
                size: journal.checkpoint().size(),
                checkpoint_age: journal.checkpoint_age(),
                waiting: journal.waiting(),
                free_bytes: free_bytes(journal).await,
            }),
            None => None,
        };
        let deliveries = self.deliveries.as_ref();
        let endpoints = deliveries.map(|deliveries| deliveries.samples()).unwrap_or_default();
        let endpoint_faults = deliveries.map(|deliveries| deliveries.faults() as u64);
        self.door.metrics.note_sample(MetricSample {
            worker_jobs: self.pool.waiting(),
            journal,
            endpoints,
            endpoint_faults,
        });
    }

    pub(super) fn journal_desk(&self) -> JournalDesk<'_> {
        let Door { health, metrics, .. } = &self.door;
        JournalDesk { journal: self.journal.as_ref(), witnessing: self.witnessing.as_ref(), health, metrics }
    }
}

async fn free_bytes(journal: &Arc<Journal>) -> Option<u64> {
    let journal = Arc::clone(journal);
    let looked = task::spawn_blocking(move || journal.free_bytes());
    time::timeout(DISK_TIMEOUT, looked).await.ok()?.ok()?
}

/// Which listener a request came in by.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Listener {
    /// The API.
    Public,
    /// Metrics and probes, on an address of their own.
    Admin,
}

/// Who is at the other end of a connection.
#[derive(Clone, Debug)]
pub(super) struct Peer {
    pub(super) listener: Listener,
    pub(super) address: IpAddr,
    pub(super) slot: Arc<SlotState>,
}
