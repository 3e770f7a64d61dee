//! Gathers what is seen while a text is read, and gives the places at the end.

use std::collections::{BTreeMap, BTreeSet, btree_map::Entry};

use svc_core::{
    package::{
        fact_table::{
            COMPUTED, CONSTANT, DYNAMIC_CODE_BLOB_CODE, DYNAMIC_CODE_DATA_CODE, DYNAMIC_CODE_JAVASCRIPT_ADDRESS,
            FactSpec, REFERENCE_LOADED_ELEMENT, REFERENCE_LOADED_SCRIPT, REFERENCE_LOADED_STYLE, REFERENCE_MODULE,
            REFERENCE_SCRIPT, REFERENCE_STYLE,
        },
        sighting::{Reference, Seen, Sighting},
    },
    scalar::subject::Subject,
};
use svc_json::position::Position;

use crate::{
    address::{Address, as_path},
    handler::HOLE,
};

/// A place that takes an address: an attribute, an argument, a property.
#[derive(Debug)]
pub(crate) struct Sink {
    /// What it is when the address is another origin's, or computed.
    pub(crate) remote: &'static FactSpec,
    /// What it is when the address names a file that is not in the package.
    pub(crate) local: Option<&'static FactSpec>,
    /// Whether what comes from the address runs.
    pub(crate) runs: bool,
}

/// What the relative addresses of a page are relative to.
#[derive(Debug, Default)]
pub(crate) enum Base {
    /// The page.
    #[default]
    Page,
    /// A folder, as it is written: it ends with a slash, or is empty.
    Folder(String),
    /// Another origin.
    Elsewhere,
}

impl Base {
    /// An address with what it is relative to, unless it names nothing of the package.
    fn join(&self, path: &str) -> Option<String> {
        match self {
            Self::Folder(folder) if !path.starts_with('/') => Some(format!("{folder}{path}")),
            Self::Page | Self::Folder(_) => Some(path.to_owned()),
            Self::Elsewhere => None,
        }
    }
}

/// What was seen so far: each kind, word and subject once.
#[derive(Debug, Default)]
pub(crate) struct Notes {
    rows: BTreeMap<(&'static str, &'static str, Option<String>), Note>,
    references: Vec<(usize, &'static FactSpec, String)>,
    /// What the addresses that follow are relative to.
    pub(crate) base: Base,
}

#[derive(Debug)]
struct Note {
    what: &'static FactSpec,
    /// Where it was seen first, in bytes of the text; nothing for what the file is as a whole.
    at: Option<usize>,
    count: u64,
}

impl Notes {
    /// Notes something at an offset of the text.
    pub(crate) fn note(&mut self, at: usize, what: &'static FactSpec, subject: Option<&str>) {
        self.add(Some(at), what, subject);
    }

    /// Notes what the file is as a whole.
    pub(crate) fn note_whole(&mut self, what: &'static FactSpec) {
        self.add(None, what, None);
    }

    /// Notes what the file as a whole does with a subject, where there are no lines.
    pub(crate) fn note_whole_about(&mut self, what: &'static FactSpec, subject: Option<&str>) {
        self.add(None, what, subject);
    }

    fn add(&mut self, at: Option<usize>, what: &'static FactSpec, subject: Option<&str>) {
        match self.rows.entry((what.kind, what.word, subject.map(str::to_owned))) {
            Entry::Vacant(free) => {
                free.insert(Note { what, at, count: 1 });
            }
            Entry::Occupied(mut row) => {
                let row = row.get_mut();
                row.count += 1;
                row.at = row.at.min(at);
            }
        }
    }

    /// Notes an address that is handed to a sink.
    pub(crate) fn address(&mut self, at: usize, sink: &Sink, text: &str) {
        match Address::parse(text) {
            Address::Origin(origin) => self.note(at, sink.remote, Some(&origin)),
            Address::Relative(path) => self.refer(at, sink, path),
            Address::Data if sink.runs && !is_media(text) => self.note(at, &DYNAMIC_CODE_DATA_CODE, Some(CONSTANT)),
            Address::Blob if sink.runs => self.note(at, &DYNAMIC_CODE_BLOB_CODE, Some(CONSTANT)),
            Address::Script => self.note(at, &DYNAMIC_CODE_JAVASCRIPT_ADDRESS, Some(CONSTANT)),
            Address::Data | Address::Blob | Address::Other => {}
        }
    }

