//! A witness on the wire (C2SP tlog-witness): one route that takes a state, and one that tells that it lives.
//!
//! The bounds are those of the registry: slots for connections, time for headers and bodies, a stall that ends both. A request
//! is looked at where waiting for the disk is allowed.

use std::{convert::Infallible, future::Future, net::SocketAddr, sync::Arc, time::Duration};

use bytes::Bytes;
use http_body_util::{BodyExt as _, Full, Limited};
use hyper::{
    Method, Request, Response, StatusCode, body::Incoming, header, header::HeaderValue, server::conn::http1,
    service::service_fn,
};
use hyper_util::{
    rt::{TokioIo, TokioTimer},
    server::graceful::GracefulShutdown,
};
use svc_core::words::limits;
use svc_journal::{
    add_checkpoint::{MAX_BYTES, PATH, SIZE_TYPE, size_line},
    witness::{FollowAnswer, HAND_OVERS_PATH, Witness, WitnessAnswer},
};
use tokio::net::{TcpListener, TcpStream};

use super::{
    connection_slots::{ConnectionSlots, SlotState},
    stall_timeout::StallTimeout,
};
use crate::{clock, log};

/// Logs that ask once a second, and a few who probe, need no more. One address may have half of them.
const CONNECTIONS: usize = 256;
const CONNECTIONS_OF_ONE: usize = CONNECTIONS / 2;

/// Requests that are looked at or wait for it.
const REQUESTS: usize = 64;

/// How long nobody is let in after the system let nobody in.
const ACCEPT_ERROR_PAUSE: Duration = Duration::from_millis(10);

const BODY_TIMEOUT: Duration = Duration::from_secs(10);

const TEXT: &str = "text/plain; charset=utf-8";

struct WitnessShared {
    witness: Witness,
    turns: tokio::sync::Semaphore,
}

/// What a request is answered.
struct WitnessReply {
    status: StatusCode,
    media_type: &'static str,
    body: String,
}

/// Serves until the shutdown resolves, then lets open requests end.
pub async fn run(witness: Witness, listener: TcpListener, shutdown: impl Future<Output = ()>) {
    let state = Arc::new(WitnessShared { witness, turns: tokio::sync::Semaphore::new(REQUESTS) });
    let (slots, graceful) = (ConnectionSlots::new(CONNECTIONS, CONNECTIONS_OF_ONE), GracefulShutdown::new());
    let mut shutdown = std::pin::pin!(shutdown);
    loop {
        tokio::select! {
            () = &mut shutdown => break,
            accepted = listener.accept() => match accepted {
                Ok((stream, address)) => spawn_connection(stream, address, &slots, &state, &graceful),
                Err(_) => {
                    slots.thin_out();
                    tokio::time::sleep(ACCEPT_ERROR_PAUSE).await;
                }
            },
        }
    }
    drop(listener);
    let _ = tokio::time::timeout(Duration::from_secs(limits::DRAIN_SECONDS), graceful.shutdown()).await;
}

/// Serves a connection, if there is a slot for it.
fn spawn_connection(
    stream: TcpStream,
    address: SocketAddr,
    slots: &Arc<ConnectionSlots>,
    state: &Arc<WitnessShared>,
    graceful: &GracefulShutdown,
) {
    let (Some(slot), _) = slots.take(address.ip()) else { return };
    let (state, slot_state) = (Arc::clone(state), Arc::clone(&slot.state));
    let service = service_fn(move |request| {
        let (state, slot_state) = (Arc::clone(&state), Arc::clone(&slot_state));
        async move {
            let reply = answer(&state, &slot_state, request).await;
            slot_state.waits();
            Ok::<_, Infallible>(response(reply))
        }
    });
    let _ = stream.set_nodelay(true);
    let stream = StallTimeout::new(stream, Duration::from_secs(limits::STALL_SECONDS));
    let connection = http1::Builder::new()
        .timer(TokioTimer::new())
        .header_read_timeout(Duration::from_secs(limits::HEADER_SECONDS))
        .max_buf_size(limits::HEADER_BYTES)
        .serve_connection(TokioIo::new(stream), service);
    let connection = graceful.watch(connection);
    tokio::spawn(async move {
        let leave = async {
            slot.state.was_looked_at();
            slot.taken_back().await;
        };
        tokio::select! {
            biased;
            // A connection that breaks is the client's business.
            _ = connection => {}
            () = leave => {}
        }
    });
}

async fn answer(state: &Arc<WitnessShared>, slot: &SlotState, request: Request<Incoming>) -> WitnessReply {
    let path = request.uri().path();
    let has_query = request.uri().query().is_some();
    match (request.method(), path) {
        (&Method::GET, "/healthz") if !has_query => plain(StatusCode::OK, "live\n"),
        (&Method::POST, PATH) if !has_query => {
            let look = |witness: &Witness, body: &[u8]| reply(witness.add(body, clock::seconds_now()));
            looked_at(state, slot, request, look).await
        }
        (&Method::POST, HAND_OVERS_PATH) if !has_query => {
            let look = |witness: &Witness, body: &[u8]| followed(witness.follow(body));
            looked_at(state, slot, request, look).await
        }
        (_, "/healthz" | PATH | HAND_OVERS_PATH) if !has_query => {
            plain(StatusCode::METHOD_NOT_ALLOWED, "another method is needed\n")
        }
        _ => plain(StatusCode::NOT_FOUND, "there is nothing here but /add-checkpoint, /hand-overs and /healthz\n"),
    }
}

