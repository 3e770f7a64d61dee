//! A stream that ends when nothing moves for too long, in either direction, or when its reader takes too little.

use std::{
    future::Future as _,
    io,
    pin::Pin,
    sync::Arc,
    task::{Context, Poll, ready},
    time::Duration,
};

use svc_core::words::limits;
use tokio::{
    io::{AsyncRead, AsyncWrite, ReadBuf},
    time::{Instant, Sleep, sleep},
};

use super::connection_slots::SlotState;

/// The stream with its clock. A write that cannot go on and a read that brings nothing both run it down.
pub(super) struct StallTimeout<S> {
    stream: S,
    limit: Duration,
    clock: Pin<Box<Sleep>>,
    reader: Option<Reader>,
    /// Whom to tell that the client did not read.
    slot: Option<Arc<SlotState>>,
}

/// A reader that was waited for, and has to take what the least rate asks for before its time is over. One that takes a
/// byte now and then would keep its connection for ever.
struct Reader {
    end: Pin<Box<Sleep>>,
    owed: usize,
}

impl<S> StallTimeout<S> {
    pub(super) fn new(stream: S, limit: Duration) -> Self {
        Self { stream, limit, clock: Box::pin(sleep(limit)), reader: None, slot: None }
    }

    /// The same of a connection that has a slot.
    pub(super) fn of_slot(stream: S, limit: Duration, slot: &Arc<SlotState>) -> Self {
        Self { slot: Some(Arc::clone(slot)), ..Self::new(stream, limit) }
    }

    /// The reader has to be waited for. Resolves when it had its time.
    fn waits_for_reader(&mut self, context: &mut Context<'_>) -> Poll<io::Result<usize>> {
        let limit = self.limit;
        let reader = self.reader.get_or_insert_with(|| {
            let owed = limits::LEAST_RATE.saturating_mul(usize::try_from(limit.as_secs()).unwrap_or(usize::MAX));
            Reader { end: Box::pin(sleep(limit)), owed }
        });
        ready!(reader.end.as_mut().poll(context));
        Poll::Ready(Err(io::ErrorKind::TimedOut.into()))
    }

    fn taken(&mut self, bytes: usize) {
        if let Some(reader) = &mut self.reader {
            reader.owed = reader.owed.saturating_sub(bytes);
            if reader.owed == 0 {
                self.reader = None;
            }
        }
    }

    fn moved(&mut self) {
        self.clock.as_mut().reset(Instant::now() + self.limit);
    }

    fn stalled<T>(&mut self, context: &mut Context<'_>) -> Poll<io::Result<T>> {
        ready!(self.clock.as_mut().poll(context));
        Poll::Ready(Err(io::ErrorKind::TimedOut.into()))
    }
}

impl<S: AsyncRead + Unpin> AsyncRead for StallTimeout<S> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        match Pin::new(&mut self.stream).poll_read(context, buffer) {
            Poll::Ready(read) => {
                self.moved();
                Poll::Ready(read)
            }
            Poll::Pending => self.stalled(context),
        }
    }
}

impl<S: AsyncWrite + Unpin> AsyncWrite for StallTimeout<S> {
    fn poll_write(mut self: Pin<&mut Self>, context: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        match Pin::new(&mut self.stream).poll_write(context, bytes) {
            Poll::Ready(written) => {
                self.moved();
                self.taken(written.as_ref().map_or(0, |written| *written));
                Poll::Ready(written)
            }
            Poll::Pending => {
                let stalled = match self.stalled(context) {
                    Poll::Ready(stalled) => stalled,
                    Poll::Pending => ready!(self.waits_for_reader(context)),
                };
                if let Some(slot) = &self.slot {
                    slot.note_unread();
                }
                Poll::Ready(stalled)
            }
        }
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        match Pin::new(&mut self.stream).poll_flush(context) {
            Poll::Ready(flushed) => {
                // Everything was taken: the next answer has a time of its own.
                self.reader = None;
                Poll::Ready(flushed)
            }
            Poll::Pending => self.stalled(context),
        }
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        match Pin::new(&mut self.stream).poll_shutdown(context) {
            Poll::Ready(shut) => Poll::Ready(shut),
            Poll::Pending => self.stalled(context),
        }
    }
}

#[cfg(test)]
mod tests {
    use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _, DuplexStream, duplex};

    use super::*;

    /// Takes so many bytes every tenth of a second.
    async fn read_slowly(mut stream: DuplexStream, bytes: usize) {
        let mut buffer = vec![0; bytes];
        while stream.read_exact(&mut buffer).await.is_ok() {
            tokio::time::sleep(Duration::from_millis(100)).await;
        }
    }

    async fn write(answer: usize, taken: usize) -> io::Result<()> {
        let (stream, reader) = duplex(64);
        tokio::spawn(read_slowly(reader, taken));
        StallTimeout::new(stream, Duration::from_secs(1)).write_all(&vec![0; answer]).await
    }

    #[tokio::test]
    async fn a_reader_that_takes_a_little_now_and_then_is_not_waited_for() {
        let started = Instant::now();
        let error = write(100_000, 10).await.unwrap_err();
        assert_eq!(error.kind(), io::ErrorKind::TimedOut);
        assert!(started.elapsed() < Duration::from_secs(5), "{:?}", started.elapsed());
    }

    #[tokio::test]
    async fn a_reader_that_takes_enough_is_waited_for() {
        let started = Instant::now();
        write(8_000, 400).await.unwrap();
        assert!(started.elapsed() > Duration::from_millis(1200), "{:?}", started.elapsed());
    }
}
