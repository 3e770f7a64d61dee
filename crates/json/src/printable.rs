//! JSON text for terminals, logs and answers: what hides or moves text is written as an escape.
//!
//! Such characters stand in JSON text inside strings only, where an escape means the same.

use serde::Serialize;

use crate::{canonical, characters};

/// A value in the layout of files, for a terminal.
#[must_use]
pub fn pretty<T: Serialize>(value: &T) -> Vec<u8> {
    escaped(canonical::to_pretty(value))
}

/// The same JSON text, with every refused character and DEL as `\uXXXX`.
#[must_use]
pub fn escaped(json: Vec<u8>) -> Vec<u8> {
    escaped_by(json, |before, character| characters::refused_after(before, character).is_some())
}

/// The same for a log, whose lines hold foreign text of any kind: a joiner or a selector is escaped wherever it is.
#[must_use]
pub fn escaped_everywhere(json: Vec<u8>) -> Vec<u8> {
    escaped_by(json, |_, character| character.is_control() || characters::refused(character).is_some())
}

fn escaped_by(json: Vec<u8>, is_refused: impl Fn(Option<char>, char) -> bool) -> Vec<u8> {
    let is_plain = |byte: &u8| matches!(byte, 0x20..=0x7E | b'\n');
    if json.iter().all(is_plain) {
        return json;
    }
    let mut text = String::with_capacity(json.len());
    let mut before = None;
    for character in String::from_utf8_lossy(&json).chars() {
        // Line breaks and tabs are the layout's: inside strings they are escaped already.
        let is_fit = !is_refused(before.replace(character), character);
        if matches!(character, '\n' | '\r' | '\t') || is_fit {
            text.push(character);
        } else {
            for unit in character.encode_utf16(&mut [0; 2]) {
                text.push_str(&format!("\\u{unit:04x}"));
            }
        }
    }
    text.into_bytes()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_refused_character_is_escaped_and_means_the_same() {
        for range in characters::REFUSED {
            for character in [range.first, range.last].into_iter().filter_map(char::from_u32) {
                let value = format!("a{character}b");
                let json = serde_json::to_vec(&value).unwrap();
                let escaped = String::from_utf8(escaped(json)).unwrap();
                assert!(!escaped.contains(character), "{:x}", u32::from(character));
                assert_eq!(serde_json::from_str::<String>(&escaped).unwrap(), value);
            }
        }
        // Behind a picture, where they mean something, the strict form escapes them too.
        let joined = serde_json::to_vec("\u{2764}\u{fe0f}\u{200d}\u{1f525} \u{633}\u{200c}\u{646}").unwrap();
        let strict = String::from_utf8(escaped_everywhere(joined)).unwrap();
        assert_eq!(strict, "\"\u{2764}\\ufe0f\\u200d\u{1f525} \u{633}\\u200c\u{646}\"");
        let plain = "{\n  \"a\": \"ünï ✓ 日本\"\n}\n";
        assert_eq!(escaped(plain.into()), plain.as_bytes());
    }
}
