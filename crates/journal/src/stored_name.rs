//! The name that a store has for an endpoint, in a form that is safe to print and can be typed. Whoever damaged a store may
//! have left any bytes there.

/// What stands for no name at all.
const NOTHING: &str = "%";

/// Letters, digits, `.`, `_` and hyphens that are not the first stand for themselves, every other byte as `%` and two digits.
/// A name by the rule is its own form.
#[must_use]
pub fn shown(name: &[u8]) -> String {
    if name.is_empty() {
        return NOTHING.to_owned();
    }
    let mut shown = String::new();
    for byte in name {
        let is_plain =
            byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'_') || (*byte == b'-' && !shown.is_empty());
        if is_plain {
            shown.push(char::from(*byte));
        } else {
            shown.push('%');
            shown.push_str(&data_encoding::HEXUPPER.encode(&[*byte]));
        }
    }
    shown
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_name_has_one_form_that_can_be_typed() {
        let names: [&[u8]; 9] =
            [b"audit", b"", b"%", b"a b", b"-x", b"a-b", b"VICTIM", b"\xff\x00\x1b", "\u{202e}".as_bytes()];
        let forms = names.map(shown);
        assert_eq!(forms, ["audit", "%", "%25", "a%20b", "%2Dx", "a-b", "VICTIM", "%FF%00%1B", "%E2%80%AE"]);
    }
}
