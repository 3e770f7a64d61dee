//! Base64, read to look into tokens: both alphabets, with or without padding.

/// The bytes that a text stands for, up to the first character that is none of base64.
pub(super) fn decode(text: &[u8]) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(text.len() / 4 * 3);
    let mut held = 0_u32;
    let mut bits = 0;
    for value in text.iter().map_while(|byte| value(*byte)) {
        held = (held << 6 | value) & 0xFFFF;
        bits += 6;
        if bits >= 8 {
            bits -= 8;
            bytes.extend(u8::try_from(held >> bits & 0xFF));
        }
    }
    bytes
}

fn value(byte: u8) -> Option<u32> {
    let value = match byte {
        b'A'..=b'Z' => byte - b'A',
        b'a'..=b'z' => byte - b'a' + 26,
        b'0'..=b'9' => byte - b'0' + 52,
        b'+' | b'-' => 62,
        b'/' | b'_' => 63,
        _ => return None,
    };
    Some(u32::from(value))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_vectors_of_the_standard_are_read() {
        let cases =
            [("Zg==", "f"), ("Zm8=", "fo"), ("Zm9v", "foo"), ("Zm9vYg", "foob"), ("Zm9vYmFy", "foobar"), ("", "")];
        for (text, bytes) in cases {
            assert_eq!(decode(text.as_bytes()), bytes.as_bytes(), "{text}");
        }
        assert_eq!(decode(b"_-8"), decode(b"/+8="));
    }
}
