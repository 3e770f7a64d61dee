//! One request, from its first line to its answer.

use std::{
    borrow::Cow,
    convert::Infallible,
    net::IpAddr,
    sync::Arc,
    time::{Duration, Instant},
};

use bytes::Bytes;
use hyper::{
    Request, Response, StatusCode,
    body::Incoming,
    header::{self, HeaderName, HeaderValue},
    http::request::Parts,
};
use svc_core::words::{kind::ArtifactSpec, limits, problem_code::ProblemCode};

use super::{
    answer_body::{AnswerBody, PIECE_BYTES},
    body::{self, UnreadBody},
    event_stream::EventStream,
    follow::FollowRequest,
    state::{Listener, Peer, ServerState},
};
use crate::{
    answer::{Answer, AnswerKind, RequestName},
    auth::asker::Asker,
    conditional::unless_known,
    documents::{
        self,
        journal::{ALLOW_ORIGIN, Audience, JournalRequest},
    },
    evaluate::{self, Evaluation, Recording},
    gzip,
    health::Phase,
    log, refusals,
    registry::{ConsoleAnswer, RequestHead},
    routes::{self, JournalDocument, Operation, Serves},
};

/// What an early refusal still reads from a client before it closes.
const MAX_DISCARDED_BYTES: usize = 16 * 1024 * 1024;
const DISCARD_TIMEOUT: Duration = Duration::from_secs(2);

/// After how long somebody who was refused for want of a quorum may ask again.
const QUORUM_RETRY_SECONDS: u64 = 5;

/// Headers that every answer has.
static COMMON_HEADERS: [(HeaderName, HeaderValue); 5] = [
    (header::CONTENT_SECURITY_POLICY, HeaderValue::from_static("default-src 'none'; frame-ancestors 'none'")),
    (HeaderName::from_static("cross-origin-resource-policy"), HeaderValue::from_static("same-origin")),
    (header::REFERRER_POLICY, HeaderValue::from_static("no-referrer")),
    (REGISTRY_API, HeaderValue::from_static("1")),
    (header::X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff")),
];

const REGISTRY_API: HeaderName = HeaderName::from_static("svc-registry-api");
static REQUEST_ID: HeaderName = HeaderName::from_static("svc-request-id");

/// A request that was dealt with.
struct HandledRequest<'o> {
    operation: &'o str,
    asker: Asker,
    answer: Answer,
    read: usize,
    /// How long it waited because it had asked to.
    waited: Duration,
    /// What follows the head, when that has no end yet.
    stream: Option<EventStream>,
}

impl HandledRequest<'_> {
    fn refused(answer: Answer, asker: Asker) -> Self {
        Self { operation: "refused", asker, answer, read: 0, waited: Duration::ZERO, stream: None }
    }
}

pub(super) async fn answer(
    shared: Arc<ServerState>,
    peer: Peer,
    request: Request<Incoming>,
) -> Result<Response<AnswerBody>, Infallible> {
    let started = Instant::now();
    peer.slot.works();
    let (parts, incoming) = request.into_parts();
    let name = RequestName::new(parts.uri.path());
    let in_flight = shared.registry.metrics.begin();
    let address = shared.registry.live.now().client_address(peer.address, &parts.headers);
    let head = request_head(&parts, address);
    let handled = respond(&shared, &peer, head, &parts, incoming, &name).await;
    let answer = shared.registry.checked_at(head, handled.answer, &name);
    let (answer, body) = with_room(&shared, &peer, head, answer, &name);
    let spent = started.elapsed().saturating_sub(handled.waited);
    let micros = u64::try_from(spent.as_micros()).unwrap_or(u64::MAX);
    drop(in_flight);
    let refusal = match answer.kind {
        AnswerKind::Refused(code) | AnswerKind::Page(Some(code)) => Some(code.as_str()),
        AnswerKind::Denied(_) | AnswerKind::Document | AnswerKind::Page(None) => None,
    };
    match &handled.asker.probe {
        Some(_) => shared.registry.metrics.probed(handled.operation, answer.status),
        None => shared.registry.metrics.answered(handled.operation, answer.status, refusal, handled.read, micros),
    }
    let body = match handled.stream {
        // It has its line when it is over.
        Some(stream) => AnswerBody::Stream(Box::new(stream)),
        None => {
            log::answered(&log::Answered {
                request: &name,
                method: parts.method.as_str(),
                address,
                operation: handled.operation,
                asker: &handled.asker,
                answer: &answer,
                read: handled.read,
                micros,
            });
            body
        }
    };
    // Whoever is answered while the service stops is told to go elsewhere with the next request.
    let stopping = shared.registry.health.phase() != Phase::Open;
    peer.slot.waits();
    Ok(response(if stopping { answer.with_header("connection", "close") } else { answer }, body, &name))
}

