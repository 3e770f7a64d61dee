//! Sentences for people.

use crate::{scalar::ident::is_line, string_newtype};

string_newtype! {
    /// A sentence for people.
    pub struct Prose {
        check: |text| is_line(text, 1000),
        name: "prose",
        rule: B015,
        expected: "one line of 1 to 1,000 characters",
        pattern: "^\\S(.*\\S)?$",
        max_length: 1000,
    }
}

impl Prose {
    /// Our own sentences fit; a long name inside one is cut.
    pub(crate) fn of(text: &str) -> Self {
        let is_plain = text.bytes().fold(text.len() <= 1000, |plain, byte| plain & (0x20..0x7F).contains(&byte));
        if is_plain && !text.is_empty() && !text.starts_with(' ') && !text.ends_with(' ') {
            return Self(text.to_owned());
        }
        let line: String = text.chars().filter(|character| !character.is_control()).take(1000).collect();
        let line = line.trim();
        Self(if line.is_empty() { "-".to_owned() } else { line.to_owned() })
    }

    #[must_use]
    pub fn into_string(self) -> String {
        self.0
    }
}
