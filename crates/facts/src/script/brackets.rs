//! How deeply the brackets of a script nest, told in one pass before a parser sees it: parsers go back at brackets, so
//! that text which is nothing but brackets takes them far longer than its length.

/// More levels of brackets than any script has that people or tools write.
const DEPTH: usize = 2_000;

/// Whether brackets nest too deeply to be parsed. Strings and comments are passed over; a regular expression with a quote
/// in it hides the rest of its line, which only means that the parser has to look.
pub(super) fn are_too_deep(text: &str) -> bool {
    let bytes = text.as_bytes();
    let (mut at, mut depth) = (0, 0_usize);
    while let Some(byte) = bytes.get(at) {
        match byte {
            b'(' | b'[' | b'{' => depth += 1,
            b')' | b']' | b'}' => depth = depth.saturating_sub(1),
            b'"' | b'\'' => at = end_of_string(bytes, at, *byte),
            b'/' => at = end_of_comment(bytes, at),
            _ => {}
        }
        if depth > DEPTH {
            return true;
        }
        at += 1;
    }
    false
}

/// Where a string ends that starts here: at its quote, or with its line.
fn end_of_string(bytes: &[u8], start: usize, quote: u8) -> usize {
    let mut at = start + 1;
    while let Some(byte) = bytes.get(at) {
        match byte {
            b'\\' => at += 1,
            b'\n' => return at,
            byte if *byte == quote => return at,
            _ => {}
        }
        at += 1;
    }
    at
}

/// The last byte of a comment that starts here; where none does, this byte.
fn end_of_comment(bytes: &[u8], start: usize) -> usize {
    let rest = bytes.get(start..).unwrap_or_default();
    if rest.starts_with(b"//") {
        return rest.iter().position(|byte| *byte == b'\n').map_or(bytes.len(), |length| start + length);
    }
    if rest.starts_with(b"/*") {
        let inside = rest.get(2..).unwrap_or_default();
        return inside.windows(2).position(|end| end == b"*/").map_or(bytes.len(), |length| start + length + 3);
    }
    start
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn brackets_are_counted_where_they_are_code() {
        for open in ["(", "[", "{", "`${", "[(", "f(a, [\n"] {
            assert!(are_too_deep(&open.repeat(4_000)), "{open}");
        }
        let deep = format!("{}1{}", "[".repeat(DEPTH), "]".repeat(DEPTH));
        assert!(!are_too_deep(&deep.repeat(20)));
        for quiet in ["\"((((\"", "'[[\\'[['", "// ((((\n", "/* {{{{ */", "a / b;", "()[]{}"] {
            assert!(!are_too_deep(&quiet.repeat(5_000)), "{quiet}");
        }
    }
}
