//! Foreign text, made fit for a terminal.

use std::{
    ffi::OsStr,
    fmt::{self, Write as _},
};

use svc_json::characters::refused_after;

/// Shows a foreign text with control, bidirectional and invisible characters spelled out.
#[derive(Clone, Copy, Debug)]
pub struct Safe<'a>(pub &'a str);

impl fmt::Display for Safe<'_> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut before = None;
        self.0.chars().try_for_each(|character| {
            if is_safe_after(before.replace(character), character) {
                formatter.write_char(character)
            } else {
                write!(formatter, "\\u{{{:x}}}", u32::from(character))
            }
        })
    }
}

/// Whether a character may reach a terminal as it is, behind this one.
fn is_safe_after(before: Option<char>, character: char) -> bool {
    !character.is_control() && refused_after(before, character).is_none()
}

/// Whether a text may reach a terminal as it is.
pub fn is_safe(text: &str) -> bool {
    let mut before = None;
    text.chars().all(|character| is_safe_after(before.replace(character), character))
}

/// A word as a shell takes it, to the byte: what must not reach a terminal stands in `$'…'` as octal digits.
pub fn shell_word(word: impl AsRef<OsStr>) -> String {
    let plain = |character: char| character.is_ascii_alphanumeric() || "/._-".contains(character);
    let bytes = word.as_ref().as_encoded_bytes();
    match std::str::from_utf8(bytes) {
        Ok(text) if !text.is_empty() && text.chars().all(plain) => text.to_owned(),
        Ok(text) if is_safe(text) => format!("'{}'", text.replace('\'', "'\\''")),
        Ok(_) | Err(_) => format!("$'{}'", in_octal(bytes)),
    }
}

fn in_octal(bytes: &[u8]) -> String {
    let mut text = String::new();
    let mut before = None;
    for chunk in bytes.utf8_chunks() {
        for character in chunk.valid().chars() {
            let is_safe = is_safe_after(before.replace(character), character);
            if is_safe && !"'\\".contains(character) {
                text.push(character);
            } else {
                push_octal(&mut text, character.encode_utf8(&mut [0; 4]).as_bytes());
            }
        }
        push_octal(&mut text, chunk.invalid());
    }
    text
}

fn push_octal(text: &mut String, bytes: &[u8]) {
    text.extend(bytes.iter().map(|byte| format!("\\{byte:03o}")));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_that_moves_or_hides_text_reaches_the_terminal() {
        for point in (0..0x20).chain(0x7f..0xa0).chain([0x202e, 0x2066, 0x200b, 0xfeff, 0x2028, 0xe0041]) {
            let text = char::from_u32(point).unwrap().to_string();
            assert_eq!(Safe(&text).to_string(), format!("\\u{{{point:x}}}"));
        }
        assert_eq!(Safe("ünïcode ✓ ☀\u{fe0f} 日本").to_string(), "ünïcode ✓ ☀\u{fe0f} 日本");
        assert_eq!(Safe("a\u{fe0f}").to_string(), "a\\u{fe0f}");
    }

    #[cfg(unix)]
    #[test]
    fn a_shell_reads_a_word_as_the_bytes_that_it_is() {
        use std::{os::unix::ffi::OsStrExt as _, process::Command};

        let words: [&[u8]; 9] = [
            b"",
            b"plain",
            b"it's",
            b"$(a) `b` \\ \"",
            b"a\nb",
            b"\x1b[31m1",
            "\u{202e}7'".as_bytes(),
            b"\xff\xfe8",
            b"-q",
        ];
        for word in words {
            let shown = shell_word(OsStr::from_bytes(word));
            assert!(is_safe(&shown), "{shown}");
            let told = Command::new("bash").args(["-c", &format!("printf %s {shown}")]).output().unwrap();
            assert_eq!(told.stdout, word, "{shown}");
        }
    }
}
