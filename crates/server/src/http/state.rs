//! What requests of all connections share, and what is known of the one they came by.

use std::{io, net::IpAddr, sync::Arc};

use svc_core::words::limits;
use svc_journal::writer::Journal;

use super::{
    answer_budget::AnswerBudget, body_budget::BodyBudget, connection_slots::SlotState, turns::Turns,
    worker_pool::WorkerPool,
};
use crate::{record::Recorder, registry::Registry, witnessing::Witnessing};

/// What all connections share.
#[derive(Debug)]
pub(super) struct ServerState {
    pub(super) registry: Registry,
    pub(super) journal: Option<Arc<Journal>>,
    pub(super) witnessing: Option<Arc<Witnessing>>,
    pub(super) turns: Turns,
    pub(super) body_budget: Arc<BodyBudget>,
    pub(super) answer_budget: Arc<AnswerBudget>,
    pub(super) pool: WorkerPool,
}

impl ServerState {
    pub(super) fn new(
        registry: Registry,
        journal: Option<Arc<Journal>>,
        witnessing: Option<Arc<Witnessing>>,
        behind_proxy: bool,
    ) -> io::Result<Self> {
        let cores = std::thread::available_parallelism().map_or(1, usize::from);
        Ok(Self {
            registry,
            journal,
            witnessing,
            turns: Turns::new(behind_proxy),
            answer_budget: AnswerBudget::new(limits::ANSWERS_IN_FLIGHT),
            body_budget: BodyBudget::new(limits::BODIES_IN_FLIGHT / 1024),
            pool: WorkerPool::start(cores)?,
        })
    }

    pub(super) fn recorder(&self) -> Recorder<'_> {
        let Registry { health, metrics, .. } = &self.registry;
        Recorder { journal: self.journal.as_ref(), witnessing: self.witnessing.as_ref(), health, metrics }
    }
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
