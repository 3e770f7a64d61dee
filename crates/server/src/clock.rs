//! The time of day for people: logs and token lists. No decision reads a clock.

use std::time::{SystemTime, UNIX_EPOCH};

use svc_core::journal::timestamp::Timestamp;

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

/// Seconds since 1970 as `2026-11-15T09:30:00Z`.
#[must_use]
pub fn utc(seconds: u64) -> String {
    Timestamp::from_millis(seconds.saturating_mul(1000)).to_string().replace(".000Z", "Z")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn known_moments_have_their_names_and_a_wrong_clock_has_one_too() {
        for (seconds, name) in [
            (0, "1970-01-01T00:00:00Z"),
            (951_782_400, "2000-02-29T00:00:00Z"),
            (4_107_542_400, "2100-03-01T00:00:00Z"),
        ] {
            assert_eq!(utc(seconds), name);
        }
        assert!(utc(u64::MAX).starts_with("9999-12-31T"), "{}", utc(u64::MAX));
    }
}
