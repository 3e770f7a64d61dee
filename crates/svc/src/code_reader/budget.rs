//! What reading all code of one package may use: bytes at once, which bounds memory, and processor time in all.
//!
//! Which file meets the end of the time depends on the machine, so a file beyond it is unread. Unread code is a finding
//! and never lets a rule pass: on a slower machine a report can say less, and not more.

use std::{
    sync::{Condvar, Mutex, MutexGuard, PoisonError},
    time::Duration,
};

use svc_core::words::limits;

/// The processor time for one file: more than real code takes, also in a build that is not optimised.
pub(super) const fn file_time(bytes: usize) -> Duration {
    Duration::from_secs(10 + 2 * (bytes as u64 / (1024 * 1024)))
}

/// What is left for a package.
#[derive(Debug, Default)]
pub(super) struct Budget {
    used: Mutex<Used>,
    freed: Condvar,
}

#[derive(Debug, Default)]
struct Used {
    /// Bytes of code that are being read.
    at_once: usize,
    /// Processor time until now.
    time: Duration,
}

/// One file's turn, until it is dropped.
#[derive(Debug)]
pub(super) struct Permit<'b> {
    budget: &'b Budget,
    bytes: usize,
}

impl Budget {
    /// Waits until there is room for a file of so many bytes. Nothing when the time of the package is used up.
    pub(super) fn acquire(&self, bytes: usize) -> Option<Permit<'_>> {
        let is_full = |used: &mut Used| used.at_once > 0 && used.at_once + bytes > limits::CODE_AT_ONCE_BYTES;
        let mut used = self.freed.wait_while(self.lock(), is_full).unwrap_or_else(PoisonError::into_inner);
        if used.time >= Duration::from_secs(limits::CODE_SECONDS) {
            return None;
        }
        used.at_once += bytes;
        Some(Permit { budget: self, bytes })
    }

    fn lock(&self) -> MutexGuard<'_, Used> {
        self.used.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Permit<'_> {
    /// Notes the processor time that the file took.
    pub(super) fn took(&mut self, time: Duration) {
        self.budget.lock().time += time;
    }
}

impl Drop for Permit<'_> {
    fn drop(&mut self) {
        self.budget.lock().at_once -= self.bytes;
        self.budget.freed.notify_all();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_package_without_time_left_reads_nothing_more() {
        let budget = Budget::default();
        budget.acquire(1).unwrap().took(Duration::from_secs(limits::CODE_SECONDS - 1));
        budget.acquire(1).unwrap().took(Duration::from_secs(1));
        assert!(budget.acquire(0).is_none());
    }

    #[test]
    fn large_files_take_turns_and_small_ones_share() {
        let budget = Budget::default();
        let small = [budget.acquire(1_000).unwrap(), budget.acquire(limits::CODE_AT_ONCE_BYTES - 1_000).unwrap()];
        std::thread::scope(|scope| {
            let large = scope.spawn(|| budget.acquire(4 * limits::CODE_AT_ONCE_BYTES).map(|permit| permit.bytes));
            std::thread::sleep(Duration::from_millis(20));
            assert!(!large.is_finished());
            drop(small);
            assert_eq!(large.join().unwrap(), Some(4 * limits::CODE_AT_ONCE_BYTES));
        });
        assert_eq!(budget.lock().at_once, 0);
    }
}
