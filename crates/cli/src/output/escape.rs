//! Foreign text, made fit for a terminal.

use std::fmt::{self, Write as _};

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

/// A word as a shell would take it.
pub fn shell_word(text: &str) -> String {
    let plain = |character: char| character.is_ascii_alphanumeric() || "/._-".contains(character);
    if !text.is_empty() && text.chars().all(plain) {
        return text.to_owned();
    }
    format!("'{}'", Safe(text).to_string().replace('\'', "'\\''"))
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
}
