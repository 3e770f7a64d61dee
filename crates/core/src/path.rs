//! Paths inside a package: relative, `/` only, the same on every system. Refused, never cleaned up.

use std::borrow::Cow;

use unicode_normalization::{UnicodeNormalization, is_nfc};

use crate::{eight, limits, rules::files, text_form};

/// Names that Windows keeps for devices, whatever their extension.
const DEVICE_NAMES: &[&str] = &["con", "prn", "aux", "nul", "conin$", "conout$"];

text_form! {
    /// A path inside a package.
    pub struct PackagePath {
        check: |text| fault(text).is_none(),
        name: "package-path",
        rule: files::F002,
        expected: "a relative path with `/` between its parts, no `.` or `..`, and names that every system can hold",
        pattern: "^[^/\\\\:*?\"<>|~][^\\\\:*?\"<>|]*$",
        max_length: 1024,
    }
}

impl PackagePath {
    /// The key under which two paths collide on some file system: composed, case-folded.
    #[must_use]
    pub fn collision_key(&self) -> Cow<'_, str> {
        collision_key(self.as_str())
    }

    /// The path in lowercase. Most paths are, and cost nothing.
    #[must_use]
    pub fn lowercase(&self) -> Cow<'_, str> {
        if is_lower_ascii(self.as_str()) {
            Cow::Borrowed(self.as_str())
        } else {
            Cow::Owned(self.as_str().to_lowercase())
        }
    }
}

/// The key under which two names collide on some file system.
///
/// Lower-casing the upper-cased text folds what plain lower-casing keeps apart (ß, final sigma).
#[must_use]
pub fn collision_key(text: &str) -> Cow<'_, str> {
    if is_lower_ascii(text) {
        return Cow::Borrowed(text);
    }
    if text.is_ascii() {
        return Cow::Owned(text.to_ascii_lowercase());
    }
    let folded: String = text.nfd().flat_map(char::to_uppercase).flat_map(char::to_lowercase).collect();
    Cow::Owned(folded.nfc().collect())
}

pub(crate) fn is_lower_ascii(text: &str) -> bool {
    let other = |word| (word & eight::HIGH_BITS) | eight::within(word, b'A', b'Z');
    eight::all(text.as_bytes(), b'x', |_, word| other(word) == 0)
}

/// Whether a text is a path of the most common form, told eight bytes at a time. What is not may still be a path.
fn is_plainly_sound(text: &str) -> bool {
    let bytes = text.as_bytes();
    if bytes.len() > limits::PATH_PART_BYTES {
        return false;
    }
    let (mut parts, mut part, mut before) = (1, 0, 0x80);
    let sound = eight::all(bytes, b'x', |at, word| {
        let slashes = eight::equal(word, b'/');
        let ends = slashes | eight::equal(word, b'.');
        // No part is empty or ends with a dot.
        let mut sound = is_common(word) && slashes & (ends << 8 | before) == 0;
        before = ends >> 56;
        let mut left = slashes;
        while left != 0 {
            let end = at + eight::first(left);
            sound &= !may_be_device(bytes.get(part..end).unwrap_or_default());
            (parts, part, left) = (parts + 1, end + 1, left & (left - 1));
        }
        sound
    });
    let last = bytes.get(part..).unwrap_or_default();
    sound && parts <= limits::PATH_DEPTH && !matches!(last, [] | [.., b'.']) && !may_be_device(last)
}

/// Whether a word has letters, digits, `-`, `_`, `.` and `/` alone. `-`, `.`, `/` and the digits follow each other.
fn is_common(word: u64) -> bool {
    let letters = eight::within(word | (eight::ONES * 0x20), b'a', b'z');
    letters | eight::within(word, b'-', b'9') | eight::equal(word, b'_') == eight::HIGH_BITS
}

/// Whether a part of a path has to be looked at again. The name of a device starts with one of these letters.
fn may_be_device(part: &[u8]) -> bool {
    matches!(part, [b'a' | b'c' | b'l' | b'n' | b'p' | b'A' | b'C' | b'L' | b'N' | b'P', ..])
        && is_device(part.split(|byte| *byte == b'.').next().unwrap_or_default())
}

/// Why a text is no path of a package, in words for people.
#[must_use]
pub fn fault(text: &str) -> Option<&'static str> {
    if is_plainly_sound(text) { None } else { careful_fault(text) }
}

fn careful_fault(text: &str) -> Option<&'static str> {
    if text.is_empty() {
        return Some("it is empty");
    }
    if text.len() > limits::PATH_BYTES {
        return Some("it is longer than 1,024 bytes");
    }
    if text.starts_with('/') {
        return Some("it is absolute");
    }
    if text.starts_with('~') {
        return Some("it starts with `~`, which shells replace");
    }
    if !is_nfc(text) {
        return Some("it is not in Unicode normal form C");
    }
    if text.split('/').count() > limits::PATH_DEPTH {
        return Some("it has more than 32 parts");
    }
    text.split('/').find_map(part_fault)
}

