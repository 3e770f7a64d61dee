//! A receiver of webhooks on this machine: it records everything that comes, and answers as it is told.

use std::{
    io::{self, BufRead as _, BufReader, Read as _, Write as _},
    net::{SocketAddr, TcpListener, TcpStream},
    sync::{
        Arc, Mutex, PoisonError,
        atomic::{AtomicBool, AtomicUsize, Ordering},
    },
    thread,
    time::{Duration, Instant},
};

/// A delivery as it came.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Received {
    pub target: String,
    pub host: String,
    pub id: String,
    pub timestamp: String,
    pub signature: String,
    pub body: Vec<u8>,
}

/// What is answered to a delivery, whole.
type Answer = dyn Fn(&Received) -> Vec<u8> + Send + Sync;

/// It ends with the value.
pub struct Receiver {
    pub address: SocketAddr,
    shared: Arc<Shared>,
}

struct Shared {
    received: Mutex<Vec<Received>>,
    connections: AtomicUsize,
    answer: Mutex<Box<Answer>>,
    stop: AtomicBool,
}

/// An answer with a status and no body.
#[must_use]
pub fn status(status: u16) -> Vec<u8> {
    with_header(status, "")
}

/// The same with a header.
#[must_use]
pub fn with_header(status: u16, header: &str) -> Vec<u8> {
    let header = if header.is_empty() { String::new() } else { format!("{header}\r\n") };
    format!("HTTP/1.1 {status} X\r\n{header}content-length: 0\r\nconnection: close\r\n\r\n").into_bytes()
}

impl Receiver {
    /// Listens on a port of an address of this machine.
    ///
    /// # Panics
    /// When it cannot.
    #[must_use]
    pub fn on(address: &str, answer: impl Fn(&Received) -> Vec<u8> + Send + Sync + 'static) -> Self {
        Self::try_on(address, answer).unwrap_or_else(|error| panic!("{address}: {error}"))
    }

    /// The same, where somebody else may have the port.
    ///
    /// # Errors
    /// When it cannot be listened on.
    pub fn try_on(address: &str, answer: impl Fn(&Received) -> Vec<u8> + Send + Sync + 'static) -> io::Result<Self> {
        let listener = TcpListener::bind(address)?;
        let address = listener.local_addr()?;
        let shared = Arc::new(Shared {
            received: Mutex::default(),
            connections: AtomicUsize::default(),
            answer: Mutex::new(Box::new(answer)),
            stop: AtomicBool::default(),
        });
        let taking = Arc::clone(&shared);
        thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                if taking.stop.load(Ordering::Relaxed) {
                    return;
                }
                taking.connections.fetch_add(1, Ordering::Relaxed);
                let shared = Arc::clone(&taking);
                thread::spawn(move || shared.take(stream));
            }
        });
        Ok(Self { address, shared })
    }

    /// One that answers 200.
    #[must_use]
    pub fn willing() -> Self {
        Self::on("127.0.0.1:0", |_| status(200))
    }

    /// Answers otherwise from now on.
    pub fn answer(&self, answer: impl Fn(&Received) -> Vec<u8> + Send + Sync + 'static) {
        *self.shared.answer.lock().unwrap_or_else(PoisonError::into_inner) = Box::new(answer);
    }

    /// Where deliveries are sent.
    #[must_use]
    pub fn url(&self) -> String {
        format!("http://{}/in", self.address)
    }

    /// Everything that came so far, in order.
    #[must_use]
    pub fn received(&self) -> Vec<Received> {
        self.shared.received.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// How many connections were made, whatever came on them.
    #[must_use]
    pub fn connections(&self) -> usize {
        self.shared.connections.load(Ordering::Relaxed)
    }

    /// Waits until what came is enough.
    ///
    /// # Panics
    /// When it is not in time.
    #[track_caller]
    pub fn wait_until(&self, limit: Duration, is_enough: impl Fn(&[Received]) -> bool) -> Vec<Received> {
        let start = Instant::now();
        loop {
            let received = self.received();
            if is_enough(&received) {
                return received;
            }
            let ids: Vec<&str> = received.iter().map(|each| each.id.as_str()).collect();
            assert!(start.elapsed() < limit, "not in time: {ids:?}");
            thread::sleep(Duration::from_millis(10));
        }
    }
}

impl Drop for Receiver {
    fn drop(&mut self) {
        self.shared.stop.store(true, Ordering::Relaxed);
        let _ = TcpStream::connect(self.address);
    }
}

impl Shared {
    fn take(&self, mut stream: TcpStream) -> Option<()> {
        let mut reader = BufReader::new(stream.try_clone().ok()?);
        let mut line = String::new();
        reader.read_line(&mut line).ok()?;
        let target = line.split(' ').nth(1)?.to_owned();
        let mut headers = Vec::new();
        loop {
            let mut line = String::new();
            reader.read_line(&mut line).ok().filter(|read| *read > 0)?;
            let Some((name, value)) = line.trim_end().split_once(':') else { break };
            headers.push((name.to_ascii_lowercase(), value.trim().to_owned()));
        }
        let header = |name: &str| {
            headers.iter().find(|(known, _)| known == name).map(|(_, value)| value.clone()).unwrap_or_default()
        };
        let mut body = vec![0; header("content-length").parse().ok()?];
        reader.read_exact(&mut body).ok()?;
        let received = Received {
            target,
            host: header("host"),
            id: header("webhook-id"),
            timestamp: header("webhook-timestamp"),
            signature: header("webhook-signature"),
            body,
        };
        // Recorded before it is answered: what was answered is always known.
        self.received.lock().unwrap_or_else(PoisonError::into_inner).push(received.clone());
        let answer = (self.answer.lock().unwrap_or_else(PoisonError::into_inner))(&received);
        stream.write_all(&answer).ok()
    }
}
