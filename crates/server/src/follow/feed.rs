//! The newest records of the log, read from the store once and shared by all who follow.
//!
//! One task waits until the log has grown, reads what is new and wakes the followers, not all at once but spread over some
//! milliseconds: a thousand of them are a thousand writes, and requests are answered in between. While nobody follows,
//! nothing is read. On a shared store other nodes append too, so that its head is asked for as long as somebody follows.

use std::{
    collections::VecDeque,
    sync::{
        Arc, Mutex, MutexGuard, PoisonError,
        atomic::{AtomicBool, Ordering},
    },
    time::{Duration, Instant},
};

use bytes::Bytes;
use svc_journal::{store::log_start, writer::Journal};
use svc_proof::fault::{JournalFault, JournalFaultKind};
use tokio::{
    sync::{Notify, Semaphore, watch},
    task, time,
};

use super::{
    followers::Followers,
    frame::{self, Block, WINDOW_BYTES},
};
use crate::{log, witnessing::Witnessing};

/// More records than this at once are left to the followers themselves.
const MAX_NEWS: u64 = 4096;

/// Rows that are read at once.
const ROWS_AT_ONCE: usize = 256;

/// Rows for one follower that is behind: about a block of them.
const ROWS_BEHIND: usize = 32;

/// How many of those read at once.
const READS_BEHIND: usize = 8;

/// The store is read no more often than this, whatever it is that grows.
const MIN_INTERVAL: Duration = Duration::from_millis(8);

/// What was committed is read a moment later: first its answers go out, and who else is in the batch.
const ANSWERS_FIRST: Duration = Duration::from_millis(3);

/// How often the head of a shared store is asked for.
const POLL_INTERVAL: Duration = Duration::from_millis(15);

/// How often it is looked whether the journal still stands.
const IDLE_INTERVAL: Duration = Duration::from_secs(1);

/// How long nothing is read after the store did not answer.
const FAULT_PAUSE: Duration = Duration::from_millis(500);

/// Over how long a crowd of followers is woken, and in which steps; a few are woken at once.
const SPREAD: Duration = Duration::from_millis(16);
const STEP: Duration = Duration::from_millis(1);
const FEW: usize = 16;

/// The newest part of the log, and who follows it.
#[derive(Debug)]
pub(crate) struct Feed {
    pub(crate) followers: Arc<Followers>,
    window: Mutex<Window>,
    behind: Arc<Semaphore>,
    is_over: AtomicBool,
    ended: Notify,
}

#[derive(Debug, Default)]
struct Window {
    blocks: VecDeque<Arc<Block>>,
    bytes: usize,
    /// The newest signed state, whose records are all in the blocks or before them; nothing before the first look.
    state: Option<SignedState>,
}

/// A signed state as it is sent.
#[derive(Clone, Debug)]
pub(crate) struct SignedState {
    pub(crate) size: u64,
    pub(crate) event: Bytes,
}

/// What comes next for a follower.
#[derive(Debug)]
pub(crate) enum Next {
    Records(Arc<Block>),
    Checkpoint(SignedState),
    /// Nothing yet.
    Wait,
    /// What is not kept here: to be read from the store.
    Behind,
    /// The service stops, or its journal is closed.
    Over,
}

impl Feed {
    pub(crate) fn new(behind_proxy: bool) -> Arc<Self> {
        Arc::new(Self {
            followers: Followers::new(behind_proxy),
            window: Mutex::default(),
            behind: Arc::new(Semaphore::new(READS_BEHIND)),
            is_over: AtomicBool::new(false),
            ended: Notify::new(),
        })
    }

    /// What comes next for somebody who has seen everything before a record, and was told of a state of this size last.
    pub(crate) fn next(&self, next: u64, told: Option<u64>) -> Next {
        if self.is_over() {
            return Next::Over;
        }
        let window = self.lock();
        let Some(state) = &window.state else { return Next::Wait };
        if next < state.size {
            return window.block_with(next).map_or(Next::Behind, Next::Records);
        }
        if next == state.size && told != Some(state.size) {
            return Next::Checkpoint(state.clone());
        }
        Next::Wait
    }

