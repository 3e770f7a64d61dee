//! Reads a body within its bounds of size and time.

use std::{error::Error as _, io, sync::Arc, time::Duration};

use bytes::{Bytes, BytesMut};
use http_body_util::BodyExt as _;
use hyper::{
    HeaderMap,
    body::{Body as _, Incoming},
    header,
};
use svc_core::problem::ProblemCode;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

/// Whatever is declared larger than this need not be sent.
pub(super) fn declared_length(headers: &HeaderMap) -> Option<u64> {
    headers.get(header::CONTENT_LENGTH)?.to_str().ok()?.parse().ok()
}

/// Why a body was not read, with its problem.
pub(super) struct Unread(pub(super) ProblemCode, pub(super) &'static str);

/// A body, and the room that it takes up until it is dropped.
pub(super) struct Read {
    pub(super) bytes: Bytes,
    pub(super) _room: Option<OwnedSemaphorePermit>,
}

/// Reads a body of at most `most` bytes within a time. Bytes take up room when they come, not when they are announced:
/// otherwise a few announcements would fill it.
pub(super) async fn read(
    body: Incoming,
    most: usize,
    limit: Duration,
    kibibytes: &Arc<Semaphore>,
) -> Result<Read, Unread> {
    match tokio::time::timeout(limit, read_all(body, most, kibibytes)).await {
        Ok(read) => read,
        Err(_) => Err(TOO_SLOW),
    }
}

const TOO_SLOW: Unread = Unread(ProblemCode::RequestTimeout, "the body came too slowly");

async fn read_all(mut body: Incoming, most: usize, kibibytes: &Arc<Semaphore>) -> Result<Read, Unread> {
    let announced = body.size_hint().exact().and_then(|length| usize::try_from(length).ok()).unwrap_or(0);
    let mut whole = Whole::Nothing { announced };
    let mut room: Option<OwnedSemaphorePermit> = None;
    while let Some(frame) = body.frame().await {
        let Ok(data) = frame.map_err(|error| broken_off(&error))?.into_data() else { continue };
        let length = whole.len() + data.len();
        if length > most {
            return Err(Unread(ProblemCode::BodyTooLarge, "the body is larger than the endpoint reads"));
        }
        let held = room.as_ref().map_or(0, OwnedSemaphorePermit::num_permits);
        let more = u32::try_from(length.div_ceil(1024).saturating_sub(held)).unwrap_or(u32::MAX);
        let Ok(more) = Arc::clone(kibibytes).try_acquire_many_owned(more) else {
            return Err(Unread(ProblemCode::Overloaded, "too many bytes in flight"));
        };
        match &mut room {
            Some(room) => room.merge(more),
            None => room = Some(more),
        }
        whole.add(data);
    }
    Ok(Read { bytes: whole.into_bytes(), _room: room })
}

/// How often what has come is the room that is made for what was announced: a body is copied once or twice, and an
/// announcement alone takes up nothing.
const TRUST: usize = 16;

/// The bytes that came. A body that comes in one piece is not copied.
enum Whole {
    Nothing { announced: usize },
    Piece { piece: Bytes, announced: usize },
    Pieces { bytes: BytesMut, announced: usize },
}

impl Whole {
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
        let room = announced.min(length.saturating_mul(TRUST)).max(length);
        bytes.reserve(room - bytes.len());
    }
}

fn broken_off(error: &hyper::Error) -> Unread {
    let cause = error.source().and_then(|source| source.downcast_ref::<io::Error>());
    if cause.is_some_and(|cause| cause.kind() == io::ErrorKind::TimedOut) {
        return TOO_SLOW;
    }
    Unread(ProblemCode::MalformedRequest, "the body broke off")
}

/// Throws away what a client still sends, within bounds, so that it gets to read the answer. One that asked first has
/// sent nothing yet, and must not be invited to.
pub(super) async fn discard(headers: &HeaderMap, mut body: Incoming, most: usize, limit: Duration) {
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
