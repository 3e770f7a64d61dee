//! A moment in UTC with milliseconds, in one spelling: `2026-11-15T05:22:07.123Z`.
//!
//! There is no clock here: whoever has one gives the milliseconds.

use std::fmt;

use crate::wire_string;

const DAY: u64 = 86_400_000;
/// The last millisecond of the year 9999, the last one that has this spelling.
const LAST: u64 = 253_402_300_799_999;

/// A moment: milliseconds since 1970, at most the end of the year 9999.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Timestamp(u64);

wire_string! {
    Timestamp {
        name: "timestamp",
        rule: B015,
        expected: "a moment in UTC with milliseconds, such as `2026-11-15T05:22:07.123Z`",
        pattern: "^[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}\\.[0-9]{3}Z$",
        max_length: 24,
    }
}

impl Timestamp {
    /// The first moment of 1970.
    pub(super) const EPOCH: Self = Self(0);

    /// The moment this many milliseconds after the start of 1970. A clock beyond the year 9999 stands still.
    #[must_use]
    pub fn from_millis(millis: u64) -> Self {
        Self(millis.min(LAST))
    }

    /// Milliseconds since the start of 1970.
    #[must_use]
    pub const fn millis(self) -> u64 {
        self.0
    }

    /// Seconds since 1970 as `2026-11-15T09:30:00Z`.
    #[must_use]
    pub fn utc_seconds(seconds: u64) -> String {
        Self::from_millis(seconds.saturating_mul(1000)).to_string().replace(".000Z", "Z").replace(".999Z", "Z")
    }

    pub(crate) fn with_text<T>(&self, use_text: impl FnOnce(&str) -> T) -> T {
        let (year, month, day) = date(self.0 / DAY);
        let clock = self.0 % DAY;
        let mut text = *b"0000-00-00T00:00:00.000Z";
        let mut put = |places: std::ops::Range<usize>, mut number: u64| {
            for digit in text.get_mut(places).into_iter().flatten().rev() {
                *digit = b'0' + (number % 10) as u8;
                number /= 10;
            }
        };
        put(0..4, year);
        put(5..7, month);
        put(8..10, day);
        put(11..13, clock / 3_600_000);
        put(14..16, clock / 60_000 % 60);
        put(17..19, clock / 1000 % 60);
        put(20..23, clock % 1000);
        use_text(std::str::from_utf8(&text).unwrap_or_default())
    }

    /// Reads the one spelling of a moment that exists.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        let number = |from: usize, to: usize| {
            let digits = text.get(from..to).filter(|digits| digits.bytes().all(|byte| byte.is_ascii_digit()))?;
            digits.parse::<u64>().ok()
        };
        let (year, month, day) = (number(0, 4)?, number(5, 7)?, number(8, 10)?);
        let (hour, minute, second, milli) = (number(11, 13)?, number(14, 16)?, number(17, 19)?, number(20, 23)?);
        let clock = ((hour * 60 + minute) * 60 + second) * 1000 + milli;
        let moment = Self::from_millis(days(year, month, day)? * DAY + clock);
        // Whatever was out of range, and every other separator, is not written back the same.
        moment.with_text(|spelled| spelled == text).then_some(moment)
    }
}

impl fmt::Display for Timestamp {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.with_text(|text| formatter.write_str(text))
    }
}

/// Days of the 400-year cycle, and before 1970 of a calendar whose years begin in March, so that leap days come last.
const CYCLE: u64 = 146_097;
const BEFORE_1970: u64 = 719_468;

fn date(days: u64) -> (u64, u64, u64) {
    let days = days + BEFORE_1970;
    let (cycle, rest) = (days / CYCLE, days % CYCLE);
    let year = (rest - rest / 1460 + rest / 36_524 - rest / 146_096) / 365;
    let day_of_year = rest - (365 * year + year / 4 - year / 100);
    let from_march = (5 * day_of_year + 2) / 153;
    let day = day_of_year - (153 * from_march + 2) / 5 + 1;
    let month = if from_march < 10 { from_march + 3 } else { from_march - 9 };
    (cycle * 400 + year + u64::from(month <= 2), month, day)
}

fn days(year: u64, month: u64, day: u64) -> Option<u64> {
    if !(1..=12).contains(&month) || day == 0 {
        return None;
    }
    let year = year.checked_sub(u64::from(month <= 2))?;
    let from_march = if month > 2 { month - 3 } else { month + 9 };
    let (cycle, rest) = (year / 400, year % 400);
    let in_cycle = rest * 365 + rest / 4 - rest / 100 + (153 * from_march + 2) / 5 + day - 1;
    (cycle * CYCLE + in_cycle).checked_sub(BEFORE_1970)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_no_moment_does_not_parse() {
        for text in [
            "",
            "2026-11-15T05:22:07Z",
            "2026-11-15T05:22:07.1234Z",
            "2026-11-15t05:22:07.123Z",
            "2026-11-15T05:22:07.123+00:00",
            "2026-02-29T00:00:00.000Z",
            "2026-13-01T00:00:00.000Z",
            "2026-00-01T00:00:00.000Z",
            "2026-01-00T00:00:00.000Z",
            "2026-01-32T00:00:00.000Z",
            "2026-01-01T24:00:00.000Z",
            "2026-01-01T00:60:00.000Z",
            "1969-12-31T23:59:59.999Z",
            "+026-01-01T00:00:00.000Z",
            "２026-01-01T00:00:00.000Z",
        ] {
            assert!(Timestamp::parse(text).is_none(), "{text}");
        }
    }

    #[test]
    fn moments_have_the_spelling_that_other_calendars_give_them() {
        for (millis, text) in [
            (0, "1970-01-01T00:00:00.000Z"),
            (951_782_399_999, "2000-02-28T23:59:59.999Z"),
            (951_782_400_000, "2000-02-29T00:00:00.000Z"),
            (951_868_800_000, "2000-03-01T00:00:00.000Z"),
            (2_147_483_648_000, "2038-01-19T03:14:08.000Z"),
            (4_107_542_400_000, "2100-03-01T00:00:00.000Z"),
            (LAST, "9999-12-31T23:59:59.999Z"),
            (u64::MAX, "9999-12-31T23:59:59.999Z"),
        ] {
            assert_eq!(Timestamp::from_millis(millis).to_string(), text);
            assert_eq!(Timestamp::parse(text), Some(Timestamp::from_millis(millis)), "{text}");
        }
    }

    #[test]
    fn whole_seconds_leave_their_milliseconds_out() {
        assert_eq!(Timestamp::utc_seconds(951_782_400), "2000-02-29T00:00:00Z");
        assert_eq!(Timestamp::utc_seconds(u64::MAX), "9999-12-31T23:59:59Z");
    }

    #[test]
    fn every_day_is_read_back() {
        for day in 0..=LAST / DAY {
            let moment = Timestamp::from_millis(day * DAY + day % DAY);
            assert_eq!(Timestamp::parse(&moment.to_string()), Some(moment));
        }
    }
}
