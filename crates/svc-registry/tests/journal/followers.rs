//! What a crowd of followers, endpoints and witnesses costs whoever asks for an answer, and how soon each follower has a
//! record.
//!
//! The time of a record is given before its batch is flushed, so that what is measured here is a little more than the time
//! from commit to stream. Answers are asked for at a fixed rate, of a registry that nobody follows, of one with the crowd,
//! and again of the first.

use std::{
    fs,
    net::Ipv4Addr,
    sync::{
        Arc, Mutex,
        atomic::{AtomicBool, AtomicUsize, Ordering},
    },
    thread,
    time::{Duration, Instant, SystemTime},
};

use svc_core::journal::delivery::EventDelivery;
use svc_journal::{
    joining::{Joining, KnownLog},
    open::{Backend, Location},
    postgres::Settings,
};
use tokio::{
    io::{AsyncReadExt as _, AsyncWriteExt as _},
    net::TcpStream,
    runtime,
};

use crate::{
    campaign::{self, Record},
    cluster::Cluster,
    follower::{Event, EventParser, connect_from, request},
    receiver::Receiver,
    run::{Run, program},
    running::{Running, connect, document, exchange, post},
    witnesses::place::{Place, Witness},
};

/// How many of the crowd look at every record; the others only read.
const OBSERVERS: usize = 40;

/// How many followers come from one address.
const OF_ONE_ADDRESS: usize = 50;

/// Answers a second that are asked for.
const RATE: u32 = 20;

const MILLIS_OF_DAY: u64 = 86_400_000;

/// Milliseconds since midnight.
fn now() -> u64 {
    let since = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap();
    u64::try_from(since.as_millis()).unwrap() % MILLIS_OF_DAY
}

/// When a record was made, in milliseconds since midnight.
fn time_of(record: &[u8]) -> u64 {
    let text = std::str::from_utf8(record).unwrap();
    let time = text.split_once("\"time\":\"").unwrap().1.split_once('T').unwrap().1;
    let number = |range: std::ops::Range<usize>| time[range].parse::<u64>().unwrap();
    ((number(0..2) * 60 + number(3..5)) * 60 + number(6..8)) * 1000 + number(9..12)
}

/// What the crowd saw.
#[derive(Default)]
struct Crowd {
    /// Milliseconds from the time of each record until an observer had it.
    lags: Mutex<Vec<u64>>,
    open: AtomicUsize,
    is_over: AtomicBool,
}

impl Crowd {
    /// So many followers on one thread, until they are told to leave.
    fn follow(self: &Arc<Self>, address: &str, count: usize) -> thread::JoinHandle<()> {
        let (crowd, address) = (Arc::clone(self), address.to_owned());
        thread::spawn(move || {
            let runtime = runtime::Builder::new_current_thread().enable_all().build().unwrap();
            runtime.block_on(async {
                for number in 0..count {
                    let source = Ipv4Addr::new(127, 0, 2, u8::try_from(number / OF_ONE_ADDRESS + 1).unwrap());
                    let stream = connect_from(source, &address, None);
                    stream.set_nonblocking(true).unwrap();
                    let stream = TcpStream::from_std(stream).unwrap();
                    let observes = number % count.div_ceil(OBSERVERS) == 0;
                    tokio::spawn(Arc::clone(&crowd).one(stream, observes));
                }
                while !crowd.is_over.load(Ordering::Relaxed) {
                    tokio::time::sleep(Duration::from_millis(20)).await;
                }
            });
        })
    }

    async fn one(self: Arc<Self>, mut stream: TcpStream, observes: bool) {
        stream.write_all(&request("?probes=true", &[])).await.unwrap();
        let (mut parser, mut head) = (EventParser::chunked(), Some(Vec::new()));
        let mut buffer = vec![0; 16 * 1024];
        loop {
            let read = stream.read(&mut buffer).await.unwrap();
            assert!(read > 0 || self.is_over.load(Ordering::Relaxed), "a stream broke off");
            let (came, bytes) = (now(), &buffer[..read]);
            match &mut head {
                Some(start) => {
                    start.extend_from_slice(bytes);
                    let Some(end) = start.windows(4).position(|four| four == b"\r\n\r\n") else { continue };
                    assert!(start.starts_with(b"HTTP/1.1 200 "), "{}", String::from_utf8_lossy(start));
                    self.open.fetch_add(1, Ordering::Relaxed);
                    parser.push(&start[end + 4..]);
                    head = None;
                }
                None if observes => parser.push(bytes),
                None => {}
            }
            while let Some(event) = parser.event() {
                if let Some(Event::Record { data, .. }) = event {
                    let lag = (came + MILLIS_OF_DAY - time_of(&data)) % MILLIS_OF_DAY;
                    self.lags.lock().unwrap().push(lag);
                }
            }
        }
    }

