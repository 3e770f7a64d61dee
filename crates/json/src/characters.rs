//! Characters that no string of any document may hold.
//!
//! They are invisible or move text around: two readers of one string would see different words. Tab, line feed and
//! carriage return stay, and so do the joiners that scripts and emoji need.

use serde::Serialize;

/// A refused range, first and last included, with the reason shown to people.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct RefusedRange {
    /// First code point.
    pub first: u32,
    /// Last code point.
    pub last: u32,
    /// What the range is.
    pub name: &'static str,
}

const fn range(first: u32, last: u32, name: &'static str) -> RefusedRange {
    RefusedRange { first, last, name }
}

/// Every refused range, in code point order.
pub static REFUSED: &[RefusedRange] = &[
    range(0x00, 0x08, "control character"),
    range(0x0B, 0x0C, "control character"),
    range(0x0E, 0x1F, "control character"),
    range(0x7F, 0x9F, "control character"),
    range(0x061C, 0x061C, "bidirectional mark"),
    range(0x200B, 0x200B, "zero-width space"),
    range(0x200E, 0x200F, "bidirectional mark"),
    range(0x2028, 0x2029, "line or paragraph separator"),
    range(0x202A, 0x202E, "bidirectional control"),
    range(0x2060, 0x2064, "invisible operator"),
    range(0x2066, 0x206F, "bidirectional or format control"),
    range(0xFDD0, 0xFDEF, "noncharacter"),
    range(0xFEFF, 0xFEFF, "byte order mark"),
    range(0xFFF9, 0xFFFB, "annotation control"),
    range(0xFFFE, 0xFFFF, "noncharacter"),
    range(0xE0000, 0xE007F, "tag character"),
];

/// The refused range a character falls in. The last two code points of every plane are noncharacters.
#[must_use]
pub fn refused(character: char) -> Option<&'static str> {
    let point = u32::from(character);
    if (0x20..0x7F).contains(&point) {
        return None;
    }
    if point & 0xFFFE == 0xFFFE {
        return Some("noncharacter");
    }
    REFUSED.iter().find(|range| (range.first..=range.last).contains(&point)).map(|range| range.name)
}