/// The body of an answer, with the room that a long one takes until it was read. Where there is none, the answer is another.
fn with_room(
    shared: &ServerState,
    peer: &Peer,
    head: RequestHead<'_>,
    answer: Answer,
    name: &RequestName,
) -> (Answer, AnswerBody) {
    if answer.body.len() <= PIECE_BYTES || head.method == "HEAD" {
        let body = AnswerBody::new(answer.body.clone(), None);
        return (answer, body);
    }
    // Whoever reads pages slowly keeps nobody from an answer.
    let is_page = matches!(answer.kind, AnswerKind::Page(_));
    let budget = if is_page { &shared.console_budget } else { &shared.answer_budget };
    let (room, sent_away) = budget.take(answer.body.len(), &peer.slot);
    shared.registry.metrics.sent_away(sent_away);
    let answer = match &room {
        Some(_) => answer,
        None => {
            let refusal = overloaded("too many answers are waiting for their readers", name);
            shared.registry.checked_at(head, refusal, name)
        }
    };
    let body = AnswerBody::new(answer.body.clone(), room);
    (answer, body)
}

fn request_head(parts: &Parts, address: IpAddr) -> RequestHead<'_> {
    RequestHead {
        method: parts.method.as_str(),
        path: parts.uri.path(),
        has_query: (parts.uri.query().is_some() && !routes::journal::takes_query(parts.uri.path()))
            || parts.uri.authority().is_some(),
        headers: &parts.headers,
        address: Some(address),
    }
}

async fn respond<'s>(
    shared: &'s Arc<ServerState>,
    peer: &Peer,
    head: RequestHead<'_>,
    parts: &Parts,
    incoming: Incoming,
    name: &RequestName,
) -> HandledRequest<'s> {
    let shown = match peer.listener {
        Listener::Public => shared.registry.show(head, name),
        Listener::Admin => shared.registry.show_to_admin(head, name),
    };
    if let Some(ConsoleAnswer { operation, answer }) = shown {
        if matches!(answer.kind, AnswerKind::Refused(_)) {
            peer.slot.waits();
            body::discard(&parts.headers, incoming, MAX_DISCARDED_BYTES, DISCARD_TIMEOUT).await;
        }
        return HandledRequest {
            operation,
            asker: Asker::default(),
            answer,
            read: 0,
            waited: Duration::ZERO,
            stream: None,
        };
    }
    let admitted = match peer.listener {
        Listener::Public => shared.registry.admit(head, name),
        Listener::Admin => shared.registry.admit_to_admin(head, name),
    };
    let probe = match peer.listener {
        Listener::Public => shared.registry.probe_of(head),
        Listener::Admin => None,
    };
    let (operation, asker) = match admitted {
        Ok(admitted) => (admitted.operation, Asker { token: admitted.token, probe }),
        Err(refusal) => {
            peer.slot.waits();
            body::discard(&parts.headers, incoming, MAX_DISCARDED_BYTES, DISCARD_TIMEOUT).await;
            return HandledRequest::refused(refusal, Asker { token: None, probe });
        }
    };
    let token = asker.token.as_deref();
    let address = head.address.unwrap_or(peer.address);
    let follows =
        FollowRequest { shared, operation, head, parts, address, peer: peer.address, slot: &peer.slot, token, name };
    let mut waited = Duration::ZERO;
    let (answer, read) = match operation.evaluates() {
        None if matches!(operation.serves, Serves::Journal(JournalDocument::Stream)) => {
            let (answer, stream) = follows.stream().await;
            return HandledRequest { operation: &operation.id, asker, answer, read: 0, waited, stream };
        }
        None if matches!(operation.serves, Serves::Journal(JournalDocument::Entries)) => {
            match follows.wait_for_page().await {
                Ok(time) => {
                    waited = time;
                    (read(shared, operation, token, parts, (head, peer.address), name).await, 0)
                }
                Err(refusal) => (refusal, 0),
            }
        }
        None => (read(shared, operation, token, parts, (head, peer.address), name).await, 0),
        Some(_) if shared.witnessing.as_ref().is_some_and(|witnessing| witnessing.is_closed()) => {
            peer.slot.waits();
            body::discard(&parts.headers, incoming, MAX_DISCARDED_BYTES, DISCARD_TIMEOUT).await;
            (refusals::NO_QUORUM.with_retry(QUORUM_RETRY_SECONDS, name), 0)
        }
        Some(spec) => {
            peer.slot.waits();
            let body = read_body(shared, spec, parts, incoming, name).await;
            peer.slot.works();
            match body {
                Err(refusal) => (refusal, 0),
                Ok(body) => evaluate_and_record(shared, spec, body, &asker, name).await,
            }
        }
    };
    HandledRequest { operation: &operation.id, asker, answer, read, waited, stream: None }
}

