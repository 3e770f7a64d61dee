//! What a store says of itself when it is asked whether it takes records.

use std::fs;

use svc_journal::store::{Access, StoreProbe};
use svc_proof::fault::JournalFaultKind;

use crate::place::Place;

in_both_stores! {
    an_open_store_takes_records_and_nothing_changes_by_asking,
}

fn an_open_store_takes_records_and_nothing_changes_by_asking(place: &Place) {
    drop(place.open());
    let store = place.location.store(Access::Write).unwrap();
    let before = store.head().unwrap();
    for probe in [StoreProbe::Read, StoreProbe::Write, StoreProbe::Read] {
        store.probe(probe).unwrap();
    }
    assert_eq!(store.head().unwrap(), before);
}

/// The lock is waited for a second, and no longer.
#[test]
fn a_file_that_another_process_has_locked_takes_none() {
    let place = Place::sqlite();
    drop(place.open());
    let store = place.location.store(Access::Write).unwrap();
    let other = rusqlite::Connection::open(place.database()).unwrap();
    other.execute_batch("BEGIN IMMEDIATE").unwrap();
    assert_eq!(store.probe(StoreProbe::Read).unwrap_err().kind, JournalFaultKind::Locked);
    assert!(store.head().is_ok(), "it can be read all the while");
    other.execute_batch("ROLLBACK").unwrap();
    store.probe(StoreProbe::Read).unwrap();
}

#[test]
fn a_file_that_is_gone_or_has_lost_its_head_takes_none() {
    let place = Place::sqlite();
    drop(place.open());
    let store = place.location.store(Access::Write).unwrap();
    let other = rusqlite::Connection::open(place.database()).unwrap();
    other.execute_batch("DELETE FROM head").unwrap();
    drop(other);
    assert!(store.probe(StoreProbe::Read).is_err());
    fs::remove_file(place.database()).unwrap();
    assert_eq!(store.probe(StoreProbe::Read).unwrap_err().kind, JournalFaultKind::Missing);
}
