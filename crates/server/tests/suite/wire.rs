//! A registry on a port of its own, and a client that sends whatever bytes it is given.

use std::{
    io::{Read as _, Write as _},
    net::{Shutdown, SocketAddr, TcpStream},
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    thread::{self, JoinHandle},
    time::{Duration, Instant},
};

use svc_server::{
    door::{Door, Setup},
    http::serve::{self, ServeOptions},
};
use tokio::sync::oneshot;

use crate::kit::{ENDPOINTS, assert_closed, valid};

/// A running registry. It is stopped and its end awaited when it goes out of scope.
pub(crate) struct Server {
    pub(crate) address: SocketAddr,
    stop: Option<oneshot::Sender<()>>,
    thread: Option<JoinHandle<()>>,
}

impl Server {
    pub(crate) fn start(setup: Setup, options: ServeOptions) -> Self {
        svc_server::http::descriptors::raise();
        let (stop, stopped) = oneshot::channel();
        let (tell, told) = std::sync::mpsc::channel();
        let thread = thread::spawn(move || {
            let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build().unwrap();
            runtime.block_on(async {
                let listener = serve::listen("127.0.0.1:0".parse().unwrap()).unwrap();
                tell.send(listener.local_addr().unwrap()).unwrap();
                let stopped = async {
                    let _ = stopped.await;
                };
                serve::run(Door::new(setup), listener, options, stopped).await.unwrap();
            });
        });
        Self { address: told.recv().unwrap(), stop: Some(stop), thread: Some(thread) }
    }

    pub(crate) fn plain() -> Self {
        Self::start(Setup::default(), ServeOptions::default())
    }

    /// Tells it to stop, without waiting.
    pub(crate) fn stop(&mut self) {
        if let Some(stop) = self.stop.take() {
            let _ = stop.send(());
        }
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.stop();
        if let Some(thread) = self.thread.take() {
            let ended = thread.join();
            assert!(ended.is_ok() || thread::panicking(), "the server panicked");
        }
    }
}

/// An answer as it came over the wire.
#[derive(Clone, Debug)]
pub(crate) struct Reply {
    pub(crate) status: u16,
    pub(crate) head: String,
    pub(crate) body: Vec<u8>,
}

impl Reply {
    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        self.head.lines().skip(1).find_map(|line| {
            let (header, value) = line.split_once(':')?;
            header.eq_ignore_ascii_case(name).then(|| value.trim())
        })
    }
}

/// A connection to a server.
pub(crate) struct Client {
    stream: TcpStream,
    unread: Vec<u8>,
}

impl Client {
    pub(crate) fn connect(address: SocketAddr) -> Self {
        let stream = TcpStream::connect(address).unwrap();
        stream.set_read_timeout(Some(Duration::from_secs(20))).unwrap();
        stream.set_write_timeout(Some(Duration::from_secs(20))).unwrap();
        stream.set_nodelay(true).unwrap();
        Self { stream, unread: Vec::new() }
    }

    /// Sends bytes. A server that has hung up already is no failure of the client.
    pub(crate) fn send(&mut self, bytes: &[u8]) -> &mut Self {
        let _ = self.stream.write_all(bytes);
        self
    }

    /// Says that nothing more will come.
    pub(crate) fn end(&mut self) -> &mut Self {
        let _ = self.stream.shutdown(Shutdown::Write);
        self
    }

    pub(crate) fn patience(&mut self, time: Duration) -> &mut Self {
        self.stream.set_read_timeout(Some(time)).unwrap();
        self
    }

    /// The next final answer; nothing when the connection was closed without one.
    ///
    /// # Panics
    /// When the server neither answers nor hangs up.
    #[track_caller]
    pub(crate) fn reply(&mut self) -> Option<Reply> {
        self.reply_to("GET")
    }

