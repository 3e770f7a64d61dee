//! Clients that ask properly, and how long they wait.

use std::{
    fs,
    io::{Read, Write},
    net::TcpStream,
    path::Path,
    sync::Arc,
    thread,
    time::{Duration, Instant},
};

use tokio_rustls::rustls::{
    self, ClientConfig, ClientConnection, RootCertStore, StreamOwned,
    pki_types::{CertificateDer, pem::PemObject as _},
};

use crate::running::{Running, connect, document, post};

/// What good clients ask, each time on a connection of its own.
const ASKED: [&str; 3] = ["a POST", "a probe", "a probe at the admin address"];

/// Who asks: at which addresses, and whether by TLS.
pub(super) struct Good {
    public: String,
    admin: String,
    tls: Option<Arc<ClientConfig>>,
}

impl Good {
    pub(super) fn new(running: &Running, admin: &str, certificate: Option<&Path>) -> Self {
        let tls = certificate.map(|file| {
            let mut roots = RootCertStore::empty();
            roots.add(CertificateDer::from_pem_slice(&fs::read(file).unwrap()).unwrap()).unwrap();
            let provider = Arc::new(rustls::crypto::ring::default_provider());
            let config = ClientConfig::builder_with_provider(provider).with_safe_default_protocol_versions().unwrap();
            Arc::new(config.with_root_certificates(roots).with_no_client_auth())
        });
        Self { public: running.address.clone(), admin: admin.to_owned(), tls }
    }

    /// The whole answer, on a connection of its own.
    fn answer(&self, address: &str, request: &[u8]) -> Option<String> {
        let stream = connect(address)?;
        match &self.tls {
            None => answer(stream, request),
            Some(config) => {
                let connection = ClientConnection::new(Arc::clone(config), "localhost".try_into().unwrap()).unwrap();
                answer(StreamOwned::<ClientConnection, TcpStream>::new(connection, stream), request)
            }
        }
    }

    /// How long the answer is that is got from a path.
    pub(super) fn length_of(&self, path: &str) -> usize {
        let request = format!("GET {path} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n");
        self.answer(&self.public, request.as_bytes()).expect("an answer").len()
    }

    /// One number of the metrics.
    pub(super) fn metric(&self, name: &str) -> usize {
        let request = b"GET /metrics HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n";
        let text = self.answer(&self.admin, request).expect("the metrics");
        let line = text.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(' '));
        line.unwrap_or_else(|| panic!("{name} in\n{text}")).parse().unwrap()
    }

    /// Asks for all three so many times. What is not answered with 200 was found.
    pub(super) fn ask(&self, rounds: usize, found: &mut Vec<String>) -> Times {
        let probe = b"GET /readyz HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n".to_vec();
        let post = post("", &document());
        let post = String::from_utf8(post).unwrap().replacen("\r\n", "\r\nConnection: close\r\n", 1).into_bytes();
        let asked = [(&self.public, &post), (&self.public, &probe), (&self.admin, &probe)];
        let mut times = [const { Vec::new() }; 3];
        for _ in 0..rounds {
            for (((address, request), times), what) in asked.iter().zip(&mut times).zip(ASKED) {
                let started = Instant::now();
                let answer = self.answer(address, request);
                times.push(started.elapsed());
                let status = answer.as_deref().and_then(|answer| answer.split(' ').nth(1)).unwrap_or("no answer");
                if status != "200" {
                    found.push(format!("{what} got {status}"));
                }
            }
            thread::sleep(Duration::from_millis(3));
        }
        times.iter_mut().for_each(|times| times.sort_unstable());
        Times(times)
    }
}

/// Everything that comes until the service hangs up.
fn answer(mut stream: impl Read + Write, request: &[u8]) -> Option<String> {
    stream.write_all(request).ok()?;
    let mut answer = String::new();
    stream.read_to_string(&mut answer).ok()?;
    Some(answer)
}

/// How long each took.
pub(super) struct Times([Vec<Duration>; 3]);

/// What the 99th of a hundred may take beside a crowd, or twice what it takes alone. The tests run a debug build beside others.
const LATE: Duration = Duration::from_millis(if cfg!(debug_assertions) { 250 } else { 50 });

impl Times {
    /// For each, its name, the median and the 99th of a hundred.
    fn each(&self) -> impl Iterator<Item = (&'static str, [Duration; 2])> {
        ASKED.into_iter().zip(self.0.iter().map(|times| [times[times.len() / 2], times[times.len() * 99 / 100]]))
    }

    /// What took longer than it may beside a crowd.
    pub(super) fn later_than(&self, alone: &Self) -> Vec<String> {
        let pairs = self.each().zip(alone.each());
        let late = pairs.filter(|((_, beside), (_, alone))| beside[1] > LATE.max(2 * alone[1]));
        late.map(|((what, beside), (_, alone))| format!("{what}: alone {alone:?}, beside {beside:?}")).collect()
    }

    /// The row of the record.
    pub(super) fn counts(&self, when: &str) -> Option<(String, usize)> {
        let (_, [median, late]) = self.each().next()?;
        let text = format!("microseconds for a POST {when} (99th of 100: {})", late.as_micros());
        Some((text, usize::try_from(median.as_micros()).unwrap()))
    }
}
