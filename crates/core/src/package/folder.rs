//! What only the author's machine can tell of a package.

use std::collections::{BTreeMap, BTreeSet, btree_map::Entry};

use crate::{
    package::{
        artifact::FileEntry,
        fact::{Fact, Place, fit},
        fact_table::{self, IMAGE},
        scan::sighting::Sighting,
    },
    scalar::{size::Size, subject::Subject},
};

/// What the walk over the author's folder saw beside the file table.
#[derive(Clone, Debug, Default)]
pub struct Folder {
    /// For each pattern of the manifest's `files`, whether it matched anything.
    pub matched: Vec<bool>,
    /// Files that are there, but have a finding in place of a row in the table.
    pub faulty: BTreeSet<String>,
    /// What was seen in each file.
    pub seen: BTreeMap<String, Vec<Sighting>>,
}

impl Folder {
    /// The facts of a report: one row for each kind, word, subject and file. A picture is a fact where it is an icon.
    #[must_use]
    pub fn facts(&self, files: &[FileEntry], icons: &BTreeSet<&str>) -> Vec<Fact> {
        let idle = self.matched.iter().enumerate().filter(|(_, matched)| !**matched);
        let mut facts: Vec<Fact> = idle.map(|(row, _)| Fact::idle_pattern(row)).collect();
        for file in files {
            let seen = self.seen.get(file.path.as_str()).map(Vec::as_slice).unwrap_or_default();
            let is_told = |sighting: &&Sighting| sighting.what.kind != IMAGE || icons.contains(file.path.as_str());
            facts.extend(rows_of(file, seen.iter().filter(is_told)));
        }
        bounded(facts)
    }
}

/// The rows of one file. The first place that was seen stays.
fn rows_of<'s>(file: &FileEntry, seen: impl Iterator<Item = &'s Sighting>) -> impl Iterator<Item = Fact> {
    let mut rows: BTreeMap<(&str, &str, Option<&Subject>), Fact> = BTreeMap::new();
    for sighting in seen {
        match rows.entry((sighting.what.kind, sighting.what.word, sighting.subject.as_ref())) {
            Entry::Vacant(free) => {
                let row = Fact::seen(sighting.what, &file.path).about(sighting.subject.clone());
                free.insert(row.at(sighting.position.map(Place::of)));
            }
            Entry::Occupied(mut row) => {
                let count = &mut row.get_mut().count;
                *count = Size::bounded(count.get() + 1);
            }
        }
    }
    rows.into_values()
}

/// The rows that a report has room for, in order. A kind that does not fit leaves one row that counts it; the rarest
/// kinds stay, so that no flood of one hides another.
fn bounded(mut facts: Vec<Fact>) -> Vec<Fact> {
    facts.sort_by(|left, right| left.key().cmp(&right.key()));
    if fit(&facts) {
        return facts;
    }
    let mut kinds: Vec<Vec<Fact>> =
        facts.chunk_by(|left, right| left.kind == right.kind).map(<[Fact]>::to_vec).collect();
    kinds.sort_by_key(Vec::len);
    let mut kept: Vec<Fact> = kinds.iter().filter_map(|rows| fact_table::cut(rows)).collect();
    for rows in kinds {
        let kind = rows.first().map(|row| row.kind.clone());
        let with_rows: Vec<Fact> =
            kept.iter().filter(|row| Some(&row.kind) != kind.as_ref()).cloned().chain(rows).collect();
        if fit(&with_rows) {
            kept = with_rows;
        }
    }
    kept.sort_by(|left, right| left.key().cmp(&right.key()));
    kept
}
