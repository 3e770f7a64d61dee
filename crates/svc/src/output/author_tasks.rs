//! What is left for the author of a package that holds: blockers first, then what is worth correcting.

use std::collections::BTreeSet;

use svc_core::{findings::Class, words::severity::Severity};

/// In one sentence.
pub(crate) fn in_words<'f>(classes: impl Iterator<Item = Class<'f>>) -> String {
    let classes: Vec<Class<'_>> = classes.collect();
    let of = |severity| {
        let such = classes.iter().filter(|class| class.severity == severity);
        let codes: BTreeSet<&str> = such.map(|class| class.rule.code.as_ref()).collect();
        codes.into_iter().collect::<Vec<_>>().join(", ")
    };
    let [blockers, warnings] = [of(Severity::Blocker), of(Severity::Warning)];
    match (blockers.is_empty(), warnings.is_empty()) {
        (true, true) => "nothing is left to do: the gates that are missing are cleared by others".to_owned(),
        (true, false) => format!("nothing must be done; worth correcting: {warnings}"),
        (false, true) => format!("to be cleared before the next stage: {blockers}"),
        (false, false) => {
            format!("to be cleared before the next stage: {blockers}; worth correcting: {warnings}")
        }
    }
}
