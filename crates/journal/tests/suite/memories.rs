//! A log that was set back in part: whatever still remembers more keeps it from being signed, and keeps what it remembers.

use std::{collections::BTreeMap, fs, path::Path};

use svc_core::journal::delivery::EndpointName;
use svc_journal::{
    endpoint::{CountedLog, EventEndpoint, NewEndpoint},
    endpoints, export,
    folder::DataFolder,
    joining::{Joining, KnownLog},
    open::{Backend, Location},
    rotate::{Change, announce_key, rotate_key},
    transfer,
};
use svc_proof::{fault::JournalFaultKind::Rewound, tree::leaf_hash};

use crate::place::Place;

const STATE: &str = "journal.checkpoint";

fn copy(from: &Path, to: &Path) -> Location {
    fs::create_dir(to).unwrap();
    for entry in fs::read_dir(from).unwrap() {
        let entry = entry.unwrap();
        fs::copy(entry.path(), to.join(entry.file_name())).unwrap();
    }
    Location { backend: Backend::Embedded, folder: to.to_owned() }
}

fn state_of(folder: &Path) -> BTreeMap<String, Vec<u8>> {
    let entries = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    let file =
        |path: std::path::PathBuf| (path.file_name().unwrap().to_str().unwrap().to_owned(), fs::read(&path).unwrap());
    entries.map(file).filter(|(name, _)| !name.ends_with("-shm") && name != "journal.lock").collect()
}

/// A start that is refused and leaves the folder as it was, for what this names.
#[track_caller]
fn refused(location: &Location, named: &str) {
    let before = state_of(&location.folder);
    for fault in [location.write().map(drop).unwrap_err(), location.try_write(None).unwrap_err()] {
        assert_eq!(fault.kind, Rewound, "{fault}");
        assert!(fault.detail.contains(named), "{fault}");
    }
    assert!(state_of(&location.folder) == before, "{named}: the folder was changed");
}

#[test]
fn no_log_begins_next_to_a_file_that_remembers_one() {
    let place = Place::sqlite();
    drop(place.fill(3));
    announce_key(&place.location).unwrap();
    fs::copy(place.file(STATE), place.file("journal.witnessed")).unwrap();
    for name in ["journal.witnessed", "journal.key.next", "journal.hand-overs", "journal.signed", STATE] {
        let folder = place.folder.path().join(format!("only-{name}"));
        fs::create_dir(&folder).unwrap();
        fs::copy(place.file(name), folder.join(name)).unwrap();
        refused(&Location { backend: Backend::Embedded, folder }, name);
    }
}

#[test]
fn what_witnesses_saw_does_not_stand_in_for_a_lost_checkpoint() {
    let place = Place::sqlite();
    drop(place.fill(3));
    let older = copy(&place.location.folder, &place.folder.path().join("older"));
    fs::rename(older.folder.join(STATE), older.folder.join("journal.witnessed")).unwrap();
    fs::remove_file(older.folder.join("journal.signed")).unwrap();
    refused(&older, "journal.witnessed remembers a log of 3 records");
}

#[test]
fn a_next_key_that_was_made_stays_the_next_one() {
    let place = Place::sqlite();
    drop(place.fill(3));
    let before = copy(&place.location.folder, &place.folder.path().join("before"));
    let announced = announce_key(&place.location).unwrap().public;
    for name in ["journal.key.next", "journal.pub"] {
        fs::copy(place.file(name), before.folder.join(name)).unwrap();
    }
    refused(&before, "journal.pub names the key");
    let again = announce_key(&before).unwrap();
    assert_eq!(again.public, announced, "the note that readers may have seen comes back");
    let notes = |folder: &Path| fs::read(folder.join("journal.hand-overs")).unwrap();
    assert_eq!(notes(&before.folder), notes(&place.location.folder));
    drop(before.write().unwrap());
}

