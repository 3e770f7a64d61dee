//! When a delivery that failed is tried again.

use std::time::Duration;

/// How long each try waits for, after the one before it has failed.
pub const DELAYS: [Duration; 10] = [
    Duration::ZERO,
    Duration::from_secs(5),
    Duration::from_mins(5),
    Duration::from_mins(30),
    Duration::from_hours(2),
    Duration::from_hours(5),
    Duration::from_hours(10),
    Duration::from_hours(14),
    Duration::from_hours(20),
    Duration::from_hours(24),
];

/// A receiver that asks for more time than this is not heard.
pub const LONGEST_RETRY_AFTER: Duration = Duration::from_hours(24);

/// Above the longest delay with everything added: what the store says beyond that was written by a clock that was wrong.
pub const LONGEST_WAIT: Duration = Duration::from_hours(29);

/// How long to wait after so many failed tries; nothing when there are no more. Up to a fifth is added by chance, so that
/// endpoints that failed together are not tried together; a receiver may ask for more.
#[must_use]
pub fn delay_after(failed: u32, retry_after: Option<Duration>, chance: u8) -> Option<Duration> {
    let delay = *DELAYS.get(usize::try_from(failed).ok()?)?;
    let jittered = delay + delay * u32::from(chance) / (5 * 255);
    Some(jittered.max(retry_after.unwrap_or_default().min(LONGEST_RETRY_AFTER)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ten_tries_are_made_and_no_more_whatever_a_receiver_asks_for() {
        let delays: Vec<u64> = (1..10).map(|failed| delay_after(failed, None, 0).unwrap().as_secs()).collect();
        assert_eq!(delays, [5, 300, 1800, 7200, 18_000, 36_000, 50_400, 72_000, 86_400]);
        assert_eq!(delay_after(10, Some(Duration::from_secs(1)), 0), None);
        assert_eq!(delay_after(u32::MAX, None, 0), None);
    }

    #[test]
    fn chance_adds_a_fifth_at_most_and_a_receiver_a_day_at_most() {
        assert_eq!(delay_after(1, None, 255), Some(Duration::from_secs(6)));
        assert_eq!(delay_after(9, None, 255), Some(Duration::from_secs(86_400 * 6 / 5)));
        assert!(delay_after(9, None, 255).unwrap() < LONGEST_WAIT);
        assert_eq!(delay_after(1, Some(Duration::from_secs(60)), 0), Some(Duration::from_secs(60)));
        assert_eq!(delay_after(1, Some(Duration::MAX), 255), Some(LONGEST_RETRY_AFTER));
        assert_eq!(delay_after(2, Some(Duration::from_secs(1)), 0), Some(Duration::from_mins(5)), "never sooner");
    }
}
