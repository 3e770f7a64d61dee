//! Slow clients of every kind, in a process of their own: what they cost is not taken from whoever asks properly.

use std::{
    env,
    net::{Ipv4Addr, SocketAddr},
    process::{Child, Command, Stdio},
    sync::Arc,
    time::Duration,
};

use svc_core::words::limits;
use tokio::{
    io::{AsyncReadExt as _, AsyncWriteExt as _},
    net::{TcpSocket, TcpStream},
    runtime::Builder,
};

use crate::running::{ENDPOINT, INDEX_ENDPOINT};

/// A way to be slow: what is sent first, and what then comes every second.
pub(super) struct Slow {
    pub(super) name: &'static str,
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

/// What a client says first that is about to speak TLS: a record of 512 bytes, the first message of a handshake.
const HELLO: [u8; 11] = [0x16, 0x03, 0x01, 0x02, 0x00, 0x01, 0x00, 0x01, 0xfc, 0x03, 0x03];

/// How many of them are for a service that speaks TLS.
pub(super) const OF_TLS: usize = 3;

/// All ways, those of TLS last.
pub(super) fn kinds() -> Vec<Slow> {
    let long_answers = format!("GET {LONG_ANSWER} HTTP/1.1\r\nHost: localhost\r\n\r\n").repeat(100).into_bytes();
    vec![
        slow("silence", Vec::new(), b""),
        slow("half a head", b"POST /x HTTP/1.1\r\nHost: localhost\r\n".to_vec(), b""),
        slow("a head by drips", b"GET /livez HTTP/1.1\r\n".to_vec(), b"X: a\r\n"),
        slow("an idle connection", b"GET /livez HTTP/1.1\r\nHost: localhost\r\n\r\n".to_vec(), b""),
        slow("half a body", [&head(ENDPOINT, 100_000)[..], &[b' '; 5_000]].concat(), b""),
        slow("a body by drips", head(ENDPOINT, 100_000), b" "),
        slow("a large body, just fast enough", head(INDEX_ENDPOINT, 16 << 20), &[b' '; 1_500]),
        Slow { reads: false, ..slow("answers that nobody reads", long_answers, b"") },
        slow("no handshake", Vec::new(), b""),
        slow("half a handshake", HELLO.to_vec(), b""),
        slow("a handshake by drips", HELLO[..6].to_vec(), b"\x00"),
    ]
}

/// What a reader who does not read asks for, again and again.
const LONG_ANSWER: &str = "/api/sdk/registry/openapi.json";

/// How long a slow client that was sent away waits before it is back. Those that were sent away together come back together.
const BACK_AFTER: Duration = Duration::from_secs(4);

impl Slow {
    /// How many of so many from one address are let in at once: readers who do not read only while there is room for their answers.
    pub(super) fn let_in(&self, count: usize, length_of: impl Fn(&str) -> usize) -> usize {
        let connections = count.min(limits::CONNECTIONS_PER_ADDRESS);
        if self.reads { connections } else { connections.min(limits::ANSWERS_IN_FLIGHT / length_of(LONG_ANSWER)) }
    }

    /// One client, for as long as the process lives. It comes back whenever it is sent away.
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

/// The process of a crowd, which ends with this.
pub(super) struct Crowd(Child);

const ASKED: &str = "SVC_TEST_CROWD";

impl Crowd {
    /// So many of the kind at this place, from so many addresses.
    pub(super) fn start(kind: usize, count: usize, addresses: u8, to: &str) -> Self {
        let mut process = Command::new(env::current_exe().unwrap());
        process.args(["--exact", "--ignored", "--quiet", "slow_clients::crowd::a_crowd_for_another_process"]);
        process.env(ASKED, format!("{kind} {count} {addresses} {to}"));
        Self(process.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap())
    }
}

impl Drop for Crowd {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

#[test]
#[ignore = "it is the crowd of another test, which starts it"]
fn a_crowd_for_another_process() {
    let asked = env::var(ASKED).expect("started by the test");
    let words: Vec<&str> = asked.split(' ').collect();
    let [kind, count, addresses, to] = words.as_slice() else { panic!("{asked}") };
    let (number, count, addresses): (usize, usize, usize) =
        (kind.parse().unwrap(), count.parse().unwrap(), addresses.parse().unwrap());
    let (kind, to): (_, SocketAddr) = (Arc::new(kinds().swap_remove(number)), to.parse().unwrap());
    svc_server::http::descriptors::raise();
    let runtime = Builder::new_multi_thread().worker_threads(1).enable_all().build().unwrap();
    for number in 0..count {
        let from = Ipv4Addr::new(127, 0, 0, 1 + u8::try_from(number % addresses).unwrap());
        runtime.spawn(Arc::clone(&kind).be(to, from));
    }
    runtime.block_on(std::future::pending::<()>());
}
