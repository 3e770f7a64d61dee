//! The threads: one that looks which endpoints there are, and one for each that is delivered to. They have their own sockets,
//! memory and time: no request waits for any of them.

use std::{
    cell::Cell,
    collections::{BTreeMap, BTreeSet},
    io,
    sync::Arc,
    thread::{self, JoinHandle},
    time::Duration,
};

use data_encoding::HEXLOWER;
use svc_client::{allowed_receivers::AllowedReceivers, webhook_client::WebhookClient};
use svc_journal::{
    endpoint::{EventEndpoint, Standing},
    endpoint_store::{EndpointList, EndpointStore},
    open::Location,
    writer::Journal,
};
use svc_proof::fault::JournalFault;
use tokio::{runtime::Builder, time};

use super::{state::Deliveries, worker::Worker};
use crate::log;

/// How often the store is looked at for endpoints, and how often for the store itself where a database would have it.
const ROUND: Duration = Duration::from_secs(1);
const ROUND_WITHOUT_TABLES: Duration = Duration::from_secs(10);

/// The threads. They end when this is dropped: a try that is on its way has a moment to end.
#[derive(Debug)]
pub struct DeliveryThreads {
    deliveries: Arc<Deliveries>,
    supervisor: Option<JoinHandle<()>>,
}

impl DeliveryThreads {
    /// Starts them, for the endpoints of a log.
    ///
    /// # Errors
    /// When the system gives no thread.
    pub fn start(
        location: Location,
        journal: &Arc<Journal>,
        allowed: AllowedReceivers,
    ) -> io::Result<(Arc<Deliveries>, Self)> {
        Self::start_with(location, journal, WebhookClient::new(allowed))
    }

    /// The same with a client of one's own.
    ///
    /// # Errors
    /// As [`DeliveryThreads::start`].
    pub fn start_with(
        location: Location,
        journal: &Arc<Journal>,
        client: WebhookClient,
    ) -> io::Result<(Arc<Deliveries>, Self)> {
        let mut owner = [0; 16];
        getrandom::fill(&mut owner).map_err(io::Error::other)?;
        let owner = HEXLOWER.encode(&owner);
        let deliveries = Arc::new(Deliveries::new(location, Arc::clone(journal), client, owner));
        let shared = Arc::clone(&deliveries);
        let supervisor = thread::Builder::new().name("svc-events".to_owned()).spawn(move || supervise(&shared))?;
        Ok((Arc::clone(&deliveries), Self { deliveries, supervisor: Some(supervisor) }))
    }
}

impl Drop for DeliveryThreads {
    fn drop(&mut self) {
        self.deliveries.stop.send_replace(true);
        if let Some(supervisor) = self.supervisor.take() {
            let _ = supervisor.join();
        }
    }
}

/// Threads by the id of their endpoint.
type Workers = BTreeMap<String, JoinHandle<()>>;

fn supervise(deliveries: &Arc<Deliveries>) {
    let Ok(runtime) = Builder::new_current_thread().enable_time().build() else {
        log::error("deliveries wait", "the system gives no thread for them");
        return;
    };
    let (mut workers, mut told, mut unreadable) = (Workers::new(), false, BTreeSet::new());
    while !deliveries.is_stopping() {
        let mut round = ROUND;
        match look(deliveries, &mut workers, &mut unreadable) {
            Ok(Found::Store) => told = false,
            Ok(Found::Nothing) => {
                told = false;
                if deliveries.journal.store().is_shared() {
                    round = ROUND_WITHOUT_TABLES;
                }
            }
            Err(fault) => {
                deliveries.forget_store();
                deliveries.note_faults(1);
                if !std::mem::replace(&mut told, true) {
                    log::warn("deliveries wait", &fault.to_string());
                }
            }
        }
        let mut stop = deliveries.stop.subscribe();
        runtime.block_on(async { drop(time::timeout(round, stop.wait_for(|stop| *stop)).await) });
    }
    for worker in std::mem::take(&mut workers).into_values() {
        let _ = worker.join();
    }
    // Another node goes on at once.
    if let Ok(Some(store)) = deliveries.store() {
        let _ = store.give_back(&deliveries.owner);
    }
}

/// Whether there is a store of endpoints.
enum Found {
    Nothing,
    Store,
}

/// Starts a thread for each endpoint that is delivered to and has none. One that cannot be read is told once.
fn look(
    deliveries: &Arc<Deliveries>,
    workers: &mut Workers,
    told: &mut BTreeSet<String>,
) -> Result<Found, JournalFault> {
    workers.retain(|_, worker| !worker.is_finished());
    let Some(store) = deliveries.store()? else {
        if deliveries.had_store() {
            let detail = "the store of endpoints is gone: put it back, or add its endpoints again";
            return Err(JournalFault::new(svc_proof::fault::JournalFaultKind::Missing, detail));
        }
        deliveries.note(&[]);
        deliveries.note_faults(0);
        return Ok(Found::Nothing);
    };
    let EndpointList { readable, unreadable } = store.list()?;
    deliveries.note_faults(unreadable.len());
    told.retain(|name| unreadable.contains(name));
    for name in unreadable {
        if !told.contains(&name) {
            log::error(
                "an endpoint cannot be read",
                &format!("{name}: nothing is delivered to it; `svc-registry events remove {name}` deletes it"),
            );
            told.insert(name);
        }
    }
    let endpoints: Vec<EventEndpoint> = readable.into_iter().map(|stored| stored.endpoint).collect();
    // Of a log that others write too: whoever waits for it to grow is woken by this.
    if !endpoints.is_empty() && deliveries.journal.store().is_shared() {
        deliveries.journal.newest()?;
    }
    deliveries.note(&endpoints);
    for endpoint in endpoints {
        if endpoint.standing == Standing::Active && !workers.contains_key(&endpoint.id) {
            let id = endpoint.id.clone();
            let worker = start(deliveries, &store, endpoint);
            workers.insert(id, worker.map_err(|error| no_thread(&error))?);
        }
    }
    Ok(Found::Store)
}

fn start(
    deliveries: &Arc<Deliveries>,
    store: &Arc<dyn EndpointStore>,
    of: EventEndpoint,
) -> io::Result<JoinHandle<()>> {
    let runtime = Builder::new_current_thread().enable_time().build()?;
    let worker = Worker {
        deliveries: Arc::clone(deliveries),
        store: Arc::clone(store),
        name: of.name,
        id: of.id,
        runtime,
        leased: Cell::new(None),
        is_compared: Cell::new(false),
        examined: Cell::new(None),
        delivered: Cell::new(None),
    };
    thread::Builder::new().name("svc-webhook".to_owned()).spawn(move || worker.run())
}

fn no_thread(error: &io::Error) -> JournalFault {
    JournalFault::new(svc_proof::fault::JournalFaultKind::Busy, format!("the system gives no thread: {error}"))
}
