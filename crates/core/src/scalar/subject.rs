//! What a finding or a fact is about, beyond its place.

use crate::string_newtype;

string_newtype! {
    /// One word, number, size or name of a host: nothing that could be read as a sentence.
    pub struct Subject {
        check: is_subject,
        name: "subject",
        rule: B015,
        expected: "1 to 253 letters, digits and `._:/*@+~-`, the first a letter or digit",
        pattern: "^[A-Za-z0-9][A-Za-z0-9._:/*@+~-]*$",
        max_length: 253,
    }
}

impl Subject {
    /// A word of ours. Each has the form: a test reads them all.
    #[must_use]
    pub fn word(word: &'static str) -> Self {
        Self(word.to_owned())
    }

    /// A number, such as the place of a row.
    #[must_use]
    pub fn number(number: usize) -> Self {
        Self(number.to_string())
    }

    /// The size of a picture.
    #[must_use]
    pub fn pixels(width: u32, height: u32) -> Self {
        Self(format!("{width}x{height}"))
    }

    /// The number of a row that it is: nine digits at most.
    #[must_use]
    pub fn as_number(&self) -> Option<usize> {
        digits(&self.0).filter(|digits| digits.len() <= 9)?.parse().ok()
    }

    /// The width and height that it is.
    #[must_use]
    pub fn as_pixels(&self) -> Option<(u32, u32)> {
        let (width, height) = self.0.split_once('x')?;
        let pixels = (digits(width)?.parse().ok()?, digits(height)?.parse().ok()?);
        (pixels.0 > 0 && pixels.1 > 0).then_some(pixels)
    }
}

/// The digits of a number in its one spelling: `03` and `+3` are none.
fn digits(text: &str) -> Option<&str> {
    let is_plain = text.bytes().all(|byte| byte.is_ascii_digit()) && (text == "0" || !text.starts_with('0'));
    is_plain.then_some(text)
}

fn is_subject(text: &str) -> bool {
    let is_inside = |byte: u8| byte.is_ascii_alphanumeric() || b"._:/*@+~-".contains(&byte);
    (1..=253).contains(&text.len())
        && text.bytes().next().is_some_and(|first| first.is_ascii_alphanumeric())
        && text.bytes().all(is_inside)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_subject_is_no_sentence() {
        for text in ["eval", "512x512", "https://api.acme.dev", "*.acme.dev", "networkAllow"] {
            assert_eq!(Subject::parse(text).is_some(), !text.starts_with('*'), "{text}");
        }
        for text in ["", "approved by all", "-a", "a\u{202e}b", "\u{e9}", "a\n"] {
            assert!(Subject::parse(text).is_none(), "{text:?}");
        }
    }

    #[test]
    fn numbers_and_sizes_have_one_spelling() {
        let pixels = |text| Subject::parse(text).unwrap().as_pixels();
        assert_eq!(pixels("512x256"), Some((512, 256)));
        for text in ["0x1", "1x0", "01x1", "1x", "x", "1x1x1", "5"] {
            assert_eq!(Subject::parse(text).and_then(|subject| subject.as_pixels()), None, "{text}");
        }
        let number = |text| Subject::parse(text).and_then(|subject| subject.as_number());
        assert_eq!((number("0"), number("12"), number("012"), number("a")), (Some(0), Some(12), None, None));
    }
}
