//! Reads a body within its bounds of size, time and pace.

use std::{error::Error as _, io, sync::Arc, time::Duration};

use bytes::{Bytes, BytesMut};
use http_body_util::BodyExt as _;
use hyper::{
    HeaderMap,
    body::{Body as _, Frame, Incoming},
    header,
};
use svc_core::words::{limits, problem_code::ProblemCode};
use tokio::time::{Instant, timeout_at};

use super::body_budget::{BodyBudget, BodyReservation};

/// Whatever is declared larger than this need not be sent.
pub(super) fn declared_length(headers: &HeaderMap) -> Option<u64> {
    headers.get(header::CONTENT_LENGTH)?.to_str().ok()?.parse().ok()
}

/// Why a body was not read, with its problem.
pub(super) struct UnreadBody(pub(super) ProblemCode, pub(super) &'static str);

/// A body, and the room that it takes up until it is dropped.
pub(super) struct ReadBody {
    pub(super) bytes: Bytes,
    _reservation: BodyReservation,
}

/// Reads a body of at most `most` bytes within a time. Bytes take up room when they come, not when they are announced:
/// otherwise a few announcements would fill it.
pub(super) async fn read(
    body: Incoming,
    most: usize,
    limit: Duration,
    budget: &Arc<BodyBudget>,
) -> Result<ReadBody, UnreadBody> {
    let reservation = budget.reserve();
    let gives_way = reservation.gives_way();
    tokio::select! {
        biased;
        read = tokio::time::timeout(limit, read_all(body, most, reservation)) => read.unwrap_or(Err(TOO_SLOW)),
        () = gives_way => Err(NO_ROOM),
    }
}

const TOO_SLOW: UnreadBody = UnreadBody(
    ProblemCode::RequestTimeout,
    "the body came too slowly; the served limits name the least rate and the longest time",
);
const NO_ROOM: UnreadBody = UnreadBody(
    ProblemCode::Overloaded,
    "the service holds as many bytes of requests as it may; try again after the time in Retry-After",
);

async fn read_all(mut body: Incoming, most: usize, mut reservation: BodyReservation) -> Result<ReadBody, UnreadBody> {
    let announced = body.size_hint().exact().and_then(|length| usize::try_from(length).ok()).unwrap_or(0);
    let mut buffer = BodyBuffer::Nothing { announced };
    let mut pace = Pace::start();
    while let Some(frame) = pace.next(&mut body).await? {
        let Ok(data) = frame.into_data() else { continue };
        let length = buffer.len() + data.len();
        if length > most {
            return Err(UnreadBody(
                ProblemCode::BodyTooLarge,
                "the body must not be larger than the limit of this endpoint, which the served limits name",
            ));
        }
        if !reservation.grow_to(length).await {
            return Err(NO_ROOM);
        }
        buffer.add(data);
        if !body.is_end_stream() {
            reservation.is_coming();
        }
    }
    reservation.is_whole();
    Ok(ReadBody { bytes: buffer.into_bytes(), _reservation: reservation })
}

/// How fast a body comes. In every window it has to bring what the least rate asks for, whatever it brought before.
struct Pace {
    end: Instant,
    brought: usize,
}

impl Pace {
    const WINDOW: Duration = Duration::from_secs(limits::LEAST_RATE_SECONDS);
    const LEAST: usize = limits::LEAST_RATE * limits::LEAST_RATE_SECONDS as usize;

    fn start() -> Self {
        Self { end: Instant::now() + Self::WINDOW, brought: 0 }
    }

    async fn next(&mut self, body: &mut Incoming) -> Result<Option<Frame<Bytes>>, UnreadBody> {
        loop {
            match timeout_at(self.end, body.frame()).await {
                Ok(None) => return Ok(None),
                Ok(Some(frame)) => {
                    let frame = frame.map_err(|error| broken_off(&error))?;
                    self.brought += frame.data_ref().map_or(0, Bytes::len);
                    return Ok(Some(frame));
                }
                Err(_) if self.brought < Self::LEAST => return Err(TOO_SLOW),
                Err(_) => *self = Self::start(),
            }
        }
    }
}

/// How often what has come is the room that is made for what was announced: a body is copied once or twice, and an
/// announcement alone takes up nothing.
const MAX_PREALLOCATION_FACTOR: usize = 16;

/// The bytes that came. A body that comes in one piece is not copied.
enum BodyBuffer {
    Nothing { announced: usize },
    Piece { piece: Bytes, announced: usize },
    Pieces { bytes: BytesMut, announced: usize },
}

impl BodyBuffer {
    fn len(&self) -> usize {
        match self {
            Self::Nothing { .. } => 0,
            Self::Piece { piece, .. } => piece.len(),
            Self::Pieces { bytes, .. } => bytes.len(),
        }
    }

    fn add(&mut self, data: Bytes) {
        match self {
            Self::Nothing { announced } => *self = Self::Piece { piece: data, announced: *announced },
            Self::Piece { piece, announced } => {
                let announced = *announced;
                let mut bytes = BytesMut::new();
                make_room(&mut bytes, piece.len() + data.len(), announced);
                bytes.extend_from_slice(piece);
                bytes.extend_from_slice(&data);
                *self = Self::Pieces { bytes, announced };
            }
            Self::Pieces { bytes, announced } => {
                make_room(bytes, data.len(), *announced);
                bytes.extend_from_slice(&data);
            }
        }
    }

    fn into_bytes(self) -> Bytes {
        match self {
            Self::Nothing { .. } => Bytes::new(),
            Self::Piece { piece, .. } => piece,
            Self::Pieces { bytes, .. } => bytes.freeze(),
        }
    }
}

/// Makes room for more bytes, and for what was announced as far as it can be trusted.
fn make_room(bytes: &mut BytesMut, more: usize, announced: usize) {
    let length = bytes.len() + more;
    if length > bytes.capacity() {
        let room = announced.min(length.saturating_mul(MAX_PREALLOCATION_FACTOR)).max(length);
        bytes.reserve(room - bytes.len());
    }
}

fn broken_off(error: &hyper::Error) -> UnreadBody {
    let cause = error.source().and_then(|source| source.downcast_ref::<io::Error>());
    if cause.is_some_and(|cause| cause.kind() == io::ErrorKind::TimedOut) {
        return TOO_SLOW;
    }
    UnreadBody(ProblemCode::MalformedRequest, "the body ended early, or is not well-formed HTTP")
}

/// Throws away what a client still sends, within bounds, so that it gets to read the answer. One that asked first has
/// sent nothing yet, and must not be invited to.
pub(super) async fn discard(headers: &HeaderMap, body: &mut Incoming, most: usize, limit: Duration) {
    if headers.contains_key(header::EXPECT) {
        return;
    }
    let discarding = async {
        let mut seen = 0;
        while let Some(Ok(frame)) = body.frame().await {
            seen += frame.data_ref().map_or(0, Bytes::len);
            if seen > most {
                break;
            }
        }
    };
    // Whoever sends for longer finds the connection closed.
    let _ = tokio::time::timeout(limit, discarding).await;
}
