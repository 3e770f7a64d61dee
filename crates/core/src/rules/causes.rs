//! One finding for each cause: what many files have alike is said once, with how many they are.
//!
//! Takes memory for as many findings as a list has room for, and a digest for each cause, however many files there are.

use std::{
    collections::{BTreeMap, BTreeSet},
    sync::Arc,
};

use svc_json::digest::Digest;

use crate::{
    finding::Finding,
    findings::{Class, Findings},
    scalar::subject::Subject,
    words::{limits, rule::Rule, severity::Severity},
};

/// So many files are still told one by one.
const ALONE: usize = 3;

/// More than what can be listed is dropped when so many are kept.
const MOST_KEPT: usize = 4 * limits::REPORT_FINDINGS;

/// What findings have in common, as a digest.
type Cause = [u8; 32];

/// What the findings of one rule are counted by: how much they weigh, and whether the manifest excepts them.
type Weight = (Severity, bool);

/// The findings of one rule while it runs.
#[derive(Debug, Default)]
pub(super) struct Causes {
    kept: Vec<Kept>,
    pushed: usize,
    /// How many findings have a cause.
    files: BTreeMap<Cause, (Weight, usize)>,
    /// Those that are about no file, each with a cause of its own.
    alone: BTreeMap<Weight, usize>,
}

#[derive(Debug)]
struct Kept {
    order: usize,
    cause: Option<Cause>,
    finding: Finding,
}

impl Causes {
    pub(super) fn push(&mut self, finding: Finding) {
        let weight = (finding.severity(), finding.exception.is_some());
        let cause = finding.file.is_some().then(|| cause_of(&finding));
        match cause {
            Some(cause) => self.files.entry(cause).or_insert((weight, 0)).1 += 1,
            None => *self.alone.entry(weight).or_default() += 1,
        }
        self.kept.push(Kept { order: self.pushed, cause, finding });
        self.pushed += 1;
        if self.kept.len() >= MOST_KEPT {
            self.drop_rest();
        }
    }

    /// Drops what no list has room for: the first finding of each cause is listed before any other of it, so what comes
    /// behind the first ones of as many causes as there is room for is not.
    fn drop_rest(&mut self) {
        self.kept.sort_by(|left, right| left.finding.place_in_list().cmp(&right.finding.place_in_list()));
        let (mut causes, mut of_cause) = (0, BTreeMap::<Cause, usize>::new());
        self.kept.retain(|kept| {
            let seen = kept.cause.map_or(0, |cause| {
                let seen = of_cause.entry(cause).or_default();
                *seen += 1;
                *seen - 1
            });
            causes += usize::from(seen == 0);
            causes <= limits::REPORT_FINDINGS && seen < ALONE
        });
    }

    /// The findings, those of many files with one cause as one, in the file that comes first.
    pub(super) fn joined(mut self, rule: &Arc<Rule>) -> Findings {
        if self.pushed > self.kept.len() {
            self.drop_rest();
        }
        self.kept.sort_by(|left, right| left.finding.place_in_list().cmp(&right.finding.place_in_list()));
        let mut joined = BTreeSet::new();
        let files = &self.files;
        let shown = self.kept.into_iter().filter_map(|Kept { order, cause, finding }| {
            let count = cause.and_then(|cause| files.get(&cause)).map_or(1, |(_, count)| *count);
            match cause {
                Some(cause) if count > ALONE => joined.insert(cause).then(|| (order, finding.of_files(count))),
                Some(_) | None => Some((order, finding)),
            }
        });
        let mut listed: Vec<(usize, Finding)> = shown.take(limits::REPORT_FINDINGS).collect();
        listed.sort_by_key(|(order, _)| *order);
        let of_files = self.files.values().map(|(weight, count)| (*weight, if *count > ALONE { 1 } else { *count }));
        let counts = of_files
            .chain(self.alone)
            .map(|((severity, is_excepted), count)| (Class { rule, severity, is_excepted }, count));
        Findings::cut(listed.into_iter().map(|(_, finding)| finding).collect(), counts)
    }
}

/// What findings of one rule have in common when they have one cause. What a fact says ends with how often it was seen in
/// its file, which is no cause of its own.
fn cause_of(finding: &Finding) -> Cause {
    let subject = finding.subject.as_ref().map(Subject::as_str);
    let message = if subject.is_some() { "" } else { finding.message.as_str() };
    let (severity, exception) = (finding.severity().as_str(), finding.exception);
    *Digest::of(format!("{severity}\n{subject:?}\n{exception:?}\n{message}").as_bytes()).as_bytes()
}
