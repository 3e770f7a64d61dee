//! Memory for answers that their clients have not read. When it runs short, whoever has kept most of it for longest loses
//! the connection; whoever has only begun to read is left alone, and the newcomer is told to come back.

use std::{
    collections::BTreeMap,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::{Duration, Instant},
};

use super::connection_slots::SlotState;

/// Every reader may take so long before the room is given to others.
const UNDISTURBED: Duration = Duration::from_secs(1);

#[derive(Debug)]
pub(super) struct AnswerBudget {
    most: usize,
    undisturbed: Duration,
    table: Mutex<Table>,
}

#[derive(Debug, Default)]
struct Table {
    next: u64,
    held: usize,
    unread: BTreeMap<u64, UnreadAnswer>,
}

#[derive(Debug)]
struct UnreadAnswer {
    bytes: usize,
    since: Instant,
    reader: Arc<SlotState>,
}

impl UnreadAnswer {
    /// How much others were kept from, and for how long.
    fn weight(&self) -> u128 {
        self.since.elapsed().as_micros().saturating_mul(self.bytes as u128)
    }
}

/// What one answer takes up, until it is dropped.
#[derive(Debug)]
pub(super) struct AnswerReservation {
    budget: Arc<AnswerBudget>,
    id: u64,
}

impl AnswerBudget {
    pub(super) fn new(most: usize) -> Arc<Self> {
        Self::undisturbed_for(most, UNDISTURBED)
    }

    fn undisturbed_for(most: usize, undisturbed: Duration) -> Arc<Self> {
        Arc::new(Self { most, undisturbed, table: Mutex::default() })
    }

    /// Room for an answer to this reader, and how many others were sent away for it.
    pub(super) fn take(self: &Arc<Self>, bytes: usize, reader: &Arc<SlotState>) -> (Option<AnswerReservation>, usize) {
        let mut table = self.lock();
        let mut sent_away = 0;
        while table.held.saturating_add(bytes) > self.most {
            let slow = table.unread.iter().filter(|(_, unread)| unread.since.elapsed() >= self.undisturbed);
            let Some((_, id)) = slow.map(|(id, unread)| (unread.weight(), *id)).max() else { return (None, sent_away) };
            if let Some(unread) = table.remove(id) {
                unread.reader.send_away();
                sent_away += 1;
            }
        }
        let id = table.add(UnreadAnswer { bytes, since: Instant::now(), reader: Arc::clone(reader) });
        (Some(AnswerReservation { budget: Arc::clone(self), id }), sent_away)
    }

    fn lock(&self) -> MutexGuard<'_, Table> {
        self.table.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Table {
    fn add(&mut self, unread: UnreadAnswer) -> u64 {
        self.next += 1;
        self.held += unread.bytes;
        self.unread.insert(self.next, unread);
        self.next
    }

    fn remove(&mut self, id: u64) -> Option<UnreadAnswer> {
        let unread = self.unread.remove(&id)?;
        self.held -= unread.bytes;
        Some(unread)
    }
}

impl Drop for AnswerReservation {
    fn drop(&mut self) {
        self.budget.lock().remove(self.id);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::http::connection_slots::ConnectionSlots;

    const PAUSE: Duration = Duration::from_millis(20);

    #[tokio::test]
    async fn who_reads_slowly_loses_the_connection_and_who_began_is_left_alone() {
        let slots = ConnectionSlots::new(4, 4);
        let slot = || slots.take([192, 0, 2, 1].into()).0.unwrap();
        let (slow, quick, newcomer) = (slot(), slot(), slot());
        let budget = AnswerBudget::undisturbed_for(100, PAUSE);
        let of_slow = budget.take(60, &slow.state).0.unwrap();
        tokio::time::sleep(PAUSE).await;
        let of_quick = budget.take(40, &quick.state).0.unwrap();
        let (taken, sent_away) = budget.take(50, &newcomer.state);
        assert!(taken.is_some() && sent_away == 1);
        slow.taken_back().await;
        drop(of_slow);
        assert_eq!(budget.lock().held, 90);
        let (refused, sent_away) = budget.take(50, &newcomer.state);
        assert!(refused.is_none() && sent_away == 0);
        drop((of_quick, taken));
        assert_eq!(budget.lock().held, 0);
        assert!(budget.take(101, &newcomer.state).0.is_none());
    }
}
