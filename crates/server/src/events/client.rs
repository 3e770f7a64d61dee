//! A careful client for deliveries. The host is looked up once, every address that comes back is looked at, and the socket goes
//! to one of those very addresses: whoever answers for a name has no second answer. No redirect is followed, no proxy is asked,
//! nothing of the environment is read but the system's certificates, and no more of an answer is read than its bound.

use std::{
    fmt, io,
    net::{IpAddr, SocketAddr, ToSocketAddrs as _},
    sync::{Arc, OnceLock},
    time::{Duration, SystemTime},
};

use bytes::Bytes;
use http_body_util::{BodyExt as _, Full};
use hyper::{
    HeaderMap,
    body::Incoming,
    client::conn::http1,
    header::{self, HeaderValue},
};
use hyper_util::rt::TokioIo;
use svc_journal::webhook_secret::WebhookSecret;
use tokio::{
    io::{AsyncRead, AsyncWrite},
    net::TcpStream,
    task, time,
};
use tokio_rustls::{
    TlsConnector,
    rustls::{ClientConfig, RootCertStore, crypto, pki_types::ServerName},
};

use super::{
    allowed_receivers::{AllowedReceivers, ForbiddenAddress},
    receiver_url::ReceiverUrl,
    signature::WebhookMessage,
};
use crate::hosts::Host;

/// How long a try takes at most, from the look-up to the status.
pub const TRY_TIMEOUT: Duration = Duration::from_secs(15);

const CONNECT_TIMEOUT: Duration = Duration::from_secs(5);

/// After the status nothing of an answer matters any more. It is read for the sake of receivers that mind.
const DISCARD_TIMEOUT: Duration = Duration::from_secs(2);

/// The most bytes of an answer that are read: its head, and then its body.
const ANSWER_BYTES: usize = 64 * 1024;

const ANSWER_HEADERS: usize = 64;

/// Addresses of one name that are connected to, one after the other.
const ADDRESSES: usize = 4;

/// The longest words of somebody else that are kept of a failure.
const MAX_WORDS: usize = 200;

/// Looks up hosts.
pub trait Resolver: fmt::Debug + Send + Sync {
    /// Every address of a host. Blocks.
    ///
    /// # Errors
    /// When there is no answer.
    fn resolve(&self, host: &str, port: u16) -> io::Result<Vec<IpAddr>>;
}

/// The system's own.
#[derive(Clone, Copy, Debug)]
pub struct SystemResolver;

impl Resolver for SystemResolver {
    fn resolve(&self, host: &str, port: u16) -> io::Result<Vec<IpAddr>> {
        Ok((host, port).to_socket_addrs()?.map(|address| address.ip()).collect())
    }
}

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
        }
    }
}

#[derive(Debug)]
pub struct WebhookClient {
    allowed: AllowedReceivers,
    resolver: Arc<dyn Resolver>,
    tls: OnceLock<Result<TlsConfig, String>>,
}

#[derive(Clone)]
struct TlsConfig(Arc<ClientConfig>);

impl fmt::Debug for TlsConfig {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("TlsConfig")
    }
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

    /// Sends a message once, signed with each of the secrets.
    ///
    /// # Errors
    /// When no status came back.
    pub async fn post(
        &self,
        url: &ReceiverUrl,
        message: WebhookMessage,
        secrets: &[&WebhookSecret],
    ) -> Result<Acknowledgement, SendFailure> {
        let sent = time::timeout(TRY_TIMEOUT, self.exchange(url, message, secrets)).await;
        sent.unwrap_or(Err(SendFailure::TimedOut))
    }

    async fn exchange(
        &self,
        url: &ReceiverUrl,
        message: WebhookMessage,
        secrets: &[&WebhookSecret],
    ) -> Result<Acknowledgement, SendFailure> {
        let addresses = self.resolve(url).await?;
        self.allowed.check(url, &addresses).map_err(SendFailure::Forbidden)?;
        let request = request(url, message, secrets)?;
        let tls = if url.is_https() { Some(self.tls()?) } else { None };
        let stream = connect(url, &addresses).await?;
        let Some(tls) = tls else { return speak(stream, request).await };
        let name = ServerName::try_from(url.host_text());
        let name = name.map_err(|_| unreachable("no certificate can hold the name of its host"))?;
        match time::timeout(CONNECT_TIMEOUT, tls.connect(name, stream)).await {
            Ok(Ok(stream)) => speak(stream, request).await,
            Ok(Err(error)) => Err(unreachable(&format!("TLS: {error}"))),
            Err(_) => Err(unreachable("the TLS handshake did not end in time")),
        }
    }

    /// The addresses of a host, looked up once.
    async fn resolve(&self, url: &ReceiverUrl) -> Result<Vec<IpAddr>, SendFailure> {
        let (name, port) = match &url.host {
            Host::Address(address) => return Ok(vec![*address]),
            Host::Name(name) => (name.clone(), url.port),
        };
        let resolver = Arc::clone(&self.resolver);
        let found = task::spawn_blocking(move || resolver.resolve(&name, port)).await;
        found
            .map_err(|_| unreachable("the look-up of its host failed"))?
            .map_err(|error| unreachable(&error.to_string()))
    }

    /// TLS by the certificates that the system believes, read when they are first needed.
    fn tls(&self) -> Result<TlsConnector, SendFailure> {
        let config = self.tls.get_or_init(tls_config).as_ref();
        config.map(|config| TlsConnector::from(Arc::clone(&config.0))).map_err(|why| unreachable(why))
    }
}

