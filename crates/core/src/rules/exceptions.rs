//! Exceptions, in the open: what the manifest says of findings that it wants a reviewer to look at.

use std::collections::BTreeSet;

use svc_json::pointer::Pointer;

use crate::{
    finding::Finding,
    manifest::vocabulary::ExceptedRule,
    package::fact_table::{self, CONTACT, DYNAMIC_CODE},
    rules::{package::Package, ruleset::Rules},
    scalar::subject::Subject,
    words::{limits, rule_code::RuleCode},
};

/// One row of the manifest's `exceptions`.
#[derive(Debug)]
pub(crate) struct Exception<'p> {
    pub(crate) rule: ExceptedRule,
    pub(crate) path: &'p str,
}

/// The rows that have their form, with their numbers, as many as there may be.
pub(crate) fn rows<'p>(package: &'p Package<'_>) -> Vec<(usize, Exception<'p>)> {
    let rows = package.list("/exceptions").enumerate().take(limits::EXCEPTIONS).filter_map(|(row, (_, node))| {
        let rule = ExceptedRule::parse(node.get("rule")?.as_str()?)?;
        Some((row, Exception { rule, path: node.get("path")?.as_str()? }))
    });
    rows.collect()
}

impl Exception<'_> {
    /// Whether it speaks of a finding. Secrets that were seen, and code from elsewhere, are beyond every exception.
    pub(crate) fn covers(&self, finding: &Finding) -> bool {
        let subject = finding.subject.as_ref().map_or("", Subject::as_str);
        let is_there = match &finding.file {
            Some(file) => file == self.path,
            // Of rows that were cut nobody knows the file: no exception speaks of them.
            None => self.rule == ExceptedRule::Claim && self.path == MANIFEST,
        };
        is_there && self.rule.as_str() == finding.rule.code && can_cover(self.rule, subject)
    }
}

/// A secret that was seen and code from elsewhere stay what they are, whatever anybody says of them.
fn can_cover(rule: ExceptedRule, subject: &str) -> bool {
    let word = subject.split(':').next().unwrap_or_default();
    let is_of = |kind: &str| fact_table::ALL.iter().any(|spec| spec.kind == kind && spec.word == word);
    match rule {
        ExceptedRule::SecretName => subject.is_empty(),
        ExceptedRule::DynamicCode => is_of(DYNAMIC_CODE),
        ExceptedRule::Contact => is_of(CONTACT),
        ExceptedRule::NativeProgram
        | ExceptedRule::SignatureMaterial
        | ExceptedRule::Archive
        | ExceptedRule::Claim
        | ExceptedRule::Power
        | ExceptedRule::BlockedByPolicy => true,
    }
}

/// What an exception calls the manifest itself.
const MANIFEST: &str = crate::manifest::FILE_NAME;

/// The finding, with the row that speaks of it.
pub(super) fn applied(rows: &[(usize, Exception<'_>)], finding: Finding) -> Finding {
    match rows.iter().find(|(_, exception)| exception.covers(&finding)) {
        Some((row, _)) => finding.excepted_by(*row),
        None => finding,
    }
}

/// A finding for each row that speaks of nothing.
pub(super) fn idle(
    rules: &Rules,
    rows: &[(usize, Exception<'_>)],
    used: &BTreeSet<usize>,
) -> impl Iterator<Item = Finding> {
    rows.iter().filter(|(row, _)| !used.contains(row)).map(|(row, exception)| {
        let message = format!("`{}` finds nothing in `{}` that can be excepted", exception.rule, exception.path);
        rules.finding(RuleCode::M031, message).at(Pointer::from_text("/exceptions").join(*row))
    })
}
