//! What a follower asks for: from which record on, and which of them.

use hyper::HeaderMap;
use svc_core::{journal::event::EventType, words::limits};

use super::frame::EventFilter;

/// With what a reader comes back.
const LAST_EVENT_ID: &str = "last-event-id";

/// What is wrong with a query that has to be refused.
pub(crate) const QUERY_FORM: &str = "`after` or `from` must be a whole number below 9007199254740992, `probes` must be `true` or \
    `false`, each given once; `type` must be one of";

/// What is wrong with the id of a reader that comes back.
pub(crate) const ID_FORM: &str =
    "the header Last-Event-ID must be there at most once, with a whole number below 9007199254740992";

/// Where a stream begins and what it leaves out.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct StreamQuery {
    /// The number of the first record; the end of the log when there is none.
    pub(crate) from: Option<u64>,
    pub(crate) filter: EventFilter,
}

/// Why a request is no question for a stream.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum BadStream {
    Query,
    Id,
}

impl StreamQuery {
    pub(crate) fn parse(query: Option<&str>, headers: &HeaderMap) -> Result<Self, BadStream> {
        let parsed = Self::of_query(query).ok_or(BadStream::Query)?;
        // Whoever comes back says what was seen last; what the address says is older.
        match last_event_id(headers)? {
            Some(last) => Ok(Self { from: Some(last + 1), ..parsed }),
            None => Ok(parsed),
        }
    }

    fn of_query(query: Option<&str>) -> Option<Self> {
        let (mut from, mut probes, mut types) = (None, None, Vec::new());
        for part in query.unwrap_or_default().split('&').filter(|part| !part.is_empty()) {
            let (name, value) = part.split_once('=')?;
            let is_news = match name {
                "after" => from.replace(index(value)? + 1).is_none(),
                "from" => from.replace(index(value)?).is_none(),
                "probes" => probes.replace(flag(value)?).is_none(),
                "type" => {
                    let event = EventType::parse(value)?;
                    if !types.contains(&event) {
                        types.push(event);
                    }
                    true
                }
                _ => false,
            };
            if !is_news {
                return None;
            }
        }
        Some(Self { from, filter: EventFilter { types, probes: probes.unwrap_or_default() } })
    }
}

fn last_event_id(headers: &HeaderMap) -> Result<Option<u64>, BadStream> {
    let mut values = headers.get_all(LAST_EVENT_ID).iter();
    let Some(first) = values.next() else { return Ok(None) };
    let last = first.to_str().ok().and_then(index).filter(|_| values.next().is_none());
    last.map(Some).ok_or(BadStream::Id)
}

/// The number of a record, in plain digits.
pub(crate) fn index(text: &str) -> Option<u64> {
    let is_plain = !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    text.parse().ok().filter(|index| is_plain && i64::try_from(*index).is_ok_and(|index| index <= limits::JSON_INTEGER))
}

fn flag(text: &str) -> Option<bool> {
    match text {
        "true" => Some(true),
        "false" => Some(false),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use hyper::header::HeaderValue;

    use super::*;

    #[test]
    fn a_query_that_could_be_read_in_two_ways_is_refused() {
        for query in [
            "after",
            "after=",
            "after=-1",
            "after=+1",
            "after=%31",
            "after=0x1",
            "after= 1",
            "after=1.0",
            "after=1e3",
            "after=9007199254740992",
            "after=18446744073709551615",
            "after=99999999999999999999",
            "after=1&after=2",
            "after=1&from=1",
            "from=a",
            "probes=",
            "probes=yes",
            "probes=TRUE",
            "probes=1",
            "probes=true&probes=true",
            "type=",
            "type=checkpoint",
            "type=registry.decision.accepted",
            "type=registry.decision.denied,registry.digest.mismatch",
            "limit=1",
            "wait=1",
            "x",
            "=",
            "a=b=c",
            "after=1;probes=true",
            "after=\u{661}",
        ] {
            assert_eq!(StreamQuery::parse(Some(query), &HeaderMap::new()), Err(BadStream::Query), "{query}");
        }
        for values in
            [&[""][..], &["-1"], &["1 "], &["x"], &["1", "1"], &["1,2"], &["9007199254740992"], &["\u{feff}1"]]
        {
            let mut headers = HeaderMap::new();
            for value in values {
                headers.append(LAST_EVENT_ID, HeaderValue::from_bytes(value.as_bytes()).unwrap());
            }
            assert_eq!(StreamQuery::parse(None, &headers), Err(BadStream::Id), "{values:?}");
        }
    }

    #[test]
    fn the_id_of_a_reader_that_comes_back_wins_and_the_end_is_where_nothing_is_said() {
        let of = |query: &str, id: Option<&'static str>| {
            let headers = id.map(|id| (LAST_EVENT_ID.parse().unwrap(), HeaderValue::from_static(id)));
            StreamQuery::parse(Some(query), &headers.into_iter().collect()).unwrap()
        };
        assert_eq!(of("", None), StreamQuery::default());
        assert_eq!((of("after=0", None).from, of("from=0", None).from), (Some(1), Some(0)));
        assert_eq!((of("after=7", Some("41")).from, of("", Some("0")).from), (Some(42), Some(1)));
        assert_eq!(of("after=9007199254740991", None).from, Some(9_007_199_254_740_992));
        let filter = of("type=registry.digest.mismatch&probes=true&type=registry.posture.violation", None).filter;
        let types = vec![EventType::DigestMismatch, EventType::PostureViolation];
        assert_eq!(filter, EventFilter { types, probes: true });
    }
}
