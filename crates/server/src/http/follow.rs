//! Who may follow the log, and from where: the door of event streams, and of readers that wait for the next record.

use std::{future::poll_fn, sync::Arc, task::Poll, time::Duration};

use hyper::Method;
use svc_core::{journal::event::EventType, words::problem_code::ProblemCode};
use svc_journal::{store::log_start, writer::Journal};
use svc_proof::fault::JournalFault;
use svc_registry_api::{
    answer::{Answer, AnswerKind},
    refusals,
    routes::Operation,
};
use tokio::time::{Instant, sleep, timeout};

use super::{
    event_stream::{EventStream, StreamReader, StreamSetup, TOKEN_INTERVAL},
    request::Exchange,
};
use crate::{
    auth::{rate::ClientKey, token_store::HeldToken},
    follow::{
        feed::Feed,
        followers::{FollowerPlace, NoPlace},
        query::{BadStream, ID_FORM, QUERY_FORM, StreamQuery},
    },
    health::Phase,
    journal_documents::{ALLOW_ORIGIN, PageQuery},
    log,
};

/// After how long whoever found no place may ask again.
const PLACE_RETRY_SECONDS: u64 = 5;

/// A request to follow the log, that was let in.
#[derive(Clone, Copy)]
pub(super) struct FollowRequest<'a> {
    pub(super) exchange: Exchange<'a>,
    pub(super) operation: &'a Operation,
    pub(super) token: Option<&'a str>,
}

impl<'a> FollowRequest<'a> {
    /// Opens a stream: its head, and what follows it. A refusal has nothing behind it.
    pub(super) async fn stream(self) -> (Answer, Option<EventStream>) {
        let opened = self.open().await;
        let (answer, stream) = opened.unwrap_or_else(|refusal| (refusal, None));
        // Pages of any origin read what everybody may, also that it is not to be had.
        let is_public = self.exchange.shared.door.is_public(self.operation);
        (if is_public { answer.with_header(ALLOW_ORIGIN, "*") } else { answer }, stream)
    }

    async fn open(self) -> Result<(Answer, Option<EventStream>), Answer> {
        let (feed, journal) = self.service()?;
        let asked = StreamQuery::parse(self.exchange.parts.uri.query(), &self.exchange.parts.headers).map_err(
            |bad| match bad {
                BadStream::Query => {
                    let detail = format!("{QUERY_FORM}: {}", EventType::WORDS.join(", "));
                    Answer::problem(ProblemCode::NotFound, &detail, self.exchange.name)
                }
                BadStream::Id => Answer::problem(ProblemCode::MalformedRequest, ID_FORM, self.exchange.name),
            },
        )?;
        let held = self.exchange.shared.door.held_token(self.operation, self.exchange.head, self.exchange.name)?;
        let next = self.start(journal, asked.from).await?;
        if self.exchange.parts.method == Method::HEAD {
            return Ok((head(), None));
        }
        let reader = StreamReader {
            request: self.exchange.name.clone(),
            address: self.exchange.address,
            token: self.token.map(str::to_owned),
            slot: Arc::clone(&self.exchange.peer.slot),
        };
        let setup = StreamSetup { place: self.place(feed)?, next, filter: asked.filter, held, reader };
        Ok((head(), Some(EventStream::new(self.exchange.shared, feed, journal, setup))))
    }

    /// Waits for the record that a page begins with, when it says so. Tells how long it waited.
    pub(super) async fn wait_for_page(self) -> Result<Duration, Answer> {
        let page = PageQuery::parse(self.exchange.parts.uri.query());
        let Some((next, wait)) = page.and_then(|page| page.awaited()) else { return Ok(Duration::ZERO) };
        let (feed, journal) = self.service()?;
        let begun = Instant::now();
        // Whoever waits follows: what is missing between two pages is said, as by a stream.
        let found = self.look(journal, next).await?;
        self.expect_kept(next, &found)?;
        if next == found.size && self.exchange.parts.method != Method::HEAD {
            let place = self.place(feed)?;
            let arrived = poll_fn(|context| {
                place.wake_with(context.waker());
                if feed.has(next) || place.is_taken_back() { Poll::Ready(()) } else { Poll::Pending }
            });
            let held = self.exchange.shared.door.held_token(self.operation, self.exchange.head, self.exchange.name)?;
            // Whoever waited in vain gets an empty page.
            tokio::select! {
                _ = timeout(wait, arrived) => {}
                () = ended(held) => {}
            }
            // What came meanwhile is for whoever is let in now.
            self.exchange.shared.door.held_token(self.operation, self.exchange.head, self.exchange.name)?;
        }
        Ok(begun.elapsed())
    }

