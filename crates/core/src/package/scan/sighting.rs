//! Something that was seen in a text file.

use svc_json::position::Position;

/// Something seen in a text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Sighting {
    /// What it is.
    pub what: &'static str,
    /// Where.
    pub position: Position,
}

/// What was found at these offsets, in order. One pass over the text, however much was found.
pub(super) fn sightings(text: &str, mut found: Vec<(usize, &'static str)>) -> Vec<Sighting> {
    found.sort_unstable();
    let mut position = Position { line: 1, column: 1 };
    let mut told = 0;
    let mut sightings = Vec::with_capacity(found.len());
    for (at, what) in found {
        for character in text.get(told..at).unwrap_or_default().chars() {
            position = match character {
                '\n' => Position { line: position.line + 1, column: 1 },
                _ => Position { line: position.line, column: position.column + 1 },
            };
        }
        told = at;
        sightings.push(Sighting { what, position });
    }
    sightings
}
