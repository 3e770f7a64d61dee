//! One request, from its first line to its answer. [`answer`] is the whole walk, step by step.

use std::{
    convert::Infallible,
    net::IpAddr,
    sync::Arc,
    time::{Duration, Instant},
};

use hyper::{Request, Response, body::Incoming, http::request::Parts};
use svc_core::words::{kind::ArtifactSpec, limits, problem_code::ProblemCode};
use svc_registry_api::{
    answer::{Answer, AnswerKind},
    caller::Caller,
    evaluate::{self, Evaluation, Recording},
    refusals,
    request::{RequestHead, RequestName},
    routes::{self, Operation},
};

use super::{
    answer_body::AnswerBody,
    body::{self, ReadBody, UnreadBody},
    event_stream::EventStream,
    state::{Listener, Peer, ServerState},
    turns::Turn,
};
use crate::door::{Admitted, ConsoleAnswer};

/// What an early refusal still reads from a client before it closes.
const MAX_DISCARDED_BYTES: usize = 16 * 1024 * 1024;
const DISCARD_TIMEOUT: Duration = Duration::from_secs(2);

/// After how long a client that was refused for want of a quorum may ask again.
const QUORUM_RETRY_SECONDS: u64 = 5;

/// Answers a request. A POST takes every step; a step that refuses ends the walk, and so does a route that only reads.
pub(super) async fn answer(
    shared: Arc<ServerState>,
    peer: Peer,
    request: Request<Incoming>,
) -> Result<Response<AnswerBody>, Infallible> {
    let (parts, mut incoming) = request.into_parts();
    let name = RequestName::new(parts.uri.path());
    let exchange = Exchange::new(&shared, &peer, &parts, &name);
    let mut seen = Seen::begin();
    peer.slot.works();
    let _in_flight = shared.door.metrics.begin();
    let steps = async {
        let operation = exchange.admit(&mut incoming, &mut seen).await?;
        let Some(spec) = operation.evaluates() else { return Ok(exchange.read(operation, &mut seen).await) };
        let body = exchange.read_body(spec, incoming, &mut seen).await?;
        // Taken here and not before: a client that still sends keeps no other from being answered.
        let _turn = exchange.take_turn()?;
        let evaluation = exchange.evaluate(spec, body, &seen.caller).await?;
        Ok(exchange.record(evaluation).await)
    };
    let answer = steps.await.unwrap_or_else(|refusal: Answer| refusal);
    let answer = exchange.guard(answer);
    Ok(exchange.write(answer, seen))
}

/// A request without its body, and whom it came from: what every step goes by.
#[derive(Clone, Copy)]
pub(super) struct Exchange<'a> {
    pub(super) shared: &'a Arc<ServerState>,
    pub(super) peer: &'a Peer,
    pub(super) parts: &'a Parts,
    pub(super) head: RequestHead<'a>,
    /// The client's address, which behind a proxy is not that of the connection.
    pub(super) address: IpAddr,
    pub(super) name: &'a RequestName,
}

/// What metrics and log say of a request beside its answer.
pub(super) struct Seen<'a> {
    pub(super) started: Instant,
    pub(super) operation: &'a str,
    pub(super) caller: Caller,
    pub(super) body_bytes: usize,
    /// How long it waited because it had asked to.
    pub(super) waited: Duration,
    /// What follows the head, when that has no end yet.
    pub(super) stream: Option<EventStream>,
}

impl Seen<'_> {
    fn begin() -> Self {
        let (started, caller) = (Instant::now(), Caller::default());
        Self { started, operation: "refused", caller, body_bytes: 0, waited: Duration::ZERO, stream: None }
    }
}

impl<'a> Exchange<'a> {
    pub(super) fn new(shared: &'a Arc<ServerState>, peer: &'a Peer, parts: &'a Parts, name: &'a RequestName) -> Self {
        let address = shared.door.live.now().client_address(peer.address, &parts.headers);
        let head = RequestHead {
            method: parts.method.as_str(),
            path: parts.uri.path(),
            has_query: (parts.uri.query().is_some() && !routes::journal::takes_query(parts.uri.path()))
                || parts.uri.authority().is_some(),
            headers: &parts.headers,
            address: Some(address),
        };
        Self { shared, peer, parts, head, address, name }
    }