    fn wait_for(&self, count: usize) {
        let patience = Instant::now() + Duration::from_secs(60);
        while self.open.load(Ordering::Relaxed) < count {
            assert!(Instant::now() < patience, "{} of {count} follow", self.open.load(Ordering::Relaxed));
            thread::sleep(Duration::from_millis(20));
        }
    }
}

/// Asks at a fixed rate, and tells how many microseconds each answer took, sorted.
fn ask(address: &str, answers: u32) -> Vec<u64> {
    let (mut stream, request) = (connect(address).unwrap(), post("", &document()));
    let begun = Instant::now();
    let mut times: Vec<u64> = (0..answers)
        .map(|number| {
            let due = begun + Duration::from_secs(1) / RATE * number;
            thread::sleep(due.saturating_duration_since(Instant::now()));
            let started = Instant::now();
            assert!(exchange(&mut stream, &request).unwrap().starts_with("HTTP/1.1 200 "));
            u64::try_from(started.elapsed().as_micros()).unwrap()
        })
        .collect();
    times.sort_unstable();
    times
}

fn percentile(sorted: &[u64], part: usize) -> u64 {
    sorted[(sorted.len() * part / 100).min(sorted.len() - 1)]
}

/// How many endpoints there are, and how many witnesses.
const OTHERS: usize = 3;

/// A registry with endpoints and witnesses.
struct Followed {
    place: Place,
    running: Running,
    admin: String,
    receivers: Vec<Receiver>,
    _witnesses: Vec<Witness>,
}

impl Followed {
    fn start() -> Self {
        let place = Place::new();
        let names: Vec<String> = (0..OTHERS).map(|number| format!("w{number}")).collect();
        let witnesses: Vec<Witness> = names.iter().map(|name| place.witness(name)).collect();
        let at: Vec<(&str, String)> =
            names.iter().map(String::as_str).zip(witnesses.iter().map(Witness::url)).collect();
        let policy = place.policy("followed.policy", &at, &format!("group g all {}\nquorum g\n", names.join(" ")));
        let arguments = ["--witness-policy", &policy, "--admin-bind", "127.0.0.1:0", "--events-allow", "127.0.0.1"];
        let mut running = place.registry(&arguments);
        let receivers: Vec<Receiver> = (0..OTHERS).map(|_| Receiver::willing()).collect();
        for (number, receiver) in receivers.iter().enumerate() {
            let (name, url) = (format!("e{number}"), receiver.url());
            let add = ["events", "add", &name, &url, "--journal", "sqlite", "--data-dir", "data"];
            Run::of(&mut program(place.path(), &[&add[..], &["--events-allow", "127.0.0.1"]].concat())).exits(0);
        }
        let admin = running.admin_address();
        Self { place, running, admin, receivers, _witnesses: witnesses }
    }

    /// Waits until every endpoint has every record and the witnesses have cosigned: how many deliveries there were.
    fn settle(&self, records: u64) -> usize {
        let is_there = |receiver: &Receiver| {
            let last = receiver.received().pop().and_then(|last| EventDelivery::parse(&last.body));
            last.is_some_and(|delivery| delivery.range().end == records)
        };
        self.place.wait("every endpoint", || self.receivers.iter().all(is_there));
        self.place.wait("every witness", || self.place.witnessed_size(&self.running) == records);
        self.receivers.iter().map(|receiver| receiver.received().len()).sum()
    }
}

