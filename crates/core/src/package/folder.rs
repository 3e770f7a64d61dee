//! What only the author's machine can tell of a package.

use std::collections::{BTreeMap, BTreeSet, btree_map::Entry};

use crate::{
    package::{
        artifact::FileEntry,
        fact::{Fact, Place, fit},
        fact_table::{self, FactSpec, IMAGE, PAGE, SECRET},
        references,
        sighting::{Seen, Sighting},
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
    /// The secrets in texts of the manifest, each with the pointer of its text.
    pub manifest: Vec<(String, Vec<Sighting>)>,
    /// What was seen in each file.
    pub seen: BTreeMap<String, Seen>,
}

/// The files that a manifest gives a part to.
#[derive(Clone, Debug, Default)]
pub(crate) struct Roles<'m> {
    pub(crate) icons: BTreeSet<&'m str>,
    pub(crate) renderer: Option<&'m str>,
}

impl Roles<'_> {
    /// Whether something is told of this file. That it is a picture or a page says something only of a file that has to
    /// be one.
    fn is_relevant(&self, what: &FactSpec, path: &str) -> bool {
        match what.kind {
            IMAGE => self.icons.contains(path),
            PAGE => self.renderer == Some(path),
            _ => true,
        }
    }
}

impl Folder {
    /// The facts of a report: one row for each kind, word, subject and file.
    #[must_use]
    pub(crate) fn facts(&self, files: &[FileEntry], roles: &Roles<'_>) -> Vec<Fact> {
        let idle = self.matched.iter().enumerate().filter(|(_, matched)| !**matched);
        let mut facts: Vec<Fact> = idle.map(|(row, _)| Fact::idle_pattern(row)).collect();
        facts.extend(self.manifest.iter().flat_map(|(pointer, seen)| rows_of_manifest(pointer, seen)));
        let missing = roles
            .renderer
            .map(|renderer| references::missing(renderer, &self.seen, files, |path| self.faulty.contains(path)));
        for file in files {
            let path = file.path.as_str();
            let seen = self.seen.get(path).map(|seen| seen.sightings.as_slice()).unwrap_or_default();
            let missing = missing.as_ref().and_then(|missing| missing.get(path)).map(Vec::as_slice).unwrap_or_default();
            let told = seen.iter().chain(missing).filter(|sighting| roles.is_relevant(sighting.what, path));
            facts.extend(rows_of(file, told));
        }
        bounded(facts)
    }
}

/// The rows of one text of the manifest. A key that is meant to be public is nothing to tell of a text that is public.
fn rows_of_manifest(pointer: &str, seen: &[Sighting]) -> Vec<Fact> {
    // A pointer that is no subject stays untold: the manifest as a whole is what has the secret.
    let pointer = pointer.strip_prefix('/').and_then(Subject::parse);
    let secrets = seen.iter().map(|sighting| sighting.what).filter(|what| what.kind == SECRET);
    let words: BTreeMap<&str, &'static FactSpec> = secrets.map(|what| (what.word, what)).collect();
    words.into_values().map(|what| Fact::of_manifest(what, pointer.clone())).collect()
}

/// The rows of one file. The first place that was seen stays.
fn rows_of<'s>(file: &FileEntry, seen: impl Iterator<Item = &'s Sighting>) -> impl Iterator<Item = Fact> {
    let mut rows: BTreeMap<(&str, &str, Option<&Subject>), Fact> = BTreeMap::new();
    for sighting in seen {
        match rows.entry((sighting.what.kind, sighting.what.word, sighting.subject.as_ref())) {
            Entry::Vacant(free) => {
                free.insert(Fact {
                    count: Size::bounded(sighting.count),
                    file: Some(file.path.clone()),
                    place: sighting.position.map(Place::from_position),
                    subject: sighting.subject.clone(),
                    ..Fact::of_package(sighting.what)
                });
            }
            Entry::Occupied(mut row) => {
                let count = &mut row.get_mut().count;
                *count = Size::bounded(count.get().saturating_add(sighting.count));
            }
        }
    }
    rows.into_values()
}

/// The first row of each form and subject, and one that counts the others.
fn of_one_file_each(rows: &[Fact]) -> Vec<Fact> {
    let groups = rows.chunk_by(|left, right| left.word == right.word && left.subject == right.subject);
    let (mut first, mut others) = (Vec::new(), Vec::new());
    for group in groups {
        let (one, more) = group.split_at(1);
        first.extend_from_slice(one);
        others.extend_from_slice(more);
    }
    first.extend(fact_table::cut(&others));
    first
}

/// The rows that a report has room for, in order. The rarest kinds stay, so that no flood of one hides another. Of a kind
/// that does not fit, each form and subject stays with its first file, so that no flood of one host hides another; what is
/// left out is counted in one row.
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
        let of_others: Vec<Fact> = kept.iter().filter(|row| Some(&row.kind) != kind.as_ref()).cloned().collect();
        let ways = [of_one_file_each(&rows), rows];
        let with_rows = ways.into_iter().rev().map(|rows| [of_others.as_slice(), &rows].concat());
        kept = with_rows.into_iter().find(|rows| fit(rows)).unwrap_or(kept);
    }
    kept.sort_by(|left, right| left.key().cmp(&right.key()));
    kept
}
