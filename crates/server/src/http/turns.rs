//! Turns: how many requests are worked on at once. Whoever asks for an answer has one at once or is told to come back; those
//! who read the journal wait for theirs, strangers among themselves and each address within its share, so that nobody who asks
//! for an answer waits behind them.

use std::{
    collections::BTreeMap,
    net::IpAddr,
    sync::{Arc, Mutex, PoisonError},
    time::Duration,
};

use svc_core::words::limits;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

use crate::auth::rate::ClientKey;

/// How long a reader of the journal waits.
const READ_TIMEOUT: Duration = Duration::from_secs(2);

/// Beyond so many clients, those that have left are forgotten.
const KEPT_CLIENTS: usize = 64;

#[derive(Debug)]
pub(super) struct Turns {
    requests: Arc<Semaphore>,
    journal: Arc<Semaphore>,
    public: Arc<Semaphore>,
    public_of_one: usize,
    clients: Mutex<BTreeMap<ClientKey, Arc<Semaphore>>>,
}

/// A turn, until it is dropped.
#[derive(Debug)]
pub(super) struct Turn {
    _of_all: OwnedSemaphorePermit,
    _of_client: Option<OwnedSemaphorePermit>,
}

impl Turns {
    /// Behind a proxy all clients have one address, which may have all turns.
    pub(super) fn new(behind_proxy: bool) -> Self {
        let of_one = if behind_proxy { limits::PUBLIC_READS } else { limits::PUBLIC_READS_PER_ADDRESS };
        Self::of(limits::PUBLIC_READS, of_one)
    }

    fn of(public: usize, public_of_one: usize) -> Self {
        let turns = |count| Arc::new(Semaphore::new(count));
        Self {
            requests: turns(limits::CONCURRENT_REQUESTS),
            journal: turns(limits::JOURNAL_READS),
            public: turns(public),
            public_of_one,
            clients: Mutex::default(),
        }
    }

    /// A turn now, or none.
    pub(super) fn at_once(&self) -> Option<Turn> {
        let of_all = Arc::clone(&self.requests).try_acquire_owned().ok()?;
        Some(Turn { _of_all: of_all, _of_client: None })
    }

    /// A turn to read the journal.
    pub(super) async fn to_read(&self) -> Option<Turn> {
        let turn = tokio::time::timeout(READ_TIMEOUT, Arc::clone(&self.journal).acquire_owned());
        Some(Turn { _of_all: turn.await.ok()?.ok()?, _of_client: None })
    }

    /// A turn to read what everybody may: first among those of the same address, then among all.
    pub(super) async fn to_read_as_stranger(&self, address: IpAddr) -> Option<Turn> {
        let waiting = async {
            let of_client = self.of_client(ClientKey::of_address(address)).acquire_owned().await.ok()?;
            let of_all = Arc::clone(&self.public).acquire_owned().await.ok()?;
            Some(Turn { _of_all: of_all, _of_client: Some(of_client) })
        };
        tokio::time::timeout(READ_TIMEOUT, waiting).await.ok().flatten()
    }

    fn of_client(&self, client: ClientKey) -> Arc<Semaphore> {
        let mut clients = self.clients.lock().unwrap_or_else(PoisonError::into_inner);
        if clients.len() >= KEPT_CLIENTS {
            clients.retain(|_, turns| Arc::strong_count(turns) > 1);
        }
        Arc::clone(clients.entry(client).or_insert_with(|| Arc::new(Semaphore::new(self.public_of_one))))
    }

    #[cfg(test)]
    pub(super) fn close(&self) {
        [&self.requests, &self.journal, &self.public].into_iter().for_each(|turns| turns.close());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn address(last: u8) -> IpAddr {
        IpAddr::from([192, 0, 2, last])
    }

    async fn soon(turns: &Turns, last: u8) -> Option<Turn> {
        let turn = turns.to_read_as_stranger(address(last));
        tokio::time::timeout(Duration::from_millis(20), turn).await.ok().flatten()
    }

    #[tokio::test]
    async fn one_address_has_its_share_and_leaves_the_rest_to_others() {
        let turns = Turns::of(3, 2);
        let first = soon(&turns, 1).await;
        let second = soon(&turns, 1).await;
        assert!(first.is_some() && second.is_some() && soon(&turns, 1).await.is_none());
        let other = soon(&turns, 2).await;
        assert!(other.is_some() && soon(&turns, 3).await.is_none());
        assert!(turns.at_once().is_some() && turns.to_read().await.is_some());
        drop(first);
        assert!(soon(&turns, 3).await.is_some() && soon(&turns, 1).await.is_some());
    }

    #[tokio::test]
    async fn who_has_left_is_forgotten() {
        let turns = Turns::of(3, 2);
        let stays = soon(&turns, 0).await;
        for last in 1..=u8::MAX {
            assert!(soon(&turns, last).await.is_some());
        }
        let clients = turns.clients.lock().unwrap();
        assert!(clients.len() <= KEPT_CLIENTS && clients.contains_key(&ClientKey::of_address(address(0))));
        drop(stays);
    }
}
