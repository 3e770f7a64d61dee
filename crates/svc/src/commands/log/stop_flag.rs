//! The wish to stop, as threads see it that wait or work.

use std::{
    sync::{Condvar, Mutex, PoisonError},
    time::Duration,
};

#[derive(Default)]
pub(super) struct StopFlag {
    is_set: Mutex<bool>,
    changed: Condvar,
}

impl StopFlag {
    pub(super) fn set(&self) {
        *self.is_set.lock().unwrap_or_else(PoisonError::into_inner) = true;
        self.changed.notify_all();
    }

    pub(super) fn is_set(&self) -> bool {
        *self.is_set.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Waits so long, or until the wish; whether it came.
    pub(super) fn wait(&self, time: Duration) -> bool {
        let guard = self.is_set.lock().unwrap_or_else(PoisonError::into_inner);
        let waited = self.changed.wait_timeout_while(guard, time, |is_set| !*is_set);
        *waited.unwrap_or_else(PoisonError::into_inner).0
    }
}
