//! What was seen in a file, between the process that reads it and the one that asked.

use serde::{Deserialize, Serialize};
use svc_core::{
    package::{
        fact_table::{self, FactSpec},
        sighting::{Reference, Seen, Sighting},
    },
    scalar::subject::Subject,
};
use svc_json::position::Position;

/// Rows instead of members: both sides are of one build.
#[derive(Debug, Serialize, Deserialize)]
struct WireSeen {
    sightings: Vec<WireSighting>,
    references: Vec<WireReference>,
}

type WirePlace = Option<(usize, usize)>;
type WireSighting = (usize, Option<String>, WirePlace, u64);
type WireReference = (usize, String, WirePlace);

/// The bytes of what was seen.
#[must_use]
pub fn to_bytes(seen: &Seen) -> Vec<u8> {
    let place = |position: &Option<Position>| position.map(|position| (position.line, position.column));
    let sightings = seen.sightings.iter().map(|one| {
        (
            number_of(one.what),
            one.subject.as_ref().map(|subject| subject.as_str().to_owned()),
            place(&one.position),
            one.count,
        )
    });
    let references = seen.references.iter().map(|one| (number_of(one.what), one.address.clone(), place(&one.position)));
    let wire = WireSeen { sightings: sightings.collect(), references: references.collect() };
    serde_json::to_vec(&wire).unwrap_or_default()
}

/// What these bytes say was seen; nothing when they are not of this form.
#[must_use]
pub fn from_bytes(bytes: &[u8]) -> Option<Seen> {
    let wire: WireSeen = serde_json::from_slice(bytes).ok()?;
    let place = |place: Option<(usize, usize)>| place.map(|(line, column)| Position { line, column });
    let sightings = wire.sightings.into_iter().map(|(number, subject, position, count)| {
        let subject = match subject {
            Some(text) => Some(Subject::parse(&text)?),
            None => None,
        };
        Some(Sighting { what: spec(number)?, subject, position: place(position), count })
    });
    let references = wire
        .references
        .into_iter()
        .map(|(number, address, position)| Some(Reference { what: spec(number)?, address, position: place(position) }));
    Some(Seen { sightings: sightings.collect::<Option<_>>()?, references: references.collect::<Option<_>>()? })
}

fn number_of(what: &'static FactSpec) -> usize {
    fact_table::ALL.iter().position(|spec| *spec == what).unwrap_or(usize::MAX)
}

fn spec(number: usize) -> Option<&'static FactSpec> {
    fact_table::ALL.get(number).copied()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{language::Language, of_code};

    #[test]
    fn what_was_seen_arrives_as_it_was() {
        let code = "eval(a); fetch('https://a.example'); import './b.js'";
        let seen = of_code(Language::of("a.js", b"").unwrap(), code.as_bytes());
        assert_eq!((seen.sightings.len(), seen.references.len()), (2, 1));
        assert_eq!(from_bytes(&to_bytes(&seen)), Some(seen));
    }

    #[test]
    fn bytes_of_another_form_say_nothing() {
        for text in [
            "",
            "{}",
            r#"{"sightings":[[9999,null,null,1]],"references":[]}"#,
            r#"{"sightings":[[0,"a b",null,1]],"references":[]}"#,
        ] {
            assert_eq!(from_bytes(text.as_bytes()), None, "{text}");
        }
    }
}
