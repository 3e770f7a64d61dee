//! Memory for the bodies in flight. When it runs short, those that still come give way to those that need less: first the
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
const HAND_OVER_TIMEOUT: Duration = Duration::from_secs(1);

/// In KiB.
#[derive(Debug)]
pub(super) struct BodyBudget {
    free: Arc<Semaphore>,
    coming: Mutex<BTreeMap<usize, Arc<IncomingBody>>>,
    next: AtomicUsize,
}

/// A body that has not come whole yet.
#[derive(Debug)]
struct IncomingBody {
    since: Instant,
    kibibytes: AtomicUsize,
    leave: Notify,
}

impl IncomingBody {
    /// How much others were kept from, and for how long.
    fn weight(&self) -> u128 {
        self.since.elapsed().as_micros().saturating_mul(self.kibibytes.load(Ordering::Relaxed) as u128)
    }
}

/// What one body takes up, until it is dropped.
#[derive(Debug)]
pub(super) struct BodyReservation {
    budget: Arc<BodyBudget>,
    id: usize,
    coming: Arc<IncomingBody>,
    held: Option<OwnedSemaphorePermit>,
}

impl BodyBudget {
    pub(super) fn new(kibibytes: usize) -> Arc<Self> {
        Arc::new(Self {
            free: Arc::new(Semaphore::new(kibibytes)),
            coming: Mutex::default(),
            next: AtomicUsize::new(0),
        })
    }

    /// A reservation that holds nothing yet.
    pub(super) fn reserve(self: &Arc<Self>) -> BodyReservation {
        let coming = IncomingBody { since: Instant::now(), kibibytes: AtomicUsize::new(0), leave: Notify::new() };
        let id = self.next.fetch_add(1, Ordering::Relaxed);
        BodyReservation { budget: Arc::clone(self), id, coming: Arc::new(coming), held: None }
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

    fn lock(&self) -> MutexGuard<'_, BTreeMap<usize, Arc<IncomingBody>>> {
        self.coming.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl BodyReservation {
    /// Takes room for a body of this length in all. Tells whether there was any.
    pub(super) async fn grow_to(&mut self, length: usize) -> bool {
        let held = self.held.as_ref().map_or(0, OwnedSemaphorePermit::num_permits);
        let more = length.div_ceil(1024).saturating_sub(held);
        let permits = u32::try_from(more).unwrap_or(u32::MAX);
        let free = Arc::clone(&self.budget.free);
        let taken = match Arc::clone(&free).try_acquire_many_owned(permits) {
            Ok(taken) => Some(taken),
            Err(_) if self.budget.ask_for(more, self.coming.weight()) => {
                tokio::time::timeout(HAND_OVER_TIMEOUT, free.acquire_many_owned(permits))
                    .await
                    .ok()
                    .and_then(Result::ok)
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
        self.budget.lock().entry(self.id).or_insert_with(|| Arc::clone(&self.coming));
    }

    /// The body is whole, and keeps its room until it was evaluated.
    pub(super) fn is_whole(&self) {
        self.budget.lock().remove(&self.id);
    }

    /// What resolves when the body has to give way.
    pub(super) fn gives_way(&self) -> impl Future<Output = ()> + use<> {
        let coming = Arc::clone(&self.coming);
        async move { coming.leave.notified().await }
    }
}

impl Drop for BodyReservation {
    fn drop(&mut self) {
        self.is_whole();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const KIBIBYTE: usize = 1024;

    async fn coming(budget: &Arc<BodyBudget>, kibibytes: usize) -> BodyReservation {
        let mut reservation = budget.reserve();
        assert!(reservation.grow_to(kibibytes * KIBIBYTE).await);
        reservation.is_coming();
        tokio::time::sleep(Duration::from_millis(5)).await;
        reservation
    }

    /// Drops its reservation as soon as it has to give way.
    fn polite(reservation: BodyReservation) -> tokio::task::JoinHandle<()> {
        tokio::spawn(async move { reservation.gives_way().await })
    }

    #[tokio::test]
    async fn who_holds_most_for_longest_gives_way_to_who_needs_little() {
        let budget = BodyBudget::new(16);
        let hog = polite(coming(&budget, 12).await);
        let small = polite(coming(&budget, 4).await);
        let mut newcomer = budget.reserve();
        assert!(newcomer.grow_to(3 * KIBIBYTE).await);
        hog.await.unwrap();
        assert!(!small.is_finished());
        assert_eq!(budget.free.available_permits(), 9);
    }

    #[tokio::test]
    async fn a_whole_body_and_a_lighter_one_are_left_alone() {
        let budget = BodyBudget::new(16);
        let whole = coming(&budget, 14).await;
        whole.is_whole();
        let mut old = coming(&budget, 1).await;
        let young = coming(&budget, 1).await;
        assert!(!old.grow_to(8 * KIBIBYTE).await);
        drop((whole, young));
        assert!(old.grow_to(8 * KIBIBYTE).await);
    }
}
