//! The client of webhook receivers. The host is looked up once, every address that comes back is checked, and the socket goes to
//! one of those very addresses: whoever answers for a name has no second answer.

use std::{
    fmt,
    net::IpAddr,
    sync::{Arc, OnceLock},
    time::{Duration, SystemTime},
};

use rustls::{ClientConfig, pki_types::ServerName};

use crate::{
    allowed_receivers::{AllowedReceivers, ForbiddenAddress},
    answer_reader::{AnswerLimits, AnswerReader},
    client::USER_AGENT,
    connection::{Connection, ExchangeFault},
    deadline::{Deadline, Interruption},
    exchange::Reply,
    receiver_url::ReceiverUrl,
    request_head::{NameCase, RequestBytes, RequestHead},
    resolver::{Resolver, SystemResolver, look_up},
    tls,
};

/// How long a try takes at most, from the look-up to the status.
pub const TRY_TIMEOUT: Duration = Duration::from_secs(15);

const CONNECT_TIMEOUT: Duration = Duration::from_secs(5);

/// After the status nothing of an answer matters any more. It is read for the sake of receivers that mind.
const LIMITS: AnswerLimits = AnswerLimits { body_bytes: 64 * 1024, after_head: Duration::from_secs(2) };

/// Addresses of one name that are connected to, one after the other.
const ADDRESSES: usize = 4;

/// The most characters of foreign text that are kept of a failure.
const MAX_TEXT: usize = 200;

/// What a receiver answered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Acknowledgement {
    pub status: u16,
    /// How long it wants to be left alone.
    pub retry_after: Option<Duration>,
}

/// Why there is no answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SendFailure {
    /// Nothing was connected to.
    Forbidden(ForbiddenAddress),
    Unreachable(String),
    TimedOut,
    /// The connection ended before a status, or what came is none.
    NoAnswer(String),
    /// The caller ended it.
    Stopped,
}

impl fmt::Display for SendFailure {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Forbidden(ForbiddenAddress::Special(address)) => write!(
                formatter,
                "its host leads to {address}, which is not on the internet at large and not in `events-allow`: nothing was sent"
            ),
            Self::Forbidden(ForbiddenAddress::OpenHttp) => {
                formatter.write_str("http is for receivers that `events-allow` lists: nothing was sent")
            }
            Self::Forbidden(ForbiddenAddress::None) => formatter.write_str("its host has no address"),
            Self::Unreachable(why) => write!(formatter, "it cannot be reached: {why}"),
            Self::TimedOut => write!(formatter, "it did not answer within {} s", TRY_TIMEOUT.as_secs()),
            Self::NoAnswer(why) => write!(formatter, "it did not answer: {why}"),
            Self::Stopped => formatter.write_str("the delivery was stopped"),
        }
    }
}

#[derive(Debug)]
pub struct WebhookClient {
    allowed: AllowedReceivers,
    resolver: Arc<dyn Resolver>,
    /// The certificates that the system trusts, read when they are first needed.
    tls: OnceLock<Result<Arc<ClientConfig>, String>>,
}

impl WebhookClient {
    #[must_use]
    pub fn new(allowed: AllowedReceivers) -> Self {
        Self::with_resolver(allowed, Arc::new(SystemResolver))
    }

    /// The same with another way to look up hosts.
    #[must_use]
    pub fn with_resolver(allowed: AllowedReceivers, resolver: Arc<dyn Resolver>) -> Self {
        Self { allowed, resolver, tls: OnceLock::new() }
    }

