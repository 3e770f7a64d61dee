//! The log, served read-only: its signed state, its tiles, its records and its public keys.
//!
//! Who asked stands beside the log, and is read here alone, for requests that came with a token of scope `read`. Without a
//! token file nobody needs one, and nobody is told.

use std::{collections::BTreeMap, sync::Arc, time::Duration};

use svc_core::{
    journal::attribution::JournalEntry,
    words::{limits, problem_code::ProblemCode},
};
use svc_journal::{served, store::log_start, writer::Journal};
use svc_proof::{
    fault::{JournalFault, JournalFaultKind},
    tiles,
    tlog_proof::{self, TlogProof},
};
use svc_registry_api::{
    answer::{Answer, AnswerKind, JSON},
    conditional::entity_tag,
    documents::journal_page,
    refusals,
    request::RequestName,
    routes::journal::{JournalDocument, proven_index, tile},
};

use crate::{gzip, log, witnessing::Witnessing};

/// Says which pages may read an answer.
pub(crate) const ALLOW_ORIGIN: &str = "access-control-allow-origin";

/// What is wrong with a query that has to be refused.
const PAGE_FORM: &str = "`after`, `before` and `limit` must be whole numbers, `wait` whole seconds from 0 to 15, each given once; \
    `before` goes with neither `after` nor `wait`";

const DEFAULT_PAGE_LEN: usize = 100;
const MAX_PAGE_LEN: usize = 1000;

/// Who reads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Audience {
    /// Anybody who can reach the service: no token was needed.
    Everyone,
    /// Somebody with a token of scope `read`.
    TokenHolder,
    /// The world: the operator publishes what is asked for.
    Public,
}

impl Audience {
    /// The readers of a route that was let in with this token.
    pub(crate) fn of(token: Option<&str>) -> Self {
        if token.is_some() { Self::TokenHolder } else { Self::Everyone }
    }
}

/// What is asked for, by whom, and how it may be sent.
#[derive(Debug)]
pub(crate) struct JournalRequest {
    pub(crate) wanted: JournalDocument,
    pub(crate) audience: Audience,
    pub(crate) path: String,
    pub(crate) query: Option<String>,
    pub(crate) takes_gzip: bool,
}

/// Reads what a route is for. Blocks on the store: for threads that may.
pub(crate) fn read(
    journal: Option<&Arc<Journal>>,
    witnessing: Option<&Witnessing>,
    asked: &JournalRequest,
    request: &RequestName,
) -> Answer {
    let answer = answer(journal, witnessing, asked, request);
    match asked.audience {
        // Pages of any origin may read what everybody may.
        Audience::Public => answer.with_header(ALLOW_ORIGIN, "*"),
        Audience::Everyone | Audience::TokenHolder => answer,
    }
}

fn answer(
    journal: Option<&Arc<Journal>>,
    witnessing: Option<&Witnessing>,
    asked: &JournalRequest,
    request: &RequestName,
) -> Answer {
    let Some(journal) = journal else {
        return refusals::NO_JOURNAL.of(request);
    };
    let document = match asked.wanted {
        JournalDocument::Checkpoint => checkpoint(journal, witnessing),
        JournalDocument::WitnessedCheckpoint => {
            let text = witnessing.and_then(Witnessing::witnessed).map_or_else(String::new, |(_, text)| text);
            text_or_missing(text, "no state has the quorum of witnesses")
        }
        JournalDocument::Keys => {
            Ok((journal.keys().to_file().into_bytes(), "text/plain; charset=utf-8", CachePolicy::Revalidate))
        }
        JournalDocument::HandOvers => {
            journal.store().hand_overs().and_then(|notes| text_or_missing(notes.to_file(), "no key was handed over"))
        }
        JournalDocument::MinimumIndex => log_start(journal.store().as_ref()).and_then(|start| {
            text_or_missing(start.note().map_or_else(String::new, |note| note.text().to_owned()), "nothing was pruned")
        }),
        JournalDocument::Tile | JournalDocument::EntryTile => tile_of(journal, &asked.path),
        JournalDocument::Proof => proof_of(journal, witnessing, &asked.path),
        JournalDocument::Entries => match PageQuery::parse(asked.query.as_deref()) {
            Some(page) => page.read(journal, asked.audience),
            None => {
                return Answer::problem(ProblemCode::NotFound, PAGE_FORM, request);
            }
        },
        // `http` sends it, and answers before it comes to this.
        JournalDocument::Stream => Err(JournalFault::new(JournalFaultKind::Missing, "a stream is no document")),
    };
    match document {
        Ok(document) => serve(document, asked),
        Err(fault) if fault.kind == JournalFaultKind::Missing => {
            Answer::problem(ProblemCode::NotFound, "the log has no such tile, record or checkpoint", request)
        }
        Err(fault) => {
            log::warn("the journal cannot be read", &fault.to_string());
            refusals::UNREADABLE.with_retry(1, request)
        }
    }
}

