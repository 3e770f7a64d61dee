//! Attributes that hold more than one address.

/// The addresses of the pictures to choose from. An address ends at a blank or with a comma; what follows up to the next
/// comma outside of parentheses tells its size.
pub(super) fn candidates(text: &str) -> Vec<&str> {
    let mut addresses = Vec::new();
    let mut rest = text;
    loop {
        rest = rest.trim_start_matches(|character: char| character == ',' || character.is_ascii_whitespace());
        if rest.is_empty() {
            return addresses;
        }
        let (address, after) =
            rest.split_at(rest.find(|character: char| character.is_ascii_whitespace()).unwrap_or(rest.len()));
        addresses.push(address.trim_end_matches(','));
        rest = if address.ends_with(',') { after } else { behind_comma(after) };
    }
}

fn behind_comma(text: &str) -> &str {
    let mut depth = 0_usize;
    for (at, character) in text.char_indices() {
        match character {
            '(' => depth += 1,
            ')' => depth = depth.saturating_sub(1),
            ',' if depth == 0 => return text.get(at..).unwrap_or_default(),
            _ => {}
        }
    }
    ""
}

/// The address that a page moves to by itself, behind the seconds that it waits.
pub(super) fn refresh(text: &str) -> Option<&str> {
    let rest = text.trim_ascii_start();
    let rest = rest.trim_start_matches(|character: char| character.is_ascii_digit() || character == '.');
    let rest =
        rest.trim_start_matches(|character: char| matches!(character, ';' | ',') || character.is_ascii_whitespace());
    let address = match rest.get(..3) {
        Some(word) if word.eq_ignore_ascii_case("url") => {
            rest.get(3..)?.trim_ascii_start().strip_prefix('=').map_or(rest, str::trim_ascii_start)
        }
        Some(_) | None => rest,
    };
    let address = match address.chars().next()? {
        quote @ ('"' | '\'') => address.get(1..)?.split(quote).next()?,
        _ => address,
    };
    Some(address)
}

/// Bytes written as `%41` become what they stand for.
pub(super) fn percent_decoded(text: &str) -> String {
    let mut decoded = Vec::with_capacity(text.len());
    let mut bytes = text.bytes();
    while let Some(byte) = bytes.next() {
        let mut ahead = bytes.clone();
        let digit = |byte: Option<u8>| byte.and_then(|byte| char::from(byte).to_digit(16));
        match (byte, digit(ahead.next()), digit(ahead.next())) {
            (b'%', Some(high), Some(low)) => {
                decoded.push((high * 16 + low) as u8);
                bytes = ahead;
            }
            _ => decoded.push(byte),
        }
    }
    String::from_utf8_lossy(&decoded).into_owned()
}

/// The value of an attribute in the text of a processing instruction.
pub(super) fn pseudo_attribute<'a>(text: &'a str, name: &str) -> Option<&'a str> {
    text.match_indices(name).find_map(|(at, _)| {
        let is_whole = text.get(..at)?.ends_with(|before: char| before.is_ascii_whitespace());
        let value = text.get(at + name.len()..)?.trim_ascii_start().strip_prefix('=')?.trim_ascii_start();
        let quote = value.chars().next().filter(|quote| is_whole && matches!(quote, '"' | '\''))?;
        value.get(1..)?.split(quote).next()
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn candidates_are_split_as_the_standard_says() {
        assert_eq!(candidates("a.png, b.png 2x,c.png 100w"), ["a.png", "b.png", "c.png"]);
        assert_eq!(candidates(" data:image/png;base64,AA== 1x , ,b.png,"), ["data:image/png;base64,AA==", "b.png"]);
        assert_eq!(candidates("a (b, c) , d"), ["a", "d"]);
        assert_eq!(candidates(" , "), Vec::<&str>::new());
    }

    #[test]
    fn a_page_moves_where_the_standard_says() {
        let cases = [
            ("5", None),
            ("0;url=a.html", Some("a.html")),
            ("0; URL = 'a.html' b", Some("a.html")),
            (" 3.5,a.html", Some("a.html")),
            ("0 url=a.html", Some("a.html")),
            ("0;url=\"", Some("")),
        ];
        for (text, expected) in cases {
            assert_eq!(refresh(text), expected, "{text}");
        }
    }

    #[test]
    fn percent_signs_are_decoded_where_they_stand_for_a_byte() {
        assert_eq!(percent_decoded("a%28%C3%A9%2g%"), "a(\u{e9}%2g%");
    }
}