#[test]
fn a_crowd_of_followers_costs_answers_little_and_has_every_record_soon() {
    let folder = tempfile::tempdir().unwrap();
    let bare = Running::start(folder.path(), &["--journal", "sqlite", "--data-dir", "data"]);
    let followed = Followed::start();
    let (followers, answers) = (campaign::count(100, 1000), u32::try_from(campaign::count(40, 600)).unwrap());
    let crowd = Arc::new(Crowd::default());
    let thread = crowd.follow(&followed.running.address, followers);
    crowd.wait_for(followers);
    ask(&bare.address, RATE);
    let mut alone = ask(&bare.address, answers);
    let beside = ask(&followed.running.address, answers);
    alone.extend(ask(&bare.address, answers));
    alone.sort_unstable();
    let deliveries = followed.settle(u64::from(answers));
    let sent = usize::try_from(followed.place.metric(&followed.admin, "svc_event_records_total")).unwrap();
    crowd.is_over.store(true, Ordering::Relaxed);
    thread.join().unwrap();
    let mut lags = crowd.lags.lock().unwrap().clone();
    lags.sort_unstable();
    let observers = followers.div_ceil(followers.div_ceil(OBSERVERS));
    assert_eq!(lags.len(), observers * usize::try_from(answers).unwrap(), "every observer has every record");
    assert_eq!(sent, followers * usize::try_from(answers).unwrap());
    let median = |times: &[u64]| usize::try_from(percentile(times, 50)).unwrap();
    let (without, with, lag) = (median(&alone), median(&beside), usize::try_from(percentile(&lags, 99)).unwrap());
    let cost = (with * 100 / without).saturating_sub(100);
    let is_campaign = campaign::count(0, 1) == 1;
    // A slice runs beside other tests, so that only what is far off is found there.
    let (most_cost, most_lag) = if is_campaign { (10, 50) } else { (200, 500) };
    let mut found = Vec::new();
    if cost > most_cost {
        found.push(format!("an answer takes {with} µs beside followers and {without} µs alone"));
    }
    if lag > most_lag {
        found.push(format!("99 of 100 records are there after {lag} ms"));
    }
    Record {
        name: "followers",
        tried: "A crowd follows the log, three endpoints are delivered to and three witnesses cosign, while answers are asked \
                for at a fixed rate, 20 a second; the median of their times is compared with that of a registry without all \
                of them on the same machine, and how long each record takes from before its commit to a follower is measured.",
        counts: vec![
            ("followers".to_owned(), followers),
            ("records sent".to_owned(), sent),
            ("deliveries to three endpoints".to_owned(), deliveries),
            ("microseconds for an answer alone, at most".to_owned(), without),
            ("microseconds beside them, at most".to_owned(), with),
            ("milliseconds at the 99th percentile until a follower has a record, at most".to_owned(), lag),
            ("milliseconds for the slowest, at most".to_owned(), usize::try_from(*lags.last().unwrap()).unwrap()),
        ],
        found,
    }
    .close();
}

/// Two nodes on one database: one answers, the other is followed.
#[test]
fn a_node_that_did_not_commit_sends_the_record_as_soon() {
    let (cluster, folder) = (Cluster::start(), tempfile::tempdir().unwrap());
    let url = cluster.database("followed");
    let at = |node: &str| Location {
        backend: Backend::Shared(Box::new(Settings::parse(&url, None, None).unwrap())),
        folder: folder.path().join(node),
    };
    drop(at("one").write_joining(&Joining::First).unwrap());
    fs::create_dir(folder.path().join("two")).unwrap();
    fs::copy(folder.path().join("one/journal.key"), folder.path().join("two/journal.key")).unwrap();
    let known = fs::read_to_string(folder.path().join("one/journal.checkpoint")).unwrap();
    drop(at("two").write_joining(&Joining::AtLeast(KnownLog::state(known))).unwrap());
    let node = |name: &str| Running::start(folder.path(), &["--journal", &url, "--data-dir", name]);
    let (one, two) = (node("one"), node("two"));
    let crowd = Arc::new(Crowd::default());
    let followers = campaign::count(20, 200);
    let thread = crowd.follow(&two.address, followers);
    crowd.wait_for(followers);
    let answers = campaign::count(40, 600);
    let times = ask(&one.address, u32::try_from(answers).unwrap());
    thread::sleep(Duration::from_millis(500));
    crowd.is_over.store(true, Ordering::Relaxed);
    thread.join().unwrap();
    let mut lags = crowd.lags.lock().unwrap().clone();
    lags.sort_unstable();
    assert_eq!(
        lags.len(),
        followers.div_ceil(followers.div_ceil(OBSERVERS)) * answers,
        "every observer has every record"
    );
    let lag = percentile(&lags, 99);
    let most = if campaign::count(0, 1) == 1 { 50 } else { 500 };
    Record {
        name: "followers-postgresql",
        tried: "One node on PostgreSQL answers, and a crowd follows the log at another.",
        counts: vec![
            ("followers".to_owned(), followers),
            ("records".to_owned(), answers),
            ("microseconds for an answer, at most".to_owned(), usize::try_from(percentile(&times, 50)).unwrap()),
            (
                "milliseconds at the 99th percentile until a follower has a record, at most".to_owned(),
                usize::try_from(lag).unwrap(),
            ),
        ],
        found: if lag > most { vec![format!("99 of 100 records are there after {lag} ms")] } else { Vec::new() },
    }
    .close();
}
