//! Slots for connections: so many in all, so many for one address.
//!
//! When none is free, a newcomer gets the slot of a connection that waits for its client: of the address that has most of
//! those, the one that has waited longest. So nobody keeps others out by holding connections open, and whoever is being
//! answered is left alone.

use std::{
    cmp::Reverse,
    net::IpAddr,
    sync::{
        Arc, Mutex, MutexGuard, PoisonError,
        atomic::{AtomicBool, AtomicU64, Ordering},
    },
    time::Instant,
};

use tokio::sync::Notify;

use crate::{auth::rate::ClientKey, client_places::ClientPlaces};

/// Slots are taken back by the batch, this part of all of them: looking for those who have waited longest takes a while.
const BATCH: usize = 64;

#[derive(Debug)]
pub(super) struct ConnectionSlots {
    most: usize,
    most_of_one: usize,
    started: Instant,
    places: Mutex<ClientPlaces<SlotState>>,
    left: Notify,
}

/// What is known of a connection.
#[derive(Debug)]
pub(super) struct SlotState {
    started: Instant,
    /// When the wait for the client began, in microseconds since the start; or [`WORKS`], or [`NEW`].
    waits_since: AtomicU64,
    leave: Notify,
    /// Whether the connection ended because its client did not read.
    unread: AtomicBool,
    /// Whether an event stream is sent, and whether its client has hung up.
    follows: AtomicBool,
    left: AtomicBool,
}

/// The service works for the client.
const WORKS: u64 = 0;

/// Nobody has looked yet whether a request is there. In a crowd that can take a while, and is not the client's fault.
const NEW: u64 = u64::MAX;

impl SlotState {
    /// From now on the client is waited for: for a request, the rest of one, or its reading of an answer.
    pub(super) fn waits(&self) {
        self.waits_since.store(self.now(), Ordering::Relaxed);
    }

    /// The connection had its first turn. If that brought no request, the client is waited for.
    pub(super) fn was_looked_at(&self) {
        let _ = self.waits_since.compare_exchange(NEW, self.now(), Ordering::Relaxed, Ordering::Relaxed);
    }

    fn now(&self) -> u64 {
        u64::try_from(self.started.elapsed().as_micros()).unwrap_or(NEW).clamp(WORKS + 1, NEW - 1)
    }

    /// From now on the client waits for the service, and is not sent away.
    pub(super) fn works(&self) {
        self.waits_since.store(WORKS, Ordering::Relaxed);
    }

    /// An event stream begins.
    pub(super) fn begin_to_follow(&self) {
        self.follows.store(true, Ordering::Relaxed);
    }

    pub(super) fn follows(&self) -> bool {
        self.follows.load(Ordering::Relaxed)
    }

    /// The client of an event stream has hung up.
    pub(super) fn note_left(&self) {
        self.left.store(true, Ordering::Relaxed);
    }

    pub(super) fn has_left(&self) -> bool {
        self.left.load(Ordering::Relaxed)
    }

    /// The connection ends, because its client did not read what was sent.
    pub(super) fn note_unread(&self) {
        self.unread.store(true, Ordering::Relaxed);
    }

    pub(super) fn was_unread(&self) -> bool {
        self.unread.load(Ordering::Relaxed)
    }

    /// The connection ends when it next gets a turn.
    pub(super) fn send_away(&self) {
        self.leave.notify_one();
    }

    fn waiting(&self) -> Option<u64> {
        Some(self.waits_since.load(Ordering::Relaxed)).filter(|since| ![WORKS, NEW].contains(since))
    }
}

/// A slot, until it is dropped.
#[derive(Debug)]
pub(super) struct ConnectionSlot {
    slots: Arc<ConnectionSlots>,
    client: ClientKey,
    id: u64,
    pub(super) state: Arc<SlotState>,
}

impl ConnectionSlot {
    /// Resolves when the slot was given to somebody else.
    pub(super) async fn taken_back(&self) {
        self.state.leave.notified().await;
    }
}

impl Drop for ConnectionSlot {
    fn drop(&mut self) {
        self.slots.lock().remove(&self.client, self.id);
        self.slots.left.notify_waiters();
    }
}

impl ConnectionSlots {
    pub(super) fn new(most: usize, most_of_one: usize) -> Arc<Self> {
        let (started, places, left) = (Instant::now(), Mutex::default(), Notify::new());
        Arc::new(Self { most, most_of_one, started, places, left })
    }

    /// A slot for a connection from this address, and how many others were sent away for it. Nothing when all that could
    /// be taken back are at work.
    pub(super) fn take(self: &Arc<Self>, address: IpAddr) -> (Option<ConnectionSlot>, usize) {
        let client = ClientKey::of_address(address);
        let mut places = self.lock();
        let mut sent_away = 0;
        if places.of(&client) >= self.most_of_one {
            sent_away += take_back(&mut places, Some(&client), batch_of(self.most_of_one));
        }
        if places.taken() >= self.most {
            sent_away += take_back(&mut places, None, batch_of(self.most));
        }
        if places.taken() >= self.most || places.of(&client) >= self.most_of_one {
            return (None, sent_away);
        }
        let state = Arc::new(SlotState {
            started: self.started,
            waits_since: AtomicU64::new(NEW),
            leave: Notify::new(),
            unread: AtomicBool::new(false),
            follows: AtomicBool::new(false),
            left: AtomicBool::new(false),
        });
        let id = places.add(client.clone(), Arc::clone(&state));
        (Some(ConnectionSlot { slots: Arc::clone(self), client, id, state }), sent_away)
    }

