//! The declarations that an XML file may begin with, which a tokenizer of HTML does not know.

use std::ops::Range;

/// What stands between the brackets of a document type.
pub(super) fn find(text: &str) -> Option<Range<usize>> {
    let mut cursor = Cursor { text, at: 0 };
    loop {
        cursor.skip_blanks();
        if cursor.rest().starts_with("<!DOCTYPE") {
            break;
        }
        if !cursor.skip_one_of(&[COMMENT, INSTRUCTION])? {
            return None;
        }
    }
    cursor.pass_until(&['[', '>'])?;
    let start = cursor.at;
    if !cursor.rest().starts_with('[') {
        return None;
    }
    cursor.pass_until(&[']'])?;
    Some(start + 1..cursor.at)
}

/// Whether a text declares entities or attributes, which change what the rest of it says.
pub(super) fn declares(text: &str) -> bool {
    ["<!ENTITY", "<!ATTLIST"].iter().any(|mark| text.contains(mark))
}

/// The name and value of each entity that is declared with its value.
pub(super) fn entities(subset: &str) -> Vec<(&str, &str)> {
    let declarations = subset.match_indices("<!ENTITY");
    declarations.filter_map(|(at, mark)| entity(subset.get(at + mark.len()..)?)).collect()
}

/// Longer than any name, so that looking for its end takes no time.
const LONGEST_NAME: usize = 200;

fn entity(declaration: &str) -> Option<(&str, &str)> {
    let declaration = declaration.trim_ascii_start();
    let head = declaration.get(..declaration.floor_char_boundary(LONGEST_NAME))?;
    let name = head.split(|character: char| character.is_ascii_whitespace()).next()?;
    let value = declaration.get(name.len()..)?.trim_ascii_start();
    let quote = value.chars().next().filter(|quote| matches!(quote, '"' | '\''))?;
    Some((name, value.get(1..)?.split_once(quote)?.0))
}

/// How something begins and ends.
type Marks = (&'static str, &'static str);

const COMMENT: Marks = ("<!--", "-->");
const INSTRUCTION: Marks = ("<?", "?>");
const TEXTS: [Marks; 2] = [("\"", "\""), ("'", "'")];

struct Cursor<'a> {
    text: &'a str,
    at: usize,
}

impl<'a> Cursor<'a> {
    fn rest(&self) -> &'a str {
        self.text.get(self.at..).unwrap_or_default()
    }

    fn skip_blanks(&mut self) {
        let rest = self.rest();
        self.at += rest.len()
            - rest.trim_start_matches(|character: char| character.is_whitespace() || character == '\u{feff}').len();
    }

    /// Passes over what begins here with one of these marks: whether there was one, or nothing if it has no end.
    fn skip_one_of(&mut self, kinds: &[Marks]) -> Option<bool> {
        let rest = self.rest();
        let Some((open, close)) = kinds.iter().find(|(open, _)| rest.starts_with(open)) else { return Some(false) };
        let end = rest.get(open.len()..)?.find(close)?;
        self.at += open.len() + end + close.len();
        Some(true)
    }

    /// Goes to one of these characters outside of texts, comments and instructions.
    fn pass_until(&mut self, ends: &[char]) -> Option<()> {
        let [double, single] = TEXTS;
        loop {
            if self.skip_one_of(&[COMMENT, INSTRUCTION, double, single])? {
                continue;
            }
            let next = self.rest().chars().next()?;
            if ends.contains(&next) {
                return Some(());
            }
            self.at += next.len_utf8();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn declarations_are_found_behind_what_looks_like_their_end() {
        let text = "<?xml version='1.0'?><!-- <!DOCTYPE a [ -->\n<!DOCTYPE svg [<!ENTITY a \"> <!-- ]\"> <!-- ] --> <!ENTITY b 'c'>]><svg/>";
        let range = find(text).unwrap();
        assert!(text[range.end..].starts_with("]><svg/>"));
        assert_eq!(entities(&text[range]), [("a", "> <!-- ]"), ("b", "c")]);
        for text in ["", "<svg/>", "<!DOCTYPE svg>", "<!DOCTYPE svg PUBLIC '[' '>'><svg/>", "<!DOCTYPE svg [", "<!--"] {
            assert_eq!(find(text), None, "{text}");
        }
    }
}
