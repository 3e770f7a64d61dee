//! The time of day for people: logs and token lists. No decision reads a clock.

use std::time::{SystemTime, UNIX_EPOCH};

/// Seconds since 1970. A clock before that reads as the end of time, so that nothing looks current.
#[must_use]
pub fn seconds_now() -> u64 {
    SystemTime::now().duration_since(UNIX_EPOCH).map_or(u64::MAX, |since| since.as_secs())
}

/// Seconds since 1970 as `2026-11-15T09:30:00Z`.
#[must_use]
pub fn utc(seconds: u64) -> String {
    let (year, month, day) = date(seconds / DAY);
    let (hour, minute, second) = (seconds % DAY / 3600, seconds % 3600 / 60, seconds % 60);
    format!("{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}Z")
}

const DAY: u64 = 24 * 60 * 60;
/// The calendar repeats after 400 years.
const ERA_DAYS: u64 = 146_097;
/// From the first of March of the year 0 to the first day of 1970.
const BEFORE_1970: u64 = 719_468;

/// Year, month and day of a number of days since 1970. Years are counted from March, so that the leap day is the last.
fn date(days: u64) -> (u64, u64, u64) {
    let days = days + BEFORE_1970;
    let (era, day_of_era) = (days / ERA_DAYS, days % ERA_DAYS);
    let year_of_era = (day_of_era - day_of_era / 1460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
    let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let month_from_march = (5 * day_of_year + 2) / 153;
    let day = day_of_year - (153 * month_from_march + 2) / 5 + 1;
    let month = if month_from_march < 10 { month_from_march + 3 } else { month_from_march - 9 };
    (400 * era + year_of_era + u64::from(month <= 2), month, day)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn known_moments_have_their_names() {
        for (seconds, name) in [
            (0, "1970-01-01T00:00:00Z"),
            (951_782_399, "2000-02-28T23:59:59Z"),
            (951_782_400, "2000-02-29T00:00:00Z"),
            (1_709_251_200, "2024-03-01T00:00:00Z"),
            (2_147_483_648, "2038-01-19T03:14:08Z"),
            (4_102_444_800, "2100-01-01T00:00:00Z"),
            (4_107_542_400, "2100-03-01T00:00:00Z"),
        ] {
            assert_eq!(utc(seconds), name);
        }
        assert!(utc(u64::MAX).ends_with('Z'));
    }

    #[test]
    fn each_day_follows_the_one_before() {
        for days in 0..400 * 366 {
            let (year, month, day) = date(days);
            let (next_year, next_month, next_day) = date(days + 1);
            let next = (next_year, next_month, next_day);
            let follows = next == (year, month, day + 1)
                || (next_day == 1 && (next_year, next_month) == (year, month + 1))
                || next == (year + 1, 1, 1);
            assert!(follows && (28..=31).contains(&if next_day == 1 { day } else { 28 }), "{days}");
        }
    }
}
