//! The words of the rule, found as whole words in any case.

use std::ops::Range;

/// The words and the forms that they take.
pub(crate) const WORDS: [&str; 13] = [
    "install",
    "installs",
    "installed",
    "installing",
    "installation",
    "installations",
    "installable",
    "marketplace",
    "marketplaces",
    "approved",
    "verified",
    "trusted",
    "safe",
];

/// Where the words stand in a text.
pub(crate) fn places(text: &str) -> Vec<Range<usize>> {
    let mut places = Vec::new();
    let mut start = None;
    for (at, character) in text.char_indices().chain([(text.len(), ' ')]) {
        let inside = character.is_alphanumeric() || character == '_';
        match (inside, start) {
            (true, None) => start = Some(at),
            (false, Some(from)) => {
                places.extend(is_of_the_rule(&text[from..at]).then_some(from..at));
                start = None;
            }
            (true, Some(_)) | (false, None) => {}
        }
    }
    places
}

fn is_of_the_rule(word: &str) -> bool {
    WORDS.iter().any(|other| other.eq_ignore_ascii_case(word))
}

#[test]
fn words_are_found_whole_and_in_any_case() {
    let found = |text: &str| places(text).into_iter().map(|place| text[place].to_owned()).collect::<Vec<_>>();
    assert_eq!(found("It is SAFE, non-installable; `Approved`"), ["SAFE", "installable", "Approved"]);
    assert_eq!(found("unsafe unverified is_safe verify safely approve untrusted"), [""; 0]);
    assert_eq!(found("safe"), ["safe"]);
}