fn part_fault(part: &str) -> Option<&'static str> {
    match part {
        "" => return Some("it has an empty part"),
        "." | ".." => return Some("it has a `.` or `..` part"),
        _ => {}
    }
    if part.len() > limits::PATH_PART_BYTES {
        return Some("one of its parts is longer than 255 bytes");
    }
    if part.contains('\\') {
        return Some("it has a backslash");
    }
    if part.contains([':', '*', '?', '"', '<', '>', '|']) {
        return Some("it has a character that Windows refuses in names");
    }
    if part
        .chars()
        .any(|character| character.is_control() || crate::strict_json::characters::refused(character).is_some())
    {
        return Some("it has a control or invisible character");
    }
    if part.ends_with(['.', ' ']) || part.starts_with(' ') {
        return Some("a part ends with a dot or has a blank at an end");
    }
    let stem = part.split('.').next().unwrap_or_default().trim_end();
    is_device(stem.as_bytes()).then_some("a part is a name that Windows keeps for a device")
}

fn is_device(stem: &[u8]) -> bool {
    // The superscripts one to three count as digits.
    let is_number = |text: &[u8]| matches!(text, [b'0'..=b'9'] | [0xC2, 0xB9 | 0xB2 | 0xB3]);
    match stem.len() {
        3 | 6 | 7 => DEVICE_NAMES.iter().any(|name| name.as_bytes().eq_ignore_ascii_case(stem)),
        4 | 5 => stem.split_at_checked(3).is_some_and(|(port, number)| {
            (port.eq_ignore_ascii_case(b"com") || port.eq_ignore_ascii_case(b"lpt")) && is_number(number)
        }),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hostile_paths_are_refused() {
        let hostile = [
            "",
            "/",
            "/etc/passwd",
            "..",
            "../x",
            "a/../b",
            "a/./b",
            "a//b",
            "a/",
            "./a",
            "~/x",
            "a\\b",
            "C:/x",
            "c:x",
            "\\\\server\\share",
            "a:b",
            "a*",
            "a?",
            "a|b",
            "con",
            "CON.txt",
            "a/nul",
            "com1",
            "COM9.tar.gz",
            "lpt0",
            "com¹",
            "CONIN$",
            "CONOUT$",
            "a/conout$.txt",
            "aux ",
            "trailing.",
            "trailing ",
            " leading",
            "a\u{202e}b",
            "a\0b",
            "a\nb",
            "e\u{301}",
            "%00\u{0}",
            "a/\u{feff}b",
        ];
        for path in hostile {
            assert!(PackagePath::parse(path).is_none(), "{path:?} was let in");
        }
        assert!(PackagePath::parse(&"a/".repeat(40)).is_none());
        assert!(PackagePath::parse(&"a".repeat(256)).is_none());
    }

    #[test]
    fn the_quick_look_lets_nothing_in_that_the_careful_one_refuses() {
        let pieces =
            ["a", "readme.md", ".", "..", "/", "con", "CON.x", "com1", "lpt9.tar", "x-y_z", "", ".a", "a.", "nul"];
        for first in pieces {
            for second in pieces {
                for third in pieces {
                    let path = format!("{first}{second}{third}");
                    assert!(!is_plainly_sound(&path) || careful_fault(&path).is_none(), "{path:?}");
                }
            }
        }
        assert!(is_plainly_sound("data/region-00001.json"));
        assert!(!is_plainly_sound(&["a"; 33].join("/")) && !is_plainly_sound(&"a".repeat(256)));
    }

    #[test]
    fn the_quick_look_sees_every_byte_at_every_place() {
        for length in 1..20 {
            for at in 0..length {
                for byte in (0..128_u8).map(char::from).chain(['é', '漢']) {
                    let path: String = (0..length).map(|here| if here == at { byte } else { 'b' }).collect();
                    assert!(!is_plainly_sound(&path) || careful_fault(&path).is_none(), "{path:?}");
                }
            }
        }
    }

    #[test]
    fn plain_paths_are_read() {
        for path in
            ["README.md", "dist/app.js", ".svcignore", "a b/c", "ünïcode/é.txt", "contact.html", "com10", "a..b"]
        {
            assert!(PackagePath::parse(path).is_some(), "{path:?} was refused: {:?}", fault(path));
        }
    }

    #[test]
    fn names_that_meet_on_some_file_system_have_one_key() {
        for (left, right) in
            [("README.md", "readme.MD"), ("straße", "STRASSE"), ("Ω", "Ω"), ("ﬁle", "file"), ("ς", "σ")]
        {
            assert_eq!(collision_key(left), collision_key(right), "{left} {right}");
        }
        assert_ne!(collision_key("a"), collision_key("b"));
    }
}
