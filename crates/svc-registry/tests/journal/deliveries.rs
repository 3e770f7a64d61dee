//! The service is killed while it delivers: between writing a range down, sending it, hearing that it was taken and moving the
//! cursor. Whatever the moment, a receiver gets every record, in order, and under one id always the same bytes.

use std::{
    collections::BTreeMap,
    path::Path,
    thread,
    time::{Duration, Instant},
};

use svc_core::journal::delivery::{EndpointName, EventDelivery};
use svc_journal::{
    endpoint::EventEndpoint,
    endpoints,
    open::{Backend, Location},
};

use crate::{
    campaign::{self, Random, Record},
    receiver::{self, Received, Receiver},
    run::{Run, program},
    running::{Running, document, post},
};

const SERVE: [&str; 6] = ["--journal", "sqlite", "--data-dir", "data", "--events-allow", "127.0.0.1"];

/// The longest wait before a kill: as long as several deliveries take.
const MOST_MICROS: usize = 60_000;

/// Kills by what the store and the receiver knew afterwards.
#[derive(Default)]
struct Kills {
    idle: usize,
    before_sending: usize,
    before_acknowledging: usize,
}

#[test]
fn a_killed_service_delivers_every_record_in_order_and_under_one_id_the_same_bytes() {
    let folder = tempfile::tempdir().unwrap();
    let location = Location { backend: Backend::Embedded, folder: folder.path().join("data") };
    let receiver = Receiver::on("127.0.0.1:0", |_| {
        // As slow as the waits before a kill: so most of them come while a range is open.
        thread::sleep(Duration::from_millis(20));
        receiver::status(200)
    });
    let name = EndpointName::parse("audit").unwrap();
    let endpoint =
        || -> EventEndpoint { endpoints::find(&location).unwrap().unwrap().get(&name).unwrap().unwrap().endpoint };
    drop(Running::start(folder.path(), &SERVE));
    events(folder.path(), &["add", "audit", &receiver.url(), "--batch", "2", "--from", "0"]);
    let rounds = campaign::count(12, 2000);
    let (mut random, mut kills) = (Random::new("deliveries"), Kills::default());
    let request = post("", &document());
    for _ in 0..rounds {
        let running = Running::start(folder.path(), &SERVE);
        // Whole batches go at once; what is left is gathered.
        for _ in 0..2 * random.below(4) {
            running.ask(&request);
        }
        thread::sleep(Duration::from_micros(random.below(MOST_MICROS) as u64));
        drop(running);
        let left = endpoint();
        match left.open_range() {
            None => kills.idle += 1,
            Some((_, id)) if receiver.received().iter().any(|each| each.id == id) => kills.before_acknowledging += 1,
            Some(_) => kills.before_sending += 1,
        }
    }
    let running = Running::start(folder.path(), &SERVE);
    running.ask(&request);
    let size = location.read().unwrap().store.head().unwrap().tree.size();
    let start = Instant::now();
    while endpoint().cursor < size {
        assert!(start.elapsed() < Duration::from_secs(60), "{:?}", endpoint());
        thread::sleep(Duration::from_millis(20));
    }
    drop(running);
    let received = receiver.received();
    let (found, repeated) = check(&received, size);
    Record {
        name: "deliveries",
        tried: "The service is killed (-9) while it delivers to a receiver that records everything: before a range is sent, \
                before its acknowledgement moves the cursor, and between ranges. The next start needs no help; every record \
                arrives, in order, no range overlaps another, only the last one is ever repeated, and one id always has the \
                same bytes.",
        counts: vec![
            ("kills with nothing open".to_owned(), kills.idle),
            ("before a range was sent".to_owned(), kills.before_sending),
            ("before its acknowledgement moved the cursor".to_owned(), kills.before_acknowledging),
            ("deliveries received".to_owned(), received.len()),
            ("of them repeated".to_owned(), repeated),
            ("records".to_owned(), usize::try_from(size).unwrap()),
        ],
        found,
    }
    .close();
}

