//! Told to stop under load, the service answers what it let in, and ends well.

use std::{
    sync::atomic::{AtomicBool, AtomicUsize, Ordering},
    thread,
    time::{Duration, Instant},
};

use crate::{
    campaign::{self, Record},
    running::{Running, connect, document, exchange, post},
};

/// What the clients saw.
#[derive(Default)]
struct Seen {
    stopping: AtomicBool,
    answered: AtomicUsize,
    turned_away: AtomicUsize,
}

impl Seen {
    /// One client: a connection for each request, until nobody listens any more.
    fn client(&self, address: &str, request: &[u8]) {
        while let Some(mut stream) = connect(address) {
            let let_in = !self.stopping.load(Ordering::SeqCst);
            match exchange(&mut stream, request) {
                Some(answer) => {
                    let status = answer.split(' ').nth(1).unwrap();
                    assert!(status == "200" || status == "503", "{answer}");
                    for closed in ["\"accepted\":false", "\"signed\":false", "\"installable\":false"] {
                        assert!(answer.contains(closed), "{answer}");
                    }
                    let count = if status == "200" { &self.answered } else { &self.turned_away };
                    count.fetch_add(1, Ordering::Relaxed);
                }
                None => assert!(!let_in, "a connection that was let in before the signal got no answer"),
            }
        }
    }
}

/// One service is stopped under load: how many answers its clients got before it was told to stop, and in all.
fn stop_under_load() -> usize {
    let folder = tempfile::tempdir().unwrap();
    let running = Running::start(folder.path(), &[]);
    let request = post("", &document());
    let seen = Seen::default();
    thread::scope(|scope| {
        let clients: Vec<_> = (0..8).map(|_| scope.spawn(|| seen.client(&running.address, &request))).collect();
        let patience = Instant::now() + Duration::from_secs(30);
        while seen.answered.load(Ordering::Relaxed) < 200 && Instant::now() < patience {
            thread::sleep(Duration::from_millis(10));
        }
        seen.stopping.store(true, Ordering::SeqCst);
        running.terminate();
        clients.into_iter().for_each(|client| client.join().unwrap());
    });
    let answered = seen.answered.load(Ordering::Relaxed);
    assert!(answered >= 200, "{answered}");
    let log = running.log();
    let (status, last) = running.ended();
    assert_eq!(status.code(), Some(0), "{last}{log}");
    assert!(last.contains("every one of them no or a document"), "{last}");
    let given: usize = last.lines().last().unwrap().split(' ').nth(2).unwrap().parse().unwrap();
    assert!(given >= answered, "{given} answers given, {answered} received");
    answered
}

#[test]
fn no_connection_that_was_let_in_loses_its_answer() {
    let rounds = campaign::count(2, 100);
    let answered = (0..rounds).map(|_| stop_under_load()).sum();
    Record {
        name: "drain",
        tried: "The service is told to stop while eight clients ask without a pause; nobody whom it let in may go without \
                an answer.",
        counts: vec![("services stopped".to_owned(), rounds), ("answers received".to_owned(), answered)],
        found: Vec::new(),
    }
    .close();
}

#[test]
fn a_service_that_nobody_asks_stops_at_once() {
    let folder = tempfile::tempdir().unwrap();
    let running = Running::start(folder.path(), &[]);
    let _idle = connect(&running.address).unwrap();
    let started = Instant::now();
    running.terminate();
    let (status, _) = running.ended();
    assert_eq!(status.code(), Some(0));
    assert!(started.elapsed() < Duration::from_secs(5), "{:?}", started.elapsed());
}
