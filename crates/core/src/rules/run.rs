//! Runs the rules over a package.

use crate::{
    finding::Finding,
    rules::{
        files, listing, manifest,
        package::{Package, Sink},
        permissions, syntax,
    },
    words::rule::Rule,
};

/// Runs every rule that can run.
#[must_use]
pub fn findings(package: &Package<'_>) -> Vec<Finding> {
    let mut findings = Vec::new();
    let families = [files::CHECKS, listing::CHECKS, manifest::CHECKS, permissions::CHECKS];
    for (rule, check) in families.into_iter().flatten().filter(|(rule, _)| package.can_run(rule)) {
        check(package, &mut Sink { rule, findings: &mut findings });
    }
    findings
}

/// The rules that speak of packages, in order of code as the report lists them.
pub fn package_rules() -> impl Iterator<Item = &'static Rule> {
    let families = [files::ALL, syntax::ALL, listing::ALL, manifest::ALL, permissions::ALL];
    families.into_iter().flatten().copied()
}