    /// The next final answer to a request of this method: that to a HEAD has no body, whatever its length says.
    #[track_caller]
    pub(crate) fn reply_to(&mut self, method: &str) -> Option<Reply> {
        loop {
            let end = loop {
                if let Some(at) = self.unread.windows(4).position(|four| four == b"\r\n\r\n") {
                    break at + 4;
                }
                if !self.more() {
                    assert!(self.unread.is_empty(), "half an answer: {}", String::from_utf8_lossy(&self.unread));
                    return None;
                }
            };
            let head = String::from_utf8(self.unread.drain(..end).collect()).unwrap();
            let status: u16 = head.split(' ').nth(1).unwrap().parse().unwrap();
            let mut reply = Reply { status, head, body: Vec::new() };
            if status < 200 {
                continue;
            }
            let bodiless = method == "HEAD" || status == 304;
            let length = reply.header("content-length").filter(|_| !bodiless).map_or(0, |text| text.parse().unwrap());
            while self.unread.len() < length {
                assert!(self.more(), "the body broke off: {}", reply.head);
            }
            reply.body = self.unread.drain(..length).collect();
            return Some(reply);
        }
    }

    /// Whether the server hangs up now, and says nothing more.
    #[track_caller]
    pub(crate) fn is_closed(&mut self) -> bool {
        self.unread.is_empty() && !self.more()
    }

    /// Whether the first bytes that come are an answer in plain HTTP.
    pub(crate) fn speaks_http(&mut self) -> bool {
        while self.unread.len() < 5 && self.more() {}
        self.unread.starts_with(b"HTTP/")
    }

    /// Whether the connection ends before so many bytes have come.
    #[track_caller]
    pub(crate) fn ends_within(&mut self, most: usize) -> bool {
        while self.unread.len() < most {
            if !self.more() {
                return true;
            }
        }
        false
    }

    #[track_caller]
    fn more(&mut self) -> bool {
        let mut buffer = [0; 16 * 1024];
        match self.stream.read(&mut buffer) {
            Ok(read) => {
                self.unread.extend_from_slice(&buffer[..read]);
                read > 0
            }
            Err(error) if error.kind() == std::io::ErrorKind::WouldBlock => panic!("neither an answer nor an end"),
            Err(_) => false,
        }
    }
}

/// A well-formed request.
pub(crate) fn request(method: &str, path: &str, headers: &[&str], body: &[u8]) -> Vec<u8> {
    let mut text = format!("{method} {path} HTTP/1.1\r\nHost: registry.example\r\n");
    if method == "POST" {
        text += &format!("Content-Type: application/json\r\nContent-Length: {}\r\n", body.len());
    }
    headers.iter().for_each(|header| text += &format!("{header}\r\n"));
    let mut bytes = format!("{text}\r\n").into_bytes();
    bytes.extend_from_slice(body);
    bytes
}

/// Somebody who goes on asking properly while others misbehave.
pub(crate) struct GoodClient {
    enough: Arc<AtomicBool>,
    thread: JoinHandle<(usize, Duration)>,
}

impl GoodClient {
    pub(crate) fn start(address: SocketAddr) -> Self {
        let enough = Arc::new(AtomicBool::new(false));
        let told = Arc::clone(&enough);
        let thread = thread::spawn(move || {
            let (mut answers, mut slowest) = (0, Duration::ZERO);
            let mut client = Client::connect(address);
            while answers < 3 || !told.load(Ordering::Relaxed) {
                let (kind, path) = ENDPOINTS[1 + answers % 5];
                let started = Instant::now();
                let reply = client.send(&request("POST", path, &[], &valid(kind))).reply().expect("an answer");
                slowest = slowest.max(started.elapsed());
                assert_eq!(reply.status, 200, "{}", reply.head);
                assert_closed(200, &reply.body, path);
                answers += 1;
                thread::sleep(Duration::from_millis(20));
            }
            (answers, slowest)
        });
        Self { enough, thread }
    }

    /// How many answers it had, and how long it waited at most.
    pub(crate) fn enough(self) -> (usize, Duration) {
        self.enough.store(true, Ordering::Relaxed);
        self.thread.join().expect("good requests go on")
    }
}
