//! Whether a client that follows the log is still there. Whoever has said everything may stop talking and still gets an answer;
//! an event stream has no end to wait for, and its place would stay taken until something is sent and comes back.

use std::{
    io,
    pin::Pin,
    sync::Arc,
    task::{Context, Poll},
};

use tokio::{
    io::{AsyncRead, AsyncWrite, ReadBuf},
    net::TcpStream,
};

use super::connection_slots::SlotState;

/// A connection that tells its slot when a follower hangs up.
pub(super) struct Departure {
    stream: TcpStream,
    slot: Arc<SlotState>,
}

impl Departure {
    pub(super) fn new(stream: TcpStream, slot: &Arc<SlotState>) -> Self {
        Self { stream, slot: Arc::clone(slot) }
    }

    /// Asks to be woken when the client hangs up. Called whenever everything was sent, which is where a stream waits.
    fn look(&self, context: &mut Context<'_>) {
        if !self.slot.follows() || self.slot.has_left() {
            return;
        }
        let mut byte = [0; 1];
        if let Poll::Ready(Ok(0) | Err(_)) = self.stream.poll_peek(context, &mut ReadBuf::new(&mut byte)) {
            self.slot.note_left();
            context.waker().wake_by_ref();
        }
    }
}

impl AsyncRead for Departure {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_read(context, buffer)
    }
}

impl AsyncWrite for Departure {
    fn poll_write(mut self: Pin<&mut Self>, context: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.stream).poll_write(context, bytes)
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        self.look(context);
        Pin::new(&mut self.stream).poll_flush(context)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_shutdown(context)
    }
}
