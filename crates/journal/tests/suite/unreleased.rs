//! A log that was made before the first release: its records named owner, token and package, and nothing stood beside them.

use svc_core::journal::record::Record;
use svc_journal::{attribution::AttributionFilter, open::Backend, store::Access};
use svc_json::{canonical, digest::Digest};
use svc_proof::fault::JournalFaultKind;

use crate::place::{Place, append_as};

in_both_stores! {
    older_tables_are_refused_by_name_and_left_as_they_are,
    older_records_are_refused_by_name,
}

/// The steps that made the tables then.
const SQLITE: &str = "CREATE TABLE entry (place INTEGER PRIMARY KEY, record BLOB, hashes BLOB NOT NULL) STRICT;
          CREATE TABLE head (id INTEGER PRIMARY KEY CHECK (id = 1), size INTEGER NOT NULL, edge BLOB NOT NULL, root BLOB NOT NULL) STRICT;
          CREATE TABLE log_key (number INTEGER PRIMARY KEY, public TEXT NOT NULL UNIQUE) STRICT;";
const POSTGRESQL: &str = "CREATE TABLE svc_journal.entry (place int8 PRIMARY KEY, record bytea, hashes bytea NOT NULL);
          CREATE TABLE svc_journal.head (id int4 PRIMARY KEY CHECK (id = 1), size int8 NOT NULL, edge bytea NOT NULL, root bytea NOT NULL);
          CREATE TABLE svc_journal.log_key (number int8 PRIMARY KEY, public text NOT NULL UNIQUE);
          ALTER TABLE svc_journal.entry ALTER COLUMN record SET STORAGE PLAIN;";

/// A record as it was written then.
fn older(record: &Record) -> Vec<u8> {
    let mut value = serde_json::to_value(record).unwrap();
    value["owner"] = "acme".into();
    value["package"] = serde_json::json!({ "id": "dev.acme.weather-board", "version": "1.2.0" });
    value["token"] = "ci".into();
    let bytes = canonical::to_bytes(&value);
    assert!(Record::parse(&bytes).is_none() && Record::is_unreleased(&bytes));
    // A denial that does not say what it is based on is of that time too; what has neither is no record of any form.
    let mut unsaid = serde_json::to_value(record).unwrap();
    if unsaid.as_object_mut().unwrap().remove("reviewed").is_some() {
        let unsaid = canonical::to_bytes(&unsaid);
        assert!(Record::parse(&unsaid).is_none() && Record::is_unreleased(&unsaid));
    }
    assert!(!Record::is_unreleased(&canonical::to_bytes(record)));
    bytes
}

/// A log of three such records, under tables of today.
fn with_older_records(place: &Place) {
    drop(place.open());
    append_as(place.location.store(Access::Write).unwrap().as_ref(), 3, 0, older);
}

fn older_tables_are_refused_by_name_and_left_as_they_are(place: &Place) {
    with_older_records(place);
    let steps = if matches!(place.location.backend, Backend::Embedded) { SQLITE } else { POSTGRESQL };
    let checksum = Digest::of(steps.as_bytes());
    place.sql(&format!("DROP TABLE attribution; UPDATE migration SET checksum = '{checksum}'"));
    let state = || -> Vec<(String, Vec<u8>)> {
        let files = std::fs::read_dir(&place.location.folder).unwrap().map(|entry| entry.unwrap());
        let mut files: Vec<_> = files
            .map(|file| (file.file_name().into_string().unwrap(), std::fs::read(file.path()).unwrap()))
            .filter(|(name, _)| !name.ends_with("-shm"))
            .collect();
        files.sort();
        files
    };
    let before = state();
    let location = &place.location;
    let read = location.read().map(|_| ()).unwrap_err();
    let write = location.write().map(|_| ()).unwrap_err();
    let forget = location.forget(&AttributionFilter::default()).unwrap_err();
    for fault in [read, write, forget] {
        assert_eq!(fault.kind, JournalFaultKind::UnreleasedForm, "{fault}");
        assert!(fault.to_string().starts_with("journal-unreleased-form: "), "{fault}");
    }
    assert_eq!(state(), before);
}

fn older_records_are_refused_by_name(place: &Place) {
    with_older_records(place);
    assert_eq!(place.location.write().map(|_| ()).unwrap_err().kind, JournalFaultKind::UnreleasedForm);
    let reading = place.location.read().unwrap();
    let rows = reading.store.rows(0, 3).unwrap();
    assert_eq!(
        rows[2].read(&svc_proof::minimum_index::LogStart::default()).unwrap_err().kind,
        JournalFaultKind::UnreleasedForm
    );
}

/// Only what would be a record without the names is one of the older form: damage keeps its own name.
#[test]
fn a_damaged_record_is_not_taken_for_an_older_one() {
    let place = Place::sqlite();
    drop(place.open());
    append_as(place.location.store(Access::Write).unwrap().as_ref(), 1, 0, |record| {
        let mut value: serde_json::Value = serde_json::from_slice(&older(record)).unwrap();
        value["accepted"] = true.into();
        canonical::to_bytes(&value)
    });
    assert_eq!(place.location.write().map(|_| ()).unwrap_err().kind, JournalFaultKind::OpenClaim);
}
