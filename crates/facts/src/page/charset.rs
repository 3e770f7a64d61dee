//! The encoding that a page declares.

use encoding_rs::{Encoding, UTF_8, UTF_16BE, UTF_16LE, WINDOWS_1252, X_USER_DEFINED};

use super::{
    token::{self, Tag, Token},
    tree::Form,
};

/// How far browsers look before they decide.
const LOOKED_AT: usize = 1024;

/// The encoding that the first bytes of a page or drawing declare.
pub(super) fn declared(bytes: &[u8], form: Form) -> Option<&'static Encoding> {
    let head = bytes.get(..LOOKED_AT).unwrap_or(bytes);
    if head.starts_with(b"<\0?\0x\0") {
        return Some(UTF_16LE);
    }
    if head.starts_with(b"\0<\0?\0x") {
        return Some(UTF_16BE);
    }
    let by_meta = || {
        token::tokens(head, Form::Prescan)
            .find_map(|token| if let Token::Start(tag) = token { of_meta(&tag) } else { None })
    };
    match form {
        Form::Html | Form::Prescan => by_meta().or_else(|| of_xml(head)),
        Form::Xml => of_xml(head),
    }
}

fn of_meta(tag: &Tag) -> Option<&'static Encoding> {
    if tag.name != "meta" {
        return None;
    }
    let value = |name: &str| tag.attributes.get(name).map(|value| value.text.as_str());
    let is_pragma = value("http-equiv").is_some_and(|name| name.eq_ignore_ascii_case("content-type"));
    let label = match value("charset") {
        Some(label) => label,
        None if is_pragma => of_content(value("content")?)?,
        None => return None,
    };
    named(label)
}

/// The label behind `charset=` in the value of a content type.
fn of_content(content: &str) -> Option<&str> {
    let lower = content.to_ascii_lowercase();
    let label = lower.match_indices("charset").find_map(|(at, word)| {
        let rest = content.get(at + word.len()..)?.trim_ascii_start();
        rest.strip_prefix('=').map(str::trim_ascii_start)
    })?;
    match label.chars().next()? {
        quote @ ('"' | '\'') => label.get(1..)?.split_once(quote).map(|(label, _)| label),
        _ => label.split([';', ' ', '\t', '\n', '\r', '\u{c}']).next(),
    }
}

/// The encoding of `<?xml … encoding="…"?>`.
fn of_xml(head: &[u8]) -> Option<&'static Encoding> {
    let rest = head.strip_prefix(b"<?xml")?;
    let end = rest.iter().position(|byte| *byte == b'>')?;
    let text = std::str::from_utf8(rest.get(..end)?).ok()?;
    let value = text.split_once("encoding")?.1.trim_ascii_start().strip_prefix('=')?.trim_ascii_start();
    let quote = value.chars().next().filter(|quote| matches!(quote, '"' | '\''))?;
    named(value.get(1..)?.split_once(quote)?.0)
}

/// A label that was read in bytes of one each does not name a wide encoding.
fn named(label: &str) -> Option<&'static Encoding> {
    let encoding = Encoding::for_label(label.as_bytes())?;
    Some(match encoding {
        wide if wide == UTF_16BE || wide == UTF_16LE => UTF_8,
        user if user == X_USER_DEFINED => WINDOWS_1252,
        other => other,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_page_declares_its_encoding_as_the_standard_says() {
        let cases: [(&[u8], Option<&'static Encoding>); 11] = [
            (b"<meta charset=windows-1252>", Some(WINDOWS_1252)),
            (b"<!-- <meta charset=utf-8> --><META CharSet='latin1'>", Some(WINDOWS_1252)),
            (b"<meta http-equiv=Content-Type content='text/html; charset = \"windows-1252\"'>", Some(WINDOWS_1252)),
            (b"<meta name=a content='text/html; charset=windows-1252'>", None),
            (b"<meta charset=utf-16>", Some(UTF_8)),
            (b"<meta charset=x-user-defined>", Some(WINDOWS_1252)),
            (b"<meta charset=nothing><meta charset=utf-8>", Some(UTF_8)),
            (b"<?xml version='1.0' encoding='windows-1252'?>", Some(WINDOWS_1252)),
            (b"<\0?\0x\0", Some(UTF_16LE)),
            (b"<p title='<meta charset=windows-1252>'>", None),
            (b"", None),
        ];
        for (bytes, expected) in cases {
            assert_eq!(declared(bytes, Form::Html), expected, "{:?}", String::from_utf8_lossy(bytes));
        }
        let late = [vec![b' '; LOOKED_AT], b"<meta charset=windows-1252>".to_vec()].concat();
        assert_eq!(declared(&late, Form::Html), None);
    }
}
