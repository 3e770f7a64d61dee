//! Slow clients by the hundred, of every kind: others are answered as if they were alone.

use std::{
    net::{Ipv4Addr, SocketAddr},
    sync::Arc,
    thread,
    time::{Duration, Instant},
};

use svc_core::words::limits;
use tokio::{
    io::{AsyncReadExt as _, AsyncWriteExt as _},
    net::{TcpSocket, TcpStream},
    runtime::{Builder, Runtime},
};

use crate::{
    campaign::{self, Record},
    metrics::metric,
    running::{ENDPOINT, INDEX_ENDPOINT, Running, connect, document, exchange, post},
};

/// A way to be slow: what is sent first, and what then comes every second.
struct Slow {
    name: &'static str,
    first: Vec<u8>,
    /// Whether the answers are read.
    reads: bool,
    drip: Vec<u8>,
}

fn slow(name: &'static str, first: Vec<u8>, drip: &[u8]) -> Slow {
    Slow { name, first, reads: true, drip: drip.to_vec() }
}

fn head(endpoint: &str, length: usize) -> Vec<u8> {
    let head = format!("POST {endpoint} HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n");
    format!("{head}Content-Length: {length}\r\n\r\n").into_bytes()
}

fn kinds() -> Vec<Slow> {
    let openapi = b"GET /api/sdk/registry/openapi.json HTTP/1.1\r\nHost: localhost\r\n\r\n".repeat(100);
    vec![
        slow("silence", Vec::new(), b""),
        slow("half a head", b"POST /x HTTP/1.1\r\nHost: localhost\r\n".to_vec(), b""),
        slow("a head by drips", b"GET /livez HTTP/1.1\r\n".to_vec(), b"X: a\r\n"),
        slow("an idle connection", b"GET /livez HTTP/1.1\r\nHost: localhost\r\n\r\n".to_vec(), b""),
        slow("half a body", [&head(ENDPOINT, 100_000)[..], &[b' '; 5_000]].concat(), b""),
        slow("a body by drips", head(ENDPOINT, 100_000), b" "),
        slow("a large body, just fast enough", head(INDEX_ENDPOINT, 16 << 20), &[b' '; 1_500]),
        Slow { reads: false, ..slow("answers that nobody reads", openapi, b"") },
    ]
}

/// How long a slow client that was sent away waits before it is back. Those that were sent away together come back together.
const BACK_AFTER: Duration = Duration::from_secs(4);

impl Slow {
    /// One client, for as long as the runtime lives. It comes back whenever it is sent away.
    async fn be(self: Arc<Self>, to: SocketAddr, from: Ipv4Addr) {
        loop {
            let socket = TcpSocket::new_v4().unwrap();
            let bound = socket.bind(SocketAddr::from((from, 0)));
            if let (Ok(()), Ok(stream)) = (bound, socket.connect(to).await) {
                self.hold(stream).await;
            }
            tokio::time::sleep(BACK_AFTER).await;
        }
    }

    /// Keeps a connection until it is closed by the service.
    async fn hold(&self, mut stream: TcpStream) {
        if stream.write_all(&self.first).await.is_err() {
            return;
        }
        let mut buffer = [0; 4096];
        loop {
            let second = tokio::time::sleep(Duration::from_secs(1));
            tokio::select! {
                read = stream.read(&mut buffer), if self.reads => match read {
                    Ok(0) | Err(_) => return,
                    Ok(_) => {}
                },
                () = second => if stream.write_all(&self.drip).await.is_err() {
                    return;
                },
            }
        }
    }
}

/// So many clients on a runtime of their own, which is dropped with them.
fn crowd(kind: Slow, count: usize, addresses: u8, to: &str) -> Runtime {
    let runtime = Builder::new_multi_thread().worker_threads(1).enable_all().build().unwrap();
    let (kind, to): (_, SocketAddr) = (Arc::new(kind), to.parse().unwrap());
    for number in 0..count {
        let from = Ipv4Addr::new(127, 0, 0, 1 + u8::try_from(number % usize::from(addresses)).unwrap());
        runtime.spawn(Arc::clone(&kind).be(to, from));
    }
    runtime
}

/// What good clients ask, each time on a connection of its own.
const ASKED: [&str; 3] = ["a POST", "a probe", "a probe at the admin address"];

/// How long each took.
struct Times([Vec<Duration>; 3]);

