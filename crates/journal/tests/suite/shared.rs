//! What only a shared log can suffer: several nodes, and a database that goes away.

use std::{
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    time::{Duration, Instant},
};

use svc_journal::{
    attribution::AttributionFilter,
    joining::{Joining, KnownLog},
    open::{Backend, Location},
    postgres::Settings,
    store_source::StoreSource,
    writer::Journal,
};
use svc_proof::{audit, fault::JournalFaultKind, receipt};

use crate::{
    cluster::Cluster,
    drafts,
    place::{Place, read, record},
};

#[test]
#[ignore = "needs PostgreSQL; `cargo xtask gates` runs it"]
fn two_nodes_make_one_log_without_gaps() {
    let place = Place::postgres();
    let one = Arc::new(place.open());
    let two = Arc::new(place.open_other());
    let threads: Vec<_> = [&one, &two]
        .into_iter()
        .flat_map(|node| (0..4).map(move |_| Arc::clone(node)))
        .map(|node| std::thread::spawn(move || (0..40).map(|at| record(&node, drafts::mixed(at))).collect::<Vec<_>>()))
        .collect();
    let receipts: Vec<_> = threads.into_iter().flat_map(|thread| thread.join().unwrap()).collect();
    let mut places: Vec<u64> = receipts.iter().map(|receipt| receipt.index.get()).collect();
    places.sort_unstable();
    assert_eq!(places, (0..320).collect::<Vec<u64>>());
    for given in &receipts {
        receipt::check(given, one.keys()).unwrap();
    }
    let (seen, _) = audit::audit(&mut StoreSource::new(two.store().as_ref()), Vec::new(), &mut |_| {}).unwrap();
    assert_eq!(seen.records, 320);
}

#[test]
#[ignore = "needs PostgreSQL; `cargo xtask gates` runs it"]
fn a_node_with_a_key_of_its_own_does_not_join() {
    let place = Place::postgres();
    let first = place.open();
    let folder = place.folder.path().join("stranger");
    let stranger = Location { backend: place.location.backend.clone(), folder };
    assert_eq!(stranger.write().map(|_| ()).unwrap_err().kind, JournalFaultKind::WrongKey);
    first.record_blocking(drafts::denied(0)).unwrap();
}

/// A reader that goes from one node to the other never sees the log shrink, and each is behind the last answer never.
#[test]
#[ignore = "needs PostgreSQL; `cargo xtask gates` runs it"]
fn a_thousand_switches_between_nodes_never_show_an_older_log() {
    let place = Place::postgres();
    let one = Arc::new(place.open());
    let two = Arc::new(place.open_other());
    let stop = Arc::new(AtomicBool::new(false));
    let loads: Vec<_> = [&one, &two]
        .map(|node| {
            let (node, stop) = (Arc::clone(node), Arc::clone(&stop));
            std::thread::spawn(move || load(&node, &stop))
        })
        .into();
    let (mut seen, mut grew) = (0, 0);
    // On a machine with other work the log grows more slowly than it is read.
    for switch in 0..20_000 {
        if switch >= 1000 && grew > 100 {
            break;
        }
        let node = if switch % 2 == 0 { &one } else { &two };
        let newest = node.newest().unwrap().size();
        assert!(newest >= seen, "switch {switch}: {newest} records after {seen}");
        grew += u32::from(newest > seen);
        seen = newest;
    }
    stop.store(true, Ordering::Relaxed);
    let answered: usize = loads.into_iter().map(|load| load.join().unwrap().len()).sum();
    assert!(grew > 100, "the log grew only {grew} times while it was read");
    for node in [&one, &two] {
        assert_eq!(node.newest().unwrap().size(), answered as u64);
    }
}

