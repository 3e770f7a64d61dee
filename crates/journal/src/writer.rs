//! Putting noes on record: one thread appends batch after batch, and everyone in a batch shares its flush.
//!
//! A request waits for its batch and for nothing else. The queue is bounded: when the store falls behind, requests are
//! turned away at the door of the queue. A batch whose end is not known is not tried again, because it may be in the log.
//! The checkpoint is signed after the batch is durable, so that no signature ever covers what a crash could take away.

use std::{
    fmt,
    sync::{
        Arc, Mutex, OnceLock, PoisonError,
        atomic::{AtomicU64, AtomicUsize, Ordering},
        mpsc::{self, Receiver, RecvTimeoutError, SyncSender, TrySendError},
    },
    thread::{self, JoinHandle},
    time::{Duration, Instant, SystemTime},
};

use svc_core::journal::{draft::EntryDraft, receipt::Receipt, timestamp::Timestamp};
use svc_proof::{
    checkpoint::Checkpoint,
    fault::{JournalFault, JournalFaultKind},
    public_key::PublicKeys,
    receipt::RecordLeaf,
    tree::{GrownTree, Hash, check_growth},
};
use tokio::sync::{oneshot, watch};

use crate::{
    auditor::{AuditProgress, Auditor},
    batch,
    folder::{DataFolder, LockedFolder},
    heartbeat::{Heartbeat, StoreHealth},
    log_key::LogKey,
    newest::{Newest, is_fork, of_another_log},
    store::{Fetch, Head, NodesOf, Store},
    timeline::Timeline,
};

/// The most records that share one flush.
pub const MAX_BATCH_LEN: usize = 512;

const QUEUE_CAPACITY: usize = 2048;

/// How often the newest checkpoint is kept outside the database, and the free space of the disk is looked at.
const CHECKPOINT_INTERVAL: Duration = Duration::from_secs(1);
const FREE_SPACE_INTERVAL: Duration = Duration::from_millis(250);

/// A batch waits for as many records as the last one had, this long at most: whoever shares a flush shares its cost, and
/// under load others are on their way. A client that is alone waits for nobody.
const MAX_BATCH_DELAY: Duration = Duration::from_millis(2);

/// One batch in so many waits for more, to find out whether more would come.
const PROBE_EVERY: u64 = 16;

/// How long a request waits for its record.
const RECORD_TIMEOUT: Duration = Duration::from_secs(8);

/// A journal that is open for writing.
#[derive(Debug)]
pub struct Journal {
    queue: Option<SyncSender<PendingRecord>>,
    thread: Option<JoinHandle<()>>,
    state: Arc<State>,
    /// Gives the store back before it is closed.
    _heartbeat: Heartbeat,
    store: Arc<dyn Store>,
    keys: PublicKeys,
    /// The writer has it locked for as long as this lives.
    folder: DataFolder,
    auditor: Auditor,
}

#[derive(Debug)]
struct State {
    stopped: Mutex<Option<JournalFault>>,
    newest: Newest,
    health: Arc<StoreHealth>,
    /// How many drafts are in the queue.
    waiting: AtomicUsize,
    /// How many drafts the writer waits for.
    wanted: AtomicUsize,
    records: AtomicU64,
    batches: AtomicU64,
    failures: AtomicU64,
    flush_observer: FlushObserver,
}

/// Who is told how long each flush took.
#[derive(Default)]
struct FlushObserver(OnceLock<Box<dyn Fn(Duration) + Send + Sync>>);

impl fmt::Debug for FlushObserver {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_tuple("FlushObserver").field(&self.0.get().is_some()).finish()
    }
}

impl State {
    fn new(newest: Newest) -> Self {
        Self {
            stopped: Mutex::default(),
            newest,
            health: Arc::new(StoreHealth::new()),
            waiting: AtomicUsize::default(),
            wanted: AtomicUsize::default(),
            records: AtomicU64::default(),
            batches: AtomicU64::default(),
            failures: AtomicU64::default(),
            flush_observer: FlushObserver::default(),
        }
    }

