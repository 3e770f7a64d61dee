//! What is delivered next: how far the next range goes, and the bytes of a range that is open.

use std::ops::Range;

use svc_core::journal::{
    delivery::{DeliveredRecord, EventDelivery, LeftOut},
    event::EventType,
    record::Record,
    timestamp::Timestamp,
};
use svc_journal::{
    endpoint::{EventEndpoint, PauseReason},
    store::{LogRow, Store, log_start},
    writer::Journal,
};
use svc_proof::{
    checkpoint::Checkpoint,
    fault::{JournalFault, JournalFaultKind},
    minimum_index::LogStart,
};

/// Records that are looked at in one go for an endpoint that leaves records out.
const LOOKED_AT_ONCE: u64 = 4096;

/// Rows that are read at once.
const ROWS: u64 = 256;

/// What comes next for an endpoint that has nothing open.
#[derive(Debug, PartialEq)]
pub(super) enum Next {
    /// Nothing yet. What is before this index was looked at, and is left out; whether there is more to look at.
    Nothing { looked_at: u64, is_more: bool, log: Checkpoint },
    /// The range from the cursor up to here.
    Range { to: u64, log: Checkpoint },
}

/// Why a range cannot be delivered.
#[derive(Debug)]
pub(super) enum Blocked {
    /// Until an operator has looked.
    Pause(PauseReason, String),
    /// The log cannot be read just now.
    Fault(JournalFault),
}

impl From<JournalFault> for Blocked {
    fn from(fault: JournalFault) -> Self {
        match fault.kind {
            JournalFaultKind::Corrupt | JournalFaultKind::OpenClaim | JournalFaultKind::UnreleasedForm => {
                Self::Pause(PauseReason::Unreadable, fault.to_string())
            }
            JournalFaultKind::Busy
            | JournalFaultKind::Drift
            | JournalFaultKind::Full
            | JournalFaultKind::Locked
            | JournalFaultKind::Missing
            | JournalFaultKind::Rewound
            | JournalFaultKind::Storage
            | JournalFaultKind::Unremembered
            | JournalFaultKind::Unreachable
            | JournalFaultKind::Unusable
            | JournalFaultKind::WrongKey
            | JournalFaultKind::WrongPrimary => Self::Fault(fault),
        }
    }
}

/// Whether the log is the one that the endpoint counts records of, or has grown from it. Where it was set back and grew again,
/// its size tells nothing.
pub(super) fn check_log(journal: &Journal, endpoint: &EventEndpoint) -> Result<(), Blocked> {
    let Some(counted) = &endpoint.counted else { return Ok(()) };
    journal.check_grown_from((counted.size, &counted.root())).map_err(|fault| {
        // A journal that is itself closed for this fault has lost more than an endpoint.
        let is_of_endpoint = fault.kind == JournalFaultKind::Rewound && journal.stopped().is_none();
        if is_of_endpoint { Blocked::Pause(PauseReason::AheadOfLog, fault.detail) } else { fault.into() }
    })
}

/// How far the next range goes. What was looked at before and left out is not read again.
pub(super) fn next(journal: &Journal, endpoint: &EventEndpoint, looked_at: u64) -> Result<Next, Blocked> {
    let newest = journal.newest()?;
    let (cursor, size) = (endpoint.cursor, newest.size());
    if endpoint.next_index() > size {
        let why = format!("the endpoint is at {}, and the log has {size} records", endpoint.next_index());
        return Err(Blocked::Pause(PauseReason::AheadOfLog, why));
    }
    let batch = u64::from(endpoint.batch);
    let to = if endpoint.is_filtered() {
        let from = looked_at.max(endpoint.next_index()).min(size);
        match find(journal.store().as_ref(), endpoint, from..size, batch)? {
            (0, at) => return Ok(Next::Nothing { looked_at: at, is_more: at < size, log: newest }),
            (_, at) => at,
        }
    } else if cursor == size {
        return Ok(Next::Nothing { looked_at: size, is_more: false, log: newest });
    } else {
        cursor.saturating_add(batch).min(size)
    };
    Ok(Next::Range { to, log: newest })
}

/// Looks for records that are delivered, and tells how many there are and where the look ended.
fn find(store: &dyn Store, endpoint: &EventEndpoint, places: Range<u64>, most: u64) -> Result<(u64, u64), Blocked> {
    let (mut found, mut at) = (0, places.start);
    let end = places.end.min(places.start.saturating_add(LOOKED_AT_ONCE));
    while at < end {
        for row in rows(store, at..end.min(at + ROWS))? {
            found += u64::from(is_wanted(endpoint, &read(store, &row)?));
            at = row.place + 1;
            if found == most {
                return Ok((found, at));
            }
        }
    }
    Ok((found, at))
}

/// The bytes of the range that is open: the same whenever they are asked for.
pub(super) fn body(journal: &Journal, endpoint: &EventEndpoint) -> Result<Vec<u8>, Blocked> {
    let unreadable = |why: &str| Blocked::Pause(PauseReason::Unreadable, why.to_owned());
    let Some((open, (range, _))) = endpoint.open.as_ref().zip(endpoint.open_range()) else {
        return Err(unreadable("no range is open"));
    };
    let size = journal.newest()?.size();
    if range.end > size {
        let why = format!("the open range ends at {}, and the log has {size} records", range.end);
        return Err(Blocked::Pause(PauseReason::AheadOfLog, why));
    }
    let store = journal.store().as_ref();
    let mut records = Vec::new();
    let mut at = endpoint.next_index();
    while at < range.end {
        for row in rows(store, at..range.end.min(at + ROWS))? {
            let record = read(store, &row)?;
            if !endpoint.is_filtered() || is_wanted(endpoint, &record) {
                records.push(DeliveredRecord::new(record));
            }
            at = row.place + 1;
        }
    }
    let filtered = endpoint.is_filtered().then_some(LeftOut);
    let timestamp = Timestamp::from_millis(open.first_sent);
    let delivery = EventDelivery::new(&range, records, filtered, open.checkpoint.clone(), timestamp);
    delivery.map(|delivery| delivery.to_bytes()).ok_or_else(|| unreadable("the open range cannot be written"))
}

/// Who wants types of events wants no probes of the verifier.
fn is_wanted(endpoint: &EventEndpoint, record: &Record) -> bool {
    record.probe().is_none() && endpoint.types.contains(&EventType::of(record))
}

/// Rows of the log, one at least.
fn rows(store: &dyn Store, places: Range<u64>) -> Result<Vec<LogRow>, Blocked> {
    let most = usize::try_from(places.end - places.start).unwrap_or_default();
    let rows = store.rows(places.start, most)?;
    if rows.first().is_none_or(|row| row.place != places.start) {
        let why = format!("record {} of the log is missing", places.start);
        return Err(Blocked::Pause(PauseReason::Unreadable, why));
    }
    Ok(rows)
}

/// A record whose bytes are gone was pruned, or is damage.
fn read(store: &dyn Store, row: &LogRow) -> Result<Record, Blocked> {
    if row.record.is_some() {
        return Ok(row.read(&LogStart::default())?);
    }
    let start = log_start(store)?;
    if row.place < start.index() {
        let why = format!("record {} was pruned; the first that is kept is {}", row.place, start.index());
        return Err(Blocked::Pause(PauseReason::Pruned, why));
    }
    Ok(row.read(&start)?)
}
