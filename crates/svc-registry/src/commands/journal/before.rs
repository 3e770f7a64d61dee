//! A bound that is a record's number, or a moment.

use svc_core::journal::timestamp::Timestamp;
use svc_journal::attribution::Before;

/// What a moment that is given in part goes on with, and how long its parts are.
const MIDNIGHT: &str = "0000-00-00T00:00:00.000Z";
const MOMENT_LENGTHS: [usize; 4] =
    ["0000-00-00".len(), "0000-00-00T00:00".len(), "0000-00-00T00:00:00".len(), MIDNIGHT.len()];

/// Digits alone are a place; a moment has at least a whole day.
pub(super) fn before(given: &str) -> Option<Before> {
    if given.bytes().all(|byte| byte.is_ascii_digit()) {
        return given.parse().ok().map(Before::Place);
    }
    let rest = MIDNIGHT.get(given.len()..).filter(|_| MOMENT_LENGTHS.contains(&given.len()))?;
    Timestamp::parse(&format!("{given}{rest}")).map(Before::Time)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_bound_that_is_no_place_and_no_moment_is_refused() {
        for text in [
            "",
            "-1",
            "2026-11",
            "2026-11-31",
            "2026-02-29",
            "2026-11-15T24:00",
            "2026-11-15T1",
            "2026-11-15 08:30",
            "yesterday",
            "é",
        ] {
            assert_eq!(before(text), None, "{text}");
        }
        assert_eq!(before("2026"), Some(Before::Place(2026)));
        for text in ["2026-11-15", "2026-11-15T00:00", "2026-11-15T00:00:00", "2026-11-15T00:00:00.000Z"] {
            assert_eq!(before(text), Timestamp::parse("2026-11-15T00:00:00.000Z").map(Before::Time), "{text}");
        }
    }
}
