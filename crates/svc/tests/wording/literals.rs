//! The string literals of a Rust file, less its tests.

/// The texts of all literals, with their escapes undone.
pub(crate) fn find_literals(source: &str) -> Vec<String> {
    let mut literals = Vec::new();
    let mut rest = without_tests(source);
    while let Some(at) = rest.find(['/', '"', '\'', 'r']) {
        let before = rest[..at].chars().next_back();
        rest = &rest[at..];
        rest = if rest.starts_with("//") {
            rest.split_once('\n').map_or("", |(_, after)| after)
        } else if rest.starts_with("/*") {
            after_comment(rest)
        } else if let Some(inside) = rest.strip_prefix('"') {
            quoted(inside, &mut literals)
        } else if let Some(after) = raw(rest, before, &mut literals) {
            after
        } else if rest.starts_with('\'') {
            after_character(rest)
        } else {
            &rest[1..]
        };
    }
    literals
}

/// Tests stand at the end of a file.
fn without_tests(source: &str) -> &str {
    let ends = ["\n#[cfg(test)]\nmod ", "\n#[cfg(all(test"];
    ends.iter().filter_map(|end| source.find(end)).min().map_or(source, |end| &source[..end])
}

fn after_comment(text: &str) -> &str {
    let mut depth = 0;
    let mut at = 0;
    while at < text.len() {
        if text[at..].starts_with("/*") {
            depth += 1;
            at += 2;
        } else if text[at..].starts_with("*/") {
            depth -= 1;
            at += 2;
            if depth == 0 {
                return &text[at..];
            }
        } else {
            at += text[at..].chars().next().map_or(1, char::len_utf8);
        }
    }
    ""
}

/// Reads up to the closing quote and gives what follows it.
fn quoted<'t>(text: &'t str, literals: &mut Vec<String>) -> &'t str {
    let mut literal = String::new();
    let mut characters = text.char_indices();
    while let Some((at, character)) = characters.next() {
        match character {
            '"' => {
                literals.push(literal);
                return &text[at + 1..];
            }
            '\\' => match characters.next() {
                Some((_, 'n' | 'r' | 't' | '0')) => literal.push(' '),
                Some((_, '\n')) => {
                    while characters.clone().next().is_some_and(|(_, next)| next.is_whitespace()) {
                        characters.next();
                    }
                }
                Some((_, other)) => literal.push(other),
                None => break,
            },
            other => literal.push(other),
        }
    }
    panic!("a literal without an end: {literal}")
}

/// Reads `r"…"` and `r#"…"#`. A letter before the `r` makes it part of a name, but for those of byte strings.
fn raw<'t>(text: &'t str, before: Option<char>, literals: &mut Vec<String>) -> Option<&'t str> {
    if before.is_some_and(|before| (before.is_alphanumeric() || before == '_') && !matches!(before, 'b' | 'c')) {
        return None;
    }
    let inside = text.strip_prefix('r')?;
    let hashes = inside.len() - inside.trim_start_matches('#').len();
    let inside = inside[hashes..].strip_prefix('"')?;
    let end = format!("\"{}", "#".repeat(hashes));
    let (literal, after) = inside.split_once(&end)?;
    literals.push(literal.to_owned());
    Some(after)
}

/// Steps over `'x'`, `'\''` and `'\u{1}'`; of a lifetime only over its mark.
fn after_character(text: &str) -> &str {
    let inside = &text[1..];
    if let Some(escaped) = inside.strip_prefix('\\') {
        let end = escaped.char_indices().skip(1).find(|(_, character)| *character == '\'');
        return end.map_or("", |(end, _)| &escaped[end + 1..]);
    }
    let length = inside.chars().next().map_or(0, char::len_utf8);
    inside[length..].strip_prefix('\'').unwrap_or(inside)
}

#[test]
fn literals_are_found_whatever_stands_around_them() {
    let source = r##"
        //! "a comment" it's
        /* "another /* nested */ one" */
        const A: &str = "one \"two\" \
            three\n"; // "no"
        fn f<'a>(x: &'a str, c: char) -> bool { c == '"' || c == '\'' || x == r#"raw "quoted" text"# }
        const B: &[u8] = b"bytes"; const C: &[u8] = br"raw bytes"; let for_r = "after a name";
#[cfg(test)]
mod tests { const D: &str = "in a test"; }
    "##;
    let expected = ["one \"two\" three ", "raw \"quoted\" text", "bytes", "raw bytes", "after a name"];
    assert_eq!(find_literals(source), expected);
}