/// How long a document stays as it is.
#[derive(Clone, Copy)]
enum CachePolicy {
    Revalidate,
    Immutable,
    /// Not to be kept: what it holds can be deleted here.
    Never,
}

type Document = (Vec<u8>, &'static str, CachePolicy);

fn serve((body, media_type, cache): Document, asked: &JournalRequest) -> Answer {
    let caching = match (cache, asked.audience) {
        (CachePolicy::Revalidate, Audience::Public) => "public, no-cache",
        (CachePolicy::Revalidate, Audience::Everyone | Audience::TokenHolder) => "no-cache",
        (CachePolicy::Immutable, Audience::Public) => "public, max-age=31536000, immutable",
        (CachePolicy::Immutable, Audience::Everyone | Audience::TokenHolder) => "private, max-age=31536000, immutable",
        (CachePolicy::Never, _) => "no-store",
    };
    let may_be_coded = asked.wanted == JournalDocument::EntryTile;
    let coded = if may_be_coded && asked.takes_gzip { gzip::compressed(&body) } else { None };
    let is_coded = coded.is_some();
    let body = coded.unwrap_or(body);
    let mut headers = vec![
        ("content-type", media_type.into()),
        ("cache-control", caching.into()),
        // Each form of a document has a tag of its own.
        ("etag", entity_tag(&body).into()),
    ];
    if may_be_coded {
        headers.push(("vary", "accept-encoding".into()));
    }
    if is_coded {
        headers.push(("content-encoding", "gzip".into()));
    }
    Answer { status: 200, headers, body: body.into(), kind: AnswerKind::Document }
}

fn text_or_missing(text: String, missing: &str) -> Result<Document, JournalFault> {
    if text.is_empty() {
        return Err(JournalFault::new(JournalFaultKind::Missing, missing));
    }
    Ok((text.into_bytes(), "text/plain; charset=utf-8", CachePolicy::Revalidate))
}

/// The newest state, with the cosignatures that there are for it.
fn checkpoint(journal: &Journal, witnessing: Option<&Witnessing>) -> Result<Document, JournalFault> {
    let checkpoint = journal.newest()?;
    let text = witnessing
        .map_or_else(|| checkpoint.text().as_str().to_owned(), |witnessing| witnessing.cosigned_text(&checkpoint));
    Ok((text.into_bytes(), "text/plain; charset=utf-8", CachePolicy::Revalidate))
}

fn tile_of(journal: &Journal, path: &str) -> Result<Document, JournalFault> {
    let tile = tile(path).ok_or_else(|| JournalFault::new(JournalFaultKind::Missing, "no such tile"))?;
    let read = |size| served::tile(journal.store().as_ref(), &tile, size);
    // Only what this node has not seen yet makes it look.
    let bytes = match read(journal.checkpoint().size()) {
        Err(fault) if fault.kind == JournalFaultKind::Missing => read(journal.newest()?.size())?,
        read => read?,
    };
    // Also a partial tile never changes: a longer one has another path.
    Ok((bytes, tiles::MEDIA_TYPE, CachePolicy::Immutable))
}

/// The proof of a record: under the newest state that witnesses have seen, where that covers it, so that the proof shows by
/// itself that they have.
fn proof_of(journal: &Journal, witnessing: Option<&Witnessing>, path: &str) -> Result<Document, JournalFault> {
    let missing = || JournalFault::new(JournalFaultKind::Missing, "no such record");
    let index = proven_index(path).ok_or_else(missing)?;
    let witnessed = witnessing.and_then(Witnessing::witnessed).filter(|(checkpoint, _)| index < checkpoint.size());
    let proof = match witnessed {
        Some((checkpoint, text)) => {
            TlogProof { checkpoint: text, ..served::proof(journal.store().as_ref(), &checkpoint, index)? }
        }
        None => served::proof(journal.store().as_ref(), &journal.newest()?, index)?,
    };
    Ok((proof.to_text().into_bytes(), tlog_proof::MEDIA_TYPE, CachePolicy::Revalidate))
}

/// A part of the log that is asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct PageQuery {
    reads: PageStart,
    most: usize,
    /// How long to wait for the first record.
    wait: Duration,
}

/// From where, and in which direction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum PageStart {
    From(u64),
    /// The last records before this one.
    Before(u64),
}

