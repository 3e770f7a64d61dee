//! Whether the service takes requests.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

/// The state that `/readyz` tells.
#[derive(Debug, Default)]
pub struct Health {
    draining: AtomicBool,
    guard_trips: AtomicU64,
}

impl Health {
    /// Whether new requests are welcome.
    #[must_use]
    pub fn is_ready(&self) -> bool {
        !self.is_draining() && self.guard_trips() == 0
    }

    /// Whether the service is stopping.
    #[must_use]
    pub fn is_draining(&self) -> bool {
        self.draining.load(Ordering::Relaxed)
    }

    /// Says that the service is stopping.
    pub fn drain(&self) {
        self.draining.store(true, Ordering::Relaxed);
    }

    /// How often an answer was withheld.
    #[must_use]
    pub fn guard_trips(&self) -> u64 {
        self.guard_trips.load(Ordering::Relaxed)
    }

    pub(crate) fn trip_guard(&self) {
        self.guard_trips.fetch_add(1, Ordering::Relaxed);
    }
}