    /// The state of the store. A log that is not the one that was signed closes the journal.
    fn follow(&self, store: &dyn Store) -> Result<Checkpoint, JournalFault> {
        self.newest.follow(store).inspect_err(|fault| {
            if is_fork(fault) {
                lock(&self.stopped).get_or_insert_with(|| fault.clone());
            }
        })
    }
}

/// What a journal counted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct WriterCounts {
    /// Records that were made durable by this process.
    pub records: u64,
    /// Flushes that they took.
    pub batches: u64,
    /// Batches that failed.
    pub failures: u64,
}

struct PendingRecord {
    draft: EntryDraft,
    answer: oneshot::Sender<Result<Appended, JournalFault>>,
}

/// A record that is durable, with what its receipt is made from.
struct Appended {
    leaf: RecordLeaf,
    batch: Arc<Batch>,
}

struct Batch {
    grown: GrownTree,
    checkpoint: Checkpoint,
}

impl Journal {
    /// Starts the thread that writes, and the one that checks the whole log, which has a store of its own. The folder stays
    /// locked as long as the journal lives.
    ///
    /// # Errors
    /// When the first checkpoint cannot be signed or kept, or there is no thread to be had.
    pub fn start(
        store: Arc<dyn Store>,
        key: LogKey,
        keys: PublicKeys,
        folder: LockedFolder,
        audited: Arc<dyn Store>,
    ) -> Result<Self, JournalFault> {
        let head = store.settled_head()?;
        let timeline = store.timeline();
        if let Some(timeline) = &timeline {
            folder.keep_timeline(timeline)?;
        }
        let newest = Newest::begin(key, head.tree.size(), &head.root, &folder)?;
        let kept_in = folder.folder().clone();
        let state = Arc::new(State::new(newest));
        let (queue, waiting) = mpsc::sync_channel(QUEUE_CAPACITY);
        let writer = Writer {
            store: Arc::clone(&store),
            folder,
            state: Arc::clone(&state),
            kept: Instant::now(),
            kept_size: head.tree.size(),
            kept_timeline: timeline,
            looked: None,
        };
        let thread = thread::Builder::new().name("svc-journal".to_owned()).spawn(move || writer.run(&waiting));
        let thread = thread.map_err(|error| JournalFault::io("start a thread", &error))?;
        let noted = Arc::clone(&state);
        let auditor = Auditor::start(audited, &head, move |fault| {
            lock(&noted.stopped).get_or_insert(fault);
        })?;
        let asked = Arc::clone(&store);
        let heartbeat = Heartbeat::start(Arc::clone(&state.health), move |probe| asked.probe(probe))?;
        let (queue, thread) = (Some(queue), Some(thread));
        Ok(Self { queue, thread, state, _heartbeat: heartbeat, store, keys, folder: kept_in, auditor })
    }

    /// Puts a no on record and gives its receipt, once it is durable and its proof was checked.
    ///
    /// # Errors
    /// When it is not on record, or that cannot be told.
    pub async fn record(&self, draft: EntryDraft) -> Result<Receipt, JournalFault> {
        let waiting = self.enqueue(draft)?;
        let answer = tokio::time::timeout(RECORD_TIMEOUT, waiting).await;
        let late = |_| {
            let detail = "the record was not written to durable storage in time";
            let fault = JournalFault::new(JournalFaultKind::Unreachable, detail);
            self.state.health.note_failed(&fault);
            fault
        };
        let appended = answer.map_err(late)?.map_err(|_| self.gone())??;
        appended.receipt()
    }

    /// The same for callers that have no other work: blocks the thread.
    ///
    /// # Errors
    /// As [`Journal::record`].
    pub fn record_blocking(&self, draft: EntryDraft) -> Result<Receipt, JournalFault> {
        self.enqueue(draft)?.blocking_recv().map_err(|_| self.gone())??.receipt()
    }

    /// Why nothing is written any more; nothing while all is well.
    #[must_use]
    pub fn stopped(&self) -> Option<JournalFault> {
        lock(&self.state.stopped).clone()
    }

