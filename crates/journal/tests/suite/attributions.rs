//! Who asked: kept beside the log, in no part of it, and deleted for good.

use std::{fs, path::Path};

use svc_core::{
    journal::{attribution::Attribution, scalars::TokenName, timestamp::Timestamp},
    scalar::ident::{OwnerId, PackageId},
};
use svc_journal::{
    attribution::{AttributionFilter, Before},
    export,
    store::Store,
    store_source::StoreSource,
};
use svc_json::canonical;
use svc_proof::{audit, fault::JournalFaultKind, receipt};

use crate::{
    drafts,
    place::{Place, record},
};

in_both_stores! {
    no_part_of_the_log_names_who_asked,
    nothing_is_on_record_without_who_asked,
    what_is_forgotten_is_gone_and_the_log_holds,
    only_what_is_meant_is_forgotten,
    a_name_that_lost_its_form_is_not_shown,
}

const NAMES: [&str; 3] = ["acme", "weather-board", "\"ci\""];

fn no_part_of_the_log_names_who_asked(place: &Place) {
    let receipts = place.fill(260);
    let reading = place.location.read().unwrap();
    let out = place.folder.path().join("out");
    export::export(&reading, &out, &mut |_| {}).unwrap();
    let mut parts: Vec<Vec<u8>> = receipts.iter().map(canonical::to_bytes).collect();
    parts.extend(reading.store.rows(0, 1000).unwrap().into_iter().filter_map(|row| row.record));
    files_below(&out, &mut |bytes| parts.push(bytes));
    assert!(parts.len() > 2 * 260 + 6);
    for (part, name) in parts.iter().flat_map(|part| NAMES.map(|name| (part, name))) {
        assert!(!holds(part, name), "{name} in {}", String::from_utf8_lossy(part));
    }
    let kept = reading.store.attributions(0..260).unwrap();
    assert_eq!(kept.len(), 260);
    let owner = kept[&7].owner().map(ToString::to_string);
    let token = kept[&7].token().map(ToString::to_string);
    assert_eq!((owner.as_deref(), token.as_deref()), (Some("acme"), Some("ci")));
    assert_eq!(kept[&7].package().unwrap().id.as_str(), "dev.acme.weather-board");
}

/// Both are written, or neither is.
fn nothing_is_on_record_without_who_asked(place: &Place) {
    place.fill(2);
    place.sql("INSERT INTO attribution (place, time, owner) VALUES (2, 0, 'mallory')");
    let journal = place.open();
    assert!(journal.record_blocking(drafts::denied(2)).is_err());
    drop(journal);
    place.sql("DELETE FROM attribution WHERE place = 2");
    assert_eq!(place.location.read().unwrap().store.head().unwrap().tree.size(), 2);
    assert_eq!(place.fill(1)[0].index.get(), 2);
}

fn what_is_forgotten_is_gone_and_the_log_holds(place: &Place) {
    let receipts = place.fill(20);
    assert_eq!(place.location.read().unwrap().store.count_attributions(&all()).unwrap(), 20);
    assert_eq!(place.location.forget(&before(8)).unwrap(), 8);
    assert_eq!(place.location.forget(&before(8)).unwrap(), 0);
    let kept = place.location.read().unwrap().store.attributions(0..20).unwrap();
    assert_eq!(kept.into_keys().collect::<Vec<_>>(), (8..20).collect::<Vec<_>>());
    assert_eq!(place.location.forget(&all()).unwrap(), 12);
    let journal = place.open();
    let store = journal.store().as_ref();
    assert!(store.attributions(0..20).unwrap().is_empty());
    let (seen, _) = audit::audit(&mut StoreSource::new(store), Vec::new(), &mut |_| {}).unwrap();
    assert_eq!(seen.records, 20);
    for given in receipts {
        receipt::check(&given, journal.keys()).unwrap();
    }
    record(&journal, drafts::denied(20));
    assert_eq!(store.attributions(0..21).unwrap().len(), 1, "what comes later is kept");
}

