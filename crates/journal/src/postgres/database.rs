//! Connections to a database, and waiting for it: a few seconds and not for ever, whoever asks.

use std::{
    fmt,
    future::Future,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::{Duration, Instant},
};

use deadpool_postgres::{Manager, ManagerConfig, Object, Pool, PoolError, RecyclingMethod, Runtime as PoolRuntime};
use svc_proof::fault::{JournalFault, JournalFaultKind};
use tokio::runtime::Runtime;
use tokio_postgres::Error;

use super::{
    fault::{MAY_WAIT, sql, with_causes},
    primary::{FoundPrimary, PrimarySearch},
    settings::Settings,
};
use crate::timeline::Timeline;

/// Above the session's own time limits, for a server that does not answer at all.
const QUERY_TIMEOUT: Duration = Duration::from_secs(7);

/// The wait after a connection failed, doubled each time up to the second.
const MIN_BACKOFF: Duration = Duration::from_millis(50);
const MAX_BACKOFF: Duration = Duration::from_secs(2);

pub(super) struct Database {
    name: String,
    pool: Pool,
    /// One connection for whoever asks how the database does, so that it waits for nobody.
    probe: Pool,
    primary: Arc<FoundPrimary>,
    backoff: Mutex<Option<(Instant, Duration)>>,
    /// Taken when the store ends: a runtime must not be waited for inside another one.
    runtime: Option<Runtime>,
}

impl fmt::Debug for Database {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_tuple("Database").field(&self.name).finish()
    }
}

impl Drop for Database {
    fn drop(&mut self) {
        if let Some(runtime) = self.runtime.take() {
            runtime.shutdown_background();
        }
    }
}

impl Database {
    /// So many connections at most, driven by a thread of this name. None is made yet.
    pub(super) fn new(settings: &Settings, connections: usize, thread: &str) -> Result<Self, JournalFault> {
        let runtime = tokio::runtime::Builder::new_multi_thread()
            .worker_threads(1)
            .thread_name(thread)
            .enable_all()
            .build()
            .map_err(|error| JournalFault::io("start a thread", &error))?;
        // A connection keeps nothing that had to be cleaned up: locks end with their transaction, and one that failed is
        // not used again.
        let recycling = ManagerConfig { recycling_method: RecyclingMethod::Fast };
        let (search, primary) = PrimarySearch::new(settings);
        let pool = |connections| {
            let manager = Manager::from_connect(settings.config.clone(), search.clone(), recycling.clone());
            let pool = Pool::builder(manager).max_size(connections).runtime(PoolRuntime::Tokio1).build();
            pool.map_err(|error| JournalFault::new(JournalFaultKind::Unusable, error.to_string()))
        };
        let (pool, probe) = (pool(connections)?, pool(1)?);
        runtime.spawn(search.watch());
        Ok(Self { name: settings.name(), pool, probe, primary, backoff: Mutex::new(None), runtime: Some(runtime) })
    }

    /// Where it is, without a password.
    pub(super) fn name(&self) -> &str {
        &self.name
    }

    /// The timeline of the primary that was found last, or that was remembered.
    pub(super) fn timeline(&self) -> Option<Timeline> {
        self.primary.timeline()
    }

    /// A connection; after a failure nobody tries again before a moment has passed.
    pub(super) fn client(&self) -> Result<Object, JournalFault> {
        let waiting = *self.backoff();
        if waiting.is_some_and(|(until, _)| Instant::now() < until) {
            return Err(self.unreachable("cannot be reached"));
        }
        if self.primary.is_contradicted() {
            self.pool.retain(|_, _| false);
            self.forget_probe();
        }
        let client = match self.within(self.pool.get()) {
            Some(Ok(client)) => Ok(client),
            // The message of a refused connection names the reason, never the password.
            Some(Err(error)) => Err(self.refused(&error)),
            None => Err(self.silent()),
        };
        let wait = waiting.map_or(MIN_BACKOFF, |(_, wait)| (wait * 2).min(MAX_BACKOFF));
        *self.backoff() = if client.is_ok() { None } else { Some((Instant::now() + wait, wait)) };
        client
    }

    /// Waits on this thread for an answer of the database.
    pub(super) fn wait<T>(&self, work: impl Future<Output = Result<T, Error>>) -> Result<T, JournalFault> {
        match self.within(work) {
            Some(done) => done.map_err(|error| sql(&error)),
            None => Err(self.silent()),
        }
    }

    /// The same for what takes as long as it takes.
    pub(super) fn wait_long<T>(&self, work: impl Future<Output = Result<T, Error>>) -> Result<T, JournalFault> {
        let runtime = self.runtime.as_ref().ok_or_else(|| self.unreachable("is closed"))?;
        runtime.block_on(work).map_err(|error| sql(&error))
    }

    /// Asks on the connection for that, and gives up after a time. A connection that failed or did not answer is closed. Once
    /// one was made, others need not wait any more to try again.
    pub(super) fn probe<T>(
        &self,
        within: Duration,
        ask: impl AsyncFnOnce(&Object) -> Result<T, Error>,
    ) -> Result<T, JournalFault> {
        let runtime = self.runtime.as_ref().ok_or_else(|| self.unreachable("is closed"))?;
        if self.primary.is_contradicted() {
            self.forget_probe();
        }
        runtime.block_on(async {
            let end = tokio::time::Instant::now() + within;
            let client = tokio::time::timeout_at(end, self.probe.get()).await.map_err(|_| self.silent())?;
            let client = client.map_err(|error| self.refused(&error))?;
            let answer = tokio::time::timeout_at(end, ask(&client)).await;
            let answer = answer.map_or_else(|_| Err(self.silent()), |answer| answer.map_err(|error| sql(&error)));
            if answer.is_ok() {
                *self.backoff() = None;
            } else {
                drop(Object::take(client));
            }
            answer
        })
    }

    /// Closes the connection for that: the next question looks for the primary again.
    pub(super) fn forget_probe(&self) {
        self.probe.retain(|_, _| false);
    }

    fn refused(&self, error: &PoolError) -> JournalFault {
        match self.primary.take_refusal() {
            Some(fault) if fault.kind == JournalFaultKind::WrongPrimary => fault,
            Some(fault) => self.unreachable(&format!("cannot be reached: {}", fault.detail)),
            None => self.unreachable(&format!("cannot be reached: {}", with_causes(error))),
        }
    }

    fn within<T>(&self, work: impl Future<Output = T>) -> Option<T> {
        let runtime = self.runtime.as_ref()?;
        runtime.block_on(async { tokio::time::timeout(QUERY_TIMEOUT, work).await.ok() })
    }

    fn backoff(&self) -> MutexGuard<'_, Option<(Instant, Duration)>> {
        self.backoff.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn silent(&self) -> JournalFault {
        self.unreachable(&format!("did not answer in time: {MAY_WAIT}"))
    }

    fn unreachable(&self, why: &str) -> JournalFault {
        JournalFault::new(JournalFaultKind::Unreachable, format!("{} {why}", self.name))
    }
}
