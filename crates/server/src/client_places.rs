//! Who has which places, by client: what is given out is found again by its number, also after it was given to another.

use std::{collections::BTreeMap, sync::Arc};

use crate::auth::rate::ClientKey;

/// The places of one client, by their numbers: the oldest first.
pub(crate) type OfClient<S> = BTreeMap<u64, Arc<S>>;

#[derive(Debug)]
pub(crate) struct ClientPlaces<S> {
    next: u64,
    taken: usize,
    held: BTreeMap<ClientKey, OfClient<S>>,
}

impl<S> Default for ClientPlaces<S> {
    fn default() -> Self {
        Self { next: 0, taken: 0, held: BTreeMap::new() }
    }
}

impl<S> ClientPlaces<S> {
    /// How many are taken.
    pub(crate) fn taken(&self) -> usize {
        self.taken
    }

    /// How many of them this client has.
    pub(crate) fn of(&self, client: &ClientKey) -> usize {
        self.held.get(client).map_or(0, BTreeMap::len)
    }

    /// Every client with its places.
    pub(crate) fn clients(&self) -> impl Iterator<Item = (&ClientKey, &OfClient<S>)> {
        self.held.iter()
    }

    /// One more, and its number.
    pub(crate) fn add(&mut self, client: ClientKey, state: Arc<S>) -> u64 {
        self.next += 1;
        self.taken += 1;
        self.held.entry(client).or_default().insert(self.next, state);
        self.next
    }

    /// Gives a place back. Nothing when that was done before.
    pub(crate) fn remove(&mut self, client: &ClientKey, id: u64) -> Option<Arc<S>> {
        let held = self.held.get_mut(client)?;
        let state = held.remove(&id)?;
        self.taken -= 1;
        if held.is_empty() {
            self.held.remove(client);
        }
        Some(state)
    }
}
