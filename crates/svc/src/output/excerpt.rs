//! The line of a finding, cut to what a terminal shows, with the place in it marked.
//!
//! A file of the package is read again for it, beneath its folder, no link followed, and only when a finding in it is
//! shown. A file that holds a secret has no excerpt: a line near the place might show it.

use std::{collections::BTreeMap, fmt::Write as _, ops::Range};

use svc_cli::output::escape::Safe;
use svc_core::{finding::Finding, package::fact_table::SECRET, words::rule_code::RuleCode};
use svc_json::{
    fault::Span,
    position::{NumberedText, Position},
};

use crate::report::{Located, ReportedDocument};

/// The most columns of a line that are shown.
const COLUMNS: usize = 80;

/// The most columns of them before the place.
const LEAD: usize = 30;

/// A stretch of one line, with control characters spelled out.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Excerpt {
    /// What is shown of the line.
    pub(crate) line: String,
    /// The marked bytes of it.
    pub(crate) marked: Range<usize>,
    /// What is marked, in the file.
    pub(crate) range: (Position, Position),
    /// What is shown, in the file.
    pub(crate) shown: (Position, Position),
    /// Whether the line begins further left.
    pub(crate) is_cut_before: bool,
    /// Whether the line ends further right.
    pub(crate) is_cut_after: bool,
}