/// An older copy of the database holds in itself. Only what somebody knows of the log tells it.
#[test]
#[ignore = "needs PostgreSQL; `cargo xtask gates` runs it"]
fn a_node_without_memory_joins_only_against_a_known_state() {
    let place = Place::postgres();
    assert_eq!(place.location.write().map(drop).unwrap_err().kind, JournalFaultKind::Unremembered, "nothing begins");
    assert!(!place.location.folder.exists() && place.location.found().unwrap().is_none());
    place.fill(5);
    let kept = |place: &Place| std::fs::read_to_string(place.file("journal.checkpoint")).unwrap();
    let older = kept(&place);
    place.sql("CREATE TABLE h AS SELECT * FROM head");
    place.fill(5);
    let newer = kept(&place);
    let fresh = place.other_node();
    assert_eq!(fresh.write().map(drop).unwrap_err().kind, JournalFaultKind::Unremembered);
    let at_least = |text: &str| fresh.write_joining(&Joining::AtLeast(KnownLog::state(text.to_owned()))).map(drop);
    assert_eq!(at_least("no checkpoint").unwrap_err().kind, JournalFaultKind::Corrupt);
    // Whichever command it is: a key signs nothing that its folder does not remember the beginning of.
    assert_eq!(fresh.read().unwrap().newest().map(drop).unwrap_err().kind, JournalFaultKind::Unremembered);
    // A log with records did not begin here, and its state without any says nothing.
    let first = fresh.write_joining(&Joining::First).map(drop);
    assert_eq!(first.unwrap_err().kind, JournalFaultKind::Unremembered);
    let key = svc_journal::folder::DataFolder::at(&fresh.folder).key().unwrap().unwrap();
    let none = svc_proof::tree::MerkleTree::empty().root().unwrap();
    let nothing = key.sign_checkpoint(0, &none).unwrap();
    assert_eq!(at_least(nothing.text().as_str()).unwrap_err().kind, JournalFaultKind::Unremembered);
    let rewind = "DELETE FROM entry WHERE place >= 5; DELETE FROM head; INSERT INTO head SELECT * FROM h";
    place.sql("CREATE TABLE e AS SELECT * FROM entry; CREATE TABLE g AS SELECT * FROM head");
    place.sql(rewind);
    assert_eq!(at_least(&newer).unwrap_err().kind, JournalFaultKind::Rewound, "an older copy was put in its place");
    place.sql(
        "DELETE FROM entry; INSERT INTO entry SELECT * FROM e; DELETE FROM head; INSERT INTO head SELECT * FROM g",
    );
    place.sql("DROP TABLE h; DROP TABLE e; DROP TABLE g");
    at_least(&older).unwrap();
    // From then on its folder remembers: a pod that starts again is given the state of the empty log each time.
    at_least(nothing.text().as_str()).unwrap();
    fresh.write().unwrap();
}

/// Neither the folder of the node nor the database gets anything before everything was found to hold.
#[test]
#[ignore = "needs PostgreSQL; `cargo xtask gates` runs it"]
fn a_refused_start_writes_neither_to_the_database_nor_to_the_folder() {
    let place = Place::postgres();
    place.fill(3);
    let stranger = Location { backend: place.location.backend.clone(), folder: place.folder.path().join("stranger") };
    assert_eq!(stranger.write().map(|_| ()).unwrap_err().kind, JournalFaultKind::WrongKey);
    assert!(!stranger.folder.exists(), "no folder is made for a log that is not joined");

    let empty = Place::postgres();
    let moved = Location { backend: empty.location.backend.clone(), folder: place.location.folder.clone() };
    assert_eq!(
        moved.write().map(|_| ()).unwrap_err().kind,
        JournalFaultKind::Rewound,
        "this folder has seen another log"
    );
    assert!(empty.location.found().unwrap().is_none(), "no tables are made in a database that is not the log's");

    for (plant, take_away) in [
        (
            "CREATE FUNCTION public.nothing() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RETURN NULL; END'; \
             CREATE TRIGGER planted BEFORE INSERT ON entry FOR EACH ROW EXECUTE FUNCTION public.nothing()",
            "DROP TRIGGER planted ON entry",
        ),
        ("CREATE RULE planted AS ON INSERT TO entry DO INSTEAD NOTHING", "DROP RULE planted ON entry"),
    ] {
        place.sql(plant);
        let fault = place.location.write().map(|_| ()).unwrap_err();
        assert_eq!(fault.kind, JournalFaultKind::Corrupt, "{plant}");
        assert!(fault.detail.contains("`planted` on `entry`"), "{fault}");
        place.sql(take_away);
    }
    assert_eq!(place.fill(1)[0].index.get(), 3);
}

#[test]
#[ignore = "needs PostgreSQL; `cargo xtask gates` runs it"]
fn a_log_that_is_rewound_while_nodes_run_stops_them() {
    let place = Place::postgres();
    let journal = place.open();
    for at in 0..8 {
        journal.record_blocking(drafts::mixed(at)).unwrap();
    }
    place.sql("CREATE TABLE h AS SELECT * FROM head");
    journal.record_blocking(drafts::mixed(8)).unwrap();
    place.sql("DELETE FROM entry WHERE place >= 8; DELETE FROM head; INSERT INTO head SELECT * FROM h");
    let fault = journal.record_blocking(drafts::mixed(9)).unwrap_err();
    assert_eq!(fault.kind, JournalFaultKind::Rewound, "{fault}");
    assert_eq!(journal.stopped().map(|fault| fault.kind), Some(JournalFaultKind::Rewound));
    assert_eq!(journal.record_blocking(drafts::mixed(10)).unwrap_err().kind, JournalFaultKind::Rewound);
}

