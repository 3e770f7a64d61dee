//! One connection and the requests on it.

use std::{
    convert::Infallible,
    net::IpAddr,
    sync::Arc,
    time::{Duration, Instant},
};

use bytes::Bytes;
use http_body_util::Full;
use hyper::{Request, Response, StatusCode, body::Incoming, header::HeaderValue, http::request::Parts};
use svc_core::{limits, problem::ProblemCode};
use tokio::sync::Semaphore;

use super::body::{self, Unread};
use crate::{
    answer::{Answer, RequestName},
    log,
    operation::{Method, Operation},
    registry::{Asked, Registry, most_bytes},
};

/// What an early refusal still reads from a client before it closes.
const DISCARDED_BYTES: usize = 16 * 1024 * 1024;
const DISCARDED_TIME: Duration = Duration::from_secs(2);

/// Headers that every answer has.
const ALWAYS: &[(&str, &str)] = &[
    ("content-security-policy", "default-src 'none'; frame-ancestors 'none'"),
    ("cross-origin-resource-policy", "same-origin"),
    ("referrer-policy", "no-referrer"),
    ("svc-registry-api", "1"),
    ("x-content-type-options", "nosniff"),
];

/// What all connections share.
#[derive(Debug)]
pub(super) struct Shared {
    pub(super) registry: Registry,
    requests: Arc<Semaphore>,
    body_kibibytes: Arc<Semaphore>,
    pool: Arc<Semaphore>,
}

impl Shared {
    pub(super) fn new(registry: Registry) -> Self {
        let cores = std::thread::available_parallelism().map_or(1, usize::from);
        Self {
            registry,
            requests: Arc::new(Semaphore::new(limits::CONCURRENT_REQUESTS)),
            body_kibibytes: Arc::new(Semaphore::new(limits::BODIES_IN_FLIGHT / 1024)),
            // One core stays free for small requests, so that large ones never stall them.
            pool: Arc::new(Semaphore::new(cores.saturating_sub(1).max(1))),
        }
    }
}

/// Answers one request.
pub(super) async fn answer(
    shared: Arc<Shared>,
    request: Request<Incoming>,
    address: IpAddr,
) -> Result<Response<Full<Bytes>>, Infallible> {
    let started = Instant::now();
    let (parts, incoming) = request.into_parts();
    let name = RequestName::new(parts.uri.path());
    let in_flight = shared.registry.metrics.begin();
    let (operation, answer, read) = respond(&shared, &parts, incoming, address, &name).await;
    let answer = shared.registry.checked(answer, &name);
    let micros = u64::try_from(started.elapsed().as_micros()).unwrap_or(u64::MAX);
    drop(in_flight);
    shared.registry.metrics.answered(&operation, answer.status, read, micros);
    log::answered(&name, parts.method.as_str(), Some(address), answer.status, read, micros);
    // Whoever is answered while the service stops is told to go elsewhere with the next request.
    let stopping = shared.registry.health.is_draining();
    Ok(response(if stopping { answer.with_header("connection", "close") } else { answer }, &name))
}

/// The operation's name, the answer, and how many bytes were read for it.
async fn respond(
    shared: &Arc<Shared>,
    parts: &Parts,
    incoming: Incoming,
    address: IpAddr,
    name: &RequestName,
) -> (String, Answer, usize) {
    let asked = Asked {
        method: parts.method.as_str(),
        path: parts.uri.path(),
        has_query: parts.uri.query().is_some() || parts.uri.authority().is_some(),
        headers: &parts.headers,
        address: Some(address),
    };
    let operation = match shared.registry.admit(asked, name) {
        Ok(operation) => operation.clone(),
        Err(refusal) => {
            body::discard(&parts.headers, incoming, DISCARDED_BYTES, DISCARDED_TIME).await;
            return ("refused".to_owned(), refusal, 0);
        }
    };
    let Ok(_turn) = Arc::clone(&shared.requests).try_acquire_owned() else {
        return (operation.id, overloaded("too many requests in flight", name), 0);
    };
    if operation.method == Method::Get {
        let answer = shared.registry.perform(&operation, asked, &[], name);
        return (operation.id, answer, 0);
    }
    match read_body(shared, &operation, parts, incoming, name).await {
        Err(refusal) => (operation.id, refusal, 0),
        Ok(body) => {
            let read = body.bytes.len();
            let answer = evaluate(shared, &operation, body.bytes.clone(), name).await;
            (operation.id, answer, read)
        }
    }
}

/// Reads the body as long as there is room for it. The room is given back when the answer is made.
async fn read_body(
    shared: &Arc<Shared>,
    operation: &Operation,
    parts: &Parts,
    incoming: Incoming,
    name: &RequestName,
) -> Result<body::Read, Answer> {
    let most = most_bytes(operation);
    if body::declared_length(&parts.headers).is_some_and(|length| length > most as u64) {
        body::discard(&parts.headers, incoming, DISCARDED_BYTES, DISCARDED_TIME).await;
        let detail = format!("the endpoint reads {most} bytes at most");
        return Err(Answer::problem(ProblemCode::BodyTooLarge, &detail, name));
    }
    let limit = Duration::from_secs(limits::BODY_SECONDS);
    body::read(incoming, most, limit, &shared.body_kibibytes).await.map_err(|Unread(code, detail)| {
        let refusal = if code == ProblemCode::Overloaded {
            overloaded(detail, name)
        } else {
            Answer::problem(code, detail, name)
        };
        refusal.with_header("connection", "close")
    })
}

/// Small bodies are evaluated here; large ones wait for a place in the pool.
async fn evaluate(shared: &Arc<Shared>, operation: &Operation, bytes: Bytes, name: &RequestName) -> Answer {
    if bytes.len() <= limits::INLINE_BYTES {
        return shared.registry.evaluate(operation, &bytes, name);
    }
    let pooled = async {
        let _place = shared.pool.acquire().await;
        let (owner, operation, request) = (Arc::clone(shared), operation.clone(), name.clone());
        tokio::task::spawn_blocking(move || owner.registry.evaluate(&operation, &bytes, &request)).await
    };
    match tokio::time::timeout(Duration::from_secs(limits::EVALUATION_SECONDS), pooled).await {
        Ok(Ok(answer)) => answer,
        Ok(Err(_)) => Answer::problem(ProblemCode::Internal, "the evaluation failed", name),
        Err(_) => overloaded("the evaluation took too long", name),
    }
}

fn overloaded(detail: &str, name: &RequestName) -> Answer {
    Answer::problem(ProblemCode::Overloaded, detail, name).with_header("retry-after", "1")
}

fn response(answer: Answer, name: &RequestName) -> Response<Full<Bytes>> {
    let mut response = Response::new(Full::new(answer.body));
    *response.status_mut() = StatusCode::from_u16(answer.status).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
    let headers = response.headers_mut();
    for (header, value) in ALWAYS {
        headers.insert(*header, HeaderValue::from_static(value));
    }
    let own = answer.headers.iter().map(|(header, value)| (*header, value.as_str()));
    for (header, value) in own.chain([("svc-request-id", name.id.as_str())]) {
        if let Ok(value) = HeaderValue::from_str(value) {
            headers.insert(header, value);
        }
    }
    response
}