/// A connection whose client still sends waits for it, and gives way to others; one that is looked at does not.
async fn looked_at(
    state: &Arc<WitnessShared>,
    slot: &SlotState,
    request: Request<Incoming>,
    look: fn(&Witness, &[u8]) -> WitnessReply,
) -> WitnessReply {
    let body = Limited::new(request.into_body(), MAX_BYTES).collect();
    let body = match tokio::time::timeout(BODY_TIMEOUT, body).await {
        Ok(Ok(body)) => body.to_bytes(),
        Ok(Err(_)) => return plain(StatusCode::BAD_REQUEST, "the body must be whole, and of at most 65536 bytes\n"),
        Err(_) => return plain(StatusCode::REQUEST_TIMEOUT, "the body came too slowly\n"),
    };
    slot.works();
    let Ok(_turn) = state.turns.try_acquire() else {
        return plain(StatusCode::SERVICE_UNAVAILABLE, "too many requests in flight\n");
    };
    let owner = Arc::clone(state);
    let looked = tokio::task::spawn_blocking(move || look(&owner.witness, &body)).await;
    looked.unwrap_or_else(|_| plain(StatusCode::INTERNAL_SERVER_ERROR, "the witness failed; nothing was signed\n"))
}

/// The statuses for notes from key to key: as far as they go, those of a state.
fn followed(answer: FollowAnswer) -> WitnessReply {
    match answer {
        FollowAnswer::Followed => plain(StatusCode::OK, "the newer keys of the log are known now\n"),
        FollowAnswer::Malformed => plain(StatusCode::BAD_REQUEST, "the request must be notes from key to key\n"),
        FollowAnswer::UnknownLog => plain(StatusCode::NOT_FOUND, "this log is not witnessed here\n"),
        FollowAnswer::UnknownKey => plain(StatusCode::FORBIDDEN, "no known key of this log leads to another\n"),
        FollowAnswer::Fork => {
            log::error("a key of a log signed two next keys", "none was taken");
            plain(StatusCode::CONFLICT, "a key of the log was handed over to two others\n")
        }
        FollowAnswer::Failed(fault) => {
            log::error("the witness cannot keep the keys of a log", &fault.to_string());
            plain(StatusCode::INTERNAL_SERVER_ERROR, "the witness failed; nothing has changed\n")
        }
    }
}

/// The statuses of C2SP tlog-witness.
fn reply(answer: WitnessAnswer) -> WitnessReply {
    match answer {
        WitnessAnswer::Cosigned(cosignature) => {
            WitnessReply { status: StatusCode::OK, media_type: TEXT, body: format!("{}\n", cosignature.line()) }
        }
        WitnessAnswer::Malformed => {
            plain(StatusCode::BAD_REQUEST, "the request must be an old size, a proof and a signed checkpoint\n")
        }
        WitnessAnswer::UnknownLog => plain(StatusCode::NOT_FOUND, "this log is not witnessed here\n"),
        WitnessAnswer::UnknownKey => plain(StatusCode::FORBIDDEN, "no known key of this log signed the checkpoint\n"),
        WitnessAnswer::OtherSize(size) => conflict(size),
        WitnessAnswer::Fork(size) => {
            log::error("a log showed two histories", &format!("two signed states of {size} records; both were kept"));
            conflict(size)
        }
        WitnessAnswer::Unproven => plain(
            StatusCode::UNPROCESSABLE_ENTITY,
            "the proof does not show that the log has grown from the old size\n",
        ),
        WitnessAnswer::Failed(fault) => {
            log::error("the witness cannot sign", &fault.to_string());
            plain(StatusCode::INTERNAL_SERVER_ERROR, "the witness failed; nothing was signed\n")
        }
    }
}

fn conflict(size: u64) -> WitnessReply {
    WitnessReply { status: StatusCode::CONFLICT, media_type: SIZE_TYPE, body: size_line(size) }
}

fn plain(status: StatusCode, body: &str) -> WitnessReply {
    WitnessReply { status, media_type: TEXT, body: body.to_owned() }
}

fn response(reply: WitnessReply) -> Response<Full<Bytes>> {
    let mut response = Response::new(Full::new(Bytes::from(reply.body)));
    *response.status_mut() = reply.status;
    let headers = response.headers_mut();
    headers.insert(header::CONTENT_TYPE, HeaderValue::from_static(reply.media_type));
    headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("no-store"));
    headers.insert(header::X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff"));
    response
}