/// The database is killed under load, again and again. Nodes answer no, and go on by themselves.
#[test]
#[ignore = "needs PostgreSQL; `cargo xtask gates` runs it"]
fn a_killed_database_loses_nothing_that_was_answered() {
    let cluster = Cluster::start();
    let url = cluster.database("journal");
    let folder = tempfile::tempdir().unwrap();
    let backend = Backend::Shared(Box::new(Settings::parse(&url, None, None).unwrap()));
    let journal =
        Arc::new(Location { backend, folder: folder.path().to_owned() }.write_joining(&Joining::First).unwrap());
    let stop = Arc::new(AtomicBool::new(false));
    let threads: Vec<_> = (0..4)
        .map(|_| {
            let (journal, stop) = (Arc::clone(&journal), Arc::clone(&stop));
            std::thread::spawn(move || load(&journal, &stop))
        })
        .collect();
    for _ in 0..rounds() {
        std::thread::sleep(Duration::from_millis(300));
        cluster.kill();
        cluster.up();
        wait_until_it_goes_on(&journal);
    }
    stop.store(true, Ordering::Relaxed);
    let answered: Vec<_> = threads.into_iter().flat_map(|thread| thread.join().unwrap()).collect();
    assert!(!answered.is_empty());
    let store = journal.store();
    let (seen, _) = audit::audit(&mut StoreSource::new(store.as_ref()), Vec::new(), &mut |_| {}).unwrap();
    let mut places: Vec<u64> = answered.iter().map(|receipt| receipt.index.get()).collect();
    places.sort_unstable();
    let count = places.len();
    places.dedup();
    assert_eq!(places.len(), count, "two answers have one place");
    for given in answered {
        let row = store.rows(given.index.get(), 1).unwrap();
        assert_eq!(row[0].record.as_deref(), Some(given.record.to_bytes().as_slice()));
        receipt::check(&given, journal.keys()).unwrap();
    }
    assert!(seen.records >= count as u64);
}

fn load(journal: &Journal, stop: &AtomicBool) -> Vec<svc_core::journal::receipt::Receipt> {
    let mut answered = Vec::new();
    let mut number = 0;
    while !stop.load(Ordering::Relaxed) {
        number += 1;
        match journal.record_blocking(drafts::mixed(number)) {
            Ok(receipt) => answered.push(read(&receipt)),
            Err(fault) => {
                assert!(!fault.kind.is_final(), "{fault}");
                std::thread::sleep(Duration::from_millis(5));
            }
        }
    }
    answered
}

fn wait_until_it_goes_on(journal: &Journal) {
    let start = Instant::now();
    while journal.record_blocking(drafts::denied(0)).is_err() {
        assert!(start.elapsed() < Duration::from_secs(30), "{:?}", journal.stopped());
        std::thread::sleep(Duration::from_millis(20));
    }
}

fn rounds() -> usize {
    if std::env::var_os("SVC_CAMPAIGN").is_some() { 100 } else { 3 }
}

/// A role that may delete and not rewrite is told that the bytes are still there.
#[test]
#[ignore = "needs PostgreSQL; `cargo xtask gates` runs it"]
fn names_that_stay_in_the_tables_file_are_told() {
    let cluster = Cluster::start();
    let url = cluster.database("svc_test");
    let folder = tempfile::tempdir().unwrap();
    let at = |url: &str| Location {
        backend: Backend::Shared(Box::new(Settings::parse(url, None, None).unwrap())),
        folder: folder.path().to_owned(),
    };
    let journal = at(&url).write_joining(&Joining::First).unwrap();
    journal.record_blocking(drafts::of_owner(0, "leaving-owner")).unwrap();
    drop(journal);
    cluster.sql(
        &url,
        "CREATE ROLE cleaner LOGIN; GRANT USAGE ON SCHEMA svc_journal TO cleaner; \
         GRANT SELECT ON ALL TABLES IN SCHEMA svc_journal TO cleaner; GRANT DELETE ON svc_journal.attribution TO cleaner",
    );
    let all = AttributionFilter::default();
    let fault = at(&url.replacen("svc@", "cleaner@", 1)).forget(&all).unwrap_err();
    assert!(fault.kind == JournalFaultKind::Unusable && fault.detail.contains("still in the table's file"), "{fault}");
    assert_eq!(at(&url).forget(&all), Ok(0));
}