impl Times {
    fn take(running: &Running, admin: &str, rounds: usize, found: &mut Vec<String>) -> Self {
        let probe = b"GET /readyz HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n".to_vec();
        let post = post("", &document());
        let public = running.address.as_str();
        let asked = [(public, &post), (public, &probe), (admin, &probe)];
        let mut times = [const { Vec::new() }; 3];
        for _ in 0..rounds {
            for (((address, request), times), what) in asked.iter().zip(&mut times).zip(ASKED) {
                let started = Instant::now();
                let answer = connect(address).and_then(|mut stream| exchange(&mut stream, request));
                times.push(started.elapsed());
                let status = answer.as_deref().and_then(|answer| answer.split(' ').nth(1)).unwrap_or("no answer");
                if status != "200" {
                    found.push(format!("{what} got {status}"));
                }
            }
            thread::sleep(Duration::from_millis(3));
        }
        times.iter_mut().for_each(|times| times.sort_unstable());
        Self(times)
    }

    /// For each, its name, the median and the 99th of a hundred.
    fn each(&self) -> impl Iterator<Item = (&'static str, [Duration; 2])> {
        ASKED.into_iter().zip(self.0.iter().map(|times| [times[times.len() / 2], times[times.len() * 99 / 100]]))
    }

    /// What took more than twice the time that it took alone.
    fn slower_than(&self, alone: &Self) -> Vec<String> {
        let slower =
            |beside: &[Duration; 2], alone: &[Duration; 2]| (0..2).any(|at| beside[at] > 2 * alone[at] + SLACK[at]);
        let pairs = self.each().zip(alone.each());
        let slow = pairs.filter(|((_, beside), (_, alone))| slower(beside, alone));
        slow.map(|((what, beside), (_, alone))| format!("{what}: alone {alone:?}, beside {beside:?}")).collect()
    }

    /// The row of the record.
    fn counts(&self, when: &str) -> Option<(String, usize)> {
        let (_, [median, late]) = self.each().next()?;
        let text = format!("microseconds for a POST {when} (99th of 100: {})", late.as_micros());
        Some((text, usize::try_from(median.as_micros()).unwrap()))
    }
}

/// What a busy machine adds to any one answer, alone or not.
const SLACK: [Duration; 2] = [Duration::from_millis(5), Duration::from_millis(60)];

/// Waits until most of the crowd is there, as far as it is let in: how many connections are open then.
fn held(admin: &str, count: usize) -> Option<usize> {
    thread::sleep(Duration::from_secs(1));
    let enough = count.min(limits::CONNECTIONS_PER_ADDRESS) * 8 / 10;
    let mut tries = (0..40).map(|_| {
        thread::sleep(Duration::from_millis(250));
        metric(admin, "svc_connections_open")
    });
    tries.find(|open| *open >= enough)
}

#[test]
fn good_requests_are_answered_beside_slow_ones_as_if_alone() {
    svc_server::http::descriptors::raise();
    let (count, rounds) = (campaign::count(600, 5_000), campaign::count(60, 500));
    // All from the address that the good ones come from, and, in a campaign, from many.
    let addresses: &[u8] = if count > 600 { &[1, 200] } else { &[1] };
    let (mut counts, mut found) = (vec![("slow clients of each kind".to_owned(), count)], Vec::new());
    let folder = tempfile::tempdir().unwrap();
    let mut running = Running::start(folder.path(), &["--admin-bind", "127.0.0.1:0"]);
    let admin = running.admin_address();
    Times::take(&running, &admin, rounds, &mut found);
    let alone = Times::take(&running, &admin, 2 * rounds, &mut found);
    counts.extend(alone.counts("alone"));
    for (addresses, kind) in addresses.iter().flat_map(|addresses| kinds().into_iter().map(|kind| (*addresses, kind))) {
        let name = format!("{} from {addresses} address(es)", kind.name);
        let crowd = crowd(kind, count, addresses, &running.address);
        let Some(open) = held(&admin, count) else {
            found.push(format!("{name}: the connections were not held"));
            continue;
        };
        let had = found.len();
        // Whoever else uses the machine may slow down one take; a crowd slows down each.
        let mut beside = Times::take(&running, &admin, rounds, &mut found);
        for _ in 0..4 {
            if !beside.slower_than(&alone).is_empty() {
                beside = Times::take(&running, &admin, rounds, &mut found);
            }
        }
        found.iter_mut().skip(had).for_each(|one| *one = format!("{name}: {one}"));
        crowd.shutdown_timeout(Duration::from_secs(5));
        found.extend(beside.slower_than(&alone).into_iter().map(|slower| format!("{name}: {slower}")));
        counts.extend(beside.counts(&format!("beside {open} connections, {name}")));
    }
    Record {
        name: "slow-clients",
        tried: "Slow clients of every kind hold connections to the service and come back when they are sent away; good \
                requests and probes must be answered within twice the time that they take alone, and 5 ms (median) or \
                60 ms (99th of 100), in the best of five takes.",
        counts,
        found,
    }
    .close();
}