    /// Takes slots back although there are free ones, because something else ran out. Tells how many.
    pub(super) fn thin_out(&self) -> usize {
        take_back(&mut self.lock(), None, batch_of(self.most))
    }

    /// Resolves when nobody has a slot any more.
    pub(super) async fn all_left(&self) {
        loop {
            let left = self.left.notified();
            if self.lock().taken() == 0 {
                return;
            }
            left.await;
        }
    }

    #[cfg(test)]
    fn taken(&self) -> usize {
        self.lock().taken()
    }

    fn lock(&self) -> MutexGuard<'_, ClientPlaces<SlotState>> {
        self.places.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn batch_of(most: usize) -> usize {
    (most / BATCH).max(1)
}

/// Takes back up to so many slots of those who wait, of one client or of all. A slot is free at once; its connection
/// ends when it next gets a turn.
fn take_back(places: &mut ClientPlaces<SlotState>, of: Option<&ClientKey>, count: usize) -> usize {
    let mut waiting: Vec<(Reverse<usize>, u64, u64, ClientKey)> = Vec::new();
    for (client, states) in places.clients().filter(|(client, _)| of.is_none_or(|of| of == *client)) {
        let mut own: Vec<(u64, u64)> = states.iter().filter_map(|(id, state)| Some((state.waiting()?, *id))).collect();
        own.sort_unstable();
        let all = own.len();
        // The longest wait of a client with many comes before that of a client with few.
        let ranked =
            own.into_iter().enumerate().map(|(at, (since, id))| (Reverse(all - at), since, id, client.clone()));
        waiting.extend(ranked);
    }
    waiting.sort_unstable();
    waiting.truncate(count);
    for (_, _, id, client) in &waiting {
        if let Some(state) = places.remove(client, *id) {
            state.send_away();
        }
    }
    waiting.len()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn address(last: u8) -> IpAddr {
        IpAddr::from([192, 0, 2, last])
    }

    fn take(slots: &Arc<ConnectionSlots>, last: u8) -> ConnectionSlot {
        // A wait is told from the next by the microsecond.
        std::thread::sleep(std::time::Duration::from_micros(50));
        let slot = slots.take(address(last)).0.unwrap();
        slot.state.was_looked_at();
        slot
    }

    fn was_taken_back(slot: &ConnectionSlot) -> bool {
        !slot.slots.lock().clients().any(|(client, held)| *client == slot.client && held.contains_key(&slot.id))
    }

    #[test]
    fn a_newcomer_gets_the_longest_wait_of_the_address_that_has_most() {
        let slots = ConnectionSlots::new(5, 5);
        let others = [take(&slots, 1), take(&slots, 2)];
        let many = [take(&slots, 3), take(&slots, 3), take(&slots, 3)];
        let newcomer = take(&slots, 4);
        assert_eq!(many.each_ref().map(was_taken_back), [true, false, false]);
        assert!(!others.iter().chain([&newcomer]).any(was_taken_back));
        assert_eq!(slots.taken(), 5);
        drop(many);
        assert_eq!(slots.taken(), 3);
    }

    #[test]
    fn who_is_being_answered_is_left_alone() {
        let slots = ConnectionSlots::new(2, 2);
        let (works, waits) = (take(&slots, 1), take(&slots, 1));
        works.state.works();
        let newcomer = take(&slots, 2);
        assert!(was_taken_back(&waits) && !was_taken_back(&works));
        newcomer.state.works();
        let (slot, sent_away) = slots.take(address(3));
        assert!(slot.is_none() && sent_away == 0);
        newcomer.state.waits();
        assert!(slots.take(address(3)).0.is_some());
    }

    #[test]
    fn who_was_not_looked_at_yet_is_left_alone() {
        let slots = ConnectionSlots::new(1, 1);
        let new = slots.take(address(1)).0.unwrap();
        assert!(slots.take(address(2)).0.is_none());
        new.state.was_looked_at();
        assert!(slots.take(address(2)).0.is_some());
        assert!(was_taken_back(&new));
    }

    #[test]
    fn one_address_takes_no_more_than_its_share_and_a_network_is_one_address() {
        let slots = ConnectionSlots::new(100, 2);
        let old = take(&slots, 1);
        let kept = [take(&slots, 1), take(&slots, 1)];
        assert!(was_taken_back(&old) && !kept.iter().any(was_taken_back));
        let of = |text: &str| {
            let slot = slots.take(text.parse().unwrap()).0.unwrap();
            slot.state.was_looked_at();
            slot
        };
        let network = [of("2001:db8::1"), of("2001:db8::2"), of("2001:db8::3"), of("2001:db8:0:1::1")];
        assert_eq!(network.each_ref().map(was_taken_back), [true, false, false, false]);
        assert_eq!(slots.taken(), 5);
    }

    #[tokio::test]
    async fn whoever_must_leave_is_told_and_the_last_one_is_noticed() {
        let slots = ConnectionSlots::new(1, 1);
        let first = take(&slots, 1);
        let second = take(&slots, 2);
        first.taken_back().await;
        drop(first);
        let waits = tokio::spawn({
            let slots = Arc::clone(&slots);
            async move { slots.all_left().await }
        });
        tokio::task::yield_now().await;
        assert!(!waits.is_finished());
        drop(second);
        waits.await.unwrap();
    }
}