fn tls_config() -> Result<TlsConfig, String> {
    let mut roots = RootCertStore::empty();
    roots.add_parsable_certificates(rustls_native_certs::load_native_certs().certs);
    if roots.is_empty() {
        return Err("the system has no certificates to check a receiver with".to_owned());
    }
    let builder = ClientConfig::builder_with_provider(Arc::new(crypto::ring::default_provider()))
        .with_safe_default_protocol_versions()
        .map_err(|error| error.to_string())?;
    let mut config = builder.with_root_certificates(roots).with_no_client_auth();
    config.alpn_protocols = vec![b"http/1.1".to_vec()];
    Ok(TlsConfig(Arc::new(config)))
}

/// Connects to the first that takes it, of those that were looked at and no others.
async fn connect(url: &ReceiverUrl, addresses: &[IpAddr]) -> Result<TcpStream, SendFailure> {
    let mut last = "its host has no address".to_owned();
    for address in addresses.iter().take(ADDRESSES) {
        let place = SocketAddr::new(*address, url.port);
        match time::timeout(CONNECT_TIMEOUT, TcpStream::connect(place)).await {
            Ok(Ok(stream)) => return Ok(stream),
            Ok(Err(error)) => last = format!("{place}: {error}"),
            Err(_) => last = format!("{place}: no connection was made in time"),
        }
    }
    Err(unreachable(&last))
}

fn request(
    url: &ReceiverUrl,
    message: WebhookMessage,
    secrets: &[&WebhookSecret],
) -> Result<hyper::Request<Full<Bytes>>, SendFailure> {
    let signatures = message.signatures(secrets);
    let WebhookMessage { id, timestamp, body } = message;
    hyper::Request::post(url.target.as_str())
        .header(header::HOST, url.authority())
        .header(header::CONNECTION, "close")
        .header(header::USER_AGENT, concat!("svc/", env!("CARGO_PKG_VERSION")))
        .header(header::CONTENT_TYPE, "application/json")
        .header("webhook-id", id)
        .header("webhook-timestamp", timestamp)
        .header("webhook-signature", signatures)
        .body(Full::new(Bytes::from(body)))
        .map_err(|error| SendFailure::NoAnswer(format!("the request cannot be written: {error}")))
}

async fn speak<S>(stream: S, request: hyper::Request<Full<Bytes>>) -> Result<Acknowledgement, SendFailure>
where
    S: AsyncRead + AsyncWrite + Unpin + Send + 'static,
{
    let builder = http1::Builder::new().max_buf_size(ANSWER_BYTES).max_headers(ANSWER_HEADERS).clone();
    let (mut sender, connection) = builder.handshake(TokioIo::new(stream)).await.map_err(|error| broken(&error))?;
    let connection = task::spawn(connection);
    let answered = sender.send_request(request).await.map_err(|error| broken(&error));
    let answered = match answered {
        Ok(response) => {
            let told =
                Acknowledgement { status: response.status().as_u16(), retry_after: retry_after(response.headers()) };
            let _ = time::timeout(DISCARD_TIMEOUT, discard(response.into_body())).await;
            Ok(told)
        }
        Err(failure) => Err(failure),
    };
    connection.abort();
    answered
}

async fn discard(mut body: Incoming) {
    let mut read = 0;
    while let Some(Ok(frame)) = body.frame().await {
        read += frame.data_ref().map_or(0, Bytes::len);
        if read >= ANSWER_BYTES {
            return;
        }
    }
}

/// Seconds, or a date.
fn retry_after(headers: &HeaderMap<HeaderValue>) -> Option<Duration> {
    let text = headers.get(header::RETRY_AFTER)?.to_str().ok()?.trim();
    if !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit()) {
        return Some(Duration::from_secs(text.parse().unwrap_or(u64::MAX)));
    }
    let until = httpdate::parse_http_date(text).ok()?;
    until.duration_since(SystemTime::now()).ok()
}

fn unreachable(why: &str) -> SendFailure {
    SendFailure::Unreachable(why.chars().take(MAX_WORDS).collect())
}

fn broken(error: &hyper::Error) -> SendFailure {
    let cause = std::error::Error::source(error).map(|cause| format!(": {cause}")).unwrap_or_default();
    SendFailure::NoAnswer(format!("{error}{cause}").chars().take(MAX_WORDS).collect())
}
