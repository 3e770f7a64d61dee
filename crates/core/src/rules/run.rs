//! Runs the rules over a package.

use std::collections::BTreeSet;

use crate::{
    findings::Findings,
    rules::{
        causes::Causes,
        exceptions, files, listing, manifest,
        package::{Check, Package, Sink},
        permissions, syntax,
    },
    words::rule::Rule,
};

static CHECKS: [&[(&Rule, Check)]; 4] = [files::CHECKS, listing::CHECKS, manifest::CHECKS, permissions::CHECKS];

/// The rules that look at packages as a whole.
pub fn checked_rules() -> impl Iterator<Item = &'static Rule> {
    CHECKS.into_iter().flatten().map(|(rule, _)| *rule)
}

/// Runs every rule that can run.
#[must_use]
pub fn findings(package: &Package<'_>) -> Findings {
    let mut all = Findings::of_package();
    let rows = exceptions::rows(package);
    let mut used = BTreeSet::new();
    for (rule, check) in CHECKS.into_iter().flatten().filter(|(rule, _)| package.can_run(rule)) {
        let mut causes = Causes::default();
        let mut take = |finding| {
            let finding = exceptions::applied(&rows, finding);
            used.extend(finding.exception);
            causes.push(finding);
        };
        check(package, &mut Sink { rule, take: &mut take });
        all.append(causes.joined());
    }
    // Without facts nobody knows what an exception speaks of.
    if package.facts.is_some() {
        all.extend(exceptions::idle(&rows, &used));
    }
    all
}

/// The rules that speak of packages, in order of code as the report lists them.
pub fn package_rules() -> impl Iterator<Item = &'static Rule> {
    let families = [files::ALL, syntax::ALL, listing::ALL, manifest::ALL, permissions::ALL];
    families.into_iter().flatten().copied()
}