    /// What there is to follow, where somebody may.
    fn service(&self) -> Result<(&'a Arc<Feed>, &'a Arc<Journal>), Answer> {
        let journal =
            self.exchange.shared.journal.as_ref().ok_or_else(|| refusals::NO_JOURNAL.of(self.exchange.name))?;
        let feed = self.exchange.shared.feed.as_ref().ok_or_else(|| refusals::EVENTS_OFF.of(self.exchange.name))?;
        // A journal that is closed has ended its followers too, and says so when it is looked at.
        if self.exchange.shared.door.health.phase() != Phase::Open {
            return Err(refusals::STOPPING.with_retry(PLACE_RETRY_SECONDS, self.exchange.name));
        }
        Ok((feed, journal))
    }

    fn place(&self, feed: &Arc<Feed>) -> Result<FollowerPlace, Answer> {
        let client = self
            .token
            .map_or_else(|| ClientKey::of_address(self.exchange.address), |token| ClientKey::Token(token.to_owned()));
        feed.followers.take(client).map_err(|none| {
            let refusal = match none {
                NoPlace::ForClient => refusals::TOO_MANY_STREAMS,
                NoPlace::ForAnybody => refusals::NO_STREAM_LEFT,
            };
            refusal.with_retry(PLACE_RETRY_SECONDS, self.exchange.name)
        })
    }

    /// The number of the first record of a stream.
    async fn start(&self, journal: &Arc<Journal>, from: Option<u64>) -> Result<u64, Answer> {
        let wanted = from.unwrap_or(u64::MAX);
        let found = self.look(journal, wanted).await?;
        let Some(from) = from else { return Ok(found.size) };
        self.expect_kept(from, &found)?;
        Ok(from)
    }

    /// Refuses to go on from a record that the log does not have yet, or no more.
    fn expect_kept(&self, from: u64, &LogBounds { first, size }: &LogBounds) -> Result<(), Answer> {
        if from > size {
            let detail =
                format!("the log has {size} records, and you have seen {from}: it was put back, or is another one");
            return Err(Answer::problem(ProblemCode::AheadOfLog, &detail, self.exchange.name));
        }
        if from < first {
            let last = first.saturating_sub(1);
            let detail = format!(
                "records before {first} were pruned; go on with `after={last}`, or a stream with `from={first}`"
            );
            return Err(Answer::problem(ProblemCode::Pruned, &detail, self.exchange.name));
        }
        Ok(())
    }

    /// Looks at the log, with a turn like any other reader. The database is asked again before a log is called shorter than
    /// what was seen of it: another node may be ahead of this one.
    async fn look(&self, journal: &Arc<Journal>, wanted: u64) -> Result<LogBounds, Answer> {
        let is_public = self.exchange.shared.door.is_public(self.operation);
        let turns = &self.exchange.shared.turns;
        let turn =
            if is_public { turns.to_read_as_stranger(self.exchange.peer.address).await } else { turns.to_read().await };
        let Some(_turn) = turn else { return Err(refusals::NO_TURN.with_retry(1, self.exchange.name)) };
        let journal = Arc::clone(journal);
        let looked = tokio::task::spawn_blocking(move || LogBounds::of(&journal, wanted)).await;
        looked.map_or_else(
            |_| Err(Answer::problem(ProblemCode::Internal, "the journal could not be read", self.exchange.name)),
            |found| {
                found.map_err(|fault| {
                    log::warn("the journal cannot be read", &fault.to_string());
                    refusals::UNREADABLE.with_retry(1, self.exchange.name)
                })
            },
        )
    }
}

/// What the log has.
struct LogBounds {
    /// The first record that is kept.
    first: u64,
    size: u64,
}

impl LogBounds {
    fn of(journal: &Journal, wanted: u64) -> Result<Self, JournalFault> {
        let known = journal.checkpoint().size();
        let is_known = wanted <= known && journal.stopped().is_none() && !journal.store().is_shared();
        let size = if is_known { known } else { journal.newest()?.size() };
        Ok(Self { first: log_start(journal.store().as_ref())?.index(), size })
    }
}

/// Until a token is not good any more; of nobody who needed none.
async fn ended(held: Option<HeldToken>) {
    let Some(held) = held else { return std::future::pending().await };
    while held.is_good() {
        sleep(TOKEN_INTERVAL).await;
    }
}

/// The head of a stream. Proxies that gather answers are told not to.
fn head() -> Answer {
    let headers = [("content-type", "text/event-stream"), ("cache-control", "no-store"), ("x-accel-buffering", "no")];
    Answer {
        status: 200,
        headers: headers.into_iter().map(|(name, value)| (name, value.into())).collect(),
        body: bytes::Bytes::new(),
        kind: AnswerKind::Document,
    }
}