    /// Whether the log is known to have a record, or will not be known to any more.
    pub(crate) fn has(&self, index: u64) -> bool {
        self.is_over() || self.lock().state.as_ref().is_some_and(|state| index < state.size)
    }

    /// Records for one follower that is behind.
    ///
    /// # Errors
    /// When they were pruned, or cannot be read.
    pub(crate) async fn read_behind(&self, journal: Arc<Journal>, next: u64) -> Result<Arc<Block>, JournalFault> {
        let size = self.lock().state.as_ref().map_or(0, |state| state.size);
        let most = usize::try_from(size.saturating_sub(next)).unwrap_or(ROWS_BEHIND).min(ROWS_BEHIND);
        let turn = Arc::clone(&self.behind).acquire_owned().await;
        let read = task::spawn_blocking(move || {
            let _turn = turn;
            let store = journal.store();
            let blocks = Block::all_of(&store.rows(next, most)?, &log_start(store.as_ref())?)?;
            blocks
                .into_iter()
                .next()
                .ok_or_else(|| JournalFault::new(JournalFaultKind::Corrupt, format!("record {next} is missing")))
        });
        read.await.unwrap_or_else(|_| Err(interrupted())).map(Arc::new)
    }

    /// Ends every stream, and lets nobody follow any more.
    pub(crate) fn end(&self) {
        self.is_over.store(true, Ordering::Relaxed);
        self.ended.notify_one();
        self.followers.all().iter().for_each(|follower| follower.wake());
    }

    pub(crate) fn is_over(&self) -> bool {
        self.is_over.load(Ordering::Relaxed)
    }

    /// Reads what is new, until the end.
    pub(crate) async fn run(self: Arc<Self>, journal: Arc<Journal>, witnessing: Option<Arc<Witnessing>>) {
        let growth = journal.growth();
        let is_shared = journal.store().is_shared();
        let reader = Reader {
            feed: self,
            journal,
            witnessing,
            growth,
            is_shared,
            read_at: Instant::now(),
            is_fault_told: false,
        };
        reader.run().await;
    }

    /// Reads what the newest signed state has and the window has not. Tells whether there was anything. Blocks on the store.
    fn refresh(&self, journal: &Journal, witnessing: Option<&Witnessing>) -> Result<bool, JournalFault> {
        let newest = journal.newest()?;
        let (size, known) = (newest.size(), self.lock().state.as_ref().map(|state| state.size));
        if known == Some(size) {
            return Ok(false);
        }
        let mut blocks = Vec::new();
        let news = known.filter(|known| size.saturating_sub(*known) <= MAX_NEWS);
        let mut from = news.unwrap_or(size);
        let start = log_start(journal.store().as_ref())?;
        while from < size {
            let most = usize::try_from(size - from).unwrap_or(ROWS_AT_ONCE).min(ROWS_AT_ONCE);
            let rows = journal.store().rows(from, most)?;
            let next = rows.last().map(|row| row.place + 1);
            from =
                next.ok_or_else(|| JournalFault::new(JournalFaultKind::Corrupt, format!("record {from} is missing")))?;
            blocks.extend(Block::all_of(&rows, &start)?);
        }
        let text = witnessing
            .map_or_else(|| newest.text().as_str().to_owned(), |witnessing| witnessing.cosigned_text(&newest));
        let state = SignedState { size, event: frame::checkpoint(&text) };
        self.lock().replace(state, blocks, news.is_some());
        Ok(true)
    }

