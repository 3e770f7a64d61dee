//! A careful client: one connection a request, no redirects, no proxy, no cookies, bounds on size and time.
//!
//! What is not here cannot go wrong: nothing of the environment is read, nothing is decompressed, nothing is sent twice,
//! and the token goes to the one address that was given, over TLS or to this machine.

mod address;
mod early_answer;
mod ordinary;
mod tls;

use std::{
    sync::{Arc, Mutex, PoisonError},
    time::Duration,
};

use bytes::Bytes;
use data_encoding::HEXLOWER;
use http_body_util::{BodyExt as _, Full};
use hyper::{
    HeaderMap,
    body::{Body as _, Incoming},
    client::conn::http1,
    ext::{ReasonPhrase, on_informational},
    header,
};
use hyper_util::rt::TokioIo;
use svc_core::{
    journal::scalars::{PROBE_HEADER, ProbeId},
    verification::FaultCode,
    words::limits,
};
use tokio::{
    io::{AsyncRead, AsyncWrite},
    net::TcpStream,
    runtime::Runtime,
};
use tokio_rustls::TlsConnector;

pub use self::address::{Address, AddressError};
use self::{
    address::Scheme,
    early_answer::{EarlyAnswerStream, WriteProgress},
    ordinary::Ordinary,
};
use crate::exchange::{
    Cause, EarlyReply, Identity, PartlySent, Reply, Request, Transport, TransportError, TransportKind,
};

/// The most that is read of an answer's headers, and how many of them.
const HEADER_BYTES: usize = 64 * 1024;
const HEADERS: usize = 64;

/// The most answers before the answer that are read.
const EARLY_REPLIES: usize = 16;

/// How long to wait.
#[derive(Clone, Copy, Debug)]
pub struct Timeouts {
    /// For a connection, with its handshake.
    pub connect: Duration,
    /// For a request and its whole answer.
    pub exchange: Duration,
}

impl Default for Timeouts {
    fn default() -> Self {
        Self { connect: Duration::from_secs(10), exchange: Duration::from_secs(limits::ANSWER_SECONDS) }
    }
}

/// A bearer token (RFC 6750). It is never printed.
pub struct BearerToken(String);

impl std::fmt::Debug for BearerToken {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.write_str("Token(…)")
    }
}

impl BearerToken {
    /// Reads a token: visible characters, with blanks around them.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        let text = text.trim();
        let plain = !text.is_empty() && text.len() <= 1024 && text.bytes().all(|byte| byte.is_ascii_graphic());
        plain.then(|| Self(text.to_owned()))
    }
}

pub struct Client {
    address: Address,
    /// The address, for people.
    base: String,
    token: Option<BearerToken>,
    probe: Option<ProbeId>,
    /// Whom the requests look like, where they are not to look like this program's.
    ordinary: Option<Ordinary>,
    tls: Option<TlsConnector>,
    timeouts: Timeouts,
    runtime: Runtime,
}

impl std::fmt::Debug for Client {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.debug_struct("Client").field("address", &self.address).finish_non_exhaustive()
    }
}

impl Client {
    /// A client of the registry at an address. `authority` is a PEM file's content whose certificates are believed beside
    /// those of the system.
    ///
    /// # Errors
    /// When the certificates cannot be used or the system gives no thread.
    pub fn new(
        address: Address,
        token: Option<BearerToken>,
        authority: Option<&[u8]>,
        timeouts: Timeouts,
    ) -> Result<Self, String> {
        let tls = match address.scheme {
            Scheme::Https => Some(tls::connector(authority)?),
            Scheme::Http => None,
        };
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
        let runtime = runtime.map_err(|error| format!("cannot start: {error}"))?;
        let base = address.root();
        Ok(Self { address, base, token, probe: None, ordinary: None, tls, timeouts, runtime })
    }

    /// The same client, whose requests are marked as the probes of one run of the verifier.
    ///
    /// # Errors
    /// When the system has no randomness to name the run with.
    pub fn as_probe(self) -> Result<Self, String> {
        let mut name = [0; 16];
        getrandom::fill(&mut name).map_err(|error| format!("cannot name the run: {error}"))?;
        Ok(Self { probe: ProbeId::parse(&HEXLOWER.encode(&name)), ..self })
    }

