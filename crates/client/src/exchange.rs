//! A request, its reply, and the ways to get from one to the other.

use std::{borrow::Cow, sync::Arc};

use svc_core::{journal::scalars::ProbeId, verification::FaultCode};

/// A request to a registry.
#[derive(Clone, Debug)]
pub struct Request {
    pub method: &'static str,
    /// The path below the registry's address, with a query if there is one.
    pub path: String,
    /// Headers beyond Host, Authorization and Content-Length.
    pub headers: Vec<(&'static str, Cow<'static, str>)>,
    pub body: Body,
    /// Whether the token is shown.
    pub identity: Identity,
}

/// Whether a request shows the token, when there is one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Identity {
    /// It does.
    Own,
    /// It does not, to see that strangers are refused.
    Stranger,
}

#[derive(Clone, Debug)]
pub enum Body {
    Bytes(Arc<[u8]>),
    /// These bytes, then blanks up to a length. Made when it is sent, because it is large.
    Padded(Arc<[u8]>, usize),
}

impl Body {
    #[must_use]
    pub fn empty() -> Self {
        Self::Bytes(Arc::default())
    }

    /// The bytes as they are sent.
    #[must_use]
    pub fn to_bytes(&self) -> Cow<'_, [u8]> {
        match self {
            Self::Bytes(bytes) => Cow::Borrowed(bytes),
            Self::Padded(bytes, length) => {
                let mut padded = bytes.to_vec();
                padded.resize(*length, b' ');
                Cow::Owned(padded)
            }
        }
    }
}

/// What came back.
#[derive(Clone, Debug, Default)]
pub struct Reply {
    pub status: u16,
    /// The headers, names in lower case.
    pub headers: Vec<(String, String)>,
    pub body: Vec<u8>,
    /// The words behind the status, where they are not the usual ones.
    pub reason: Option<String>,
    /// What came behind the body, names in lower case.
    pub trailers: Vec<(String, String)>,
    /// The answers that came before this one, such as 103.
    pub early: Vec<EarlyReply>,
    /// How much of the request's body was sent, where the answer came before all of it was.
    pub partly_sent: Option<PartlySent>,
}

/// An informational answer (1xx), which is a head alone.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EarlyReply {
    pub status: u16,
    pub headers: Vec<(String, String)>,
}

/// The part of a request's body that was sent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PartlySent {
    pub sent: usize,
    pub of: usize,
}

impl Reply {
    /// Every value of a header.
    pub fn values<'r>(&'r self, name: &'r str) -> impl Iterator<Item = &'r str> {
        self.headers.iter().filter(move |(other, _)| other == name).map(|(_, value)| value.as_str())
    }

    /// The value of a header that is there exactly once.
    #[must_use]
    pub fn only<'r>(&'r self, name: &'r str) -> Option<&'r str> {
        let mut values = self.values(name);
        values.next().filter(|_| values.next().is_none())
    }
}

/// Why there is no whole reply.
#[derive(Clone, Debug)]
pub struct TransportError {
    pub code: FaultCode,
    pub message: String,
    pub cause: Cause,
    /// What came before it broke off. An open claim in it counts.
    pub partial: Option<Box<Reply>>,
}

/// Why there is no whole reply, as the types of the libraries show it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Cause {
    /// The certificate of the server was refused.
    Certificate(CertificateFault),
    /// The TLS handshake failed otherwise.
    Handshake,
    /// Bytes came that are not HTTP.
    NotHttp,
    /// Nothing came in time.
    TimedOut,
    Other,
}

/// What is wrong with the certificate of a server.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum CertificateFault {
    /// Nobody who is trusted issued it.
    UnknownIssuer,
    /// It is the certificate of an authority, which a server cannot use as its own.
    IsAuthority,
    /// It is for other names than the one that was asked for.
    OtherName {
        asked: String,
        has: Vec<String>,
    },
    Expired,
    NotYetValid,
    Revoked,
    /// Anything else.
    Unusable,
}

/// Over a network an answer passes more of the service than in-process.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TransportKind {
    /// The network, and the headers that every answer has there.
    Network,
    /// The routes alone.
    InProcess,
}

/// A way to a registry.
pub trait Transport {
    /// Sends a request and waits for the whole reply. Nothing is sent twice.
    ///
    /// # Errors
    /// When no whole reply came.
    fn send(&self, request: &Request) -> Result<Reply, TransportError>;

    /// How much of the service is passed.
    fn kind(&self) -> TransportKind;

    /// Where the registry is, without what is secret.
    fn base(&self) -> &str {
        ""
    }

    /// Whether requests show a token.
    fn has_token(&self) -> bool {
        false
    }

    /// The name of the run that requests are marked with.
    fn probe(&self) -> Option<&ProbeId> {
        None
    }
}
