//! How fast the journal is, as ratios within one run. Of use in a release build only.

use std::{
    sync::Arc,
    time::{Duration, Instant},
};

use sha2::{Digest as _, Sha256};
use svc_journal::{
    audit,
    open::Location,
    source::StoreSource,
    store::{Extension, Fetch, Head, Row, Store},
    writer::Journal,
};

use crate::{drafts, place::Place};

const ROUNDS: usize = 5;

#[test]
#[ignore = "a measurement; run it in a release build"]
fn many_clients_share_a_flush() {
    let place = Place::sqlite();
    let journal = Arc::new(place.open());
    let ratios: Vec<f64> = (0..ROUNDS).map(|_| rate(&journal, 64) / rate(&journal, 1)).collect();
    println!("group commit, 64 clients against one: {:.1}", median(ratios));
}

#[test]
#[ignore = "a measurement; run it in a release build"]
fn a_long_log_is_checked_in_a_few_times_the_time_to_read_and_hash_it() {
    let place = Place::sqlite();
    drop(place.open());
    let mut before = 0;
    for size in [10_000_u64, 100_000, 1_000_000] {
        grow(&place.location, size - before);
        before = size;
        let store = place.location.read().unwrap().store;
        let mut ratios = Vec::new();
        let mut whole = Duration::ZERO;
        for _ in 0..3 {
            let bare = timed(|| read_and_hash(store.as_ref()));
            whole = timed(|| {
                audit::audit(&mut StoreSource::new(store.as_ref()), Vec::new(), &mut |_| {}).unwrap();
            });
            ratios.push(whole.as_secs_f64() / bare.as_secs_f64());
        }
        println!("{size} records: checked in {whole:?}, {:.2} of reading and hashing", median(ratios));
    }
    std::fs::remove_file(place.file("journal.checkpoint")).unwrap();
    println!("opening 10^6 records was measured by the check above; the start adds SQLite's own look at the file");
}

fn rate(journal: &Arc<Journal>, clients: usize) -> f64 {
    let each = if clients == 1 { 2000 } else { 1000 };
    let took = timed(|| {
        let threads: Vec<_> = (0..clients)
            .map(|_| {
                let journal = Arc::clone(journal);
                std::thread::spawn(move || {
                    for number in 0..each {
                        journal.record_blocking(drafts::mixed(number)).unwrap();
                    }
                })
            })
            .collect();
        threads.into_iter().for_each(|thread| thread.join().unwrap());
    });
    let rate = (clients * usize::try_from(each).unwrap()) as f64 / took.as_secs_f64();
    println!("{clients} clients: {rate:.0} records a second");
    rate
}

fn read_and_hash(store: &dyn Store) {
    let mut from = 0;
    loop {
        let rows = store.rows(from, 2048).unwrap();
        if rows.is_empty() {
            return;
        }
        from += rows.len() as u64;
        for row in rows {
            std::hint::black_box(Sha256::digest(row.record.unwrap()));
        }
    }
}

/// Appends records without waiting for each.
fn grow(location: &Location, count: u64) {
    let store = location.store(svc_journal::sqlite::Access::Write).unwrap();
    let mut left = count;
    while left > 0 {
        let some = left.min(10_000);
        store
            .append(&mut |head: &Head, _: &dyn Fetch| {
                let start = head.tree.size();
                let time = svc_core::journal::timestamp::Timestamp::from_millis(0);
                let records: Vec<Vec<u8>> = (start..start + some)
                    .map(|place| {
                        let place = svc_core::journal::record::Count::new(place).unwrap();
                        drafts::mixed(place.get()).place(place, time).to_bytes()
                    })
                    .collect();
                let grown = head.tree.grow(&records)?;
                let rows = records.into_iter().zip(start..).map(|(record, place)| Row {
                    place,
                    record: Some(record),
                    hashes: grown.completed_by(place).unwrap(),
                });
                Ok(Extension { rows: rows.collect(), head: Head { tree: grown.tree().clone(), root: *grown.root() } })
            })
            .unwrap();
        left -= some;
    }
}

fn timed(work: impl FnOnce()) -> Duration {
    let start = Instant::now();
    work();
    start.elapsed()
}

fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    values[values.len() / 2]
}
