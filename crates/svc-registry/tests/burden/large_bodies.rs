//! Large bodies beside a flood of small ones: those who send much wait longer, and are answered all the same.

use std::{
    sync::atomic::{AtomicBool, AtomicUsize, Ordering},
    thread,
    time::{Duration, Instant},
};
use svc_core::samples;

use svc_json::canonical;

use crate::{
    campaign::{self, Record},
    running::{INDEX_ENDPOINT, Running, connect, document, exchange, post, post_to},
};

/// Asks without a pause, on one connection, until told otherwise.
fn flood(address: &str, is_over: &AtomicBool, answered: &AtomicUsize) {
    let request = post("", &document());
    let mut stream = connect(address).unwrap();
    while !is_over.load(Ordering::Relaxed) {
        let answer = exchange(&mut stream, &request).expect("an answer");
        assert!(answer.starts_with("HTTP/1.1 200 "), "{answer}");
        answered.fetch_add(1, Ordering::Relaxed);
    }
}

#[test]
fn large_bodies_are_answered_beside_a_flood_of_small_ones() {
    let (entries, rounds, floods) = (campaign::count(50, 1_000), campaign::count(3, 40), campaign::count(4, 64));
    let index = canonical::to_pretty(&*samples::index(entries).unwrap());
    let large = post_to(INDEX_ENDPOINT, "", &index);
    let folder = tempfile::tempdir().unwrap();
    let running = Running::start(folder.path(), &[]);
    let (is_over, small) = (AtomicBool::new(false), AtomicUsize::new(0));
    let send = || {
        let mut slowest = Duration::ZERO;
        let mut found = Vec::new();
        for _ in 0..rounds {
            let started = Instant::now();
            let answer = connect(&running.address).and_then(|mut stream| exchange(&mut stream, &large));
            slowest = slowest.max(started.elapsed());
            let status = answer.as_deref().and_then(|answer| answer.split(' ').nth(1)).unwrap_or("no answer");
            if status != "200" {
                found.push(format!("a body of {} bytes got {status}", index.len()));
            }
        }
        (slowest, found)
    };
    let sent: Vec<(Duration, Vec<String>)> = thread::scope(|scope| {
        let crowd: Vec<_> = (0..floods).map(|_| scope.spawn(|| flood(&running.address, &is_over, &small))).collect();
        let senders: Vec<_> = (0..4).map(|_| scope.spawn(send)).collect();
        let sent = senders.into_iter().map(|sender| sender.join().unwrap()).collect();
        is_over.store(true, Ordering::Relaxed);
        crowd.into_iter().for_each(|client| client.join().unwrap());
        sent
    });
    let slowest = sent.iter().map(|(slowest, _)| *slowest).max().unwrap();
    let small = small.load(Ordering::Relaxed);
    assert!(small > floods, "{small} small ones were answered meanwhile");
    Record {
        name: "large-bodies",
        tried: "Four clients send one large index after the other while others send small requests without a pause: every \
                large one is answered, none is put off.",
        counts: vec![
            (format!("bodies of {} KiB", index.len() / 1024), 4 * rounds),
            ("milliseconds for the slowest of them".to_owned(), usize::try_from(slowest.as_millis()).unwrap()),
            (format!("small requests answered meanwhile, by {floods} clients"), small),
        ],
        found: sent.into_iter().flat_map(|(_, found)| found).collect(),
    }
    .close();
}