/// What is wrong with what a receiver got, and how much of it came more than once.
fn check(received: &[Received], size: u64) -> (Vec<String>, usize) {
    let (mut found, mut repeated, mut next) = (Vec::new(), 0, 0);
    let mut bodies: BTreeMap<&str, &[u8]> = BTreeMap::new();
    let mut last = "";
    for each in received {
        let Some(delivery) = EventDelivery::parse(&each.body) else {
            found.push(format!("{}: it is no delivery", each.id));
            continue;
        };
        let range = delivery.range();
        match bodies.insert(&each.id, &each.body) {
            Some(before) => {
                repeated += 1;
                if before != each.body {
                    found.push(format!("{}: other bytes under the same id", each.id));
                }
                if last != each.id {
                    found.push(format!("{}: it came again after {last}", each.id));
                }
            }
            None if range.start == next => next = range.end,
            None => found.push(format!("{}: {next} comes next", each.id)),
        }
        if !each.id.ends_with(&format!("_{}-{}", range.start, range.end)) {
            found.push(format!("{}: it holds {range:?}", each.id));
        }
        last = &each.id;
    }
    if next != size {
        found.push(format!("records up to {next} arrived, of {size}"));
    }
    (found, repeated)
}

fn events(folder: &Path, arguments: &[&str]) -> Run {
    let place = ["--journal", "sqlite", "--data-dir", "data", "--events-allow", "127.0.0.1"];
    let flags = if arguments[0] == "add" { &place[..] } else { &place[..4] };
    Run::of(&mut program(folder, &[&["events"][..], arguments, flags].concat())).exits(0)
}

/// A checker that never finds anything is worse than none.
#[test]
fn the_checker_of_deliveries_finds_gaps_repeats_and_other_bytes() {
    let folder = tempfile::tempdir().unwrap();
    let receiver = Receiver::willing();
    let running = Running::start(folder.path(), &SERVE);
    events(folder.path(), &["add", "audit", &receiver.url(), "--batch", "1"]);
    (0..3).for_each(|_| drop(running.ask(&post("", &document()))));
    let good = receiver.wait_until(Duration::from_secs(20), |all| all.len() == 3);
    assert_eq!(check(&good, 3), (Vec::new(), 0));
    let repeated = [good[0].clone(), good[0].clone(), good[1].clone(), good[2].clone()];
    assert_eq!(check(&repeated, 3), (Vec::new(), 1));
    let mut changed = repeated.clone();
    changed[1].body = changed[2].body.clone();
    for bad in [
        &good[..2],
        &good[1..],
        &[good[0].clone(), good[2].clone()],
        &[good[1].clone(), good[0].clone(), good[2].clone()],
        &[good[0].clone(), good[1].clone(), good[0].clone(), good[2].clone()],
        &changed,
    ] {
        assert!(!check(bad, 3).0.is_empty());
    }
}

/// A receiver is told of what comes next only when what came before is still there.
#[test]
fn pruned_records_pause_an_endpoint_and_are_never_passed_over() {
    let folder = tempfile::tempdir().unwrap();
    let receiver = Receiver::on("127.0.0.1:0", |_| receiver::status(500));
    let running = Running::start(folder.path(), &SERVE);
    events(folder.path(), &["add", "audit", &receiver.url()]);
    events(folder.path(), &["pause", "audit"]);
    let mut connection = crate::running::connect(&running.address).unwrap();
    for _ in 0..257 {
        crate::running::exchange(&mut connection, &post("", &document())).unwrap();
    }
    drop(running);
    Run::of(&mut program(
        folder.path(),
        &["journal", "prune", "--before", "256", "--journal", "sqlite", "--data-dir", "data"],
    ))
    .exits(0);
    events(folder.path(), &["resume", "audit"]);
    let running = Running::start(folder.path(), &SERVE);
    let start = Instant::now();
    let told = loop {
        let told = events(folder.path(), &["status", "audit"]).stdout;
        if told.contains("paused (pruned)") {
            break told;
        }
        assert!(start.elapsed() < Duration::from_secs(20), "{told}");
        thread::sleep(Duration::from_millis(50));
    };
    assert!(told.contains("at 0, 257 behind") && told.contains("resume --from N"), "{told}");
    assert_eq!(receiver.connections(), 0);
    assert!(running.log().contains("record 0 was pruned; the first that is kept is 256"), "{}", running.log());
    let refused = Run::of(&mut program(
        folder.path(),
        &["events", "resume", "audit", "--from", "0", "--journal", "sqlite", "--data-dir", "data"],
    ));
    assert!(refused.exits(2).stderr.contains("events-from: `--from` must be at least 256"));
    receiver.answer(|_| receiver::status(200));
    events(folder.path(), &["resume", "audit", "--from", "256"]);
    let all = receiver.wait_until(Duration::from_secs(20), |all| !all.is_empty());
    assert_eq!(EventDelivery::parse(&all[0].body).unwrap().range(), 256..257);
}
