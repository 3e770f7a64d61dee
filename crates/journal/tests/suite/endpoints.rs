//! Endpoints of webhooks in their stores.

use std::{fs, os::unix::fs::PermissionsExt as _, sync::Arc, thread};

use svc_core::journal::{delivery::EndpointName, event::EventType};
use svc_journal::{
    endpoint::{CountedLog, EventEndpoint, NewEndpoint},
    endpoint_store::{EndpointStore, MOST_ENDPOINTS, change},
    endpoints,
    log_key::LogKey,
};
use svc_proof::{fault::JournalFaultKind, tree::leaf_hash};

use crate::place::Place;

in_both_stores! {
    nobody_writes_over_what_they_have_not_seen,
    an_endpoint_comes_back_as_it_was_and_goes_for_good,
    there_is_an_end_to_endpoints,
}

fn endpoint(name: &str) -> EventEndpoint {
    let name = EndpointName::parse(name).unwrap();
    let types = vec![EventType::Denied];
    let (url, counted) = ("https://hooks.example/in".into(), CountedLog::new(3, &leaf_hash(b"root")));
    EventEndpoint::new(NewEndpoint { name, url, types, batch: 7, from: 3, counted }, 5).unwrap()
}

fn store(place: &Place) -> Arc<dyn EndpointStore> {
    drop(place.open());
    assert!(endpoints::find(&place.location).unwrap().is_none(), "it is made by whoever adds the first");
    endpoints::open_or_create(&place.location).unwrap()
}

fn nobody_writes_over_what_they_have_not_seen(place: &Place) {
    let store = store(place);
    let first = endpoint("audit");
    assert!(store.insert(&first).unwrap());
    assert!(!store.insert(&endpoint("audit")).unwrap());
    let seen = store.get(&first.name).unwrap().unwrap();
    assert!(store.replace(seen.version, &seen.endpoint).unwrap());
    assert!(!store.replace(seen.version, &seen.endpoint).unwrap(), "that version is gone");
    let writers: Vec<_> = (0..4)
        .map(|_| {
            let store = endpoints::open_or_create(&place.location).unwrap();
            let name = first.name.clone();
            thread::spawn(move || {
                let one = |endpoint: &mut EventEndpoint| {
                    endpoint.cursor += 1;
                    Some(())
                };
                (0..5).filter(|_| matches!(change(store.as_ref(), &name, one), Ok(Some(_)))).count()
            })
        })
        .collect();
    let done: usize = writers.into_iter().map(|writer| writer.join().unwrap()).sum();
    assert_eq!(store.get(&first.name).unwrap().unwrap().endpoint.cursor, 3 + done as u64, "no step is lost");
    assert!(done >= 5, "{done}");
}

fn an_endpoint_comes_back_as_it_was_and_goes_for_good(place: &Place) {
    let store = store(place);
    let mut kept = endpoint("audit");
    let log = LogKey::generate_for("log.example").unwrap().sign_checkpoint(9, &leaf_hash(b"root")).unwrap();
    assert!(kept.open(9, &log, 6) && store.insert(&kept).unwrap());
    let again = endpoints::find(&place.location).unwrap().unwrap();
    let back = again.get(&kept.name).unwrap().unwrap().endpoint;
    assert_eq!(back, kept);
    assert_eq!(again.list().unwrap().readable.len(), 1);
    assert!(again.now().unwrap() > 1_700_000_000_000);
    assert!(store.remove(&kept.name).unwrap() && !store.remove(&kept.name).unwrap());
    assert!(store.get(&kept.name).unwrap().is_none());
    assert!(change(store.as_ref(), &kept.name, |_| Some(())).unwrap().is_none());
}

fn there_is_an_end_to_endpoints(place: &Place) {
    let store = store(place);
    for at in 0..MOST_ENDPOINTS {
        assert!(store.insert(&endpoint(&format!("e{at}"))).unwrap());
    }
    assert_eq!(store.insert(&endpoint("one-more")).unwrap_err().kind, JournalFaultKind::Unusable);
    assert_eq!(store.list().unwrap().readable.len(), MOST_ENDPOINTS);
}

