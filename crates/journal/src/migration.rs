//! The tables, step by step. What was applied is remembered with its digest, and a store whose steps are others is not
//! touched.

use svc_json::digest::Digest;
use svc_proof::fault::{JournalFault, JournalFaultKind};

pub(crate) struct Migration {
    /// Its number, from one, without gaps.
    pub(crate) number: i64,
    pub(crate) sql: &'static str,
}

impl Migration {
    /// The digest of the statements.
    pub(crate) fn checksum(&self) -> String {
        Digest::of(self.sql.as_bytes()).to_string()
    }
}

/// The steps that are still to do, given those that were done.
///
/// # Errors
/// When what was done is not the beginning of what is known.
pub(crate) fn pending<'m>(known: &'m [Migration], done: &[(i64, String)]) -> Result<&'m [Migration], JournalFault> {
    if done.len() > known.len() {
        return Err(JournalFault::new(JournalFaultKind::Drift, "the journal was written by a newer version of svc"));
    }
    for (step, (number, checksum)) in known.iter().zip(done) {
        if step.number != *number || step.checksum() != *checksum {
            return Err(JournalFault::new(
                JournalFaultKind::Drift,
                format!("step {number} of the tables of the journal is not the one of this version"),
            ));
        }
    }
    Ok(known.get(done.len()..).unwrap_or_default())
}

/// Whether a store was begun with another first step than any release had.
pub(crate) fn began_otherwise(known: &[Migration], done: &[(i64, String)]) -> bool {
    known.first().zip(done.first()).is_some_and(|(first, (_, checksum))| first.checksum() != *checksum)
}

/// The tables of a log whose records still named who asked, and which has no place beside them for that.
pub(crate) fn unreleased() -> JournalFault {
    let detail = "the journal was made before the first release: its records name owners, tokens and packages";
    JournalFault::new(JournalFaultKind::UnreleasedForm, detail)
}

#[cfg(test)]
mod tests {
    use super::*;

    const KNOWN: &[Migration] = &[Migration { number: 1, sql: "a" }, Migration { number: 2, sql: "b" }];

    #[test]
    fn steps_that_are_not_ours_are_refused() {
        let done = |count: usize| -> Vec<(i64, String)> {
            KNOWN.iter().take(count).map(|step| (step.number, step.checksum())).collect()
        };
        for (count, left) in [(0, 2), (1, 1), (2, 0)] {
            assert_eq!(pending(KNOWN, &done(count)).unwrap().len(), left);
        }
        let mut changed = done(2);
        changed[0].1 = changed[1].1.clone();
        let mut gap = done(2);
        gap.remove(0);
        let mut newer = done(2);
        newer.push((3, String::new()));
        for drifted in [changed, gap, newer] {
            assert_eq!(pending(KNOWN, &drifted).err().map(|fault| fault.kind), Some(JournalFaultKind::Drift));
        }
    }
}
