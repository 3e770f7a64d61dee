//! The way to a registry while a bundle is submitted: one deadline for everything, and an end at the first failure that
//! every further request would meet too.

use std::{
    cell::{Cell, RefCell},
    time::{Duration, Instant},
};

use svc_client::exchange::{Cause, CertificateFault, Reply, Request, Transport, TransportError, TransportKind};
use svc_core::{journal::scalars::ProbeId, verification::FaultCode};

use crate::check::cut;

/// How long a submission may take, with all waits.
const DEADLINE: Duration = Duration::from_secs(120);

/// How often a registry that refuses connections is tried before that is taken as its answer.
const MAX_UNREACHABLE: u32 = 4;

/// The most words of a body that are shown.
const MAX_WORDS: usize = 12;

/// Why nothing more is sent.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Stop {
    /// No connection: refused, no such name, or no route.
    Unreachable(String),
    /// The certificate of the registry is refused, with the words of the TLS library.
    Certificate(CertificateFault, String),
    /// The TLS handshake failed otherwise.
    Handshake(String),
    /// What came back is not HTTP.
    NotHttp,
    /// It did not answer in time, or broke off.
    NoAnswer(String),
    /// It wants a token, and none was given.
    TokenMissing,
    /// It does not take the token.
    TokenRefused(u16),
    /// Something answered, and not the payload.
    Unanswered(Unanswered),
}

/// An HTTP answer that is no answer to a payload.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unanswered {
    pub status: u16,
    /// Where a redirect leads. Foreign text.
    pub location: Option<String>,
    /// How the body begins, cut and escaped.
    pub begins: String,
}

impl Unanswered {
    pub(crate) fn of(reply: &Reply) -> Self {
        let text = String::from_utf8_lossy(&reply.body);
        let words: Vec<&str> = text.split_whitespace().take(MAX_WORDS).collect();
        Self { status: reply.status, location: reply.only("location").map(cut), begins: cut(&words.join(" ")) }
    }
}

/// A transport that ends for good.
pub(crate) struct Steady<'t> {
    inner: &'t dyn Transport,
    until: Instant,
    unreachable: Cell<u32>,
    stop: RefCell<Option<Stop>>,
}

impl<'t> Steady<'t> {
    pub(crate) fn over(inner: &'t dyn Transport) -> Self {
        Self { inner, until: Instant::now() + DEADLINE, unreachable: Cell::new(0), stop: RefCell::new(None) }
    }

    /// Why nothing more is sent, once that is so.
    pub(crate) fn stop(&self) -> Option<Stop> {
        self.stop.borrow().clone()
    }

    /// Sends nothing more, for this reason or an earlier one.
    pub(crate) fn end(&self, stop: Stop) {
        self.stop.borrow_mut().get_or_insert(stop);
    }

    fn note(&self, request: &Request, sent: &Result<Reply, TransportError>) {
        match sent {
            Ok(reply) => {
                self.unreachable.set(0);
                // A log may be closed to strangers; what is submitted is answered or it is not.
                if request.method == "POST" && matches!(reply.status, 401 | 403) {
                    let is_given = self.inner.has_token();
                    self.end(if is_given { Stop::TokenRefused(reply.status) } else { Stop::TokenMissing });
                }
            }
            Err(lost) => {
                self.unreachable.set(self.unreachable.get() + 1);
                if let Some(stop) = stop_of(lost, self.unreachable.get()) {
                    self.end(stop);
                }
            }
        }
    }
}

/// What a failed request means for those after it.
fn stop_of(lost: &TransportError, times: u32) -> Option<Stop> {
    let message = lost.message.clone();
    match &lost.cause {
        Cause::Certificate(fault) => Some(Stop::Certificate(fault.clone(), message)),
        Cause::Handshake => Some(Stop::Handshake(message)),
        Cause::NotHttp => Some(Stop::NotHttp),
        Cause::TimedOut => Some(Stop::NoAnswer(message)),
        Cause::Other if lost.code == FaultCode::Unreachable => {
            (times >= MAX_UNREACHABLE).then_some(Stop::Unreachable(message))
        }
        // An answer that is too large is the registry's fault, and is judged.
        Cause::Other => (lost.code == FaultCode::NoAnswer).then_some(Stop::NoAnswer(message)),
    }
}

impl Transport for Steady<'_> {
    fn send(&self, request: &Request) -> Result<Reply, TransportError> {
        if Instant::now() >= self.until {
            self.end(Stop::NoAnswer(format!("the submission took longer than {} s", DEADLINE.as_secs())));
        }
        if self.stop.borrow().is_some() {
            let message = "not sent: an earlier request failed".to_owned();
            return Err(TransportError { code: FaultCode::NoAnswer, message, cause: Cause::Other, partial: None });
        }
        let sent = self.inner.send(request);
        self.note(request, &sent);
        sent
    }

    fn kind(&self) -> TransportKind {
        self.inner.kind()
    }

    fn base(&self) -> &str {
        self.inner.base()
    }

    fn has_token(&self) -> bool {
        self.inner.has_token()
    }

    fn probe(&self) -> Option<&ProbeId> {
        self.inner.probe()
    }
}
