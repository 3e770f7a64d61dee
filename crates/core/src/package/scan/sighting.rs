//! Something that was seen in a file.

use svc_json::position::Position;

use crate::{package::fact_table::FactSpec, scalar::subject::Subject};

/// Something seen in a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Sighting {
    /// What it is.
    pub(crate) what: &'static FactSpec,
    /// What it is about.
    pub(crate) subject: Option<Subject>,
    /// Where, in a text.
    pub(crate) position: Option<Position>,
}

impl Sighting {
    /// Something that the file is as a whole.
    pub(super) fn of_file(what: &'static FactSpec) -> Self {
        Self { what, subject: None, position: None }
    }
}

/// What was found at these offsets, in order. One pass over the text, however much was found.
pub(super) fn sightings(text: &str, mut found: Vec<(usize, &'static FactSpec)>) -> Vec<Sighting> {
    found.sort_unstable_by_key(|(at, what)| (*at, what.kind, what.word));
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
        sightings.push(Sighting { what, subject: None, position: Some(position) });
    }
    sightings
}
