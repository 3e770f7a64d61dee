//! The body of an answer, given to the wire piece by piece, so that a client that does not read keeps no more of it than a
//! piece or two once it was sent, and all of it only as long as there is room.

use std::{
    convert::Infallible,
    pin::Pin,
    task::{Context, Poll},
};

use bytes::Bytes;
use hyper::body::{Body, Frame, SizeHint};

use super::answer_budget::AnswerReservation;

/// What is given at once. Answers up to this length take no room of the budget.
pub(super) const PIECE_BYTES: usize = 16 * 1024;

#[derive(Debug, Default)]
pub(super) struct AnswerBody {
    rest: Bytes,
    room: Option<AnswerReservation>,
}

impl AnswerBody {
    pub(super) fn new(bytes: Bytes, room: Option<AnswerReservation>) -> Self {
        Self { rest: bytes, room }
    }
}

impl Body for AnswerBody {
    type Data = Bytes;
    type Error = Infallible;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        _context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Infallible>>> {
        if self.rest.is_empty() {
            return Poll::Ready(None);
        }
        let length = self.rest.len().min(PIECE_BYTES);
        let piece = self.rest.split_to(length);
        // A piece of the whole would keep the whole for as long as it waits.
        let piece = if self.room.is_some() { Bytes::copy_from_slice(&piece) } else { piece };
        Poll::Ready(Some(Ok(Frame::data(piece))))
    }

    fn is_end_stream(&self) -> bool {
        self.rest.is_empty()
    }

    fn size_hint(&self) -> SizeHint {
        SizeHint::with_exact(self.rest.len() as u64)
    }
}
