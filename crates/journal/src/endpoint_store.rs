//! Where endpoints of webhooks are kept: beside the log, and no part of it. An old copy of this store can only repeat
//! deliveries; the log is never asked what was sent.

use std::fmt;

use svc_core::journal::delivery::EndpointName;
use svc_proof::fault::{JournalFault, JournalFaultKind};

use crate::{endpoint::EventEndpoint, stored_name};

/// The most endpoints of a service. Each may have a delivery under way.
pub const MOST_ENDPOINTS: usize = 32;

/// How often a change is tried beside others that change the same endpoint.
const CHANGE_ATTEMPTS: usize = 16;

/// An endpoint as it was read.
#[derive(Clone, Debug)]
pub struct StoredEndpoint {
    pub endpoint: EventEndpoint,
    /// Counts every change, so that nobody writes over what they have not seen.
    pub version: i64,
}

/// Every endpoint of a store, by name.
#[derive(Clone, Debug, Default)]
pub struct EndpointList {
    pub readable: Vec<StoredEndpoint>,
    /// The names of those that cannot be read back, as [`stored_name::shown`] writes them. They keep no other from its
    /// deliveries, and can be removed.
    pub unreadable: Vec<String>,
}

impl EndpointList {
    pub(crate) fn add(&mut self, name: &[u8], version: i64, document: &[u8]) {
        match read(&stored_name::shown(name), version, document) {
            Ok(stored) => self.readable.push(stored),
            Err(_) => self.unreadable.push(stored_name::shown(name)),
        }
    }
}

/// Times are milliseconds since 1970: by the clock of the database where several nodes share one.
pub trait EndpointStore: Send + Sync + fmt::Debug {
    /// What it is, for people: never with a password.
    fn name(&self) -> String;

    /// The moment that all who share the store go by.
    ///
    /// # Errors
    /// When the store does not answer.
    fn now(&self) -> Result<u64, JournalFault>;

    /// Every endpoint, by name.
    ///
    /// # Errors
    /// When the store cannot be read.
    fn list(&self) -> Result<EndpointList, JournalFault>;

    /// One endpoint.
    ///
    /// # Errors
    /// When it cannot be read.
    fn get(&self, name: &EndpointName) -> Result<Option<StoredEndpoint>, JournalFault>;

    /// Adds an endpoint. Whether there was none of its name.
    ///
    /// # Errors
    /// When it cannot be written, or there are too many.
    fn insert(&self, endpoint: &EventEndpoint) -> Result<bool, JournalFault>;

    /// Writes an endpoint over the version that was read. Whether it was still that version. Durable once it returns.
    ///
    /// # Errors
    /// When it cannot be written.
    fn replace(&self, version: i64, endpoint: &EventEndpoint) -> Result<bool, JournalFault>;

    /// Deletes an endpoint with its secrets. Whether there was one.
    ///
    /// # Errors
    /// When it cannot be deleted.
    fn remove(&self, name: &EndpointName) -> Result<bool, JournalFault>;

    /// Deletes an endpoint whose name is none, by the form that [`EndpointList::unreadable`] gives it. Whether there was one.
    ///
    /// # Errors
    /// When it cannot be deleted.
    fn remove_unreadable(&self, shown: &str) -> Result<bool, JournalFault>;

    /// Takes or keeps the lease of an endpoint for a time. Whether it is this owner's now.
    ///
    /// # Errors
    /// When the store does not answer.
    fn take_lease(&self, name: &EndpointName, owner: &str, millis: u64) -> Result<bool, JournalFault>;

    /// Gives back every lease of an owner.
    ///
    /// # Errors
    /// When the store does not answer.
    fn give_back(&self, owner: &str) -> Result<(), JournalFault>;
}

/// Changes an endpoint beside others who may do so too. `None` when there is none of the name, or the change does not apply to
/// what is there now.
///
/// # Errors
/// When the store fails, or others change it all the time.
pub fn change<T>(
    store: &dyn EndpointStore,
    name: &EndpointName,
    mut step: impl FnMut(&mut EventEndpoint) -> Option<T>,
) -> Result<Option<(EventEndpoint, T)>, JournalFault> {
    for _ in 0..CHANGE_ATTEMPTS {
        let Some(StoredEndpoint { mut endpoint, version }) = store.get(name)? else { return Ok(None) };
        let Some(told) = step(&mut endpoint) else { return Ok(None) };
        if store.replace(version, &endpoint)? {
            return Ok(Some((endpoint, told)));
        }
    }
    Err(JournalFault::new(JournalFaultKind::Busy, format!("the endpoint `{name}` is changed by others all the time")))
}

/// The document of an endpoint, as both stores keep it.
///
/// # Errors
/// Never for an endpoint that was made here: it has texts and numbers alone.
pub(crate) fn write(endpoint: &EventEndpoint) -> Result<String, JournalFault> {
    serde_json::to_string(endpoint).map_err(|_| JournalFault::corrupt("an endpoint of webhooks cannot be written"))
}

/// Reads it back. Its text holds secrets, so that no message repeats any of it.
pub(crate) fn read(name: &str, version: i64, document: &[u8]) -> Result<StoredEndpoint, JournalFault> {
    let endpoint: Option<EventEndpoint> = serde_json::from_slice(document).ok();
    let is_own = |endpoint: &EventEndpoint| endpoint.name.as_str() == name && endpoint.is_whole();
    // The last number that can be counted to is none that can be counted on from.
    let endpoint = endpoint.filter(is_own).filter(|_| (1..i64::MAX).contains(&version));
    endpoint.map(|endpoint| StoredEndpoint { endpoint, version }).ok_or_else(|| {
        let detail = format!(
            "the endpoint `{name}` cannot be read back from its store; `svc-registry events remove` deletes it"
        );
        JournalFault::new(JournalFaultKind::Unusable, detail)
    })
}

pub(crate) fn too_many() -> JournalFault {
    JournalFault::new(
        JournalFaultKind::Unusable,
        format!("there are {MOST_ENDPOINTS} endpoints, and no more may be added"),
    )
}
