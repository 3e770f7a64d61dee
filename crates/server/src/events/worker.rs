//! One endpoint: its next range is opened, sent, and acknowledged or tried again, one after the other.

use std::{
    cell::Cell,
    sync::Arc,
    time::{Duration, Instant},
};

use svc_client::{
    receiver_url::ReceiverUrl,
    webhook_client::{Acknowledgement, SendFailure},
};
use svc_core::journal::delivery::EndpointName;
use svc_journal::{
    endpoint::{EventEndpoint, PauseReason, Standing},
    endpoint_store::{EndpointStore, change},
};
use svc_proof::{checkpoint::Checkpoint, fault::JournalFault};
use tokio::{
    runtime::Runtime,
    sync::{SemaphorePermit, watch},
    time,
};

use super::{
    next_range::{self, Blocked, Next},
    retries,
    signature::WebhookMessage,
    state::{Deliveries, TryOutcome, wait_until},
};
use crate::log;

/// How long records are gathered after a delivery, unless there are enough for a whole one: each costs two flushes of the store,
/// on the disk that the answers wait for.
const GATHER: Duration = Duration::from_millis(250);

/// How long a node that is gone keeps an endpoint.
const LEASE: Duration = Duration::from_mins(1);

/// How old a lease may be before it is renewed. With the time of a try, in which it is not, that is far below the lease.
const RENEW_AFTER: Duration = Duration::from_secs(20);

/// How often an endpoint is looked at whose lease another node has.
const LEASE_POLL: Duration = Duration::from_secs(5);

/// How often the store is looked at for what an operator changed, while nothing else is to be done.
const STORE_POLL: Duration = Duration::from_secs(2);

/// How long a store or a log that does not answer is left alone.
const FAULT_PAUSE: Duration = Duration::from_secs(2);

/// How long a try that is on its way may go on when the service stops.
const LAST_TRY: Duration = Duration::from_secs(2);

const GONE: u16 = 410;

pub(super) struct Worker {
    pub(super) deliveries: Arc<Deliveries>,
    pub(super) store: Arc<dyn EndpointStore>,
    pub(super) name: EndpointName,
    /// Of the endpoint that it was started for: another one of the same name has a worker of its own.
    pub(super) id: String,
    pub(super) runtime: Runtime,
    /// When the lease was taken or renewed last.
    pub(super) leased: Cell<Option<Instant>>,
    /// Whether the log was found to be the one that the endpoint counts. While a process has it open, it is.
    pub(super) is_compared: Cell<bool>,
    /// When it was last written down what holds nothing for the endpoint.
    pub(super) examined: Cell<Option<Instant>>,
    /// When a receiver took something last.
    pub(super) delivered: Cell<Option<Instant>>,
}

/// What there is to do after a step.
enum After {
    /// The next step, at once.
    GoOn,
    /// Nothing for so long, unless the log grows.
    Idle(Duration),
    /// Nothing for so long, whatever happens.
    Wait(Duration),
    /// The endpoint is not delivered to any more, or the service stops.
    End,
}

impl Worker {
    /// Works until the endpoint is not delivered to any more, or the service stops.
    pub(super) fn run(self) {
        let mut sizes = self.deliveries.journal.growth();
        let (mut looked_at, mut told) = (0, false);
        while !self.deliveries.is_stopping() {
            sizes.mark_unchanged();
            let after = self.step(&mut looked_at).unwrap_or_else(|fault| {
                // Once, until it is over.
                if !std::mem::replace(&mut told, true) {
                    log::warn("deliveries wait", &format!("{}: {fault}", self.name));
                }
                After::Wait(FAULT_PAUSE)
            });
            match after {
                After::GoOn => told = false,
                After::Idle(time) => {
                    told = false;
                    self.wait(time, Some(&mut sizes));
                }
                After::Wait(time) => self.wait(time, None),
                After::End => break,
            }
        }
    }

    fn step(&self, looked_at: &mut u64) -> Result<After, JournalFault> {
        let found = self.store.get(&self.name)?.map(|stored| stored.endpoint);
        let is_own = |endpoint: &EventEndpoint| endpoint.id == self.id && endpoint.standing == Standing::Active;
        let Some(endpoint) = found.filter(is_own) else { return Ok(After::End) };
        if !self.has_lease()? {
            return Ok(After::Wait(LEASE_POLL));
        }
        if !self.is_compared.get() {
            match next_range::check_log(&self.deliveries.journal, &endpoint) {
                Ok(()) => self.is_compared.set(true),
                Err(blocked) => return self.blocked(blocked),
            }
        }
        let Some(open) = &endpoint.open else { return self.open(&endpoint, looked_at) };
        let wait = wait_until(open.next_try, self.store.now()?);
        if !wait.is_zero() {
            return Ok(After::Wait(wait.min(STORE_POLL)));
        }
        self.send(&endpoint)
    }

