//! The time of day. No decision reads a clock.

use std::time::{SystemTime, UNIX_EPOCH};

/// Seconds since 1970. A clock before that reads as the end of time, so that nothing looks current.
#[must_use]
pub fn seconds_now() -> u64 {
    SystemTime::now().duration_since(UNIX_EPOCH).map_or(u64::MAX, |since| since.as_secs())
}

/// Milliseconds since 1970.
#[must_use]
pub fn millis_now() -> u64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH);
    since.map_or(u64::MAX, |since| u64::try_from(since.as_millis()).unwrap_or(u64::MAX))
}
