//! Bytes become text as a browser decodes them.

use encoding_rs::{Encoding, UTF_8};

/// A text, and whether bytes of it were not text in its encoding and stand as replacement characters.
#[derive(Debug)]
pub(crate) struct Decoded {
    pub(crate) text: String,
    pub(crate) is_broken: bool,
}

/// Decodes by the byte order mark, else by what the file declares, else as UTF-8.
pub(crate) fn decode(bytes: &[u8], declared: Option<&'static Encoding>) -> Decoded {
    let (text, _, is_broken) = declared.unwrap_or(UTF_8).decode(bytes);
    Decoded { text: text.into_owned(), is_broken }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_byte_order_mark_comes_before_everything_else() {
        let wide: Vec<u8> = "\u{feff}eval(a)".encode_utf16().flat_map(u16::to_le_bytes).collect();
        let decoded = decode(&wide, Some(encoding_rs::WINDOWS_1252));
        assert_eq!((decoded.text.as_str(), decoded.is_broken), ("eval(a)", false));
    }

    #[test]
    fn a_byte_that_is_no_text_is_replaced_and_said() {
        let decoded = decode(b"eval(a)\xFF", None);
        assert_eq!((decoded.text.as_str(), decoded.is_broken), ("eval(a)\u{fffd}", true));
        assert!(!decode(b"eval(a)\xFF", Some(encoding_rs::WINDOWS_1252)).is_broken);
    }
}
