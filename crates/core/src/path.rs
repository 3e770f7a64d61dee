//! Paths inside a package: relative, `/` only, the same on every system. Refused, never cleaned up.

use std::borrow::Cow;

use unicode_normalization::{UnicodeNormalization, is_nfc};

use crate::{limits, rules::files, sixteen, text_form};

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
    let lower = sixteen::before(text.as_bytes(), |block| block.within(b'A', b'Z') | block.within(0x80, 0xFF));
    lower == text.len()
}

/// Where the last part of a path begins, and what follows the last dot of it.
pub(crate) fn last_part(path: &str) -> (usize, Option<usize>) {
    let (part, dot) = match sixteen::bits(path.as_bytes(), |block| [block.equal(b'/'), block.equal(b'.')]) {
        Some(found) => {
            let [slash, dot] = found.map(|bits| (u128::BITS - bits.leading_zeros()) as usize);
            (slash, dot)
        }
        None => {
            let behind = |mark| path.rfind(mark).map_or(0, |at| at + 1);
            (behind('/'), behind('.'))
        }
    };
    (part, (dot > part).then_some(dot))
}

/// Whether a text is a path of the most common form, told by where its marks are. What is not may still be a path.
fn is_plainly_sound(text: &str) -> bool {
    let bytes = text.as_bytes();
    let marks = sixteen::bits(bytes, |block| {
        let letters = block.with(0x20).within(b'a', b'z');
        // `-`, `.`, `/` and the digits follow each other.
        let common = letters | block.within(b'-', b'9') | block.equal(b'_');
        [!common, block.equal(b'/'), block.equal(b'/') | block.equal(b'.')]
    });
    let Some([0, slashes, ends]) = marks else { return false };
    // No part is empty or ends with a dot.
    let sound = slashes & (ends << 1 | 1) == 0 && !matches!(bytes, [] | [.., b'.' | b'/']);
    sound && slashes.count_ones() < limits::PATH_DEPTH as u32 && !has_device(bytes, slashes)
}

/// Whether a part may be a device's name.
fn has_device(bytes: &[u8], mut slashes: u128) -> bool {
    let mut part = 0;
    while slashes != 0 {
        let end = slashes.trailing_zeros() as usize;
        if may_be_device(bytes.get(part..end).unwrap_or_default()) {
            return true;
        }
        (part, slashes) = (end + 1, slashes & (slashes - 1));
    }
    may_be_device(bytes.get(part..).unwrap_or_default())
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
        assert!(!is_plainly_sound(&["a"; 33].join("/")) && is_plainly_sound(&["a"; 32].join("/")));
        assert!(!is_plainly_sound(&"a".repeat(256)));
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
    fn the_last_part_begins_behind_the_last_slash_however_long_the_path_is() {
        for folders in ["", "a/", "a.b/", &"a.b/".repeat(60)] {
            for (name, extension) in
                [("c", None), ("c.js", Some(2)), (".js", Some(1)), ("c.d.js", Some(4)), ("c.", Some(2))]
            {
                let expected = (folders.len(), extension.map(|at| folders.len() + at));
                assert_eq!(last_part(&format!("{folders}{name}")), expected, "{folders}{name}");
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
