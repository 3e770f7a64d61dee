//! One finding for each cause: what many files have alike is said once, with how many they are.

use std::collections::BTreeMap;

use crate::{finding::Finding, scalar::subject::Subject, words::severity::Severity};

/// So many files are still told one by one.
const ALONE: usize = 3;

/// What findings of one rule have in common when they have one cause.
type Cause<'f> = (Severity, Option<&'f str>, Option<usize>, &'f str);

/// The findings of one rule, those of many files with one cause as one, in the file that comes first.
pub(super) fn joined(findings: Vec<Finding>) -> Vec<Finding> {
    let mut groups: BTreeMap<Cause<'_>, Vec<usize>> = BTreeMap::new();
    for (place, finding) in findings.iter().enumerate().filter(|(_, finding)| finding.file.is_some()) {
        groups.entry(cause_of(finding)).or_default().push(place);
    }
    let mut fate: Vec<Option<usize>> = vec![Some(1); findings.len()];
    for places in groups.values().filter(|places| places.len() > ALONE) {
        let first = places.iter().min_by_key(|place| findings.get(**place).and_then(|finding| finding.file.as_deref()));
        for place in places {
            if let Some(fate) = fate.get_mut(*place) {
                *fate = (Some(place) == first).then_some(places.len());
            }
        }
    }
    findings.into_iter().zip(fate).filter_map(|(finding, files)| Some(finding.of_files(files?))).collect()
}

/// What a fact says ends with how often it was seen in its file, which is no cause of its own.
fn cause_of(finding: &Finding) -> Cause<'_> {
    let subject = finding.subject.as_ref().map(Subject::as_str);
    let message = if subject.is_some() { "" } else { finding.message.as_str() };
    (finding.severity(), subject, finding.exception, message)
}