fn only_what_is_meant_is_forgotten(place: &Place) {
    let journal = place.open();
    for (number, owner) in (0..).zip(["acme", "mallory", "acme", "", "acme"]) {
        record(&journal, drafts::of_owner(number, owner));
    }
    drop(journal);
    let of = |filter: AttributionFilter| place.location.read().unwrap().store.count_attributions(&filter).unwrap();
    let owner = |id: &str| AttributionFilter { owner: OwnerId::parse(id), ..all() };
    assert_eq!((of(owner("acme")), of(owner("mallory")), of(owner("acm"))), (3, 1, 0));
    let package = |id: &str| AttributionFilter { package: PackageId::parse(id), ..all() };
    assert_eq!((of(package("dev.acme.weather-board")), of(package("dev.acme.weather"))), (5, 0));
    let token = |name: &str| AttributionFilter { token: TokenName::parse(name), ..all() };
    assert_eq!((of(token("ci")), of(token("CI"))), (5, 0));
    let time = |millis: u64| AttributionFilter { before: Some(Before::Time(Timestamp::from_millis(millis))), ..all() };
    assert_eq!((of(time(0)), of(time(u64::MAX))), (0, 5));
    assert_eq!((of(before(0)), of(before(3)), of(before(u64::MAX))), (0, 3, 5));
    assert_eq!(place.location.forget(&AttributionFilter { ..before(4) }).unwrap(), 4);
    assert_eq!(place.location.forget(&owner("mallory")).unwrap(), 0);
    // The one without an owner went by its place; where several are given, all must fit.
    assert_eq!(of(AttributionFilter { before: Some(Before::Place(4)), ..owner("acme") }), 0);
    assert_eq!(place.location.forget(&owner("acme")).unwrap(), 1);
}

fn a_name_that_lost_its_form_is_not_shown(place: &Place) {
    place.fill(3);
    place.sql("UPDATE attribution SET owner = 'two words' WHERE place = 1");
    let kept = store_of(place).attributions(0..3).unwrap();
    assert_eq!(kept[&1], Attribution::unreadable());
    assert!([0, 2].iter().all(|place| is_of(&kept[place], "acme")), "the others are shown");
    // It is no part of the log, so that a start goes on and the row can be deleted.
    assert_eq!(place.location.forget(&before(2)).unwrap(), 2);
    assert_eq!(store_of(place).attributions(0..3).unwrap().len(), 1);
}

/// Bytes that are no text: SQLite keeps them, PostgreSQL does not.
#[test]
fn a_name_that_is_no_text_is_damage_of_its_row_alone() {
    let place = Place::sqlite();
    place.fill(3);
    place.sql("UPDATE attribution SET token = CAST(x'6369ff' AS TEXT) WHERE place = 0");
    let kept = store_of(&place).attributions(0..3).unwrap();
    assert_eq!((kept.len(), kept[&0].is_unreadable(), kept[&1].is_unreadable()), (3, true, false));
}

/// Enough rows for many pages, forgotten in several ways: after each no file holds a byte of the names that went, and the
/// others are still there.
#[test]
fn no_file_holds_what_was_forgotten() {
    let place = Place::sqlite();
    let journal = place.open();
    for number in 0..1200_u64 {
        let owner = match number % 3 {
            0 => format!("leaving-first-{}", "x".repeat(90)),
            1 => format!("leaving-second-{}", "y".repeat(90)),
            _ => format!("staying-{}", "z".repeat(90)),
        };
        journal.record_blocking(drafts::of_owner(number, &owner)).unwrap();
    }
    drop(journal);
    let folder = &place.location.folder;
    assert!(is_in(folder, "leaving-first") && is_in(folder, "leaving-second") && is_in(folder, "staying"));
    let of = |owner: String| AttributionFilter { owner: OwnerId::parse(&owner), ..all() };
    assert_eq!(place.location.forget(&of(format!("leaving-first-{}", "x".repeat(90)))).unwrap(), 400);
    assert!(!is_in(folder, "leaving-first") && is_in(folder, "leaving-second") && is_in(folder, "staying"));
    let second =
        AttributionFilter { before: Some(Before::Place(600)), ..of(format!("leaving-second-{}", "y".repeat(90))) };
    assert_eq!(place.location.forget(&second).unwrap(), 200);
    let kept = store_of(&place).attributions(0..1200).unwrap();
    assert_eq!(kept.len(), 600);
    assert!(kept.iter().all(|(place, of)| is_of(of, "staying") || (*place >= 600 && is_of(of, "leaving-second"))));
    assert_eq!(place.location.forget(&all()).unwrap(), 600);
    for name in ["leaving-first", "leaving-second", "staying", "weather-board", "xxxx", "yyyy", "zzzz"] {
        assert!(!is_in(folder, name), "{name}");
    }
    assert_eq!(place.fill(1)[0].index.get(), 1200);
}

