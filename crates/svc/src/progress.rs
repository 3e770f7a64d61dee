//! A line about long work, on a terminal only.

use std::{
    io::IsTerminal as _,
    sync::{
        Condvar, Mutex, PoisonError,
        atomic::{AtomicU64, Ordering},
    },
    thread,
    time::Duration,
};

use svc_cli::{files::size, output::stream};

/// Work shorter than this is not worth a line.
const SHOW_AFTER: Duration = Duration::from_millis(500);
const REFRESH_EVERY: Duration = Duration::from_millis(100);

/// What has been done so far.
#[derive(Debug, Default)]
pub(crate) struct WalkProgress {
    files: AtomicU64,
    /// How many there are, once that is known.
    total: AtomicU64,
    bytes: AtomicU64,
    ended: Mutex<bool>,
    end: Condvar,
}

impl WalkProgress {
    /// Notes how many files there are.
    pub(crate) fn set_total(&self, files: usize) {
        self.total.store(files as u64, Ordering::Relaxed);
    }

    /// Counts a file that was begun.
    pub(crate) fn add_file(&self) {
        self.files.fetch_add(1, Ordering::Relaxed);
    }

    /// Counts bytes that were read.
    pub(crate) fn add_bytes(&self, bytes: usize) {
        self.bytes.fetch_add(bytes as u64, Ordering::Relaxed);
    }

    /// Does the work, with a line about it when standard error is a terminal and the work takes long.
    pub(crate) fn during<T>(&self, work: impl FnOnce() -> T) -> T {
        if !std::io::stderr().is_terminal() {
            return work();
        }
        thread::scope(|scope| {
            scope.spawn(|| self.print());
            // The line ends with the work, also when the work panics.
            let _ending = EndOnDrop(self);
            work()
        })
    }

    fn print(&self) {
        let mut printed = false;
        let mut pause = SHOW_AFTER;
        while !self.has_ended_within(pause) {
            stream::status(&format!("\r\x1b[K{}", self.line()));
            printed = true;
            pause = REFRESH_EVERY;
        }
        if printed {
            stream::status("\r\x1b[K");
        }
    }

    fn line(&self) -> String {
        let [files, total, bytes] = [&self.files, &self.total, &self.bytes].map(|count| count.load(Ordering::Relaxed));
        match total {
            0 => "looking for files".to_owned(),
            _ => format!("reading file {files} of {total}, {}", size::in_words(bytes)),
        }
    }

    fn has_ended_within(&self, pause: Duration) -> bool {
        let ended = self.ended.lock().unwrap_or_else(PoisonError::into_inner);
        let waited = self.end.wait_timeout_while(ended, pause, |ended| !*ended);
        *waited.unwrap_or_else(PoisonError::into_inner).0
    }
}

struct EndOnDrop<'p>(&'p WalkProgress);

impl Drop for EndOnDrop<'_> {
    fn drop(&mut self) {
        *self.0.ended.lock().unwrap_or_else(PoisonError::into_inner) = true;
        self.0.end.notify_all();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_line_tells_how_much_there_is_as_soon_as_that_is_known() {
        let progress = WalkProgress::default();
        assert_eq!(progress.line(), "looking for files");
        progress.set_total(3);
        progress.add_file();
        progress.add_bytes(2048);
        assert_eq!(progress.line(), "reading file 1 of 3, 2 KiB");
    }
}
