//! What only an embedded log can suffer.

use std::{
    fs,
    time::{Duration, Instant},
};

use svc_journal::{store::Access, store_source::StoreSource};
use svc_proof::{audit, fault::JournalFaultKind};

use crate::place::{Place, append};

/// Every change of the file is either found or changes nothing that the log says.
#[test]
fn a_flipped_byte_of_the_file_is_found_or_means_nothing() {
    let place = Place::sqlite();
    place.fill(60);
    let whole = fs::read(place.database()).unwrap();
    let said = say(&place).unwrap();
    let (mut found, step) = (0, whole.len() / 150);
    for at in (0..whole.len()).step_by(step) {
        let mut changed = whole.clone();
        changed[at] ^= 0x41;
        fs::write(place.database(), &changed).unwrap();
        forget_log_files(&place);
        match say(&place) {
            Err(_) => found += 1,
            Ok(other) => assert_eq!(other, said, "byte {at} says something else"),
        }
    }
    assert!(found > 30, "{found} of 150 flips were found; the rest lies in unused room");
}

#[test]
fn what_is_committed_moves_into_the_file_while_the_writer_goes_on() {
    let place = Place::sqlite();
    place.fill(1);
    let store = place.location.store(Access::Write).unwrap();
    let started = Instant::now();
    while fs::metadata(place.database()).unwrap().len() < 3 * 1024 * 1024 {
        assert!(started.elapsed() < Duration::from_secs(60), "nothing was moved");
        append(store.as_ref(), 500, 0);
    }
    let ahead = place.file("journal.sqlite3-wal");
    assert!(fs::metadata(&ahead).unwrap().len() < 64 * 1024 * 1024, "the write-ahead log is bounded");
    drop(store);
    assert_eq!(fs::metadata(&ahead).unwrap().len(), 0, "a clean end leaves nothing there");
    say(&place).unwrap();
}

/// A copy of the database alone, with key and checkpoint, is the whole log.
#[test]
fn a_clean_stop_leaves_one_whole_file() {
    let place = Place::sqlite();
    let journal = place.open();
    for number in 0..50 {
        journal.record_blocking(crate::drafts::mixed(number)).unwrap();
        journal.store().rows(number, 1).unwrap();
    }
    drop(journal);
    assert_eq!(fs::metadata(place.file("journal.sqlite3-wal")).unwrap().len(), 0);
    let copy = Place::sqlite();
    fs::create_dir(&copy.location.folder).unwrap();
    for name in ["journal.sqlite3", "journal.key", "journal.checkpoint"] {
        fs::copy(place.file(name), copy.file(name)).unwrap();
    }
    assert_eq!(say(&copy).unwrap(), say(&place).unwrap());
    assert_eq!(say(&copy).unwrap().len(), 50);
}

/// The first start may be killed at any moment; the next needs no help.
#[test]
fn a_begin_that_was_cut_short_is_begun_again() {
    let place = Place::sqlite();
    fs::create_dir(&place.location.folder).unwrap();
    for name in ["", "-journal", "-wal"] {
        fs::write(place.file(&format!(".journal.sqlite3.new{name}")), "a piece").unwrap();
    }
    fs::write(place.database(), "").unwrap();
    drop(place.location.store(Access::Write).unwrap());
    let key = svc_journal::log_key::LogKey::generate().unwrap();
    for with_key in [false, true] {
        if with_key {
            fs::write(place.file("journal.key"), key.to_file()).unwrap();
            fs::set_permissions(place.file("journal.key"), std::os::unix::fs::PermissionsExt::from_mode(0o600))
                .unwrap();
        }
        assert!(place.location.found().unwrap().unwrap().keys().unwrap().is_none());
    }
    assert_eq!(place.open().keys().as_slice(), [key.public().clone()]);
    assert!(!place.file(".journal.sqlite3.new").exists());
}

#[test]
fn a_cut_file_is_found() {
    let place = Place::sqlite();
    place.fill(40);
    let whole = fs::read(place.database()).unwrap();
    for at in (1..whole.len()).step_by(whole.len() / 25) {
        fs::write(place.database(), &whole[..at]).unwrap();
        forget_log_files(&place);
        assert!(say(&place).is_err(), "cut at {at}");
    }
    fs::remove_file(place.database()).unwrap();
    forget_log_files(&place);
    let fault = place.location.write().map(|_| ()).unwrap_err();
    assert_eq!(fault.kind, JournalFaultKind::Rewound, "a folder that kept a checkpoint has had a log: {fault}");
}

#[test]
fn a_database_of_something_else_is_left_alone() {
    let place = Place::sqlite();
    fs::create_dir(&place.location.folder).unwrap();
    rusqlite::Connection::open(place.database()).unwrap().execute_batch("CREATE TABLE mine (x)").unwrap();
    let before = fs::read(place.database()).unwrap();
    assert_eq!(place.location.write().map(|_| ()).unwrap_err().kind, JournalFaultKind::Unusable);
    assert_eq!(fs::read(place.database()).unwrap(), before);
    fs::write(place.database(), "a text, and a long one, so that it is not taken for an empty database").unwrap();
    assert_eq!(place.location.write().map(|_| ()).unwrap_err().kind, JournalFaultKind::Corrupt);
}

#[test]
fn a_folder_that_cannot_be_used_is_named() {
    let place = Place::sqlite();
    fs::write(&place.location.folder, "a file").unwrap();
    let fault = place.location.write().map(|_| ()).unwrap_err();
    assert_eq!(fault.kind, JournalFaultKind::Storage, "{fault}");
    assert!(fault.detail.contains(&place.location.folder.display().to_string()));
}

#[test]
fn the_key_is_for_its_owner_alone() {
    use std::os::unix::fs::PermissionsExt as _;

    let place = Place::sqlite();
    place.fill(1);
    let mode = |name: &str| fs::metadata(place.file(name)).unwrap().permissions().mode() & 0o777;
    assert_eq!(mode("journal.key"), 0o600);
    assert_eq!(fs::metadata(&place.location.folder).unwrap().permissions().mode() & 0o777, 0o700);
}

/// Every record that the log holds after a start, as bytes.
fn say(place: &Place) -> Result<Vec<Option<Vec<u8>>>, svc_proof::fault::JournalFault> {
    let journal = place.location.write()?;
    let store = journal.store().as_ref();
    audit::audit(&mut StoreSource::new(store), Vec::new(), &mut |_| {})?;
    Ok(store.rows(0, 1000)?.into_iter().map(|row| row.record).collect())
}

fn forget_log_files(place: &Place) {
    for name in ["journal.sqlite3-wal", "journal.sqlite3-shm"] {
        let _ = fs::remove_file(place.file(name));
    }
}
