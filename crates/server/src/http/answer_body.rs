//! The body of an answer, given to the wire piece by piece, so that a client that does not read keeps no more of it than a
//! piece or two once it was sent, and all of it only as long as there is room.

use std::{
    convert::Infallible,
    pin::Pin,
    task::{Context, Poll},
};

use bytes::Bytes;
use hyper::body::{Body, Frame, SizeHint};

use super::{answer_budget::AnswerReservation, event_stream::EventStream};

/// What is given at once. Answers up to this length take no room of the budget.
pub(super) const PIECE_BYTES: usize = 16 * 1024;

#[derive(Debug)]
pub(super) enum AnswerBody {
    Whole {
        rest: Bytes,
        room: Option<AnswerReservation>,
    },
    /// What has no length, and ends when it does.
    Stream(Box<EventStream>),
}

impl AnswerBody {
    pub(super) fn new(bytes: Bytes, room: Option<AnswerReservation>) -> Self {
        Self::Whole { rest: bytes, room }
    }
}

impl Default for AnswerBody {
    fn default() -> Self {
        Self::new(Bytes::new(), None)
    }
}

impl Body for AnswerBody {
    type Data = Bytes;
    type Error = Infallible;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Infallible>>> {
        match &mut *self {
            Self::Whole { rest, room } => {
                if rest.is_empty() {
                    return Poll::Ready(None);
                }
                let length = rest.len().min(PIECE_BYTES);
                let piece = rest.split_to(length);
                // A piece of the whole would keep the whole for as long as it waits.
                let piece = if room.is_some() { Bytes::copy_from_slice(&piece) } else { piece };
                Poll::Ready(Some(Ok(Frame::data(piece))))
            }
            Self::Stream(stream) => stream.poll_piece(context).map(|piece| piece.map(|piece| Ok(Frame::data(piece)))),
        }
    }

    fn is_end_stream(&self) -> bool {
        match self {
            Self::Whole { rest, .. } => rest.is_empty(),
            Self::Stream(_) => false,
        }
    }

    fn size_hint(&self) -> SizeHint {
        match self {
            Self::Whole { rest, .. } => SizeHint::with_exact(rest.len() as u64),
            Self::Stream(_) => SizeHint::default(),
        }
    }
}
