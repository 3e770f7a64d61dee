//! Runs the rules over a package.

use std::collections::BTreeSet;

use crate::{
    findings::Findings,
    rules::{
        causes::Causes,
        exceptions,
        package::{Package, Sink},
    },
};

/// Runs every rule that can run.
#[must_use]
pub fn findings(package: &Package<'_>) -> Findings {
    let mut all = Findings::of_package();
    let rows = exceptions::rows(package);
    let mut used = BTreeSet::new();
    for (rule, check) in package.rules.checks().filter(|(rule, _)| package.can_run(rule)) {
        let mut causes = Causes::default();
        let mut take = |finding| {
            let finding = exceptions::applied(&rows, finding);
            used.extend(finding.exception);
            causes.push(finding);
        };
        check(package, &mut Sink { rule, take: &mut take });
        all.append(causes.joined(rule));
    }
    // Without facts nobody knows what an exception speaks of.
    if package.facts.is_some() {
        all.extend(exceptions::idle(package.rules, &rows, &used));
    }
    all
}
