//! The exceptions, and what is left when they are taken away.

use std::{cell::RefCell, collections::BTreeSet, fs};

use serde::Deserialize;

use crate::{run::repository, texts::Text, words};

/// `allowed.json`.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Allowed {
    /// Fixed names, which may stand inside longer ones between `-`, `/`, `:` and `.`.
    names: Vec<Exception>,
    /// Fixed names of members: as a whole string, between backticks or double quotes, or at the end of a pointer.
    fields: Vec<Exception>,
    /// Whole strings of single files.
    strings: Vec<LocalException>,
    /// Exact sentences or parts of them, anywhere.
    sentences: Vec<Exception>,
    #[serde(skip)]
    used: RefCell<BTreeSet<String>>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Exception {
    text: String,
    why: String,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct LocalException {
    text: String,
    places: Vec<String>,
    why: String,
}

impl Allowed {
    pub(crate) fn read() -> Self {
        let bytes = fs::read(repository("crates/svc/tests/wording/allowed.json")).unwrap();
        serde_json::from_slice(&bytes).unwrap()
    }

    /// Every word that stands where it must not.
    pub(crate) fn faults(&self, texts: &[Text]) -> Vec<String> {
        texts.iter().flat_map(|text| self.faults_of(text)).collect()
    }

    fn faults_of(&self, text: &Text) -> Vec<String> {
        if words::places(&text.text).is_empty() || self.is_whole(text) {
            return Vec::new();
        }
        let mut left = text.text.clone();
        for sentence in &self.sentences {
            self.take(&mut left, &sentence.text, &sentence.text, is_bounded);
        }
        for name in &self.names {
            self.take(&mut left, &name.text, &name.text, is_part_of_a_name);
        }
        for field in &self.fields {
            for form in [format!("`{}`", field.text), format!("\"{}\"", field.text), format!("/{}", field.text)] {
                self.take(&mut left, &form, &field.text, is_bounded);
            }
        }
        let describe = |place: std::ops::Range<usize>| {
            let (word, around) = (left[place.clone()].to_owned(), around(&left, place.start));
            format!("{}: `{word}` in “{around}”", text.place)
        };
        words::places(&left).into_iter().map(describe).collect()
    }

    fn is_whole(&self, text: &Text) -> bool {
        let string = self.strings.iter().find(|string| {
            string.text == text.text && string.places.iter().any(|place| text.place.starts_with(place.as_str()))
        });
        let field = self.fields.iter().find(|field| field.text == text.text);
        let found = string.map(|string| &string.text).or(field.map(|field| &field.text));
        self.used.borrow_mut().extend(found.cloned());
        found.is_some()
    }

    /// Takes every occurrence out of a text, so that nothing else can hide behind it.
    fn take(&self, left: &mut String, form: &str, key: &str, fits: fn(&str, usize, usize) -> bool) {
        let mut from = 0;
        while let Some(at) = left[from..].find(form).map(|at| from + at) {
            let end = at + form.len();
            if fits(left, at, end) {
                left.replace_range(at..end, &"·".repeat(form.chars().count()));
                self.used.borrow_mut().insert(key.to_owned());
            }
            from = (at + 1..=left.len()).find(|at| left.is_char_boundary(*at)).unwrap_or(left.len());
        }
    }

    /// The exceptions that no text needs.
    pub(crate) fn unused(&self) -> Vec<String> {
        let plain = [&self.names, &self.fields, &self.sentences].into_iter().flatten().map(|one| &one.text);
        let all = plain.chain(self.strings.iter().map(|string| &string.text));
        all.filter(|text| !self.used.borrow().contains(*text)).cloned().collect()
    }
}

/// Whether no letter touches the ends.
fn is_bounded(text: &str, start: usize, end: usize) -> bool {
    let letter = |character: char| character.is_alphanumeric() || character == '_';
    let first = text[start..end].starts_with(letter) && text[..start].ends_with(letter);
    let last = text[start..end].ends_with(letter) && text[end..].starts_with(letter);
    !first && !last
}

/// Whether the ends are those of a part of a name; completions have names with `_`.
fn is_part_of_a_name(text: &str, start: usize, end: usize) -> bool {
    !text[..start].ends_with(char::is_alphanumeric) && !text[end..].starts_with(char::is_alphanumeric)
}

fn around(text: &str, at: usize) -> String {
    let before: Vec<char> = text[..at].chars().rev().take(50).collect();
    before.into_iter().rev().chain(text[at..].chars().take(60)).collect()
}

#[test]
fn an_exception_is_more_than_a_bare_word_and_has_a_reason() {
    let allowed = Allowed::read();
    for sentence in &allowed.sentences {
        assert!(sentence.text.split_whitespace().count() >= 2, "{}", sentence.text);
        assert!(!words::places(&sentence.text).is_empty(), "needs no exception: {}", sentence.text);
    }
    let reasons = allowed.names.iter().chain(&allowed.fields).chain(&allowed.sentences).map(|one| &one.why);
    for why in reasons.chain(allowed.strings.iter().map(|string| &string.why)) {
        assert!(why.split_whitespace().count() >= 2, "{why}");
    }
    for string in &allowed.strings {
        assert!(!string.places.is_empty() && string.places.iter().all(|place| place.contains('/')), "{}", string.text);
    }
}

#[test]
fn nothing_hides_beside_an_exception() {
    let allowed = Allowed::read();
    for (text, faults) in [
        ("Never installable.", 0),
        ("Never installable. Installable.", 1),
        ("the install-policy", 0),
        ("the install-policyish", 1),
        ("the install policy of an approved app", 2),
        ("`installable`", 0),
        ("`installable` and installable", 1),
    ] {
        let found = allowed.faults(&[Text::new("a test", text)]);
        assert_eq!(found.len(), faults, "{text}: {found:?}");
    }
}
