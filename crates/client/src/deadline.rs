//! Until when something may take, and what ends it sooner.

use std::{
    io,
    sync::mpsc::{self, RecvTimeoutError},
    thread,
    time::{Duration, Instant},
};

/// How long a wait goes on before it is looked whether the work is still wanted.
const SLICE: Duration = Duration::from_millis(50);

#[derive(Clone, Copy)]
pub(crate) struct Deadline<'s> {
    at: Instant,
    is_stopped: &'s dyn Fn() -> bool,
}

/// Why something did not come to its end.
#[derive(Debug)]
pub(crate) enum Interruption {
    TimedOut,
    /// The caller wants it no more.
    Stopped,
    Failed(io::Error),
}

impl From<io::Error> for Interruption {
    fn from(error: io::Error) -> Self {
        Self::Failed(error)
    }
}

impl<'s> Deadline<'s> {
    /// A deadline from now, for work that ends as soon as it is said to be stopped.
    pub(crate) fn within(time: Duration, is_stopped: &'s dyn Fn() -> bool) -> Self {
        Self { at: Instant::now() + time, is_stopped }
    }

    /// The same, or an earlier one from now.
    pub(crate) fn sooner(self, time: Duration) -> Self {
        Self { at: self.at.min(Instant::now() + time), ..self }
    }

    pub(crate) fn is_over(&self) -> bool {
        Instant::now() >= self.at
    }

    /// How long to wait for something before asking again.
    pub(crate) fn slice(&self) -> Result<Duration, Interruption> {
        if (self.is_stopped)() {
            return Err(Interruption::Stopped);
        }
        let left = self.at.saturating_duration_since(Instant::now());
        if left.is_zero() { Err(Interruption::TimedOut) } else { Ok(left.min(SLICE)) }
    }

    /// Does what blocks and cannot be cut short, such as a look-up, in a thread. After the deadline nobody takes its result.
    pub(crate) fn wait_for<T: Send + 'static>(
        &self,
        work: impl FnOnce() -> io::Result<T> + Send + 'static,
    ) -> Result<T, Interruption> {
        let (sender, receiver) = mpsc::sync_channel(1);
        thread::Builder::new().name("svc-connect".to_owned()).spawn(move || sender.send(work()))?;
        loop {
            match receiver.recv_timeout(self.slice()?) {
                Ok(done) => return Ok(done?),
                Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) => return Err(io::Error::other("the thread for it ended").into()),
            }
        }
    }
}
