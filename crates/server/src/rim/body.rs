//! Reads a body within its bounds of size and time.

use std::time::Duration;

use bytes::{Bytes, BytesMut};
use http_body_util::BodyExt as _;
use hyper::{HeaderMap, body::Incoming, header};
use svc_core::problem::ProblemCode;

/// Whatever is declared larger than this need not be sent.
pub(super) fn declared_length(headers: &HeaderMap) -> Option<u64> {
    headers.get(header::CONTENT_LENGTH)?.to_str().ok()?.parse().ok()
}

/// Why a body was not read, with its problem.
pub(super) struct Unread(pub(super) ProblemCode, pub(super) &'static str);

/// Reads a body of at most `most` bytes within a time.
pub(super) async fn read(mut body: Incoming, most: usize, limit: Duration) -> Result<Bytes, Unread> {
    let reading = async {
        let mut whole = BytesMut::new();
        while let Some(frame) = body.frame().await {
            let frame = frame.map_err(|_| Unread(ProblemCode::MalformedRequest, "the body broke off"))?;
            if let Ok(data) = frame.into_data() {
                if whole.len() + data.len() > most {
                    return Err(Unread(ProblemCode::BodyTooLarge, "the body is larger than the endpoint reads"));
                }
                whole.extend_from_slice(&data);
            }
        }
        Ok(whole.freeze())
    };
    match tokio::time::timeout(limit, reading).await {
        Ok(read) => read,
        Err(_) => Err(Unread(ProblemCode::RequestTimeout, "the body came too slowly")),
    }
}

/// Throws away what a client still sends, within bounds, so that it gets to read the answer.
pub(super) async fn discard(mut body: Incoming, most: usize, limit: Duration) {
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
