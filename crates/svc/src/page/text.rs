//! Foreign texts on their way into the model: nothing hidden, no secret, and no longer than a page bears.

pub(super) use crate::output::cut::{cut, grouped};
use svc_cli::output::escape::Safe;

use crate::report::shows_secret;

/// The most characters of one text.
pub(super) const MOST_CHARACTERS: usize = 2_000;

const HELD_BACK: &str = "(not shown: it looks like a secret)";

/// A foreign text as it is shown: what moves or hides text is spelled out.
pub(super) fn shown(text: &str) -> String {
    if shows_secret(text) {
        return HELD_BACK.to_owned();
    }
    cut(&Safe(text).to_string(), MOST_CHARACTERS)
}

/// A number of things, in words.
pub(super) fn counted(number: usize, one: &str, many: &str) -> String {
    format!("{} {}", grouped(number as u64), if number == 1 { one } else { many })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_secret_and_nothing_hidden_gets_in() {
        let key = format!("AKIA{}", "Q3EGRVWZ7HTMNXKD");
        assert_eq!(shown(&format!("Sends {key} along.")), HELD_BACK);
        assert_eq!(shown("a\u{202e}b\n"), "a\\u{202e}b\\u{a}");
    }

    #[test]
    fn a_long_text_is_cut_and_says_by_how_much() {
        let long = shown(&"é".repeat(65_536));
        assert!(long.starts_with("éé") && long.ends_with("… (63,536 more characters)"), "{}", long.len());
        assert_eq!(shown(&"x".repeat(MOST_CHARACTERS)).len(), MOST_CHARACTERS);
        assert_eq!((grouped(0), grouped(999), grouped(1_234_567)), ("0".into(), "999".into(), "1,234,567".into()));
    }
}