    /// Takes the lease, or keeps it.
    fn has_lease(&self) -> Result<bool, JournalFault> {
        if self.leased.get().is_some_and(|since| since.elapsed() < RENEW_AFTER) {
            return Ok(true);
        }
        // Counted from before the store is asked: it may take its time.
        let now = Instant::now();
        let millis = u64::try_from(LEASE.as_millis()).unwrap_or(u64::MAX);
        let has_lease = self.store.take_lease(&self.name, &self.deliveries.owner, millis)?;
        self.leased.set(has_lease.then_some(now));
        Ok(has_lease)
    }

    /// Writes down what is sent next, before it is.
    fn open(&self, endpoint: &EventEndpoint, looked_at: &mut u64) -> Result<After, JournalFault> {
        match next_range::next(&self.deliveries.journal, endpoint, *looked_at) {
            Ok(Next::Nothing { looked_at: at, is_more, log }) => {
                *looked_at = at;
                self.examined(endpoint, (at, &log), is_more)?;
                Ok(if is_more { After::GoOn } else { After::Idle(STORE_POLL) })
            }
            Ok(Next::Range { to, .. }) if to - endpoint.cursor < endpoint.batch.into() && !self.gathers().is_zero() => {
                Ok(After::Wait(self.gathers()))
            }
            Ok(Next::Range { to, log }) => {
                *looked_at = 0;
                let now = self.store.now()?;
                let cursor = endpoint.cursor;
                self.change(|endpoint| endpoint.cursor == cursor && endpoint.open(to, &log, now))?;
                Ok(After::GoOn)
            }
            Err(blocked) => self.blocked(blocked),
        }
    }

    /// How long records are still gathered.
    fn gathers(&self) -> Duration {
        self.delivered.get().map_or(Duration::ZERO, |last| GATHER.saturating_sub(last.elapsed()))
    }

    /// Keeps how far there is nothing for the endpoint, now and then: whatever is not kept is looked at again.
    fn examined(
        &self,
        endpoint: &EventEndpoint,
        (up_to, log): (u64, &Checkpoint),
        is_more: bool,
    ) -> Result<(), JournalFault> {
        let is_due = is_more || self.examined.get().is_none_or(|last| last.elapsed() >= STORE_POLL);
        if is_due && endpoint.is_filtered() && up_to > endpoint.next_index() {
            let cursor = endpoint.cursor;
            self.change(|endpoint| endpoint.cursor == cursor && endpoint.examine(up_to, log))?;
            self.examined.set(Some(Instant::now()));
        }
        Ok(())
    }

    fn send(&self, endpoint: &EventEndpoint) -> Result<After, JournalFault> {
        let Some((_, id)) = endpoint.open_range() else { return Ok(After::GoOn) };
        let Ok(url) = ReceiverUrl::parse(&endpoint.url) else {
            let why = "its address is none that deliveries are sent to".to_owned();
            return self.blocked(Blocked::Pause(PauseReason::Address, why));
        };
        let Some(_permit) = self.permit() else { return Ok(After::End) };
        let body = match next_range::body(&self.deliveries.journal, endpoint) {
            Ok(body) => body,
            Err(blocked) => return self.blocked(blocked),
        };
        let now = self.store.now()?;
        let message = WebhookMessage { id: id.clone(), timestamp: now / 1000, body };
        let secrets = endpoint.secrets(now);
        let stopping = Cell::new(None);
        let is_over = || {
            self.deliveries.is_stopping() && {
                let since = stopping.get().unwrap_or_else(Instant::now);
                stopping.set(Some(since));
                since.elapsed() >= LAST_TRY
            }
        };
        let sent = self.deliveries.client.post(&url, &message.headers(&secrets), &message.body, &is_over);
        match sent {
            Ok(Acknowledgement { status: 200..=299, .. }) => self.acknowledge(&id),
            Ok(Acknowledgement { status: GONE, .. }) => self.disable(&id),
            Ok(Acknowledgement { status, retry_after }) => {
                let why = match status {
                    300..=399 => format!("it answered {status}, and redirects are not followed"),
                    _ => format!("it answered {status}"),
                };
                self.fail(&id, TryOutcome::Refused, &why, retry_after)
            }
            // It stays open, and is the first thing that the next start sends.
            Err(SendFailure::Stopped) => Ok(After::End),
            Err(failure @ SendFailure::Forbidden(_)) => {
                self.fail(&id, TryOutcome::Forbidden, &failure.to_string(), None)
            }
            Err(failure @ SendFailure::TimedOut) => self.fail(&id, TryOutcome::TimedOut, &failure.to_string(), None),
            Err(failure @ (SendFailure::Unreachable(_) | SendFailure::NoAnswer(_))) => {
                self.fail(&id, TryOutcome::Unreachable, &failure.to_string(), None)
            }
        }
    }

