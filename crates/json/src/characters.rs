//! Characters that no string of any document may hold.
//!
//! They are invisible or move text around: two readers of one string would see different words. Tab, line feed and
//! carriage return stay. A variation selector stays where it selects something: behind a picture or an ideograph. A joiner
//! stays where it joins something: behind a letter of a script that is written joined, or behind a picture.

use serde::Serialize;

/// A range of code points, first and last included.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct CharacterRange {
    pub first: u32,
    pub last: u32,
    /// What the range is, for people.
    pub name: &'static str,
}

impl CharacterRange {
    fn holds(&self, point: u32) -> bool {
        (self.first..=self.last).contains(&point)
    }
}

const fn range(first: u32, last: u32, name: &'static str) -> CharacterRange {
    CharacterRange { first, last, name }
}

/// Every refused range, in code point order.
pub static REFUSED: &[CharacterRange] = &[
    range(0x00, 0x08, "control character"),
    range(0x0B, 0x0C, "control character"),
    range(0x0E, 0x1F, "control character"),
    range(0x7F, 0x9F, "control character"),
    range(0xAD, 0xAD, "soft hyphen"),
    range(0x034F, 0x034F, "grapheme joiner"),
    range(0x061C, 0x061C, "bidirectional mark"),
    range(0x115F, 0x1160, "filler"),
    range(0x17B4, 0x17B5, "invisible vowel"),
    range(0x180B, 0x180F, "invisible selector or separator"),
    range(0x200B, 0x200B, "zero-width space"),
    range(0x200C, 0x200D, "joiner"),
    range(0x200E, 0x200F, "bidirectional mark"),
    range(0x2028, 0x2029, "line or paragraph separator"),
    range(0x202A, 0x202E, "bidirectional control"),
    range(0x2060, 0x2064, "invisible operator"),
    range(0x2065, 0x2065, "invisible character"),
    range(0x2066, 0x206F, "bidirectional or format control"),
    range(0x2800, 0x2800, "braille blank"),
    range(0x3164, 0x3164, "filler"),
    range(0xFDD0, 0xFDEF, "noncharacter"),
    range(0xFE00, 0xFE0F, VARIATION_SELECTOR),
    range(0xFEFF, 0xFEFF, "byte order mark"),
    range(0xFFA0, 0xFFA0, "filler"),
    range(0xFFF0, 0xFFF8, "invisible character"),
    range(0xFFF9, 0xFFFB, "annotation control"),
    range(0xFFFE, 0xFFFF, "noncharacter"),
    range(0x13430, 0x1343F, "invisible format control"),
    range(0x1BCA0, 0x1BCA3, "invisible format control"),
    range(0x1D173, 0x1D17A, "invisible format control"),
    range(0xE0000, 0xE00FF, "tag character"),
    range(0xE0100, 0xE01EF, VARIATION_SELECTOR),
    range(0xE01F0, 0xE0FFF, "tag character"),
];

const VARIATION_SELECTOR: &str = "variation selector";
const PICTURE: &str = "picture";
const IDEOGRAPH: &str = "ideograph";

/// What a variation selector may follow, in code point order.
pub static VARIED: &[CharacterRange] = &[
    range(0x23, 0x23, PICTURE),
    range(0x2A, 0x2A, PICTURE),
    range(0x30, 0x39, PICTURE),
    range(0xA9, 0xA9, PICTURE),
    range(0xAE, 0xAE, PICTURE),
    range(0x203C, 0x203C, PICTURE),
    range(0x2049, 0x2049, PICTURE),
    range(0x2122, 0x2122, PICTURE),
    range(0x2139, 0x2139, PICTURE),
    range(0x2190, 0x21FF, PICTURE),
    range(0x2300, 0x23FF, PICTURE),
    range(0x24C2, 0x24C2, PICTURE),
    range(0x25A0, 0x27BF, PICTURE),
    range(0x2900, 0x297F, PICTURE),
    range(0x2B00, 0x2BFF, PICTURE),
    range(0x3030, 0x3030, PICTURE),
    range(0x303D, 0x303D, PICTURE),
    range(0x3297, 0x3297, PICTURE),
    range(0x3299, 0x3299, PICTURE),
    range(0x3400, 0x4DBF, IDEOGRAPH),
    range(0x4E00, 0x9FFF, IDEOGRAPH),
    range(0xF900, 0xFAFF, IDEOGRAPH),
    range(0x1F000, 0x1FAFF, PICTURE),
    range(0x20000, 0x3FFFD, IDEOGRAPH),
];

/// Scripts whose letters are written joined: what a joiner may follow, beside pictures, in code point order.
pub static JOINED: &[CharacterRange] = &[
    range(0x0620, 0x08FF, JOINED_SCRIPT),
    range(0x0900, 0x0DFF, JOINED_SCRIPT),
    range(0x0F40, 0x109F, JOINED_SCRIPT),
    range(0x1780, 0x17B3, JOINED_SCRIPT),
    range(0x17B6, 0x17D3, JOINED_SCRIPT),
    range(0x1820, 0x18AA, JOINED_SCRIPT),
    range(0x1900, 0x1CFF, JOINED_SCRIPT),
    range(0xA800, 0xABFF, JOINED_SCRIPT),
    range(0x10A00, 0x11FFF, JOINED_SCRIPT),
    range(0x1E900, 0x1E95F, JOINED_SCRIPT),
];

const JOINED_SCRIPT: &str = "script that is written joined";

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
    REFUSED.iter().find(|range| range.holds(point)).map(|range| range.name)
}

/// As [`refused`], but for a variation selector behind a character that has variants, and a joiner behind one that joins.
#[must_use]
pub fn refused_after(before: Option<char>, character: char) -> Option<&'static str> {
    refused(character).filter(|_| !before.is_some_and(|before| selects(before, character)))
}

/// Pictures are drawn as text or in colour, ideographs have other selectors.
fn selects(before: char, selector: char) -> bool {
    let varied = VARIED.iter().find(|range| range.holds(u32::from(before))).map(|range| range.name);
    let is_joined = || JOINED.iter().any(|range| range.holds(u32::from(before)));
    match selector {
        '\u{200C}' => is_joined(),
        // A picture of several, such as a family; the figures among the pictures are none.
        '\u{200D}' => is_joined() || before == '\u{FE0F}' || (varied == Some(PICTURE) && before > '\u{2000}'),
        '\u{FE0E}' | '\u{FE0F}' => varied == Some(PICTURE),
        '\u{FE00}'..='\u{FE02}' | '\u{E0100}'..='\u{E01EF}' => varied == Some(IDEOGRAPH),
        _ => false,
    }
}
