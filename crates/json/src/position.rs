//! Lines and columns, as people count them.

use std::fmt;

/// A position as people count it: from one, columns in characters.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Position {
    /// Line, from one.
    pub line: usize,
    /// Column in characters, from one.
    pub column: usize,
}

impl Position {
    /// The position of a byte offset in a text.
    #[must_use]
    pub fn of(text: &str, offset: usize) -> Self {
        let before = text.get(..offset.min(text.len())).unwrap_or(text);
        let line_start = before.rfind('\n').map_or(0, |newline| newline + 1);
        let line = before.bytes().filter(|&byte| byte == b'\n').count() + 1;
        let column = before.get(line_start..).unwrap_or_default().chars().count() + 1;
        Self { line, column }
    }
}

/// A text whose positions are told quickly, however many are asked for and however long its lines are.
#[derive(Clone, Debug)]
pub struct NumberedText {
    text: String,
    /// Every so many bytes an offset, and the position there.
    marks: Vec<(usize, Position)>,
}

impl NumberedText {
    /// The distance of two marks.
    const STEP: usize = 4096;

    #[must_use]
    pub fn new(text: String) -> Self {
        let mut marks = vec![(0, Position { line: 1, column: 1 })];
        let mut last = (0, Position { line: 1, column: 1 });
        for step in 1..=text.len() / Self::STEP {
            let at = text.floor_char_boundary(step * Self::STEP);
            last = (at, moved(last.1, text.get(last.0..at).unwrap_or_default()));
            marks.push(last);
        }
        Self { text, marks }
    }

    #[must_use]
    pub fn text(&self) -> &str {
        &self.text
    }

    /// The position of a byte offset, as [`Position::of`] tells it.
    #[must_use]
    pub fn position(&self, offset: usize) -> Position {
        let offset = offset.min(self.text.len());
        let before = self.marks.partition_point(|(at, _)| *at <= offset);
        let Some((at, position)) = before.checked_sub(1).and_then(|mark| self.marks.get(mark)) else {
            return Position::of(&self.text, offset);
        };
        match self.text.get(*at..offset) {
            Some(between) => moved(*position, between),
            None => Position::of(&self.text, offset),
        }
    }
}

/// The position behind a text that begins at one.
fn moved(from: Position, text: &str) -> Position {
    match text.rfind('\n') {
        None => Position { line: from.line, column: from.column + text.chars().count() },
        Some(newline) => Position {
            line: from.line + text.bytes().filter(|&byte| byte == b'\n').count(),
            column: text.get(newline + 1..).unwrap_or_default().chars().count() + 1,
        },
    }
}

impl fmt::Display for Position {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{}:{}", self.line, self.column)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_numbered_text_tells_what_is_counted_from_the_beginning() {
        let lines: String = (0..3000).map(|number| format!("{}é\n", "x".repeat(number % 37))).collect();
        for text in [String::new(), "é".repeat(9000), lines, "\n".repeat(5000)] {
            let numbered = NumberedText::new(text.clone());
            assert_eq!(numbered.text(), text);
            for offset in (0..text.len() + 3).step_by(61).chain([4095, 4096, 4097, text.len()]) {
                assert_eq!(numbered.position(offset), Position::of(&text, offset), "{offset} of {}", text.len());
            }
        }
    }
}
