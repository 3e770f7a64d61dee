//! Paths inside a package: relative, `/` only, the same on every system. Refused, never cleaned up.

use std::{borrow::Cow, fmt};

use svc_json::simd_scan;
use unicode_normalization::{UnicodeNormalization, is_nfc};

use crate::{wire_string, words::limits};

/// Names that Windows keeps for devices, whatever their extension.
const DEVICE_NAMES: &[&str] = &["con", "prn", "aux", "nul", "conin$", "conout$"];

/// A path inside a package.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct PackagePath {
    text: String,
    marks: Marks,
}

wire_string! {
    PackagePath {
        name: "package-path",
        rule: F002,
        expected: "a relative path with `/` between its parts, no `.` or `..`, and names that every system can hold",
        pattern: "^[^/\\\\:*?\"<>|~][^\\\\:*?\"<>|]*$",
        max_length: 1024,
    }
}

impl PackagePath {
    /// Reads the text when it has the form.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        let marks = match plain_marks(text) {
            Some(marks) => marks,
            None if careful_fault(text).is_none() => Marks::of(text),
            None => return None,
        };
        Some(Self { text: text.to_owned(), marks })
    }

    /// The text.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.text
    }

    /// Where the parts are that rules ask for.
    pub(crate) fn marks(&self) -> Marks {
        self.marks
    }

    /// The key under which two paths collide on some file system: composed, case-folded.
    #[must_use]
    pub fn collision_key(&self) -> Cow<'_, str> {
        if self.marks.is_lower { Cow::Borrowed(&self.text) } else { collision_key(&self.text) }
    }

    /// The path in lowercase. Most paths are, and cost nothing.
    #[must_use]
    pub fn lowercase(&self) -> Cow<'_, str> {
        if self.marks.is_lower { Cow::Borrowed(&self.text) } else { Cow::Owned(self.text.to_lowercase()) }
    }

    fn with_text<R>(&self, write: impl FnOnce(&str) -> R) -> R {
        write(&self.text)
    }
}

impl fmt::Display for PackagePath {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.text)
    }
}

/// Where the parts of a path that rules ask for are, worked out once.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Marks {
    last_part: u16,
    behind_dot: u16,
    is_lower: bool,
}

impl Marks {
    /// The marks of any text that is not longer than a path.
    pub(crate) fn of(text: &str) -> Self {
        let behind = |mark| text.rfind(mark).map_or(0, |at| at + 1) as u16;
        Self { last_part: behind('/'), behind_dot: behind('.'), is_lower: is_lower_ascii(text) }
    }

    /// Where the last part begins.
    pub(crate) fn last_part(self) -> usize {
        self.last_part.into()
    }

    /// What follows the last dot of the last part.
    pub(crate) fn extension(self) -> Option<usize> {
        (self.behind_dot > self.last_part).then_some(self.behind_dot.into())
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
    let lower = simd_scan::find_first(text.as_bytes(), |chunk| chunk.within(b'A', b'Z') | chunk.within(0x80, 0xFF));
    lower == text.len()
}

/// The marks of a path of the most common form. What has none may still be a path.
fn plain_marks(text: &str) -> Option<Marks> {
    let bytes = text.as_bytes();
    let [others, slashes, dots, upper] = simd_scan::bits(bytes, |chunk| {
        let letters = chunk.with(0x20).within(b'a', b'z');
        // `-`, `.`, `/` and the digits follow each other.
        let common = letters | chunk.within(b'-', b'9') | chunk.equal(b'_');
        [!common, chunk.equal(b'/'), chunk.equal(b'.'), chunk.within(b'A', b'Z')]
    })?;
    // No part is empty or ends with a dot.
    let sound = others == 0 && slashes & ((slashes | dots) << 1 | 1) == 0 && !matches!(bytes, [] | [.., b'.' | b'/']);
    if !sound || slashes.count_ones() as usize >= limits::PATH_DEPTH || has_device(bytes, slashes) {
        return None;
    }
    let behind_last = |bits: u128| (u128::BITS - bits.leading_zeros()) as u16;
    Some(Marks { last_part: behind_last(slashes), behind_dot: behind_last(dots), is_lower: upper == 0 })
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
    if plain_marks(text).is_some() { None } else { careful_fault(text) }
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
    if part.chars().any(|character| character.is_control() || svc_json::characters::refused(character).is_some()) {
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
                    assert!(plain_marks(&path).is_none() || careful_fault(&path).is_none(), "{path:?}");
                }
            }
        }
        let is_plain = |path: &str| plain_marks(path).is_some();
        assert!(is_plain("data/region-00001.json") && is_plain(&["a"; 32].join("/")));
        assert!(!is_plain(&["a"; 33].join("/")) && !is_plain(&"a".repeat(256)));
    }

    #[test]
    fn the_quick_look_sees_every_byte_at_every_place() {
        for length in 1..20 {
            for at in 0..length {
                for byte in (0..128_u8).map(char::from).chain(['é', '漢']) {
                    let path: String = (0..length).map(|here| if here == at { byte } else { 'b' }).collect();
                    assert!(plain_marks(&path).is_none() || careful_fault(&path).is_none(), "{path:?}");
                }
            }
        }
    }

    #[test]
    fn a_path_knows_its_last_part_however_it_was_looked_at() {
        for folders in ["", "a/", "a.b/", "ü/", &"a.b/".repeat(31), &"abcdefg.h/".repeat(30)] {
            for (name, extension) in [("c", None), ("C.js", Some(2)), (".js", Some(1)), ("c.d.js", Some(4))] {
                let text = format!("{folders}{name}");
                let path = PackagePath::parse(&text).unwrap();
                assert_eq!(path.marks, Marks::of(&text), "{text}");
                assert_eq!(path.marks.last_part(), folders.len(), "{text}");
                assert_eq!(path.marks.extension(), extension.map(|at| folders.len() + at), "{text}");
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