/// The excerpts of findings, each where it has one. A file is read once for all of its findings.
pub(crate) fn excerpts(findings: &[Located<'_>]) -> Vec<Option<Excerpt>> {
    let mut excerpts: Vec<Option<Excerpt>> =
        findings.iter().map(|(document, one)| in_document(document, one)).collect();
    let mut in_files: BTreeMap<(usize, &str), Vec<(Position, usize)>> = BTreeMap::new();
    for (index, (document, finding)) in findings.iter().enumerate() {
        if let (Some(file), Some(position)) = (&finding.file, finding.position) {
            let document = std::ptr::from_ref::<ReportedDocument>(document).addr();
            in_files.entry((document, file)).or_default().push((position, index));
        }
    }
    for ((_, file), mut places) in in_files {
        let Some((document, _)) = places.first().and_then(|(_, index)| findings.get(*index)) else { continue };
        let is_secret =
            |(_, index): &(Position, usize)| findings.get(*index).is_some_and(|(_, one)| one.rule.is(RuleCode::F008));
        if places.iter().any(is_secret) {
            continue;
        }
        let Some(text) = text_beside(document, file) else { continue };
        places.sort_by_key(|(position, _)| (position.line, position.column));
        let text = NumberedText::new(text);
        for (offset, index) in offsets(text.text(), &places) {
            if let Some(slot) = excerpts.get_mut(index) {
                *slot = Some(Excerpt::new(&text, word_at(text.text(), offset)));
            }
        }
    }
    excerpts
}

/// The excerpt of a second place in the document.
pub(crate) fn related(document: &ReportedDocument, finding: &Finding) -> Option<Excerpt> {
    Some(Excerpt::new(shown_text(document)?, finding.related?))
}

fn in_document(document: &ReportedDocument, finding: &Finding) -> Option<Excerpt> {
    Some(Excerpt::new(shown_text(document)?, finding.span?))
}

/// The text of the document, unless it holds a secret.
fn shown_text(document: &ReportedDocument) -> Option<&NumberedText> {
    document.text().filter(|_| !document.holds_secret)
}

/// The text of a file beside the document. Nothing where it is no text, or holds a secret.
fn text_beside(document: &ReportedDocument, file: &str) -> Option<String> {
    let bytes = document.read_beside(file)?;
    let holds_secret = svc_facts::of_bytes(file, &bytes).iter().any(|sighting| sighting.what.kind == SECRET);
    String::from_utf8(bytes).ok().filter(|_| !holds_secret)
}

/// Where the places stand in the text, those that it has, in one pass. The places are in order.
fn offsets(text: &str, places: &[(Position, usize)]) -> Vec<(usize, usize)> {
    let mut found = Vec::with_capacity(places.len());
    let mut wanted = places.iter().peekable();
    let (mut line, mut column) = (1, 1);
    for (offset, character) in text.char_indices() {
        while let Some((position, index)) =
            wanted.next_if(|(position, _)| (position.line, position.column) <= (line, column))
        {
            if (position.line, position.column) == (line, column) {
                found.push((offset, *index));
            }
        }
        (line, column) = if character == '\n' { (line + 1, 1) } else { (line, column + 1) };
    }
    found
}

/// The word that begins at an offset, or one character.
fn word_at(text: &str, offset: usize) -> Span {
    let rest = text.get(offset..).unwrap_or_default();
    let is_part = |character: char| character.is_alphanumeric() || matches!(character, '_' | '$');
    let word = rest.find(|character| !is_part(character)).unwrap_or(rest.len());
    let length = if word > 0 { word } else { rest.chars().next().map_or(0, char::len_utf8) };
    Span { start: offset, end: offset + length }
}

impl Excerpt {
    fn new(numbered: &NumberedText, span: Span) -> Self {
        let text = numbered.text();
        let start = align(text, span.start);
        let line_start = text.get(..start).and_then(|head| head.rfind('\n')).map_or(0, |newline| newline + 1);
        let line_end = text.get(start..).and_then(|tail| tail.find('\n')).map_or(text.len(), |length| start + length);
        let end = align(text, span.end.clamp(start, line_end));
        let before = text.get(line_start..start).unwrap_or_default();
        let lead = if text.get(line_start..line_end).is_some_and(is_long) { LEAD } else { COLUMNS };
        let from = before.char_indices().rev().take(lead).last().map_or(start, |(offset, _)| line_start + offset);
        let room = COLUMNS.saturating_sub(text.get(from..start).unwrap_or_default().chars().count());
        let rest = text.get(start..line_end).unwrap_or_default();
        let to = rest.char_indices().nth(room).map_or(line_end, |(offset, _)| start + offset);
        let (is_cut_before, is_cut_after) = (from > line_start, to < line_end);
        let mut line = String::from(if is_cut_before { "…" } else { "" });
        push_safe(&mut line, text.get(from..start));
        let marked_from = line.len();
        push_safe(&mut line, text.get(start..end.min(to)));
        let marked = marked_from..line.len();
        push_safe(&mut line, text.get(end.min(to)..to));
        line.push_str(if is_cut_after { "…" } else { "" });
        let first = numbered.position(start);
        let along = |offset: usize| {
            let moved = text.get(start..offset).unwrap_or_default().chars().count();
            Position { line: first.line, column: first.column + moved }
        };
        let back = text.get(from..start).unwrap_or_default().chars().count();
        let shown_from = Position { line: first.line, column: first.column - back };
        Self { line, marked, range: (first, along(end)), shown: (shown_from, along(to)), is_cut_before, is_cut_after }
    }

    /// What is marked, with control characters spelled out.
    pub(crate) fn marked_text(&self) -> &str {
        self.line.get(self.marked.clone()).unwrap_or_default()
    }

    /// What is shown, without the signs that more follows.
    pub(crate) fn shown_text(&self) -> &str {
        let line = if self.is_cut_before { self.line.strip_prefix('…') } else { None };
        let line = line.unwrap_or(&self.line);
        if self.is_cut_after { line.strip_suffix('…').unwrap_or(line) } else { line }
    }
}

fn is_long(line: &str) -> bool {
    line.chars().nth(COLUMNS).is_some()
}

fn push_safe(line: &mut String, text: Option<&str>) {
    for character in text.unwrap_or_default().chars() {
        match character {
            '\t' => line.push(' '),
            '\r' => {}
            _ => {
                let _ = write!(line, "{}", Safe(character.encode_utf8(&mut [0; 4])));
            }
        }
    }
}

/// The nearest character boundary at or before an offset.
fn align(text: &str, offset: usize) -> usize {
    let mut at = offset.min(text.len());
    while !text.is_char_boundary(at) {
        at -= 1;
    }
    at
}

#[cfg(test)]
mod tests {
    use super::*;

    fn numbered(text: &str) -> NumberedText {
        NumberedText::new(text.to_owned())
    }

    #[test]
    fn a_long_line_is_cut_to_eighty_columns_around_the_place() {
        let text = format!("first\n{}eval(x){}\nlast", "a".repeat(5_000), "b".repeat(5_000));
        let start = 6 + 5_000;
        let excerpt = Excerpt::new(&numbered(&text), Span { start, end: start + 4 });
        assert_eq!(excerpt.marked_text(), "eval");
        assert_eq!(excerpt.shown_text().chars().count(), COLUMNS);
        assert_eq!(excerpt.range.0, Position { line: 2, column: 5_001 });
        assert_eq!(excerpt.shown, (Position { line: 2, column: 4_971 }, Position { line: 2, column: 5_051 }));
        assert!(excerpt.line.starts_with("…a") && excerpt.line.ends_with("b…"));
    }

    #[test]
    fn a_short_line_is_shown_whole() {
        let excerpt = Excerpt::new(&numbered("a\n  eval(x);\r\n"), Span { start: 4, end: 8 });
        assert_eq!((excerpt.line.as_str(), excerpt.marked), ("  eval(x);", 2..6));
        let at_the_end = format!("{}x", "a".repeat(COLUMNS - 1));
        let excerpt = Excerpt::new(&numbered(&at_the_end), Span { start: COLUMNS - 1, end: COLUMNS });
        assert_eq!(excerpt.line, at_the_end);
    }

    #[test]
    fn what_would_move_the_cursor_is_spelled_out_and_still_marked_right() {
        let excerpt = Excerpt::new(&numbered("\u{1b}[2Jeval(\u{202e}x)"), Span { start: 4, end: 8 });
        assert_eq!(excerpt.line, "\\u{1b}[2Jeval(\\u{202e}x)");
        assert_eq!(excerpt.marked_text(), "eval");
    }

    #[test]
    fn places_that_the_text_does_not_have_are_passed_over() {
        let at = |line, column| Position { line, column };
        let places = [(at(1, 2), 0), (at(1, 9), 1), (at(2, 1), 2), (at(2, 1), 3), (at(7, 1), 4)];
        assert_eq!(offsets("äb\ncd", &places), [(2, 0), (4, 2), (4, 3)]);
    }
}
