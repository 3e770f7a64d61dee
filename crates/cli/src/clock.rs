//! The time of day, for what people read and for how old a signed state is. No decision reads a clock.

use std::time::{SystemTime, UNIX_EPOCH};

use svc_core::journal::timestamp::Timestamp;

/// The moment. A clock before 1970 reads as the end of time, so that nothing looks current.
#[must_use]
pub fn now() -> Timestamp {
    let since = SystemTime::now().duration_since(UNIX_EPOCH);
    Timestamp::from_millis(since.map_or(u64::MAX, |since| u64::try_from(since.as_millis()).unwrap_or(u64::MAX)))
}

/// Seconds since 1970.
#[must_use]
pub fn seconds_now() -> u64 {
    now().millis() / 1000
}
