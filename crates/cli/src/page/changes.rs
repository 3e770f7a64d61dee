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

/// The most changes that a report lists.
const MOST_CHANGES: usize = 200;

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
    let more = changes.len().saturating_sub(MOST_CHANGES);
    Difference {
        other_package: old.id != new.id,
        since: format!("{} {}", old.id, old.version),
        left_out: (more > 0)
            .then(|| format!("{}: `svc app plan` lists all", counted(more, "more change", "more changes"))),
        changes: changes.iter().take(MOST_CHANGES).map(row).collect(),
    }
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