/// The names of a service that was killed are in its write-ahead log alone.
#[test]
fn the_write_ahead_log_of_a_killed_service_holds_nothing_either() {
    let place = Place::sqlite();
    let journal = place.open();
    for number in 0..40 {
        journal.record_blocking(drafts::of_owner(number, "leaving-owner")).unwrap();
    }
    let killed = Place::sqlite();
    fs::create_dir(&killed.location.folder).unwrap();
    for entry in fs::read_dir(&place.location.folder).unwrap().map(|entry| entry.unwrap()) {
        fs::copy(entry.path(), killed.location.folder.join(entry.file_name())).unwrap();
    }
    let log = fs::read(killed.file("journal.sqlite3-wal")).unwrap();
    assert!(holds(&log, "leaving-owner"));
    assert_eq!(place.location.forget(&all()).unwrap_err().kind, JournalFaultKind::Locked, "a service is running");
    assert_eq!(killed.location.forget(&all()).unwrap(), 40);
    assert!(!is_in(&killed.location.folder, "leaving-owner"));
    assert_eq!(killed.fill(1)[0].index.get(), 40);
}

/// A reader keeps the write-ahead log from being emptied, and whoever deletes is told.
#[test]
fn a_reader_that_keeps_the_names_alive_is_told() {
    let place = Place::sqlite();
    record(&place.open(), drafts::of_owner(1, "leaving-owner"));
    let copy = rusqlite::Connection::open(place.database()).unwrap();
    let mut reading = copy.prepare("SELECT place FROM attribution").unwrap();
    let mut rows = reading.query([]).unwrap();
    rows.next().unwrap();
    let fault = place.location.forget(&all()).unwrap_err();
    assert_eq!(fault.kind, JournalFaultKind::Locked, "{fault}");
    drop(rows);
    drop(reading);
    copy.close().unwrap();
    assert_eq!(place.location.forget(&all()).unwrap(), 0);
    assert!(!is_in(&place.location.folder, "leaving-owner"));
}

fn all() -> AttributionFilter {
    AttributionFilter::default()
}

fn before(place: u64) -> AttributionFilter {
    AttributionFilter { before: Some(Before::Place(place)), ..all() }
}

fn store_of(place: &Place) -> std::sync::Arc<dyn Store> {
    place.location.read().unwrap().store
}

fn is_of(attribution: &Attribution, owner: &str) -> bool {
    attribution.owner().is_some_and(|found| found.as_str().starts_with(owner))
}

fn holds(bytes: &[u8], text: &str) -> bool {
    bytes.windows(text.len()).any(|window| window == text.as_bytes())
}

fn is_in(folder: &Path, text: &str) -> bool {
    let mut found = false;
    files_below(folder, &mut |bytes| found = found || holds(&bytes, text));
    found
}

fn files_below(folder: &Path, see: &mut dyn FnMut(Vec<u8>)) {
    for entry in fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()) {
        if entry.is_dir() { files_below(&entry, see) } else { see(fs::read(&entry).unwrap()) }
    }
}
