//! A start looks at the end of a log; the rest is looked at while the service runs, and damage there closes the journal.

use std::{
    thread,
    time::{Duration, Instant},
};

use svc_journal::{store::Access, writer::Journal};
use svc_proof::fault::JournalFaultKind;

use crate::place::{Place, append};

/// More than a start reads.
const RECORDS: u64 = 10_000;

in_both_stores! {
    a_log_is_looked_at_to_its_end_while_it_grows,
    a_journal_that_ends_does_not_wait_for_the_check,
}

fn long(place: &Place) {
    drop(place.open());
    let store = place.location.store(Access::Write).unwrap();
    for _ in 0..RECORDS / 1000 {
        append(store.as_ref(), 1000, 1);
    }
}

/// Waits for something that the check brings about.
fn until(what: &str, holds: impl Fn() -> bool) {
    let start = Instant::now();
    while !holds() {
        assert!(start.elapsed() < Duration::from_secs(60), "{what}");
        thread::sleep(Duration::from_millis(5));
    }
}

fn a_log_is_looked_at_to_its_end_while_it_grows(place: &Place) {
    long(place);
    let journal = place.open();
    journal.record_blocking(crate::drafts::mixed(1)).unwrap();
    assert_eq!(journal.audited().of, RECORDS, "what was there at the start");
    until("the check does not end", || journal.audited().is_done());
    assert_eq!(journal.stopped(), None);
    journal.record_blocking(crate::drafts::mixed(2)).unwrap();
}

fn a_journal_that_ends_does_not_wait_for_the_check(place: &Place) {
    long(place);
    let journal = place.open();
    let start = Instant::now();
    drop(journal);
    assert!(start.elapsed() < Duration::from_secs(5), "{:?}", start.elapsed());
}

/// Bytes of a record, a hash in the middle of the tree, and a record that is gone: each is behind what a start reads.
#[test]
fn damage_behind_the_end_is_found_and_closes_the_journal() {
    for (what, change) in [
        ("another record", "UPDATE entry SET record = (SELECT record FROM entry WHERE place = 18) WHERE place = 17"),
        ("another hash", "UPDATE entry SET hashes = zeroblob(length(hashes)) WHERE place = 1234"),
        ("a record that is gone", "DELETE FROM entry WHERE place = 2500"),
        ("a record that is no no", "UPDATE entry SET record = CAST('{}' AS BLOB) WHERE place = 99"),
    ] {
        let place = Place::sqlite();
        long(&place);
        let connection = rusqlite::Connection::open(place.database()).unwrap();
        assert_eq!(connection.execute(change, []).unwrap(), 1, "{what}");
        drop(connection);
        let journal: Journal = place.open();
        until(what, || journal.stopped().is_some());
        assert_eq!(journal.stopped().unwrap().kind, JournalFaultKind::Corrupt, "{what}");
        let refused = journal.record_blocking(crate::drafts::mixed(1)).unwrap_err();
        assert_eq!(refused.kind, JournalFaultKind::Corrupt, "{what}");
        assert!(!journal.audited().is_done(), "{what}");
    }
}