/// Two nodes, and the clock of the database between them.
#[test]
#[ignore = "needs PostgreSQL; `cargo xtask gates` runs it"]
fn one_node_has_the_lease_until_it_gives_it_back_or_is_gone() {
    let place = Place::postgres();
    let one = store(&place);
    let two = endpoints::find(&place.location).unwrap().unwrap();
    let kept = endpoint("audit");
    assert!(one.insert(&kept).unwrap());
    assert!(one.take_lease(&kept.name, "one", 60_000).unwrap());
    assert!(!two.take_lease(&kept.name, "two", 60_000).unwrap());
    assert!(one.take_lease(&kept.name, "one", 60_000).unwrap(), "kept by the one that has it");
    two.give_back("two").unwrap();
    assert!(!two.take_lease(&kept.name, "two", 60_000).unwrap(), "nobody gives back what is another's");
    one.give_back("one").unwrap();
    assert!(two.take_lease(&kept.name, "two", 1).unwrap());
    thread::sleep(std::time::Duration::from_millis(50));
    assert!(one.take_lease(&kept.name, "one", 60_000).unwrap(), "the other was gone for longer than its lease");
}

/// Its bytes hold secrets.
#[test]
fn a_store_that_others_may_read_or_changed_is_not_used_and_none_is_left_readable() {
    let place = Place::sqlite();
    let store = store(&place);
    let kept = endpoint("audit");
    assert!(store.insert(&kept).unwrap());
    let path = place.location.folder.join("events.sqlite3");
    let mode = |mode| fs::set_permissions(&path, fs::Permissions::from_mode(mode)).unwrap();
    assert_eq!(fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o600);
    mode(0o640);
    assert_eq!(endpoints::find(&place.location).unwrap_err().kind, JournalFaultKind::Unusable);
    assert!(store.get(&kept.name).is_err(), "also by who had it open");
    mode(0o600);
    assert!(store.remove(&kept.name).unwrap());
    let secret = kept.secret.reveal();
    let left = fs::read(&path).unwrap();
    assert!(!left.windows(secret.len()).any(|bytes| bytes == secret.as_bytes()), "a deleted secret is gone");
    let connection = |sql: &str| {
        let done = std::process::Command::new("python3").args(["-c", CHANGE]).arg(&path).arg(sql).status();
        assert!(done.unwrap().success());
    };
    connection("CREATE TRIGGER t AFTER UPDATE ON endpoint BEGIN UPDATE endpoint SET version = 0; END");
    let fault = endpoints::find(&place.location).unwrap_err();
    assert!(fault.kind == JournalFaultKind::Unusable && fault.detail.contains("somebody changed it"), "{fault}");
    connection("DROP TRIGGER t");
    connection("INSERT INTO endpoint VALUES ('audit', 1, '{\"name\":\"audit\",\"secret\":\"whsec_QQ==\"}')");
    let store = endpoints::find(&place.location).unwrap().unwrap();
    assert_eq!(store.list().unwrap().unreadable, ["audit"]);
    let fault = store.get(&kept.name).unwrap_err();
    assert!(fault.detail.contains("`audit`") && !fault.detail.contains("whsec_"), "{fault}");
    connection("PRAGMA user_version = 2");
    assert_eq!(endpoints::find(&place.location).unwrap_err().kind, JournalFaultKind::Drift);
    fs::remove_file(&path).unwrap();
    std::os::unix::fs::symlink("journal.key", &path).unwrap();
    assert_eq!(endpoints::find(&place.location).unwrap_err().kind, JournalFaultKind::Unusable);
    assert!(endpoints::open_or_create(&place.location).is_err());
}

const CHANGE: &str = "import sqlite3, sys\nwith sqlite3.connect(sys.argv[1]) as c: c.execute(sys.argv[2])";