    /// The same client, whose requests look like those of a widespread one, at the pace of somebody who sends them one by one.
    ///
    /// # Errors
    /// When the system has no randomness to choose with.
    pub fn as_ordinary(self) -> Result<Self, String> {
        Ok(Self { ordinary: Some(Ordinary::choose()?), ..self })
    }

    async fn exchange(&self, request: &Request, seen: &mut Reply) -> Result<(), TransportError> {
        let stream = match tokio::time::timeout(self.timeouts.connect, self.connect()).await {
            Ok(connected) => connected?,
            Err(_) => return Err(late("no connection was made in time")),
        };
        let Some(tls) = &self.tls else { return self.speak(stream, request, seen).await };
        let name = self
            .address
            .server_name()
            .ok_or_else(|| unreachable("the host must be a name or an IP address that a certificate can hold"))?;
        let stream = match tokio::time::timeout(self.timeouts.connect, tls.connect(name, stream)).await {
            Ok(Ok(stream)) => stream,
            Ok(Err(error)) => {
                let cause = tls::cause(&error);
                return Err(TransportError { cause, ..unreachable(&format!("TLS: {error}")) });
            }
            Err(_) => return Err(late("the TLS handshake did not end in time")),
        };
        self.speak(stream, request, seen).await
    }

    /// Connects to the first address that takes it. A name that was let pass as this machine has to be this machine.
    async fn connect(&self) -> Result<TcpStream, TransportError> {
        let found = tokio::net::lookup_host((self.address.host.as_str(), self.address.port)).await;
        let found = found.map_err(|error| unreachable(&format!("{}: {error}", self.address.host)))?;
        let mut last = "the host name has no IP address".to_owned();
        for address in found.take(8) {
            if self.address.scheme == Scheme::Http && !address.ip().is_loopback() {
                return Err(unreachable(
                    "http is for this machine only, and the host name is of another one; use https",
                ));
            }
            match TcpStream::connect(address).await {
                Ok(stream) => return Ok(stream),
                Err(error) => last = format!("{address}: {error}"),
            }
        }
        Err(unreachable(&last))
    }

    async fn speak<S>(&self, stream: S, request: &Request, seen: &mut Reply) -> Result<(), TransportError>
    where
        S: AsyncRead + AsyncWrite + Unpin + Send + 'static,
    {
        let mut builder = http1::Builder::new();
        builder.max_buf_size(HEADER_BYTES).max_headers(HEADERS).title_case_headers(self.ordinary.is_some());
        let progress = Arc::new(WriteProgress::default());
        let stream = EarlyAnswerStream::new(stream, Arc::clone(&progress));
        let (mut sender, connection) = builder.handshake(TokioIo::new(stream)).await.map_err(broken)?;
        let connection = tokio::spawn(connection);
        let mut request = self.written(request)?;
        let early = Arc::new(Mutex::new(Vec::new()));
        note_early(&mut request, &early);
        let of = request.body().size_hint().exact().and_then(|bytes| usize::try_from(bytes).ok()).unwrap_or_default();
        let answered = async {
            let response = sender.send_request(request).await.map_err(broken)?;
            seen.status = response.status().as_u16();
            seen.headers = texts(response.headers());
            let reason = response.extensions().get::<ReasonPhrase>();
            seen.reason = reason.map(|reason| String::from_utf8_lossy(reason.as_bytes()).into_owned());
            read(response.into_body(), seen).await
        };
        let answered = answered.await;
        connection.abort();
        seen.early.append(&mut early.lock().unwrap_or_else(PoisonError::into_inner));
        if answered.is_ok() && seen.early.len() > EARLY_REPLIES {
            let message = format!("more than {EARLY_REPLIES} answers came before the answer");
            return Err(TransportError { code: FaultCode::OverBounds, message, cause: Cause::Other, partial: None });
        }
        let sent = progress.body_bytes();
        seen.partly_sent = (sent < of).then_some(PartlySent { sent, of });
        answered.map_err(|error| match progress.failure() {
            Some(failure) if seen.status == 0 => {
                let message = format!(
                    "the connection was closed after {sent} of {of} bytes of the request body, and no answer came: {failure}"
                );
                TransportError { message, ..error }
            }
            Some(_) | None => error,
        })
    }