impl PageQuery {
    pub(crate) fn parse(query: Option<&str>) -> Option<Self> {
        let (mut after, mut before, mut limit, mut wait) = (None, None, None, None);
        for part in query.unwrap_or_default().split('&').filter(|part| !part.is_empty()) {
            let (name, value) = part.split_once('=')?;
            let plain = !value.is_empty() && value.bytes().all(|byte| byte.is_ascii_digit());
            let number: u64 = value.parse().ok().filter(|_| plain)?;
            let slot = match name {
                "after" => &mut after,
                "before" => &mut before,
                "limit" => &mut limit,
                "wait" => &mut wait,
                _ => return None,
            };
            if slot.replace(number).is_some() {
                return None;
            }
        }
        let is_index = |index: &u64| i64::try_from(*index).is_ok();
        let reads = match (before, after) {
            (Some(before), None) if wait.is_none() => PageStart::Before(Some(before).filter(is_index)?),
            (Some(_), _) => return None,
            (None, after) => PageStart::From(after.map_or(Some(0), |after| after.checked_add(1).filter(is_index))?),
        };
        let wait = Duration::from_secs(wait.unwrap_or_default());
        if wait > Duration::from_secs(limits::WAIT_SECONDS) {
            return None;
        }
        let most = limit
            .map_or(DEFAULT_PAGE_LEN, |limit| usize::try_from(limit).unwrap_or(MAX_PAGE_LEN).clamp(1, MAX_PAGE_LEN));
        Some(Self { reads, most, wait })
    }

    /// For which record to wait, and how long; nothing for whoever does not wait.
    pub(crate) fn awaited(&self) -> Option<(u64, Duration)> {
        match self.reads {
            PageStart::From(from) if !self.wait.is_zero() => Some((from, self.wait)),
            PageStart::From(_) | PageStart::Before(_) => None,
        }
    }

    /// Records that the newest checkpoint covers, and the cursor to go on with when there are more.
    fn read(&self, journal: &Journal, audience: Audience) -> Result<Document, JournalFault> {
        let size = journal.newest()?.size();
        let start = log_start(journal.store().as_ref())?;
        // What was pruned is passed over; the tree still has its hashes.
        let (from, end) = match self.reads {
            PageStart::From(from) => (from.max(start.index()), size),
            PageStart::Before(before) => {
                let end = before.min(size);
                (end.saturating_sub(self.most as u64).max(start.index()), end)
            }
        };
        let room = usize::try_from(end.saturating_sub(from)).unwrap_or(MAX_PAGE_LEN);
        let rows = journal.store().rows(from, self.most.min(room))?;
        let (mut attributions, cache) = match audience {
            Audience::Everyone | Audience::Public => (BTreeMap::new(), CachePolicy::Revalidate),
            Audience::TokenHolder => {
                let places = from..from.saturating_add(rows.len() as u64);
                (journal.store().attributions(places)?, CachePolicy::Never)
            }
        };
        let entries = rows.iter().map(|row| {
            let attribution = attributions.remove(&row.place);
            Ok(JournalEntry { attribution, record: row.read(&start)? })
        });
        let entries: Vec<JournalEntry> = entries.collect::<Result<_, JournalFault>>()?;
        // The cursor is what the next question has as its `after` or `before`.
        let next = match self.reads {
            PageStart::From(_) => rows.last().map(|row| row.place).filter(|last| last + 1 < size),
            PageStart::Before(_) => rows.first().map(|row| row.place).filter(|first| *first > start.index()),
        };
        Ok((journal_page::render(entries, next, size), JSON, cache))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_window_is_given_in_plain_numbers_once_each() {
        for query in [
            "after",
            "after=",
            "after=-1",
            "after=+1",
            "after=1&after=2",
            "before=1&after=1",
            "before=1&wait=1",
            "before=-1",
            "before=18446744073709551615",
            "wait=16",
            "wait=-1",
            "wait=1.5",
            "wait=",
            "wait=1&wait=1",
            "from=1",
            "after=%31",
            "after=0x1",
            "after=99999999999999999999",
            "after=18446744073709551615",
            "limit=a",
            "after=1;limit=2",
        ] {
            assert!(PageQuery::parse(Some(query)).is_none(), "{query}");
        }
        let page = |query| PageQuery::parse(query).map(|page| (page.reads, page.most));
        assert_eq!(page(None), Some((PageStart::From(0), DEFAULT_PAGE_LEN)));
        assert_eq!(page(Some("after=0")), Some((PageStart::From(1), DEFAULT_PAGE_LEN)));
        assert_eq!(page(Some("limit=5&after=41")), Some((PageStart::From(42), 5)));
        assert_eq!(page(Some("limit=0")), Some((PageStart::From(0), 1)));
        assert_eq!(page(Some("limit=100000")), Some((PageStart::From(0), MAX_PAGE_LEN)));
        assert_eq!(page(Some("before=9&limit=2")), Some((PageStart::Before(9), 2)));
        let awaited = |query| PageQuery::parse(Some(query)).and_then(|page| page.awaited());
        assert_eq!(awaited("after=3&wait=15"), Some((4, Duration::from_secs(15))));
        assert_eq!((awaited("after=3&wait=0"), awaited("after=3"), awaited("before=3")), (None, None, None));
    }
}