    /// Notes that an address which is handed to a sink is only known when the code runs.
    pub(crate) fn computed(&mut self, at: usize, sink: &Sink) {
        self.note(at, sink.remote, Some(COMPUTED));
    }

    /// What begins with `#`, and nothing at all, name the file itself.
    fn refer(&mut self, at: usize, sink: &Sink, path: &str) {
        let path = as_path(path);
        let is_script = sink.local.is_some_and(|local| local == &REFERENCE_SCRIPT || local == &REFERENCE_MODULE);
        if is_script && path.starts_with(HOLE) {
            self.computed(at, sink);
        }
        if let Some(local) = sink.local
            && !path.is_empty()
            && !path.starts_with('#')
            && !path.contains(HOLE)
            && let Some(path) = self.base.join(&path)
        {
            self.references.push((at, local, path));
        }
    }

    /// Adds what was seen in a part of the text that begins at this offset.
    pub(crate) fn add_part(&mut self, start: usize, part: Self) {
        self.add_moved(part, |at| start + at);
    }

    /// Adds what was seen in a text that was made from the one that begins here: its places are not known.
    pub(crate) fn add_part_at(&mut self, start: usize, part: Self) {
        self.add_moved(part, |_| start);
    }

    fn add_moved(&mut self, part: Self, moved: impl Fn(usize) -> usize) {
        for ((_, _, subject), note) in part.rows {
            self.add(note.at.map(&moved), note.what, subject.as_deref());
            if let Some(row) = self.rows.get_mut(&(note.what.kind, note.what.word, subject)) {
                row.count += note.count - 1;
            }
        }
        let references = part.references.into_iter();
        let based = references.filter_map(|(at, what, path)| Some((moved(at), what, self.base.join(&path)?)));
        self.references.extend(based);
    }

    /// Adds what another reading of the same text saw and this one did not.
    pub(crate) fn add_missing(&mut self, other: Self) {
        for (key, note) in other.rows {
            self.rows.entry(key).or_insert(note);
        }
        let known: BTreeSet<(usize, &str)> = self.references.iter().map(|(at, what, _)| (*at, what.word)).collect();
        let missing: Vec<_> =
            other.references.into_iter().filter(|(at, what, _)| !known.contains(&(*at, what.word))).collect();
        self.references.extend(missing);
    }

    /// Adds what was seen in a text that stands at this offset, or is put together there. What it loads as code is
    /// relative to the page that it is put into.
    pub(crate) fn add_kept_at(&mut self, at: usize, part: Self, keep: impl Fn(&FactSpec) -> bool) {
        for ((_, _, subject), note) in part.rows {
            if keep(note.what) {
                self.note(at, note.what, subject.as_deref());
            }
        }
        let loaded = part.references.into_iter().filter_map(|(_, what, path)| Some((at, loaded(what)?, path)));
        self.references.extend(loaded);
    }

    /// Whether something of this kind was seen.
    pub(crate) fn has(&self, is_it: impl Fn(&FactSpec) -> bool) -> bool {
        self.rows.values().any(|note| is_it(note.what))
    }

