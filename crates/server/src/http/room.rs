//! Room for the bodies in flight. When it runs short, those that still come give way to those that need less: first the
//! one that has held most for longest. A body that is whole is left alone.

use std::{
    collections::BTreeMap,
    sync::{
        Arc, Mutex, MutexGuard, PoisonError,
        atomic::{AtomicUsize, Ordering},
    },
    time::{Duration, Instant},
};

use tokio::sync::{Notify, OwnedSemaphorePermit, Semaphore};

/// How long a body waits for the room that others were told to give.
const HAND_OVER: Duration = Duration::from_secs(1);

/// The room, in KiB.
#[derive(Debug)]
pub(super) struct Room {
    free: Arc<Semaphore>,
    coming: Mutex<BTreeMap<usize, Arc<Coming>>>,
    next: AtomicUsize,
}

/// A body that has not come whole yet.
#[derive(Debug)]
struct Coming {
    since: Instant,
    kibibytes: AtomicUsize,
    leave: Notify,
}

impl Coming {
    /// How much others were kept from, and for how long.
    fn weight(&self) -> u128 {
        self.since.elapsed().as_micros().saturating_mul(self.kibibytes.load(Ordering::Relaxed) as u128)
    }
}

/// What one body takes up, until it is dropped.
#[derive(Debug)]
pub(super) struct Share {
    room: Arc<Room>,
    id: usize,
    coming: Arc<Coming>,
    held: Option<OwnedSemaphorePermit>,
}

impl Room {
    pub(super) fn new(kibibytes: usize) -> Arc<Self> {
        Arc::new(Self {
            free: Arc::new(Semaphore::new(kibibytes)),
            coming: Mutex::default(),
            next: AtomicUsize::new(0),
        })
    }

    /// An empty share.
    pub(super) fn share(self: &Arc<Self>) -> Share {
        let coming = Coming { since: Instant::now(), kibibytes: AtomicUsize::new(0), leave: Notify::new() };
        let id = self.next.fetch_add(1, Ordering::Relaxed);
        Share { room: Arc::clone(self), id, coming: Arc::new(coming), held: None }
    }

    /// Tells bodies that weigh more than this one to leave, until they give so much. Tells whether they do.
    fn ask_for(&self, kibibytes: usize, weight: u128) -> bool {
        let mut coming = self.lock();
        let mut found = 0;
        while found < kibibytes {
            let heaviest = coming.iter().map(|(id, other)| (other.weight(), *id)).max();
            let Some((_, id)) = heaviest.filter(|(other, _)| *other > weight) else { return false };
            if let Some(other) = coming.remove(&id) {
                found += other.kibibytes.load(Ordering::Relaxed);
                other.leave.notify_one();
            }
        }
        true
    }

    fn lock(&self) -> MutexGuard<'_, BTreeMap<usize, Arc<Coming>>> {
        self.coming.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Share {
    /// Takes room for a body of this length in all. Tells whether there was any.
    pub(super) async fn grow_to(&mut self, length: usize) -> bool {
        let held = self.held.as_ref().map_or(0, OwnedSemaphorePermit::num_permits);
        let more = length.div_ceil(1024).saturating_sub(held);
        let permits = u32::try_from(more).unwrap_or(u32::MAX);
        let free = Arc::clone(&self.room.free);
        let taken = match Arc::clone(&free).try_acquire_many_owned(permits) {
            Ok(taken) => Some(taken),
            Err(_) if self.room.ask_for(more, self.coming.weight()) => {
                tokio::time::timeout(HAND_OVER, free.acquire_many_owned(permits)).await.ok().and_then(Result::ok)
            }
            Err(_) => None,
        };
        let Some(taken) = taken else { return false };
        self.coming.kibibytes.store(held + more, Ordering::Relaxed);
        match &mut self.held {
            Some(held) => held.merge(taken),
            None => self.held = Some(taken),
        }
        true
    }

    /// There is more to come: until it is whole, this body may have to give way.
    pub(super) fn is_coming(&self) {
        self.room.lock().entry(self.id).or_insert_with(|| Arc::clone(&self.coming));
    }

    /// The body is whole, and keeps its room until it was evaluated.
    pub(super) fn is_whole(&self) {
        self.room.lock().remove(&self.id);
    }

    /// What resolves when the body has to give way.
    pub(super) fn gives_way(&self) -> impl Future<Output = ()> + use<> {
        let coming = Arc::clone(&self.coming);
        async move { coming.leave.notified().await }
    }
}

impl Drop for Share {
    fn drop(&mut self) {
        self.is_whole();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const KIBIBYTE: usize = 1024;

    async fn coming(room: &Arc<Room>, kibibytes: usize) -> Share {
        let mut share = room.share();
        assert!(share.grow_to(kibibytes * KIBIBYTE).await);
        share.is_coming();
        tokio::time::sleep(Duration::from_millis(5)).await;
        share
    }

    /// Drops its share as soon as it has to give way.
    fn polite(share: Share) -> tokio::task::JoinHandle<()> {
        tokio::spawn(async move { share.gives_way().await })
    }

    #[tokio::test]
    async fn who_holds_most_for_longest_gives_way_to_who_needs_little() {
        let room = Room::new(16);
        let hog = polite(coming(&room, 12).await);
        let small = polite(coming(&room, 4).await);
        let mut newcomer = room.share();
        assert!(newcomer.grow_to(3 * KIBIBYTE).await);
        hog.await.unwrap();
        assert!(!small.is_finished());
        assert_eq!(room.free.available_permits(), 9);
    }

    #[tokio::test]
    async fn a_whole_body_and_a_lighter_one_are_left_alone() {
        let room = Room::new(16);
        let whole = coming(&room, 14).await;
        whole.is_whole();
        let mut old = coming(&room, 1).await;
        let young = coming(&room, 1).await;
        assert!(!old.grow_to(8 * KIBIBYTE).await);
        drop((whole, young));
        assert!(old.grow_to(8 * KIBIBYTE).await);
    }
}