#[test]
fn two_next_keys_are_a_fork_and_neither_note_is_lost() {
    let place = Place::sqlite();
    drop(place.fill(3));
    let twin = copy(&place.location.folder, &place.folder.path().join("twin"));
    announce_key(&place.location).unwrap();
    announce_key(&twin).unwrap();
    fs::copy(twin.folder.join("journal.hand-overs"), place.file("journal.hand-overs")).unwrap();
    refused(&place.location, "journal.hand-overs");
    let before = state_of(&place.location.folder);
    assert_eq!(announce_key(&place.location).unwrap_err().kind, Rewound);
    assert_eq!(rotate_key(&place.location, Change::Announced).unwrap_err().kind, Rewound);
    assert!(state_of(&place.location.folder) == before);
}

#[test]
fn a_key_that_was_changed_to_remembers_the_change() {
    let place = Place::sqlite();
    drop(place.fill(3));
    announce_key(&place.location).unwrap();
    drop(place.open());
    let announced = copy(&place.location.folder, &place.folder.path().join("announced"));
    rotate_key(&place.location, Change::Announced).unwrap();
    fs::copy(place.file("journal.key"), announced.folder.join("journal.key")).unwrap();
    fs::remove_file(announced.folder.join("journal.key.next")).unwrap();
    refused(&announced, "journal.key is the key that was announced");
}

/// An endpoint that counted so many records of another log.
fn add_endpoint(location: &Location, size: u64) {
    let counted = CountedLog::new(size, &leaf_hash(b"another history"));
    let (name, url) = (EndpointName::parse("audit").unwrap(), "https://hooks.example/in".into());
    let given = NewEndpoint { name, url, types: Vec::new(), batch: 7, from: 3, counted };
    let store = endpoints::open_or_create(location).unwrap();
    assert!(store.insert(&EventEndpoint::new(given, 5).unwrap()).unwrap());
}

#[test]
fn a_folder_given_with_at_least_brings_what_its_webhooks_counted() {
    let place = Place::sqlite();
    drop(place.fill(3));
    let exported = place.folder.path().join("exported");
    export::export(&place.location.read().unwrap(), &exported, &mut |_| {}).unwrap();
    for without_states in [false, true] {
        let old = copy(&place.location.folder, &place.folder.path().join(format!("old-{without_states}")));
        add_endpoint(&old, 5);
        if without_states {
            for name in [STATE, "journal.signed"] {
                fs::remove_file(old.folder.join(name)).unwrap();
            }
        }
        let known = KnownLog::of_folder(&DataFolder::at(&old.folder)).unwrap();
        assert!(!known.is_empty());
        let into = Location { backend: Backend::Embedded, folder: place.folder.path().join("new") };
        let fault = transfer::import(&exported, &into, &Joining::AtLeast(known), &mut |_| {}).unwrap_err();
        assert!(fault.kind == Rewound && fault.detail.contains("the webhook endpoint `audit`"), "{fault}");
        assert!(!into.folder.exists(), "nothing is written");
    }
}

#[test]
fn nothing_older_is_imported_next_to_a_file_that_remembers_more() {
    let place = Place::sqlite();
    drop(place.fill(3));
    let exported = place.folder.path().join("exported");
    export::export(&place.location.read().unwrap(), &exported, &mut |_| {}).unwrap();
    drop(place.fill(2));
    for name in [STATE, "journal.signed", "journal.witnessed"] {
        let folder = place.folder.path().join(format!("into-{name}"));
        fs::create_dir(&folder).unwrap();
        fs::copy(place.file(STATE), folder.join(STATE)).unwrap();
        fs::copy(place.file(if name == "journal.signed" { name } else { STATE }), folder.join(name)).unwrap();
        let into = Location { backend: Backend::Embedded, folder };
        let before = state_of(&into.folder);
        let fault = transfer::import(&exported, &into, &Joining::First, &mut |_| {}).unwrap_err();
        assert_eq!(fault.kind, Rewound, "{fault}");
        assert!(state_of(&into.folder) == before, "{name}");
    }
    let into = Location { backend: Backend::Embedded, folder: place.folder.path().join("into-events") };
    fs::create_dir(&into.folder).unwrap();
    add_endpoint(&into, 5);
    let fault = transfer::import(&exported, &into, &Joining::First, &mut |_| {}).unwrap_err();
    assert_eq!(fault.kind, Rewound, "{fault}");
}
