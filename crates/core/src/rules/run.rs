//! Runs the rules over a package.

use crate::{
    finding::Finding,
    rules::{
        causes, exceptions, files, listing, manifest,
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
pub fn findings(package: &Package<'_>) -> Vec<Finding> {
    let mut all = Vec::new();
    let rows = exceptions::rows(package);
    for (rule, check) in CHECKS.into_iter().flatten().filter(|(rule, _)| package.can_run(rule)) {
        let mut findings = Vec::new();
        check(package, &mut Sink { rule, findings: &mut findings });
        all.extend(causes::joined(exceptions::applied(&rows, findings)));
    }
    // Without facts nobody knows what an exception speaks of.
    if package.facts.is_some() {
        all.extend(exceptions::idle(&rows, &all));
    }
    all
}

/// The rules that speak of packages, in order of code as the report lists them.
pub fn package_rules() -> impl Iterator<Item = &'static Rule> {
    let families = [files::ALL, syntax::ALL, listing::ALL, manifest::ALL, permissions::ALL];
    families.into_iter().flatten().copied()
}
