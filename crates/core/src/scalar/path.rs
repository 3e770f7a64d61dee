//! Paths inside a package: relative, `/` only, the same on every system. Refused, never cleaned up.

use std::{borrow::Cow, fmt};

use svc_json::characters;
use unicode_normalization::{UnicodeNormalization, is_nfc};

use crate::{
    scalar::{
        path_parts::{PathMarks, is_device, is_lower_ascii},
        quick_path::quick_marks,
    },
    wire_string,
    words::limits,
};

/// A path inside a package.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct PackagePath {
    text: String,
    marks: PathMarks,
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
        let marks = match quick_marks(text) {
            Some(marks) => marks,
            None if plain_fault(text).is_none() => PathMarks::of(text),
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
    pub(crate) fn marks(&self) -> PathMarks {
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

/// Why a text is no path of a package, in words for people.
#[must_use]
pub fn fault(text: &str) -> Option<&'static str> {
    if quick_marks(text).is_some() { None } else { plain_fault(text) }
}

fn plain_fault(text: &str) -> Option<&'static str> {
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
        return Some("it has one of `: * ? \" < > |`, which Windows refuses in names");
    }
    if has_invisible(part) {
        return Some("it has a control or invisible character");
    }
    if ["%2e", "%2f", "%5c"].iter().any(|encoded| part.to_ascii_lowercase().contains(encoded)) {
        return Some("it has an encoded dot, slash or backslash, which some servers decode");
    }
    if part.ends_with(['.', ' ']) || part.starts_with(' ') {
        return Some("a part ends with a dot or has a blank at an end");
    }
    let stem = part.split('.').next().unwrap_or_default().trim_end();
    is_device(stem.as_bytes()).then_some("a part is a name that Windows keeps for a device")
}

fn has_invisible(part: &str) -> bool {
    let mut before = None;
    part.chars().any(|character| {
        character.is_control() || characters::refused_after(before.replace(character), character).is_some()
    })
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
            "%2e%2e/x",
            "a/%2E%2e%2Fb",
            "a%5Cb",
            "CLOCK$",
            "a/clock$.txt",
            "\u{3164}",
            "a\u{fe0f}",
            "\u{2800}.png",
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
                    assert!(quick_marks(&path).is_none() || plain_fault(&path).is_none(), "{path:?}");
                }
            }
        }
        let is_plain = |path: &str| quick_marks(path).is_some();
        assert!(is_plain("data/region-00001.json") && is_plain(&["a"; 32].join("/")));
        assert!(!is_plain(&["a"; 33].join("/")) && !is_plain(&"a".repeat(256)));
    }

    #[test]
    fn the_quick_look_sees_every_byte_at_every_place() {
        for length in 1..20 {
            for at in 0..length {
                for byte in (0..128_u8).map(char::from).chain(['é', '漢']) {
                    let path: String = (0..length).map(|here| if here == at { byte } else { 'b' }).collect();
                    assert!(quick_marks(&path).is_none() || plain_fault(&path).is_none(), "{path:?}");
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
                assert_eq!(path.marks, PathMarks::of(&text), "{text}");
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
