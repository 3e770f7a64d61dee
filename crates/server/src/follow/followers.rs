//! Places for those who follow the log: so many in all, so many for one client, beside requests.
//!
//! When none is free, the client that has most of them gives way by one to whoever has fewer: nobody keeps others out, and
//! whoever has to leave loses nothing, because a follower comes back with the last id that it saw.

use std::{
    sync::{
        Arc, Mutex, MutexGuard, PoisonError,
        atomic::{AtomicBool, Ordering},
    },
    task::Waker,
};

use svc_core::words::limits;
use tokio::sync::Notify;

use crate::{auth::rate::ClientKey, client_places::ClientPlaces};

#[derive(Debug)]
pub(crate) struct Followers {
    most: usize,
    most_of_token: usize,
    most_of_address: usize,
    places: Mutex<ClientPlaces<FollowerState>>,
    /// Told when somebody comes.
    pub(super) came: Notify,
}

/// Somebody who follows, as the feed sees them.
#[derive(Debug, Default)]
pub(crate) struct FollowerState {
    waker: Mutex<Option<Waker>>,
    leaves: AtomicBool,
}

impl FollowerState {
    /// There is something to see. Wakes nobody who does not wait.
    pub(super) fn wake(&self) {
        let waker = self.waker.lock().unwrap_or_else(PoisonError::into_inner).take();
        if let Some(waker) = waker {
            waker.wake();
        }
    }

    fn send_away(&self) {
        self.leaves.store(true, Ordering::Relaxed);
        self.wake();
    }
}

/// Why there is no place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum NoPlace {
    /// This client has as many as it may.
    ForClient,
    /// All are taken, and nobody has more than the one who came.
    ForAnybody,
}

/// A place, until it is dropped.
#[derive(Debug)]
pub(crate) struct FollowerPlace {
    followers: Arc<Followers>,
    client: ClientKey,
    id: u64,
    state: Arc<FollowerState>,
}

impl FollowerPlace {
    /// Asks to be woken. To be called before looking: what comes after the look wakes then.
    pub(crate) fn wake_with(&self, waker: &Waker) {
        let mut kept = self.state.waker.lock().unwrap_or_else(PoisonError::into_inner);
        if !kept.as_ref().is_some_and(|kept| kept.will_wake(waker)) {
            *kept = Some(waker.clone());
        }
    }

    /// Whether the place was given to somebody else.
    pub(crate) fn is_taken_back(&self) -> bool {
        self.state.leaves.load(Ordering::Relaxed)
    }
}

impl Drop for FollowerPlace {
    fn drop(&mut self) {
        self.followers.lock().remove(&self.client, self.id);
    }
}

impl Followers {
    /// Behind a proxy all clients without a token may have one address, which may have all places.
    pub(crate) fn new(behind_proxy: bool) -> Arc<Self> {
        let of_one = limits::EVENT_STREAMS_PER_CLIENT;
        Self::of(limits::EVENT_STREAMS, of_one, if behind_proxy { limits::EVENT_STREAMS } else { of_one })
    }

    fn of(most: usize, most_of_token: usize, most_of_address: usize) -> Arc<Self> {
        Arc::new(Self { most, most_of_token, most_of_address, places: Mutex::default(), came: Notify::new() })
    }

    /// A place for a client.
    pub(crate) fn take(self: &Arc<Self>, client: ClientKey) -> Result<FollowerPlace, NoPlace> {
        let mut places = self.lock();
        let of_client = places.of(&client);
        let most_of_one = match client {
            ClientKey::Token(_) => self.most_of_token,
            ClientKey::V4(_) | ClientKey::V6(_) => self.most_of_address,
        };
        if of_client >= most_of_one {
            return Err(NoPlace::ForClient);
        }
        if places.taken() >= self.most && !take_back(&mut places, of_client) {
            return Err(NoPlace::ForAnybody);
        }
        let state = Arc::new(FollowerState::default());
        let id = places.add(client.clone(), Arc::clone(&state));
        drop(places);
        self.came.notify_one();
        Ok(FollowerPlace { followers: Arc::clone(self), client, id, state })
    }

    /// Everybody who follows at this moment.
    pub(super) fn all(&self) -> Vec<Arc<FollowerState>> {
        self.lock().clients().flat_map(|(_, held)| held.values()).cloned().collect()
    }

    pub(super) fn is_empty(&self) -> bool {
        self.lock().taken() == 0
    }

    fn lock(&self) -> MutexGuard<'_, ClientPlaces<FollowerState>> {
        self.places.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Sends the oldest of the client with most away, when that one has more than a newcomer would have then.
fn take_back(places: &mut ClientPlaces<FollowerState>, of_newcomer: usize) -> bool {
    let most = places.clients().max_by_key(|(_, held)| held.len());
    let oldest = most.filter(|(_, held)| held.len() > of_newcomer + 1);
    let Some((client, id)) = oldest.and_then(|(client, held)| Some((client.clone(), *held.keys().next()?))) else {
        return false;
    };
    places.remove(&client, id).inspect(|state| state.send_away());
    true
}

#[cfg(test)]
mod tests {
    use super::*;

    fn client(number: u32) -> ClientKey {
        ClientKey::V4(number)
    }

    #[test]
    fn one_client_has_its_share_and_gives_way_to_whoever_has_less() {
        let followers = Followers::of(4, 3, 3);
        let of_hog: Vec<FollowerPlace> = (0..3).map(|_| followers.take(client(1)).unwrap()).collect();
        assert_eq!(followers.take(client(1)).unwrap_err(), NoPlace::ForClient);
        let second = followers.take(client(2)).unwrap();
        let third = followers.take(client(3)).unwrap();
        let taken_back: Vec<bool> = of_hog.iter().map(FollowerPlace::is_taken_back).collect();
        assert_eq!(taken_back, [true, false, false], "the oldest of the one with most");
        assert_eq!(followers.take(client(2)).unwrap_err(), NoPlace::ForAnybody, "nobody has more than it would have");
        assert!(!second.is_taken_back() && !third.is_taken_back());
        drop(of_hog);
        assert_eq!(followers.all().len(), 2, "a place that was taken back is not given back twice");
        let again: Vec<FollowerPlace> = (0..2).map(|_| followers.take(client(2)).unwrap()).collect();
        assert_eq!(followers.all().len(), 4);
        drop((again, second, third));
        assert!(followers.is_empty() && followers.lock().clients().next().is_none());
    }

    #[test]
    fn whoever_waits_is_woken_once_for_each_time_that_it_asked() {
        use std::{sync::atomic::AtomicUsize, task::Wake};
        #[derive(Default)]
        struct Count(AtomicUsize);
        impl Wake for Count {
            fn wake(self: Arc<Self>) {
                self.0.fetch_add(1, Ordering::Relaxed);
            }
        }
        let followers = Followers::of(2, 2, 2);
        let place = followers.take(client(1)).unwrap();
        let count = Arc::new(Count::default());
        place.wake_with(&Waker::from(Arc::clone(&count)));
        place.wake_with(&Waker::from(Arc::clone(&count)));
        followers.all().iter().for_each(|state| state.wake());
        followers.all().iter().for_each(|state| state.wake());
        assert_eq!(count.0.load(Ordering::Relaxed), 1);
    }
}
