//! What is said of a finding beside its message: how many files have it, and what the manifest says of it.

use std::collections::BTreeMap;

use svc_core::{finding::Finding, findings::Class};

/// How many files have it, where that is more than one.
pub(crate) fn in_files(finding: &Finding) -> Option<String> {
    (finding.files > 1).then(|| format!("in {} files, first here", finding.files))
}

/// The row of the manifest that speaks of it.
pub(crate) fn exception(finding: &Finding) -> Option<String> {
    let row = finding.exception?;
    Some(format!("/exceptions/{row} of the manifest asks a reviewer to look at it"))
}

/// The message on one line, with all that is said beside it. Not escaped.
pub(crate) fn message(finding: &Finding) -> String {
    let remarks: Vec<String> = in_files(finding).into_iter().chain(exception(finding)).collect();
    if remarks.is_empty() { finding.message.clone() } else { format!("{} ({})", finding.message, remarks.join("; ")) }
}

/// How many findings no format lists, and of which rules; nothing when all are listed.
pub(crate) fn unlisted<'f>(unlisted: impl Iterator<Item = (Class<'f>, usize)>) -> Option<String> {
    let mut codes: BTreeMap<&str, usize> = BTreeMap::new();
    unlisted.for_each(|(class, count)| *codes.entry(&class.rule.code).or_default() += count);
    let total: usize = codes.values().sum();
    let of: Vec<String> = codes.iter().map(|(code, count)| format!("{code} ×{count}")).collect();
    (total > 0).then(|| format!("{total} more findings are counted and not listed: {}", of.join(", ")))
}

/// What of a list was left out: how many, and of which rules.
pub(crate) fn left_out<'f>(all: impl Iterator<Item = &'f Finding>, shown: impl Iterator<Item = &'f Finding>) -> String {
    let mut codes: BTreeMap<&str, usize> = BTreeMap::new();
    all.for_each(|finding| *codes.entry(&finding.rule.code).or_default() += 1);
    for finding in shown {
        if let Some(count) = codes.get_mut(finding.rule.code.as_ref()) {
            *count -= 1;
        }
    }
    let counts = codes.iter().filter(|(_, count)| **count > 0).map(|(code, count)| format!("{code} ×{count}"));
    counts.collect::<Vec<_>>().join(", ")
}
