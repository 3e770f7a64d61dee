//! A stream on which an answer can be read although the request was not written to its end.
//!
//! A server may refuse a request by its headers, answer and close without reading the body. The next write then fails while
//! the answer is already here, and a client that gives up at that error never sees why it was refused.

use std::{
    io,
    pin::Pin,
    sync::{
        Arc, OnceLock,
        atomic::{AtomicUsize, Ordering},
    },
    task::{Context, Poll, ready},
};

use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};

const END_OF_HEAD: &[u8] = b"\r\n\r\n";

/// How much of a request was written.
#[derive(Debug, Default)]
pub(super) struct WriteProgress {
    body_bytes: AtomicUsize,
    failure: OnceLock<String>,
}

impl WriteProgress {
    /// The bytes of the body that the system took.
    pub(super) fn body_bytes(&self) -> usize {
        self.body_bytes.load(Ordering::Relaxed)
    }

    /// Why the rest could not be written.
    pub(super) fn failure(&self) -> Option<&str> {
        self.failure.get().map(String::as_str)
    }
}

/// The stream. After a write fails, later writes go nowhere and reads go on.
pub(super) struct EarlyAnswerStream<S> {
    inner: S,
    progress: Arc<WriteProgress>,
    /// How much of the end of the request's head was seen.
    head_matched: usize,
    has_read: bool,
}

impl<S> EarlyAnswerStream<S> {
    pub(super) fn new(inner: S, progress: Arc<WriteProgress>) -> Self {
        Self { inner, progress, head_matched: 0, has_read: false }
    }

    fn is_broken(&self) -> bool {
        self.progress.failure().is_some()
    }

    fn break_off(&self, error: &io::Error) {
        let _ = self.progress.failure.set(error.to_string());
    }

    fn count(&mut self, written: &[u8]) {
        let mut rest = written.iter();
        while self.head_matched < END_OF_HEAD.len() {
            let Some(byte) = rest.next() else { return };
            self.head_matched = match END_OF_HEAD.get(self.head_matched) {
                Some(expected) if expected == byte => self.head_matched + 1,
                Some(_) | None => usize::from(*byte == b'\r'),
            };
        }
        self.progress.body_bytes.fetch_add(rest.len(), Ordering::Relaxed);
    }
}

impl<S: AsyncWrite + Unpin> AsyncWrite for EarlyAnswerStream<S> {
    fn poll_write(mut self: Pin<&mut Self>, context: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        if self.is_broken() {
            return Poll::Ready(Ok(bytes.len()));
        }
        match ready!(Pin::new(&mut self.inner).poll_write(context, bytes)) {
            Ok(written) => {
                self.count(bytes.get(..written).unwrap_or(bytes));
                Poll::Ready(Ok(written))
            }
            Err(error) => {
                self.break_off(&error);
                Poll::Ready(Ok(bytes.len()))
            }
        }
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        if !self.is_broken()
            && let Err(error) = ready!(Pin::new(&mut self.inner).poll_flush(context))
        {
            self.break_off(&error);
        }
        Poll::Ready(Ok(()))
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        if self.is_broken() {
            return Poll::Ready(Ok(()));
        }
        Pin::new(&mut self.inner).poll_shutdown(context)
    }
}

impl<S: AsyncRead + Unpin> AsyncRead for EarlyAnswerStream<S> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let before = buffer.filled().len();
        let read = ready!(Pin::new(&mut self.inner).poll_read(context, buffer));
        self.has_read |= buffer.filled().len() > before;
        Poll::Ready(match read {
            // A server that closes with a part of the request unread resets the connection behind its answer.
            Err(error) if self.has_read && is_end(&error, self.is_broken()) => Ok(()),
            read => read,
        })
    }
}

/// Whether an error only says that the other side has closed. TLS tells a cut answer from a whole one, so that its own
/// error is let pass only where the request was cut too.
fn is_end(error: &io::Error, is_broken: bool) -> bool {
    let kind = error.kind();
    matches!(kind, io::ErrorKind::ConnectionReset | io::ErrorKind::ConnectionAborted)
        || (is_broken && kind == io::ErrorKind::UnexpectedEof)
}
