//! The body of an event stream: records as they come, checkpoints between them, a comment when it is quiet, and an end.
//!
//! It is asked for more when the client has read, so that a client that does not read holds a piece or two of it, and its
//! connection ends by the time limits of all connections. Nobody loses anything by an end: who comes back says what it saw
//! last.

use std::{
    collections::VecDeque,
    future::Future as _,
    net::IpAddr,
    pin::Pin,
    sync::Arc,
    task::{Context, Poll, ready},
    time::Duration,
};

use bytes::Bytes;
use svc_core::words::limits;
use svc_journal::writer::Journal;
use svc_proof::fault::JournalFault;
use svc_registry_api::request::RequestName;
use tokio::{
    task::JoinHandle,
    time::{Instant, Sleep, sleep_until},
};

use super::{connection_slots::SlotState, state::ServerState};
use crate::{
    auth::token_store::HeldToken,
    follow::{
        feed::{Feed, Next},
        followers::FollowerPlace,
        frame::{Block, COMMENT, EventFilter},
    },
    log,
};

const LIFETIME: Duration = Duration::from_secs(limits::EVENT_STREAM_SECONDS);
const COMMENT_INTERVAL: Duration = Duration::from_secs(limits::EVENT_COMMENT_SECONDS);

/// How often it is looked whether the token is still good.
pub(super) const TOKEN_INTERVAL: Duration = Duration::from_secs(2);

/// Why a stream ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum StreamEnd {
    Time,
    Over,
    Token,
    TakenBack,
    Left,
    Fault,
}

impl StreamEnd {
    const fn words(self) -> &'static str {
        match self {
            Self::Time => "its time was over",
            Self::Over => "the service stops, or its journal is closed",
            Self::Token => "its token is not good any more",
            Self::TakenBack => "its place was given to another client",
            Self::Left => "its client left",
            Self::Fault => "the journal could not be read",
        }
    }
}

/// Whom a stream is for, and from where.
#[derive(Debug)]
pub(super) struct StreamSetup {
    pub(super) place: FollowerPlace,
    /// The number of the first record.
    pub(super) next: u64,
    pub(super) filter: EventFilter,
    /// The token that it stands on, where one was needed.
    pub(super) held: Option<HeldToken>,
    /// Who asked, for the log.
    pub(super) reader: StreamReader,
}

/// Who reads a stream, for the log.
#[derive(Debug)]
pub(super) struct StreamReader {
    pub(super) request: RequestName,
    pub(super) address: IpAddr,
    pub(super) token: Option<String>,
    /// Of its connection.
    pub(super) slot: Arc<SlotState>,
}

#[derive(Debug)]
pub(super) struct EventStream {
    shared: Arc<ServerState>,
    feed: Arc<Feed>,
    journal: Arc<Journal>,
    setup: StreamSetup,
    /// The size of the state that was told last.
    told: Option<u64>,
    pieces: VecDeque<Bytes>,
    behind: Option<JoinHandle<Result<Arc<Block>, JournalFault>>>,
    clock: Pin<Box<Sleep>>,
    begun: Instant,
    sent: Instant,
    records: u64,
    end: Option<StreamEnd>,
}

impl EventStream {
    pub(super) fn new(shared: &Arc<ServerState>, feed: &Arc<Feed>, journal: &Arc<Journal>, setup: StreamSetup) -> Self {
        shared.door.metrics.stream_opened();
        setup.reader.slot.begin_to_follow();
        let now = Instant::now();
        let mut stream = Self {
            shared: Arc::clone(shared),
            feed: Arc::clone(feed),
            journal: Arc::clone(journal),
            setup,
            told: None,
            pieces: VecDeque::new(),
            behind: None,
            clock: Box::pin(sleep_until(now)),
            begun: now,
            sent: now,
            records: 0,
            end: None,
        };
        stream.set_clock(now);
        stream
    }