    /// Why the store takes no records at the moment, and nothing while it does: by the last record, or by what the store said
    /// when it was asked last, about a second ago. Does not wait for the store.
    #[must_use]
    pub fn store_fault(&self) -> Option<JournalFault> {
        self.state.health.fault()
    }

    /// How far the check of the whole log is.
    #[must_use]
    pub fn audited(&self) -> AuditProgress {
        self.auditor.progress()
    }

    /// The newest checkpoint that this process signed.
    #[must_use]
    pub fn checkpoint(&self) -> Checkpoint {
        self.state.newest.get()
    }

    /// The newest state of the log, signed: of a shared one, what is in the database, whoever appended it. Blocks on the
    /// store. A log that is not the one that was signed closes the journal.
    ///
    /// # Errors
    /// When the store does not answer, or the log does not hold.
    pub fn newest(&self) -> Result<Checkpoint, JournalFault> {
        if let Some(fault) = self.stopped() {
            return Err(fault);
        }
        if self.store.is_shared() { self.state.follow(self.store.as_ref()) } else { Ok(self.checkpoint()) }
    }

    /// Tells the size of the newest checkpoint, each time that this process has signed a newer one. What other nodes append is
    /// seen once somebody asks for [`Journal::newest`].
    #[must_use]
    pub fn growth(&self) -> watch::Receiver<u64> {
        self.state.newest.growth()
    }

    /// How long ago the newest state was signed.
    #[must_use]
    pub fn checkpoint_age(&self) -> Duration {
        self.state.newest.age()
    }

    /// How many records wait to be written.
    #[must_use]
    pub fn waiting(&self) -> usize {
        self.state.waiting.load(Ordering::Relaxed)
    }

    /// How many bytes are free on the disk of the data folder, where that can be told. Blocks on the disk.
    #[must_use]
    pub fn free_bytes(&self) -> Option<u64> {
        self.folder.free_bytes().ok().flatten()
    }

    /// Tells somebody from now on how long each flush took. The first one to ask is told, and nobody else.
    pub fn observe_flushes(&self, observer: impl Fn(Duration) + Send + Sync + 'static) {
        let _ = self.state.flush_observer.0.set(Box::new(observer));
    }

    #[must_use]
    pub fn counts(&self) -> WriterCounts {
        let read = |counter: &AtomicU64| counter.load(Ordering::Relaxed);
        WriterCounts {
            records: read(&self.state.records),
            batches: read(&self.state.batches),
            failures: read(&self.state.failures),
        }
    }

    /// The store, for reading.
    #[must_use]
    pub fn store(&self) -> &Arc<dyn Store> {
        &self.store
    }

    /// The public keys of the log.
    #[must_use]
    pub fn keys(&self) -> &PublicKeys {
        &self.keys
    }

    /// The newest state that witnesses cosigned, as it was kept beside the log. Nothing of it is known to hold.
    ///
    /// # Errors
    /// When it cannot be read.
    pub fn kept_witnessed(&self) -> Result<Option<String>, JournalFault> {
        self.folder.witnessed()
    }

    /// Checks that the log has grown from an earlier size and root.
    ///
    /// # Errors
    /// When it has not, or cannot be read.
    pub fn check_grown_from(&self, earlier: (u64, &Hash)) -> Result<(), JournalFault> {
        let newest = self.newest()?;
        check_growth(earlier, (newest.size(), newest.root()), &NodesOf(self.store.as_ref()))
    }

    /// Keeps the newest state that witnesses cosigned.
    ///
    /// # Errors
    /// When it cannot be written.
    pub fn keep_witnessed(&self, text: &str) -> Result<(), JournalFault> {
        self.folder.keep_witnessed(text)
    }