    fn written(&self, request: &Request) -> Result<hyper::Request<Full<Bytes>>, TransportError> {
        let path = format!("{}{}", self.address.prefix, request.path);
        let builder = hyper::Request::builder().method(request.method).uri(path);
        let mut builder = builder.header(header::HOST, &self.address.authority);
        builder = match &self.ordinary {
            Some(ordinary) => ordinary.dress(builder, &request.headers),
            None => builder
                .header(header::CONNECTION, "close")
                .header(header::USER_AGENT, concat!("svc/", env!("CARGO_PKG_VERSION"))),
        };
        if let Some(probe) = &self.probe {
            builder = builder.header(PROBE_HEADER, probe.as_str());
        }
        for (name, value) in &request.headers {
            builder = builder.header(*name, value.as_ref());
        }
        if let (Some(BearerToken(token)), Identity::Own) = (&self.token, request.identity) {
            builder = builder.header(header::AUTHORIZATION, format!("Bearer {token}"));
        }
        builder.body(Full::new(request.body.to_bytes())).map_err(|error| TransportError {
            code: FaultCode::NoAnswer,
            message: format!("the request cannot be written: {error}"),
            cause: Cause::Other,
            partial: None,
        })
    }
}

impl Transport for Client {
    fn send(&self, request: &Request) -> Result<Reply, TransportError> {
        if let Some(ordinary) = &self.ordinary {
            std::thread::sleep(ordinary.pause());
        }
        let mut seen = Reply::default();
        let bounded = async { tokio::time::timeout(self.timeouts.exchange, self.exchange(request, &mut seen)).await };
        let ended = self.runtime.block_on(bounded).unwrap_or_else(|_| {
            let message = format!("no complete answer came within {} s", self.timeouts.exchange.as_secs_f32());
            Err(TransportError { code: FaultCode::NoAnswer, message, cause: Cause::TimedOut, partial: None })
        });
        match ended {
            Ok(()) => Ok(seen),
            Err(unanswered) => {
                Err(TransportError { partial: (seen.status != 0).then(|| Box::new(seen)), ..unanswered })
            }
        }
    }

    fn kind(&self) -> TransportKind {
        TransportKind::Network
    }

    fn base(&self) -> &str {
        &self.base
    }

    fn has_token(&self) -> bool {
        self.token.is_some()
    }

    fn probe(&self) -> Option<&ProbeId> {
        self.probe.as_ref()
    }
}

async fn read(mut body: Incoming, seen: &mut Reply) -> Result<(), TransportError> {
    while let Some(frame) = body.frame().await {
        let frame = frame.map_err(broken)?;
        if let Some(trailers) = frame.trailers_ref() {
            seen.trailers.extend(texts(trailers));
        }
        let Some(data) = frame.data_ref() else { continue };
        let room = limits::ANSWER_BYTES.saturating_sub(seen.body.len());
        seen.body.extend_from_slice(data.get(..room).unwrap_or(data));
        if data.len() > room {
            let message = format!("the answer must have at most {} bytes, and is larger", limits::ANSWER_BYTES);
            return Err(TransportError { code: FaultCode::OverBounds, message, cause: Cause::Other, partial: None });
        }
    }
    Ok(())
}

/// Keeps what comes before the answer, and of a flood only that it is one.
fn note_early<B>(request: &mut hyper::Request<B>, early: &Arc<Mutex<Vec<EarlyReply>>>) {
    let early = Arc::clone(early);
    on_informational(request, move |reply| {
        let mut early = early.lock().unwrap_or_else(PoisonError::into_inner);
        if early.len() <= EARLY_REPLIES {
            early.push(EarlyReply { status: reply.status().as_u16(), headers: texts(reply.headers()) });
        }
    });
}

fn texts(headers: &HeaderMap) -> Vec<(String, String)> {
    let text = |value: &[u8]| String::from_utf8_lossy(value).into_owned();
    headers.iter().map(|(name, value)| (name.to_string(), text(value.as_bytes()))).collect()
}

fn unreachable(message: &str) -> TransportError {
    TransportError { code: FaultCode::Unreachable, message: message.to_owned(), cause: Cause::Other, partial: None }
}

fn late(message: &str) -> TransportError {
    TransportError { cause: Cause::TimedOut, ..unreachable(message) }
}

fn broken(error: hyper::Error) -> TransportError {
    let reason = std::error::Error::source(&error).map(|reason| format!(": {reason}")).unwrap_or_default();
    let cause = if error.is_parse() { Cause::NotHttp } else { Cause::Other };
    TransportError { code: FaultCode::NoAnswer, message: format!("{error}{reason}"), cause, partial: None }
}
