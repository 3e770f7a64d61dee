//! What changed between two submissions, as far as a report has room for it.

use std::collections::BTreeMap;

use svc_core::{
    artifact::{checked::Checked, submission::Submission},
    difference,
};

use super::{
    model::{ChangeRow, Difference},
    text::{counted, shown},
};

/// The most changes of each kind that a report lists: a flood of one kind hides no other.
const MOST_OF_A_KIND: usize = 50;

/// The difference for a report.
pub(super) fn difference(before: &Checked<Submission>, after: &Checked<Submission>) -> Difference {
    let difference::Difference { before, after, rows } = difference::Difference::between(before, after);
    let all = rows.len();
    let listed = some_of_each(rows, MOST_OF_A_KIND, |row| row.part.as_str());
    let more = all - listed.len();
    Difference {
        other_package: before.id != after.id,
        since: format!("{} {}", before.id, before.version),
        left_out: (more > 0)
            .then(|| format!("{}: `svc app diff` lists all", counted(more, "more change", "more changes"))),
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

fn row(change: difference::ChangeRow) -> ChangeRow {
    let is_new_or_gone = change.before.is_none() || change.after.is_none();
    let risk = change.risk().filter(|_| is_new_or_gone).map(|risk| format!(" ({risk} risk)")).unwrap_or_default();
    let said = |text: &Option<String>| text.as_ref().filter(|text| !text.is_empty()).map(|text| shown(text));
    let how = match (&change.before, &change.after) {
        (None, _) => "added",
        (Some(_), None) => "removed",
        (Some(_), Some(_)) => "changed",
    };
    ChangeRow {
        how,
        name: shown(&change.name) + &risk,
        now: said(&change.after),
        was: said(&change.before),
        what: change.part.as_str(),
    }
}