    /// The next piece, or the end.
    pub(super) fn poll_piece(&mut self, context: &mut Context<'_>) -> Poll<Option<Bytes>> {
        self.setup.place.wake_with(context.waker());
        loop {
            if let Some(piece) = self.pieces.pop_front() {
                self.sent = Instant::now();
                return Poll::Ready(Some(piece));
            }
            if self.setup.place.is_taken_back() {
                self.end = Some(StreamEnd::TakenBack);
            }
            if self.setup.reader.slot.has_left() {
                self.end = Some(StreamEnd::Left);
            }
            if self.end.is_some() {
                return Poll::Ready(None);
            }
            if self.clock.as_mut().poll(context).is_ready() {
                self.on_clock();
                continue;
            }
            if let Some(behind) = &mut self.behind {
                let read = ready!(Pin::new(behind).poll(context));
                self.behind = None;
                match read {
                    Ok(Ok(block)) => self.add(&block),
                    Ok(Err(_)) | Err(_) => self.end = Some(StreamEnd::Fault),
                }
                continue;
            }
            match self.feed.next(self.setup.next, self.told) {
                Next::Records(block) => self.add(&block),
                Next::Checkpoint(state) => {
                    self.told = Some(state.size);
                    self.pieces.push_back(state.event);
                }
                Next::Behind => self.behind = Some(self.read_behind()),
                Next::Over => self.end = Some(StreamEnd::Over),
                Next::Wait => return Poll::Pending,
            }
        }
    }

    fn add(&mut self, block: &Block) {
        let (pieces, count) = block.pieces(self.setup.next, &self.setup.filter);
        self.pieces.extend(pieces);
        self.setup.next = block.end();
        self.records += count;
        self.shared.door.metrics.streamed(count);
    }

    fn read_behind(&self) -> JoinHandle<Result<Arc<Block>, JournalFault>> {
        let (feed, journal, next) = (Arc::clone(&self.feed), Arc::clone(&self.journal), self.setup.next);
        tokio::spawn(async move { feed.read_behind(journal, next).await })
    }

    /// The time is over, or the token has to be looked at, or nothing was sent for long.
    fn on_clock(&mut self) {
        let now = Instant::now();
        if now.duration_since(self.begun) >= LIFETIME {
            self.end = Some(StreamEnd::Time);
        } else if self.setup.held.as_ref().is_some_and(|held| !held.is_good()) {
            self.end = Some(StreamEnd::Token);
        } else if now.duration_since(self.sent) >= COMMENT_INTERVAL {
            self.pieces.push_back(Bytes::from_static(COMMENT));
        }
        self.set_clock(now);
    }

    fn set_clock(&mut self, now: Instant) {
        let token = self.setup.held.as_ref().map(|_| now + TOKEN_INTERVAL);
        // What was sent last may be what is about to be sent.
        let quiet = if self.pieces.is_empty() { self.sent + COMMENT_INTERVAL } else { now + COMMENT_INTERVAL };
        let next = [Some(self.begun + LIFETIME), Some(quiet), token].into_iter().flatten().min();
        self.clock.as_mut().reset(next.unwrap_or(now + COMMENT_INTERVAL));
    }
}

/// One line for each stream, when it is over.
impl Drop for EventStream {
    fn drop(&mut self) {
        let is_blocked = self.end.is_none() && self.setup.reader.slot.was_unread();
        let is_cut = is_blocked || self.end == Some(StreamEnd::TakenBack);
        self.shared.door.metrics.stream_closed(is_cut);
        let why = match self.end {
            Some(end) => end.words(),
            None if is_blocked => "its reader did not read",
            None => StreamEnd::Left.words(),
        };
        let StreamReader { request, address, token, .. } = &self.setup.reader;
        log::streamed(&log::Streamed {
            request,
            address: *address,
            token: token.as_deref(),
            records: self.records,
            why,
            micros: u64::try_from(self.begun.elapsed().as_micros()).unwrap_or(u64::MAX),
        });
    }
}