/// Evaluates a whole body and puts the answer on record. Tells how many bytes it had. The turn is taken here and not before:
/// whoever still sends keeps nobody else from being answered.
async fn evaluate_and_record(
    shared: &Arc<ServerState>,
    spec: &'static ArtifactSpec,
    body: body::ReadBody,
    asker: &Asker,
    name: &RequestName,
) -> (Answer, usize) {
    let read = body.bytes.len();
    let Some(_turn) = shared.turns.at_once() else {
        return (overloaded("too many requests in flight", name), read);
    };
    let evaluation = evaluate(shared, spec, body.bytes.clone(), name, asker).await;
    // What waits for the journal needs no body.
    drop(body);
    let answer = match evaluation {
        Ok(evaluation) => shared.recorder().record_and_respond(evaluation, name).await,
        Err(refusal) => refusal,
    };
    (answer, read)
}

/// Reads a document. What the journal keeps is read where waiting is allowed. Probes of health need no turn: a service that
/// is busy is not ill.
async fn read(
    shared: &Arc<ServerState>,
    operation: &Operation,
    token: Option<&str>,
    parts: &Parts,
    (head, address): (RequestHead<'_>, IpAddr),
    name: &RequestName,
) -> Answer {
    if operation.is_probe() {
        if matches!(operation.serves, Serves::Ready) {
            shared.recorder().note_journal();
        }
        return shared.registry.perform(operation, head, &[], name);
    }
    // Whoever watches a busy service must see that it is busy.
    if matches!(operation.serves, Serves::Metrics) {
        shared.sample_metrics().await;
        return shared.registry.perform(operation, head, &[], name);
    }
    let is_public = shared.registry.is_public(operation);
    let turn = if is_public {
        shared.turns.to_read_as_stranger(address).await
    } else if matches!(operation.serves, Serves::Journal(_)) {
        shared.turns.to_read().await
    } else {
        shared.turns.at_once()
    };
    // Pages of any origin read what everybody may, also that it is not to be had now.
    let shown = |answer: Answer| if is_public { answer.with_header(ALLOW_ORIGIN, "*") } else { answer };
    let Some(_turn) = turn else {
        return shown(overloaded("too many requests in flight", name));
    };
    let Serves::Journal(wanted) = operation.serves else {
        return shared.registry.perform(operation, head, &[], name);
    };
    let (owner, request) = (Arc::clone(shared), name.clone());
    let asked = JournalRequest {
        wanted,
        audience: if is_public { Audience::Public } else { Audience::of(token) },
        path: parts.uri.path().to_owned(),
        query: parts.uri.query().map(str::to_owned),
        takes_gzip: gzip::is_accepted(&parts.headers),
    };
    let reading = tokio::task::spawn_blocking(move || {
        let witnessing = owner.witnessing.as_deref();
        documents::journal::read(owner.journal.as_ref(), witnessing, &asked, &request)
    });
    match reading.await {
        Ok(answer) => unless_known(answer, &parts.headers),
        Err(_) => shown(Answer::problem(
            ProblemCode::Internal,
            "the journal could not be read; report it with the request id when it stays",
            name,
        )),
    }
}

/// Reads the body as long as there is room for it. The room is given back when it was evaluated.
async fn read_body(
    shared: &Arc<ServerState>,
    spec: &ArtifactSpec,
    parts: &Parts,
    incoming: Incoming,
    name: &RequestName,
) -> Result<body::ReadBody, Answer> {
    let most = spec.most_bytes;
    if body::declared_length(&parts.headers).is_some_and(|length| length > most as u64) {
        body::discard(&parts.headers, incoming, MAX_DISCARDED_BYTES, DISCARD_TIMEOUT).await;
        let detail = format!("the body must have at most {most} bytes");
        return Err(Answer::problem(ProblemCode::BodyTooLarge, &detail, name));
    }
    let limit = Duration::from_secs(limits::BODY_SECONDS);
    body::read(incoming, most, limit, &shared.body_budget).await.map_err(|UnreadBody(code, detail)| {
        let refusal = if code == ProblemCode::Overloaded {
            overloaded(detail, name)
        } else {
            Answer::problem(code, detail, name)
        };
        refusal.with_header("connection", "close")
    })
}

/// Small bodies are evaluated here; large ones wait for a place in the pool.
async fn evaluate(
    shared: &Arc<ServerState>,
    spec: &'static ArtifactSpec,
    bytes: Bytes,
    name: &RequestName,
    asker: &Asker,
) -> Result<Evaluation, Answer> {
    let has_journal = shared.journal.is_some();
    if bytes.len() <= limits::INLINE_BYTES {
        return Ok(evaluate::evaluate(&shared.registry.rules, spec, &bytes, name, Recording::of(has_journal, asker)));
    }
    let (rules, request, asker) = (shared.registry.rules.clone(), name.clone(), asker.clone());
    let pooled = move || evaluate::evaluate(&rules, spec, &bytes, &request, Recording::of(has_journal, &asker));
    let pooled = shared.pool.run(pooled);
    match tokio::time::timeout(Duration::from_secs(limits::EVALUATION_SECONDS), pooled).await {
        Ok(Some(evaluation)) => Ok(evaluation),
        Ok(None) => Err(Answer::problem(
            ProblemCode::Internal,
            "the evaluation failed inside the service, so nothing was decided",
            name,
        )),
        Err(_) => {
            Err(overloaded("the evaluation took longer than it may; try again after the time in Retry-After", name))
        }
    }
}

fn overloaded(detail: &str, name: &RequestName) -> Answer {
    Answer::problem(ProblemCode::Overloaded, detail, name).with_header("retry-after", "1")
}

fn response(answer: Answer, body: AnswerBody, name: &RequestName) -> Response<AnswerBody> {
    let mut response = Response::new(body);
    *response.status_mut() = StatusCode::from_u16(answer.status).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
    let headers = response.headers_mut();
    headers.reserve(COMMON_HEADERS.len() + answer.headers.len() + 4);
    for (header, value) in &COMMON_HEADERS {
        headers.insert(header, value.clone());
    }
    // A page is no part of the API, and says so.
    if matches!(answer.kind, AnswerKind::Page(_)) {
        headers.remove(&REGISTRY_API);
    }
    for (header, value) in answer.headers {
        let value = match value {
            Cow::Borrowed(value) => HeaderValue::from_str(value),
            Cow::Owned(value) => HeaderValue::try_from(value),
        };
        if let Ok(value) = value {
            headers.insert(HeaderName::from_static(header), value);
        }
    }
    if let Ok(id) = HeaderValue::from_str(&name.id) {
        headers.insert(&REQUEST_ID, id);
    }
    response
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        config::EventsMode,
        http::connection_slots::ConnectionSlots,
        registry::{Registry, Setup},
    };

    #[tokio::test]
    async fn a_service_without_a_free_turn_still_tells_its_metrics() {
        let registry = Registry::new(Setup::default());
        let state = Arc::new(ServerState::new(registry, None, None, None, false, EventsMode::On).unwrap());
        state.turns.close();
        let (parts, ()) = hyper::Request::get("/metrics").body(()).unwrap().into_parts();
        let head =
            RequestHead { method: "GET", path: "/metrics", has_query: false, headers: &parts.headers, address: None };
        let metrics = routes::admin().into_iter().find(|operation| operation.id == "metrics").unwrap();
        let answer =
            read(&state, &metrics, None, &parts, (head, [127, 0, 0, 1].into()), &RequestName::new("/metrics")).await;
        assert_eq!(answer.status, 200);
    }

    /// Pages and answers have room of their own, so that readers of the one never keep the other waiting.
    #[tokio::test]
    async fn pages_that_nobody_reads_leave_the_room_of_answers_alone() {
        let registry = Registry::new(Setup { has_console: true, ..Setup::default() });
        let state = ServerState::new(registry, None, None, None, false, EventsMode::default()).unwrap();
        let slots = ConnectionSlots::new(2, 2);
        let slot = slots.take([192, 0, 2, 1].into()).0.unwrap();
        let peer = Peer { listener: Listener::Public, address: [192, 0, 2, 1].into(), slot: Arc::clone(&slot.state) };
        let all = state.console_budget.take(limits::PAGES_IN_FLIGHT, &peer.slot).0;
        assert!(all.is_some());
        for (path, status) in [("/console/rules", 503), ("/api/sdk/registry/openapi.json", 200)] {
            let (parts, ()) = hyper::Request::get(path).header("host", "localhost").body(()).unwrap().into_parts();
            let (head, name) = (request_head(&parts, peer.address), RequestName::new(path));
            let answer = state.registry.answer(head, &[]);
            assert!(answer.status == 200 && answer.body.len() > PIECE_BYTES, "{path}");
            let (answer, _) = with_room(&state, &peer, head, answer, &name);
            assert_eq!(answer.status, status, "{path}");
            let policy = answer.headers.iter().find(|(name, _)| *name == "content-security-policy");
            assert_eq!(policy.is_some(), path.starts_with("/console"), "{path}");
        }
    }

    /// No turn is to be had: a page of another origin must be able to tell that from an address that does not exist.
    #[tokio::test]
    async fn a_busy_public_journal_says_so_to_pages_of_any_origin_and_a_closed_one_does_not() {
        for (has_public_journal, seen) in [(true, Some("*")), (false, None)] {
            let registry = Registry::new(Setup { has_public_journal, ..Setup::default() });
            let state = Arc::new(ServerState::new(registry, None, None, None, false, EventsMode::On).unwrap());
            state.turns.close();
            for operation in routes::all().iter().filter(|operation| operation.id.starts_with("journal-")) {
                let Serves::Journal(wanted) = operation.serves else { continue };
                let (parts, ()) = hyper::Request::get(operation.path.as_str()).body(()).unwrap().into_parts();
                let head = RequestHead {
                    method: "GET",
                    path: operation.path.as_str(),
                    has_query: false,
                    headers: &parts.headers,
                    address: None,
                };
                let name = RequestName::new("/");
                let answer = read(&state, operation, None, &parts, (head, [127, 0, 0, 1].into()), &name).await;
                let shown =
                    answer.headers.iter().find(|(name, _)| *name == ALLOW_ORIGIN).map(|(_, value)| value.as_ref());
                assert_eq!((answer.status, shown), (503, seen.filter(|_| wanted.is_public())), "{}", operation.id);
                assert!(answer.headers.iter().any(|(name, _)| *name == "retry-after"));
            }
        }
    }
}