    fn enqueue(&self, draft: EntryDraft) -> Result<oneshot::Receiver<Result<Appended, JournalFault>>, JournalFault> {
        if let Some(fault) = self.stopped() {
            return Err(fault);
        }
        let (answer, waiting) = oneshot::channel();
        let queue = self.queue.as_ref().ok_or_else(|| self.gone())?;
        // Counted first, so that the writer never takes out more than was counted.
        let waits = self.state.waiting.fetch_add(1, Ordering::Relaxed) + 1;
        queue.try_send(PendingRecord { draft, answer }).map_err(|error| {
            self.state.waiting.fetch_sub(1, Ordering::Relaxed);
            match error {
                TrySendError::Full(_) => {
                    JournalFault::new(JournalFaultKind::Busy, "too many records wait to be written")
                }
                TrySendError::Disconnected(_) => self.gone(),
            }
        })?;
        if waits == self.state.wanted.load(Ordering::Relaxed) {
            self.thread.as_ref().inspect(|writer| writer.thread().unpark());
        }
        Ok(waiting)
    }

    fn gone(&self) -> JournalFault {
        self.stopped().unwrap_or_else(|| JournalFault::new(JournalFaultKind::Unreachable, "the journal is closed"))
    }
}

/// Lets the writer finish what waits, and keeps the last checkpoint.
impl Drop for Journal {
    fn drop(&mut self) {
        self.queue = None;
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

impl Appended {
    fn receipt(self) -> Result<Receipt, JournalFault> {
        self.leaf.receipt(&self.batch.grown, &self.batch.checkpoint)
    }
}

struct Writer {
    store: Arc<dyn Store>,
    folder: LockedFolder,
    state: Arc<State>,
    kept: Instant,
    kept_size: u64,
    kept_timeline: Option<Timeline>,
    looked: Option<(Instant, Result<(), JournalFault>)>,
}

impl Writer {
    fn run(mut self, queue: &Receiver<PendingRecord>) {
        let mut last = 1;
        loop {
            match queue.recv_timeout(CHECKPOINT_INTERVAL) {
                Ok(first) => {
                    self.wait_for_batch(last);
                    let mut batch = vec![first];
                    batch.extend(queue.try_iter().take(MAX_BATCH_LEN - 1));
                    last = batch.len();
                    self.state.waiting.fetch_sub(last, Ordering::Relaxed);
                    self.write(batch);
                    if self.kept.elapsed() >= CHECKPOINT_INTERVAL {
                        self.keep_checkpoint();
                    }
                }
                Err(RecvTimeoutError::Timeout) => {
                    // What other nodes appended is remembered too. A store that does not answer is noticed by the heartbeat, and
                    // waiting for it here would keep records waiting after its return.
                    if self.store.is_shared() && self.state.health.fault().is_none() {
                        let _ = self.state.follow(self.store.as_ref());
                    }
                    self.keep_checkpoint();
                }
                Err(RecvTimeoutError::Disconnected) => return self.keep_checkpoint(),
            }
        }
    }

    /// Waits until as many records are there as the last batch had, within bounds. Whoever brings the last of them wakes
    /// it; where that is missed, the time runs out.
    fn wait_for_batch(&self, last: usize) {
        let probes = self.state.batches.load(Ordering::Relaxed).is_multiple_of(PROBE_EVERY);
        let (started, enough) = (Instant::now(), if probes { last + last / 4 } else { last });
        self.state.wanted.store(enough, Ordering::Relaxed);
        while self.state.waiting.load(Ordering::Relaxed) < enough {
            let Some(left) = MAX_BATCH_DELAY.checked_sub(started.elapsed()) else { break };
            thread::park_timeout(left);
        }
        self.state.wanted.store(0, Ordering::Relaxed);
    }

    /// Appends a batch and answers everyone in it.
    fn write(&mut self, batch: Vec<PendingRecord>) {
        // Whoever has gone away was answered with a failure already.
        let (drafts, answers): (Vec<EntryDraft>, Vec<_>) = batch
            .into_iter()
            .filter(|waiting| !waiting.answer.is_closed())
            .map(|waiting| (waiting.draft, waiting.answer))
            .unzip();
        if drafts.is_empty() {
            return;
        }
        match self.append(drafts) {
            Ok((leaves, batch)) => {
                self.state.health.note_taken();
                self.state.batches.fetch_add(1, Ordering::Relaxed);
                self.state.records.fetch_add(leaves.len() as u64, Ordering::Relaxed);
                for (leaf, answer) in leaves.into_iter().zip(answers) {
                    let _ = answer.send(Ok(Appended { leaf, batch: Arc::clone(&batch) }));
                }
            }
            Err(fault) => {
                self.state.failures.fetch_add(1, Ordering::Relaxed);
                self.state.health.note_failed(&fault);
                if fault.kind.is_final() {
                    lock(&self.state.stopped).get_or_insert_with(|| fault.clone());
                }
                answers.into_iter().for_each(|answer| {
                    let _ = answer.send(Err(fault.clone()));
                });
            }
        }
    }

    fn append(&mut self, drafts: Vec<EntryDraft>) -> Result<(Vec<RecordLeaf>, Arc<Batch>), JournalFault> {
        if let Some(fault) = lock(&self.state.stopped).clone() {
            return Err(fault);
        }
        self.check_free_space()?;
        let (known, now) = (self.state.newest.get(), now());
        let asked = Arc::clone(&self.store);
        let mut made = None;
        let mut waiting = Some(drafts);
        let mut extend = |head: &Head, nodes: &dyn Fetch| {
            let grown = check_growth((known.size(), known.root()), (head.tree.size(), &head.root), &NodesOf(nodes));
            grown.map_err(|fault| of_another_log(fault, asked.as_ref()))?;
            let drafts = waiting.take().unwrap_or_default();
            let (extension, leaves, grown) = batch::extend(head, drafts, now)?;
            made = Some((leaves, grown));
            Ok(extension)
        };
        let store = Arc::clone(&self.store);
        let started = Instant::now();
        store.append(&mut extend)?;
        if let Some(observer) = self.state.flush_observer.0.get() {
            observer(started.elapsed());
        }
        let (leaves, grown) = made.ok_or_else(|| JournalFault::corrupt("a batch holds no records"))?;
        let (state, nodes) = ((grown.tree().size(), grown.root()), NodesOf(store.as_ref()));
        let checkpoint = self.state.newest.sign(&known, state, &nodes)?;
        Ok((leaves, Arc::new(Batch { grown, checkpoint })))
    }

    /// The store is asked now and then, not for every batch.
    fn check_free_space(&mut self) -> Result<(), JournalFault> {
        match &self.looked {
            Some((when, verdict)) if when.elapsed() < FREE_SPACE_INTERVAL => verdict.clone(),
            Some(_) | None => {
                let verdict = self.store.check_room();
                self.looked = Some((Instant::now(), verdict.clone()));
                verdict
            }
        }
    }

    /// Keeps the newest checkpoint and the database's timeline outside the database, when there are newer ones.
    fn keep_checkpoint(&mut self) {
        self.kept = Instant::now();
        let newer = self.state.newest.get();
        let kept = self
            .keep_timeline(&newer)
            .and_then(|()| if newer.size() > self.kept_size { self.folder.keep_checkpoint(&newer) } else { Ok(()) });
        match kept {
            Ok(()) => self.kept_size = self.kept_size.max(newer.size()),
            // Without it a restored copy could pass for the whole log, so that nothing more is answered either.
            Err(fault) if fault.kind.is_final() => {
                lock(&self.state.stopped).get_or_insert(fault);
            }
            Err(_) => {}
        }
    }

    /// Keeps a new timeline once the log on it has grown from what this node signed: a primary that lacks some of it is not
    /// one that the node has worked on.
    fn keep_timeline(&mut self, newest: &Checkpoint) -> Result<(), JournalFault> {
        let timeline = self.store.timeline();
        let Some(new) = timeline.filter(|new| self.kept_timeline.as_ref() != Some(new)) else { return Ok(()) };
        let head = self.store.head()?;
        check_growth((newest.size(), newest.root()), (head.tree.size(), &head.root), &NodesOf(self.store.as_ref()))?;
        if self.store.timeline().as_ref() == Some(&new) {
            self.folder.keep_timeline(&new)?;
            self.kept_timeline = Some(new);
        }
        Ok(())
    }
}

/// The time of the machine. It orders nothing: a clock that jumps only makes a record's time wrong.
fn now() -> Timestamp {
    let since = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
    Timestamp::from_millis(u64::try_from(since.as_millis()).unwrap_or(u64::MAX))
}

fn lock<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