    fn lock(&self) -> MutexGuard<'_, Window> {
        self.window.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Window {
    fn block_with(&self, index: u64) -> Option<Arc<Block>> {
        let after = self.blocks.partition_point(|block| block.end() <= index);
        self.blocks.get(after).filter(|block| block.from() <= index).cloned()
    }

    /// Moves on to a newer state. Blocks that do not follow those that are kept take their place.
    fn replace(&mut self, state: SignedState, blocks: Vec<Block>, follows: bool) {
        if !follows {
            self.blocks.clear();
            self.bytes = 0;
        }
        for block in blocks {
            self.bytes += block.len();
            self.blocks.push_back(Arc::new(block));
        }
        while self.bytes > WINDOW_BYTES {
            let Some(oldest) = self.blocks.pop_front() else { break };
            self.bytes -= oldest.len();
        }
        self.state = Some(state);
    }
}

fn interrupted() -> JournalFault {
    JournalFault::new(JournalFaultKind::Unreachable, "the reading was interrupted")
}

/// The one who reads for all.
struct Reader {
    feed: Arc<Feed>,
    journal: Arc<Journal>,
    witnessing: Option<Arc<Witnessing>>,
    growth: watch::Receiver<u64>,
    is_shared: bool,
    read_at: Instant,
    is_fault_told: bool,
}

impl Reader {
    async fn run(mut self) {
        while !self.feed.is_over() {
            if self.feed.followers.is_empty() {
                // What was kept grows old while nobody looks at it.
                *self.feed.lock() = Window::default();
                self.wait_for_follower().await;
            } else {
                self.wait_for_growth().await;
            }
            if self.feed.is_over() {
                return;
            }
            let mut has_news = self.refresh().await;
            while has_news {
                has_news = self.wake_all().await;
            }
        }
    }

    async fn wait_for_follower(&self) {
        tokio::select! {
            () = self.feed.followers.came.notified() => {}
            () = self.feed.ended.notified() => {}
        }
    }

    /// Waits until there may be something to read, and not less than the least interval.
    async fn wait_for_growth(&mut self) {
        let interval = if self.is_shared { POLL_INTERVAL } else { IDLE_INTERVAL };
        tokio::select! {
            _ = self.growth.changed() => {}
            () = time::sleep(interval) => {}
            () = self.feed.ended.notified() => return,
        }
        let left = MIN_INTERVAL.saturating_sub(self.read_at.elapsed());
        time::sleep(left.max(ANSWERS_FIRST)).await;
    }

    fn may_have_grown(&self) -> bool {
        let since = self.read_at.elapsed();
        (since >= MIN_INTERVAL && self.growth.has_changed().unwrap_or_default())
            || (self.is_shared && since >= POLL_INTERVAL)
    }

    /// Reads what is new. Tells whether there was anything. A journal that is closed ends every stream.
    async fn refresh(&mut self) -> bool {
        self.growth.mark_unchanged();
        self.read_at = Instant::now();
        let (feed, journal, witnessing) = (Arc::clone(&self.feed), Arc::clone(&self.journal), self.witnessing.clone());
        let read = task::spawn_blocking(move || feed.refresh(&journal, witnessing.as_deref())).await;
        match read.unwrap_or_else(|_| Err(interrupted())) {
            Ok(has_news) => {
                self.is_fault_told = false;
                has_news
            }
            Err(fault) => {
                if !self.is_fault_told {
                    log::warn("the journal cannot be read for those who follow it", &fault.to_string());
                    self.is_fault_told = true;
                }
                if self.journal.stopped().is_some() {
                    self.feed.end();
                } else {
                    time::sleep(FAULT_PAUSE).await;
                }
                false
            }
        }
    }

    /// Wakes everybody who follows. Tells whether something came meanwhile that not all of them have seen.
    async fn wake_all(&mut self) -> bool {
        let (all, started) = (self.feed.followers.all(), Instant::now());
        let (mut woken, mut has_news) = (0, false);
        while let Some(rest) = all.get(woken..).filter(|rest| !rest.is_empty()) {
            let due = all.len() * usize::try_from(started.elapsed().as_micros()).unwrap_or(usize::MAX).min(1 << 24)
                / (SPREAD.as_micros() as usize);
            let now = due.saturating_sub(woken).max(FEW).min(rest.len());
            rest.iter().take(now).for_each(|follower| follower.wake());
            woken += now;
            if woken < all.len() {
                time::sleep(STEP).await;
                if self.may_have_grown() {
                    has_news |= self.refresh().await;
                }
            }
            if self.feed.is_over() {
                return false;
            }
        }
        has_news
    }
}