    fn acknowledge(&self, id: &str) -> Result<After, JournalFault> {
        self.deliveries.count(self.name.as_str(), TryOutcome::Delivered);
        self.delivered.set(Some(Instant::now()));
        let now = self.store.now()?;
        self.change(|endpoint| endpoint.acknowledge(id, now))?;
        log::note("delivered", &format!("{}: {id}", self.name));
        Ok(After::GoOn)
    }

    fn disable(&self, id: &str) -> Result<After, JournalFault> {
        self.deliveries.count(self.name.as_str(), TryOutcome::Refused);
        let now = self.store.now()?;
        let why = "it answered 410: it wants no more";
        self.change(|endpoint| endpoint.disable(id, why, now))?;
        log::warn("an endpoint is disabled", &format!("{}: {why}", self.name));
        Ok(After::End)
    }

    fn fail(
        &self,
        id: &str,
        outcome: TryOutcome,
        why: &str,
        retry_after: Option<Duration>,
    ) -> Result<After, JournalFault> {
        self.deliveries.count(self.name.as_str(), outcome);
        let mut chance = [0; 1];
        // Without chance it is tried a little sooner.
        let _ = getrandom::fill(&mut chance);
        let now = self.store.now()?;
        let mut next = None;
        self.change(|endpoint| {
            let failed = endpoint.open.as_ref().map_or(0, |open| open.tries).saturating_add(1);
            let [chance] = chance;
            next = retries::delay_after(failed, retry_after, chance).map(|delay| (failed, delay));
            let millis = |delay: Duration| u64::try_from(delay.as_millis()).unwrap_or(u64::MAX);
            endpoint.fail(id, why, now, next.map(|(_, delay)| now.saturating_add(millis(delay))))
        })?;
        match next {
            Some((failed, delay)) => {
                let (of, seconds) = (retries::DELAYS.len(), delay.as_secs());
                let detail = format!("{}: {id}: {why}; try {failed} of {of}, the next in {seconds} s", self.name);
                log::warn("a delivery failed", &detail);
            }
            None => log::error(
                "an endpoint is paused",
                &format!("{}: {id}: {why}; that was the last try, and nothing is skipped", self.name),
            ),
        }
        Ok(After::GoOn)
    }

    fn blocked(&self, blocked: Blocked) -> Result<After, JournalFault> {
        match blocked {
            Blocked::Fault(fault) => Err(fault),
            Blocked::Pause(reason, why) => {
                self.change(|endpoint| endpoint.pause(reason))?;
                log::error("an endpoint is paused", &format!("{}: {}: {why}", self.name, reason.as_str()));
                Ok(After::End)
            }
        }
    }

    /// Changes the endpoint, as long as it is the one that this works for.
    fn change(&self, mut step: impl FnMut(&mut EventEndpoint) -> bool) -> Result<(), JournalFault> {
        let own = |endpoint: &mut EventEndpoint| (endpoint.id == self.id && step(endpoint)).then_some(());
        change(self.store.as_ref(), &self.name, own).map(|_| ())
    }

    fn wait(&self, time: Duration, grown: Option<&mut watch::Receiver<u64>>) {
        let mut stop = self.deliveries.stop.subscribe();
        self.runtime.block_on(async {
            let growth = async {
                match grown {
                    Some(sizes) => drop(sizes.changed().await),
                    None => std::future::pending().await,
                }
            };
            tokio::select! {
                () = time::sleep(time) => {}
                _ = stop.wait_for(|stop| *stop) => {}
                () = growth => {}
            }
        });
    }

    /// One of the deliveries that may be under way at once, unless the service stops.
    fn permit(&self) -> Option<SemaphorePermit<'_>> {
        let mut stop = self.deliveries.stop.subscribe();
        self.runtime.block_on(async {
            tokio::select! {
                permit = self.deliveries.budget.acquire() => permit.ok(),
                _ = stop.wait_for(|stop| *stop) => None,
            }
        })
    }
}
