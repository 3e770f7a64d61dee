//! What changed between two submissions.

use std::collections::BTreeMap;

use svc_core::{
    artifact::{about_package::AboutPackage as _, checked::Checked, submission::Submission},
    package::artifact::PackageArtifact,
    review,
};

use super::{
    model::{ChangeRow, Difference},
    text::{counted, shown},
};

/// The most changes of each kind that a report lists: a flood of one kind hides no other.
const MOST_OF_A_KIND: usize = 50;

/// One thing that differs. Not escaped.
#[derive(Debug)]
pub(crate) struct Change {
    pub(crate) what: &'static str,
    pub(crate) name: String,
    pub(crate) how: How,
}

/// How something differs, with what is said beside its name.
#[derive(Debug)]
pub(crate) enum How {
    Added(String),
    Changed { was: String, now: String },
    Removed(String),
}

impl How {
    pub(crate) const fn sign(&self) -> char {
        match self {
            Self::Added(_) => '+',
            Self::Changed { .. } => '~',
            Self::Removed(_) => '-',
        }
    }
}

/// What a reviewer asks first of a new version: what it asks for, then its files, then what stands in its way.
pub(crate) fn between(before: &Checked<Submission>, after: &Checked<Submission>) -> Vec<Change> {
    let (old, new) = (before.basis().package_artifact, after.basis().package_artifact);
    let mut changes = Vec::new();
    for (what, of) in PARTS {
        push(&mut changes, what, &of(old), &of(new));
    }
    push(&mut changes, "blocker", &blockers(before), &blockers(after));
    changes
}

/// The difference for a report.
pub(super) fn difference(before: &Checked<Submission>, after: &Checked<Submission>) -> Difference {
    let (old, new) = (before.basis().package(), after.basis().package());
    let changes = between(before, after);
    let listed = some_of_each(changes.iter().collect(), MOST_OF_A_KIND, |change| change.what);
    let more = changes.len() - listed.len();
    Difference {
        other_package: old.id != new.id,
        since: format!("{} {}", old.id, old.version),
        left_out: (more > 0)
            .then(|| format!("{}: `svc app plan` lists all", counted(more, "more change", "more changes"))),
        changes: listed.into_iter().map(row).collect(),
    }
}

/// The first so many of each kind, in their order.
pub(super) fn some_of_each<T>(all: Vec<T>, most: usize, kind_of: impl Fn(&T) -> &'static str) -> Vec<T> {
    let mut taken: BTreeMap<&str, usize> = BTreeMap::new();
    let fits = |one: &T| {
        let taken = taken.entry(kind_of(one)).or_default();
        *taken += 1;
        *taken <= most
    };
    all.into_iter().filter(fits).collect()
}

/// Names and what is said beside each.
type Parts = BTreeMap<String, String>;

type PartsOf = fn(&PackageArtifact) -> Parts;

const PARTS: [(&str, PartsOf); 4] = [
    ("permission", |package| {
        let asked = package.manifest.permissions.iter();
        asked.map(|request| (request.permission.to_string(), request.purpose.to_string())).collect()
    }),
    ("origin", |package| {
        package.manifest.network.allow.iter().map(|origin| (origin.to_string(), String::new())).collect()
    }),
    ("data", |package| package.manifest.data_collection.iter().map(|kind| (kind.to_string(), String::new())).collect()),
    ("file", |package| {
        let rows = package.files.iter();
        rows.map(|file| (file.path.to_string(), format!("{} {} bytes", file.digest, file.size.get()))).collect()
    }),
];

fn blockers(submission: &Checked<Submission>) -> Parts {
    let own = submission.packages().iter().flat_map(|package| package.blockers());
    own.map(|blocker| (blocker.code.to_string(), review::in_words(blocker).0)).collect()
}

fn push(changes: &mut Vec<Change>, what: &'static str, before: &Parts, after: &Parts) {
    for (name, now) in after {
        let how = match before.get(name) {
            None => How::Added(now.clone()),
            Some(was) if was != now => How::Changed { was: was.clone(), now: now.clone() },
            Some(_) => continue,
        };
        changes.push(Change { what, name: name.clone(), how });
    }
    for (name, was) in before.iter().filter(|(name, _)| !after.contains_key(*name)) {
        changes.push(Change { what, name: name.clone(), how: How::Removed(was.clone()) });
    }
}

fn row(change: &Change) -> ChangeRow {
    let said = |text: &String| (!text.is_empty()).then(|| shown(text));
    let (how, was, now) = match &change.how {
        How::Added(now) => ("added", None, said(now)),
        How::Changed { was, now } => ("changed", said(was), said(now)),
        How::Removed(was) => ("removed", said(was), None),
    };
    ChangeRow { how, name: shown(&change.name), now, was, what: change.what }
}