    /// Posts a JSON document once, with these headers. Ends soon after it is said to be stopped.
    ///
    /// # Errors
    /// When no status came back.
    pub fn post(
        &self,
        url: &ReceiverUrl,
        headers: &[(&str, String)],
        body: &[u8],
        is_stopped: &dyn Fn() -> bool,
    ) -> Result<Acknowledgement, SendFailure> {
        let deadline = Deadline::within(TRY_TIMEOUT, is_stopped);
        let request = request(url, headers, body)?;
        let mut connection = self.connect(url, deadline)?;
        let mut reply = Reply::default();
        match connection.exchange(&request, AnswerReader::new("POST", LIMITS), deadline, &mut reply) {
            Ok(()) => Ok(acknowledgement(&reply)),
            Err(_) if reply.status != 0 => Ok(acknowledgement(&reply)),
            Err(ExchangeFault::TimedOut) => Err(SendFailure::TimedOut),
            Err(ExchangeFault::Stopped) => Err(SendFailure::Stopped),
            Err(ExchangeFault::Broken(why)) => Err(SendFailure::NoAnswer(shortened(&why))),
            Err(ExchangeFault::Answer(fault)) => Err(SendFailure::NoAnswer(shortened(&fault.to_string()))),
        }
    }

    /// Connects to the first address that accepts, of those that were checked and no others.
    fn connect(&self, url: &ReceiverUrl, deadline: Deadline<'_>) -> Result<Connection, SendFailure> {
        let explain = |interruption, late: &str| match interruption {
            Interruption::Failed(error) => unreachable(&error.to_string()),
            Interruption::Stopped => SendFailure::Stopped,
            Interruption::TimedOut if deadline.is_over() => SendFailure::TimedOut,
            Interruption::TimedOut => unreachable(late),
        };
        let addresses = look_up(&self.resolver, &url.host, url.port, deadline);
        let mut addresses = addresses.map_err(|interruption| explain(interruption, ""))?;
        let all: Vec<IpAddr> = addresses.iter().map(|address| address.ip()).collect();
        self.allowed.check(url, &all).map_err(SendFailure::Forbidden)?;
        addresses.truncate(ADDRESSES);
        let tls = if url.is_https() { Some(self.tls()?) } else { None };
        let connection = Connection::open(addresses, CONNECT_TIMEOUT, deadline);
        let mut connection = connection.map_err(|interruption| explain(interruption, ""))?;
        let Some(tls) = tls else { return Ok(connection) };
        let name = ServerName::try_from(url.host.to_string());
        let name = name.map_err(|_| unreachable("no certificate can hold the name of its host"))?;
        match connection.secure(tls, name, deadline.sooner(CONNECT_TIMEOUT)) {
            Ok(()) => Ok(connection),
            Err(Interruption::Failed(error)) => Err(unreachable(&format!("TLS: {error}"))),
            Err(interruption) => Err(explain(interruption, "the TLS handshake did not end in time")),
        }
    }

    fn tls(&self) -> Result<&Arc<ClientConfig>, SendFailure> {
        self.tls.get_or_init(|| tls::config(None)).as_ref().map_err(|why| unreachable(why))
    }
}

fn request(url: &ReceiverUrl, headers: &[(&str, String)], body: &[u8]) -> Result<RequestBytes, SendFailure> {
    let head = RequestHead::new("POST", &url.target, NameCase::Lower)
        .header("host", &url.authority())
        .header("connection", "close")
        .header("user-agent", USER_AGENT)
        .header("content-type", "application/json");
    let head = headers.iter().fold(head, |head, (name, value)| head.header(name, value));
    head.with_body(body).map_err(|fault| SendFailure::NoAnswer(format!("the request cannot be written: {fault}")))
}

fn acknowledgement(reply: &Reply) -> Acknowledgement {
    let retry_after = reply.values("retry-after").next().and_then(|value| retry_after(value.trim()));
    Acknowledgement { status: reply.status, retry_after }
}

/// Seconds, or a date.
fn retry_after(text: &str) -> Option<Duration> {
    if !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit()) {
        return Some(Duration::from_secs(text.parse().unwrap_or(u64::MAX)));
    }
    let until = httpdate::parse_http_date(text).ok()?;
    until.duration_since(SystemTime::now()).ok()
}

fn unreachable(why: &str) -> SendFailure {
    SendFailure::Unreachable(shortened(why))
}

fn shortened(text: &str) -> String {
    text.chars().take(MAX_TEXT).collect()
}