    /// Everything, with its places in the text: one pass over it, however much there is.
    pub(crate) fn finish(self, text: &str) -> Seen {
        let mut offsets: Vec<usize> = self.rows.values().filter_map(|note| note.at).collect();
        offsets.extend(self.references.iter().map(|(at, _, _)| *at));
        let places = places(text, offsets);
        let place = |at: usize| places.get(&at).copied();
        let sightings = self.rows.into_iter().map(|((_, _, subject), note)| Sighting {
            what: note.what,
            subject: subject.and_then(|subject| Subject::parse(&subject)),
            position: note.at.and_then(place),
            count: note.count,
        });
        let references =
            self.references.into_iter().map(|(at, what, address)| Reference { what, address, position: place(at) });
        Seen { sightings: sightings.collect(), references: references.collect() }
    }
}

/// What a reference of markup or a style is in the script that puts it into a page.
fn loaded(what: &'static FactSpec) -> Option<&'static FactSpec> {
    match () {
        () if [&REFERENCE_LOADED_SCRIPT, &REFERENCE_MODULE, &REFERENCE_SCRIPT].contains(&what) => {
            Some(&REFERENCE_LOADED_SCRIPT)
        }
        () if [&REFERENCE_LOADED_STYLE, &REFERENCE_STYLE].contains(&what) => Some(&REFERENCE_LOADED_STYLE),
        () => (what == &REFERENCE_LOADED_ELEMENT).then_some(what),
    }
}

/// Whether data says that it is a picture, a sound or a film: browsers refuse to run those.
fn is_media(address: &str) -> bool {
    let kind = address.split_once(':').map_or("", |(_, kind)| kind).trim_start().to_ascii_lowercase();
    ["image/", "audio/", "video/"].iter().any(|media| kind.starts_with(media))
}

/// The line and column of each offset, in characters.
pub(crate) fn places(text: &str, mut offsets: Vec<usize>) -> BTreeMap<usize, Position> {
    offsets.sort_unstable();
    offsets.dedup();
    let mut position = Position { line: 1, column: 1 };
    let mut told = 0;
    let mut places = BTreeMap::new();
    for at in offsets {
        let end = text.floor_char_boundary(at);
        for character in text.get(told..end).unwrap_or_default().chars() {
            position = match character {
                '\n' => Position { line: position.line + 1, column: 1 },
                _ => Position { line: position.line, column: position.column + 1 },
            };
        }
        told = told.max(end);
        places.insert(at, position);
    }
    places
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use svc_core::package::fact_table::{CONTACT_FETCH, DYNAMIC_CODE_EVAL, REFERENCE_SCRIPT, REMOTE_CODE_SCRIPT};

    use super::*;

    const SCRIPT: Sink = Sink { remote: &REMOTE_CODE_SCRIPT, local: Some(&REFERENCE_SCRIPT), runs: true };

    #[test]
    fn an_address_is_noted_by_what_it_names() {
        let mut notes = Notes::default();
        for address in ["https://a.example/x.js", "//b.example/x.js", "a.js", "data:text/javascript,1", "about:blank"] {
            notes.address(0, &SCRIPT, address);
        }
        notes.computed(4, &SCRIPT);
        let seen = notes.finish("");
        let told: Vec<(&str, &str, &str)> = seen
            .sightings
            .iter()
            .map(|one| (one.what.kind, one.what.word, one.subject.as_ref().map_or("", Subject::as_str)))
            .collect();
        let expected = [
            ("dynamic-code", "data-code", "constant"),
            ("remote-code", "script", "computed"),
            ("remote-code", "script", "https://a.example"),
            ("remote-code", "script", "https://b.example"),
        ];
        assert_eq!(told, expected);
        assert_eq!(seen.references.iter().map(|one| one.address.as_str()).collect::<Vec<_>>(), ["a.js"]);
    }

    #[test]
    fn a_part_keeps_its_counts_and_moves_its_places() {
        let mut part = Notes::default();
        part.note(2, &DYNAMIC_CODE_EVAL, Some(CONSTANT));
        part.note(1, &DYNAMIC_CODE_EVAL, Some(CONSTANT));
        let mut notes = Notes::default();
        notes.note(9, &DYNAMIC_CODE_EVAL, Some(CONSTANT));
        notes.note(9, &CONTACT_FETCH, Some("https://a.example"));
        notes.add_part(3, part);
        let seen = notes.finish("0123456789");
        let eval = seen.sightings.iter().find(|one| one.what == &DYNAMIC_CODE_EVAL).unwrap();
        assert_eq!((eval.count, eval.position), (3, Some(Position { line: 1, column: 5 })));
    }

    proptest! {
        #[test]
        fn places_are_told_as_everywhere_else(text in "[ab\n\u{e9}\u{1f326}]{0,40}") {
            let offsets: Vec<usize> = text.char_indices().map(|(at, _)| at).collect();
            for (at, place) in places(&text, offsets) {
                prop_assert_eq!(place, Position::of(&text, at));
            }
        }
    }
}
