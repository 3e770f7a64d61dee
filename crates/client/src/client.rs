//! The client of a registry or a witness. Its token goes to the one address that was given, over TLS or to this machine.

use std::{sync::Arc, time::Duration};

use data_encoding::HEXLOWER;
use rustls::{ClientConfig, pki_types::ServerName};
use svc_core::{
    journal::scalars::{PROBE_HEADER, ProbeId},
    verification::FaultCode,
    words::limits,
};

use crate::{
    address::Address,
    answer_reader::{AnswerFault, AnswerLimits, AnswerReader},
    authority::Scheme,
    connection::{Connection, ExchangeFault},
    deadline::{Deadline, Interruption},
    exchange::{Cause, Identity, Reply, Request, Transport, TransportError, TransportKind},
    ordinary::Ordinary,
    request_head::{NameCase, RequestBytes, RequestHead},
    resolver::{Resolver, SystemResolver, look_up},
    tls,
};

/// Who the requests say they come from, where they do not look ordinary.
pub(crate) const USER_AGENT: &str = concat!("svc/", env!("CARGO_PKG_VERSION"));

/// The most addresses of one name that are connected to, one after the other.
const ADDRESSES: usize = 8;

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
    tls: Option<Arc<ClientConfig>>,
    timeouts: Timeouts,
    resolver: Arc<dyn Resolver>,
}

impl std::fmt::Debug for Client {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.debug_struct("Client").field("address", &self.address).finish_non_exhaustive()
    }
}

