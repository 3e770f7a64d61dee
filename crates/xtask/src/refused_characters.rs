//! `conformance/vectors/refused-characters.json`: the characters that break SVC-J007, as data, and rows for
//! `strict-json.json` on both sides of each end of each range.
//!
//! The ranges are computed with the functions that the strict reader calls, character by character. What a row expects is
//! computed from the ranges alone, so that the task stops when they do not say what the reader does.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Value, json};
use svc_json::characters::{JOINED, VARIED, refused, refused_after};

/// Format characters of Unicode that have a shape of their own, and are not refused.
const SHOWN_FORMATS: [char; 5] = ['\u{600}', '\u{6dd}', '\u{70f}', '\u{8e2}', '\u{110bd}'];

/// Characters from the first to the last, both included.
#[derive(Clone, Copy)]
struct Range {
    first: u32,
    last: u32,
}

/// What the strict reader refuses.
pub(crate) struct RefusedCharacters {
    refused: Vec<(Range, &'static str)>,
    allowed: Vec<AllowedAfter>,
}

/// Refused characters that are allowed directly after some others.
struct AllowedAfter {
    characters: Vec<Range>,
    after: Vec<Range>,
}

/// A string, and whether a character in it is refused.
pub(crate) struct Row {
    pub(crate) name: String,
    pub(crate) document: String,
    pub(crate) is_refused: bool,
}

impl Range {
    fn contains(self, character: char) -> bool {
        (self.first..=self.last).contains(&u32::from(character))
    }

    /// Both ends, and what is just outside.
    fn around(self) -> impl Iterator<Item = char> {
        [self.first.checked_sub(1), Some(self.first), Some(self.last), self.last.checked_add(1)]
            .into_iter()
            .flatten()
            .filter_map(char::from_u32)
    }

    fn json(self) -> Value {
        json!({ "first": self.first, "last": self.last })
    }
}

impl RefusedCharacters {
    pub(crate) fn compute() -> Self {
        Self { refused: ranges(refused), allowed: allowed() }
    }

    /// The file.
    pub(crate) fn json(&self) -> Value {
        let list = |ranges: &[Range]| ranges.iter().map(|range| range.json()).collect::<Vec<_>>();
        let allowed = self.allowed.iter();
        let allowed = allowed.map(|row| json!({ "after": list(&row.after), "characters": list(&row.characters) }));
        let refused = self.refused.iter();
        let refused = refused.map(|(range, name)| json!({ "first": range.first, "last": range.last, "name": name }));
        json!({ "allowedAfter": allowed.collect::<Vec<_>>(), "refused": refused.collect::<Vec<_>>() })
    }

    /// The rows, each text once.
    pub(crate) fn rows(&self) -> Vec<Row> {
        let mut texts: BTreeSet<String> = SHOWN_FORMATS.iter().map(char::to_string).collect();
        texts.extend(self.refused.iter().flat_map(|(range, _)| range.around()).map(String::from));
        for AllowedAfter { characters, after } in &self.allowed {
            let first = |ranges: &[Range]| ranges.first().and_then(|range| char::from_u32(range.first));
            let (Some(character), Some(before)) = (first(characters), first(after)) else { continue };
            texts
                .extend(after.iter().flat_map(|range| range.around()).map(|other| [other, character].iter().collect()));
            texts.extend(
                characters.iter().flat_map(|range| range.around()).map(|other| [before, other].iter().collect()),
            );
        }
        texts.iter().map(|text| self.row(text)).collect()
    }

    fn row(&self, text: &str) -> Row {
        let points: Vec<String> = text.chars().map(|character| format!("U+{:04X}", u32::from(character))).collect();
        let escaped: String = text.encode_utf16().map(|unit| format!("\\u{unit:04x}")).collect();
        Row { name: points.join(" "), document: format!("{{\"a\":\"{escaped}\"}}"), is_refused: self.refuses(text) }
    }

    /// Whether a text has a refused character, by nothing but the ranges.
    fn refuses(&self, text: &str) -> bool {
        let has = |ranges: &[Range], character: char| ranges.iter().any(|range| range.contains(character));
        let mut before = None;
        text.chars().any(|character| {
            let is_allowed = |row: &AllowedAfter, before| has(&row.characters, character) && has(&row.after, before);
            let is_listed = self.refused.iter().any(|(range, _)| range.contains(character));
            let is_refused =
                is_listed && !before.is_some_and(|before| self.allowed.iter().any(|row| is_allowed(row, before)));
            before = Some(character);
            is_refused
        })
    }
}

/// The characters that have a key, in ranges of the same key.
fn ranges<K: PartialEq>(key: impl Fn(char) -> Option<K>) -> Vec<(Range, K)> {
    let mut ranges: Vec<(Range, K)> = Vec::new();
    for character in '\0'..=char::MAX {
        let Some(key) = key(character) else { continue };
        let point = u32::from(character);
        match ranges.last_mut() {
            Some((range, last)) if range.last + 1 == point && *last == key => range.last = point,
            Some(_) | None => ranges.push((Range { first: point, last: point }, key)),
        }
    }
    ranges
}

/// Groups of refused characters that are allowed after the same others.
fn allowed() -> Vec<AllowedAfter> {
    let ends = VARIED.iter().chain(JOINED).flat_map(|range| Range { first: range.first, last: range.last }.around());
    let probes: Vec<char> = ends.chain(['\u{FE0F}']).collect();
    let mut groups: BTreeMap<Vec<char>, BTreeSet<char>> = BTreeMap::new();
    for character in ('\0'..=char::MAX).filter(|character| refused(*character).is_some()) {
        let is_allowed = |before: &char| refused_after(Some(*before), character).is_none();
        let after: Vec<char> = probes.iter().copied().filter(is_allowed).collect();
        if !after.is_empty() {
            groups.entry(after).or_default().insert(character);
        }
    }
    let mut rows: Vec<AllowedAfter> = Vec::new();
    for characters in groups.values() {
        let Some(first) = characters.first() else { continue };
        let only = |ranges: Vec<(Range, ())>| ranges.into_iter().map(|(range, ())| range).collect();
        let after = only(ranges(|before| refused_after(Some(before), *first).is_none().then_some(())));
        let characters = only(ranges(|character| characters.contains(&character).then_some(())));
        rows.push(AllowedAfter { characters, after });
    }
    rows.sort_by_key(|row| row.characters.first().map(|range| range.first));
    rows
}