    /// What the request asks for, or what is answered at the door. Before a refusal is sent, what the client still sends is read.
    async fn admit(self, incoming: &mut Incoming, seen: &mut Seen<'a>) -> Result<&'a Operation, Answer> {
        let admitted = self.at_the_door(seen);
        if admitted.as_ref().is_err_and(|answer| matches!(answer.kind, AnswerKind::Refused(_))) {
            self.peer.slot.waits();
            body::discard(&self.parts.headers, incoming, MAX_DISCARDED_BYTES, DISCARD_TIMEOUT).await;
        }
        admitted
    }

    fn at_the_door(self, seen: &mut Seen<'a>) -> Result<&'a Operation, Answer> {
        let (door, head, name) = (&self.shared.door, self.head, self.name);
        let shown = match self.peer.listener {
            Listener::Public => door.show(head, name),
            Listener::Admin => door.show_to_admin(head, name),
        };
        if let Some(ConsoleAnswer { operation, answer }) = shown {
            seen.operation = operation;
            return Err(answer);
        }
        let (admitted, probe) = match self.peer.listener {
            Listener::Public => (door.admit(head, name), door.probe_of(head)),
            Listener::Admin => (door.admit_to_admin(head, name), None),
        };
        seen.caller.probe = probe;
        let Admitted { operation, token } = admitted?;
        seen.operation = &operation.id;
        seen.caller.token = token;
        let lacks_quorum = || self.shared.witnessing.as_ref().is_some_and(|witnessing| witnessing.is_closed());
        if operation.evaluates().is_some() && lacks_quorum() {
            return Err(refusals::NO_QUORUM.with_retry(QUORUM_RETRY_SECONDS, name));
        }
        Ok(operation)
    }

    async fn read_body(self, spec: &ArtifactSpec, incoming: Incoming, seen: &mut Seen<'a>) -> Result<ReadBody, Answer> {
        self.peer.slot.waits();
        let body = self.receive(spec, incoming).await;
        self.peer.slot.works();
        let body = body?;
        seen.body_bytes = body.bytes.len();
        Ok(body)
    }

    /// Reads the body as long as there is room for it. The room is given back when it was evaluated.
    async fn receive(self, spec: &ArtifactSpec, mut incoming: Incoming) -> Result<ReadBody, Answer> {
        let most = spec.most_bytes;
        let headers = &self.parts.headers;
        if body::declared_length(headers).is_some_and(|length| length > most as u64) {
            body::discard(headers, &mut incoming, MAX_DISCARDED_BYTES, DISCARD_TIMEOUT).await;
            let detail = format!("the body must have at most {most} bytes");
            return Err(Answer::problem(ProblemCode::BodyTooLarge, &detail, self.name));
        }
        let limit = Duration::from_secs(limits::BODY_SECONDS);
        body::read(incoming, most, limit, &self.shared.body_budget).await.map_err(|UnreadBody(code, detail)| {
            let refusal = if code == ProblemCode::Overloaded {
                self.overloaded(detail)
            } else {
                Answer::problem(code, detail, self.name)
            };
            refusal.with_header("connection", "close")
        })
    }

    fn take_turn(self) -> Result<Turn, Answer> {
        self.shared.turns.at_once().ok_or_else(|| self.overloaded("too many requests in flight"))
    }

    /// Small bodies are evaluated here; large ones wait for a thread of the pool. What waits for the journal afterwards needs no
    /// body, so its room is given back here.
    async fn evaluate(
        self,
        spec: &'static ArtifactSpec,
        body: ReadBody,
        caller: &Caller,
    ) -> Result<Evaluation, Answer> {
        let has_journal = self.shared.journal.is_some();
        let rules = self.shared.door.registry.rules();
        if body.bytes.len() <= limits::INLINE_BYTES {
            return Ok(evaluate::evaluate(rules, spec, &body.bytes, self.name, Recording::of(has_journal, caller)));
        }
        let (rules, bytes, request, caller) = (rules.clone(), body.bytes.clone(), self.name.clone(), caller.clone());
        let pooled = move || evaluate::evaluate(&rules, spec, &bytes, &request, Recording::of(has_journal, &caller));
        let pooled = self.shared.pool.run(pooled);
        match tokio::time::timeout(Duration::from_secs(limits::EVALUATION_SECONDS), pooled).await {
            Ok(Some(evaluation)) => Ok(evaluation),
            Ok(None) => Err(Answer::problem(
                ProblemCode::Internal,
                "the evaluation failed inside the service, so nothing was decided",
                self.name,
            )),
            Err(_) => {
                Err(self.overloaded("the evaluation took longer than it may; try again after the time in Retry-After"))
            }
        }
    }

    async fn record(self, evaluation: Evaluation) -> Answer {
        self.shared.journal_desk().record(evaluation, self.name).await
    }

    pub(super) fn guard(self, answer: Answer) -> Answer {
        self.shared.door.guarded(self.head, answer, self.name)
    }

    pub(super) fn overloaded(self, detail: &str) -> Answer {
        Answer::problem(ProblemCode::Overloaded, detail, self.name).with_header("retry-after", "1")
    }
}