impl Client {
    /// A client of the registry at an address. `authority` is a PEM file's content whose certificates are accepted in
    /// addition to those of the system.
    ///
    /// # Errors
    /// When the certificates cannot be used.
    pub fn new(
        address: Address,
        token: Option<BearerToken>,
        authority: Option<&[u8]>,
        timeouts: Timeouts,
    ) -> Result<Self, String> {
        let tls = match address.scheme {
            Scheme::Https => Some(tls::config(authority)?),
            Scheme::Http => None,
        };
        let base = address.root();
        let resolver = Arc::new(SystemResolver);
        Ok(Self { address, base, token, probe: None, ordinary: None, tls, timeouts, resolver })
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

    fn exchange(&self, request: &Request, deadline: Deadline<'_>, seen: &mut Reply) -> Result<(), TransportError> {
        let bytes = self.written(request)?;
        let mut connection = self.connect(deadline)?;
        let limits = AnswerLimits { body_bytes: limits::ANSWER_BYTES, after_head: self.timeouts.exchange };
        let reader = AnswerReader::new(request.method, limits);
        connection.exchange(&bytes, reader, deadline, seen).map_err(|fault| match fault {
            ExchangeFault::TimedOut | ExchangeFault::Stopped => self.too_late(),
            ExchangeFault::Broken(message) => no_answer(message, Cause::Other),
            ExchangeFault::Answer(fault @ AnswerFault::Malformed(_)) => {
                no_answer(fault.to_string(), if seen.status == 0 { Cause::NotHttp } else { Cause::Other })
            }
            ExchangeFault::Answer(fault @ (AnswerFault::BodyTooLarge(_) | AnswerFault::TooManyEarly)) => {
                TransportError { code: FaultCode::OverBounds, ..no_answer(fault.to_string(), Cause::Other) }
            }
        })
    }

    /// Connects to the first address that accepts. A name that passed as this machine has to be this machine.
    fn connect(&self, deadline: Deadline<'_>) -> Result<Connection, TransportError> {
        let (soon, host) = (deadline.sooner(self.timeouts.connect), self.address.host.clone());
        let explain = |interruption, late: &str| match interruption {
            Interruption::Failed(error) => unreachable(&error.to_string()),
            Interruption::TimedOut | Interruption::Stopped if deadline.is_over() => self.too_late(),
            Interruption::TimedOut | Interruption::Stopped => {
                TransportError { cause: Cause::TimedOut, ..unreachable(late) }
            }
        };
        let addresses = look_up(&self.resolver, &host, self.address.port, soon);
        let mut addresses =
            addresses.map_err(|interruption| explain(interruption, "its host was not looked up in time"))?;
        addresses.truncate(ADDRESSES);
        if self.address.scheme == Scheme::Http
            && !addresses.iter().all(|address| address.ip().to_canonical().is_loopback())
        {
            return Err(unreachable("http is for this machine only, and the host name is of another one; use https"));
        }
        let connection = Connection::open(addresses, self.timeouts.connect, soon);
        let mut connection =
            connection.map_err(|interruption| explain(interruption, "no connection was made in time"))?;
        let Some(tls) = &self.tls else { return Ok(connection) };
        let name = ServerName::try_from(host.to_string())
            .map_err(|_| unreachable("the host must be a name or an IP address that a certificate can hold"))?;
        match connection.secure(tls, name, deadline.sooner(self.timeouts.connect)) {
            Ok(()) => Ok(connection),
            Err(Interruption::Failed(error)) => {
                Err(TransportError { cause: tls::cause(&error), ..unreachable(&format!("TLS: {error}")) })
            }
            Err(interruption) => Err(explain(interruption, "the TLS handshake did not end in time")),
        }
    }

    fn written(&self, request: &Request) -> Result<RequestBytes, TransportError> {
        let target = format!("{}{}", self.address.prefix, request.path);
        let case = if self.ordinary.is_some() { NameCase::Title } else { NameCase::Lower };
        let mut head = RequestHead::new(request.method, &target, case).header("host", &self.address.authority);
        head = match &self.ordinary {
            Some(ordinary) => ordinary.dress(head, &request.headers),
            None => head.header("connection", "close").header("user-agent", USER_AGENT),
        };
        if let Some(probe) = &self.probe {
            head = head.header(PROBE_HEADER, probe.as_str());
        }
        for (name, value) in &request.headers {
            head = head.header(name, value);
        }
        if let (Some(BearerToken(token)), Identity::Own) = (&self.token, request.identity) {
            head = head.header("authorization", &format!("Bearer {token}"));
        }
        head.with_body(&request.body.to_bytes())
            .map_err(|fault| no_answer(format!("the request cannot be written: {fault}"), Cause::Other))
    }

    fn too_late(&self) -> TransportError {
        let seconds = self.timeouts.exchange.as_secs_f32();
        no_answer(format!("no complete answer came within {seconds} s"), Cause::TimedOut)
    }
}

impl Transport for Client {
    fn send(&self, request: &Request) -> Result<Reply, TransportError> {
        if let Some(ordinary) = &self.ordinary {
            std::thread::sleep(ordinary.pause());
        }
        let mut seen = Reply::default();
        match self.exchange(request, Deadline::within(self.timeouts.exchange, &|| false), &mut seen) {
            Ok(()) => Ok(seen),
            Err(error) => {
                let has_partial = seen.status != 0 || !seen.early.is_empty();
                Err(TransportError { partial: has_partial.then(|| Box::new(seen)), ..error })
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

fn unreachable(message: &str) -> TransportError {
    TransportError { code: FaultCode::Unreachable, ..no_answer(message.to_owned(), Cause::Other) }
}

fn no_answer(message: String, cause: Cause) -> TransportError {
    TransportError { code: FaultCode::NoAnswer, message, cause, partial: None }
}

#[cfg(test)]
mod tests {
    use std::{io, net::IpAddr};

    use super::*;
    use crate::exchange::Body;

    /// Leads every name to this machine, and then to another one.
    #[derive(Debug)]
    struct Elsewhere;

    impl Resolver for Elsewhere {
        fn resolve(&self, _: &str, _: u16) -> io::Result<Vec<IpAddr>> {
            Ok(vec![[127, 0, 0, 1].into(), [192, 0, 2, 1].into()])
        }
    }

    #[test]
    fn a_token_does_not_leave_this_machine_because_a_name_leads_elsewhere() {
        let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
        let url = format!("http://localhost:{}", listener.local_addr().unwrap().port());
        let address = Address::parse(&url).unwrap();
        let client = Client::new(address, BearerToken::parse("secret"), None, Timeouts::default()).unwrap();
        let client = Client { resolver: Arc::new(Elsewhere), ..client };
        let (headers, body) = (Vec::new(), Body::empty());
        let request = Request { method: "GET", path: "/".to_owned(), headers, body, identity: Identity::Own };
        let error = client.send(&request).unwrap_err();
        assert_eq!(error.code, FaultCode::Unreachable);
        assert!(error.message.contains("of another one; use https"), "{}", error.message);
        listener.set_nonblocking(true).unwrap();
        assert!(listener.accept().is_err(), "not one of the addresses was connected to");
    }
}
