//! The findings of one document, within a limit: as many as anybody reads are listed, and all are counted.
//!
//! Whatever the limit leaves out is still counted by rule, severity and exception, and everything that decides (exit code,
//! problem code, counts, verdict) goes by those counts. So a list that was cut says so, and never says anything milder.

use std::{borrow::Cow, collections::BTreeMap, ops::Deref, sync::Arc};

use svc_json::pointer::Pointer;

use crate::{
    finding::Finding,
    words::{
        exit_code::ExitCode,
        limits,
        problem_code::ProblemCode,
        rule::{self, Rule},
        rule_code::RuleCode,
        severity::Severity,
    },
};

/// How many findings are listed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Room {
    /// So many in all, at least one of each [`Class`]: for what is wrong with a document.
    #[default]
    Document,
    /// So many of each rule: for what the rules find in a package.
    EachRule,
}

/// What findings are counted by.
#[derive(Clone, Copy, Debug)]
pub struct Class<'f> {
    pub rule: &'f Arc<Rule>,
    pub severity: Severity,
    /// Whether the manifest excepts them.
    pub is_excepted: bool,
}

type Key = (Cow<'static, str>, Severity, bool);

impl<'f> Class<'f> {
    fn of(finding: &'f Finding) -> Self {
        Self { rule: &finding.rule, severity: finding.severity(), is_excepted: finding.exception.is_some() }
    }

    /// The class of the findings of a rule, as the rule weighs them.
    fn of_rule(rule: &'f Arc<Rule>) -> Self {
        Self { rule, severity: rule.severity, is_excepted: false }
    }

    fn key(&self) -> Key {
        (self.rule.code.clone(), self.severity, self.is_excepted)
    }

    /// What such a finding asks of the exit code: one that weighs less than its rule asks for nothing.
    fn exit_code(&self) -> ExitCode {
        let own = self.severity == self.rule.severity;
        ExitCode::from_exit(if own { self.rule.exit } else { rule::exit_of(self.severity) })
    }
}

/// The findings of one document.
#[derive(Clone, Debug, Default)]
pub struct Findings {
    listed: Vec<Finding>,
    left_out: BTreeMap<Key, (Arc<Rule>, usize)>,
    room: Room,
}

impl Findings {
    /// None yet, for what the rules find in a package.
    #[must_use]
    pub fn of_package() -> Self {
        Self { room: Room::EachRule, ..Self::default() }
    }

    /// A list that was cut, and how many of each class there are, those on the list included.
    pub(crate) fn cut<'f>(listed: Vec<Finding>, counts: impl IntoIterator<Item = (Class<'f>, usize)>) -> Self {
        let mut left_out: BTreeMap<Key, (Arc<Rule>, usize)> = BTreeMap::new();
        for (class, count) in counts {
            left_out.entry(class.key()).or_insert_with(|| (Arc::clone(class.rule), 0)).1 += count;
        }
        for finding in &listed {
            if let Some((_, count)) = left_out.get_mut(&Class::of(finding).key()) {
                *count = count.saturating_sub(1);
            }
        }
        left_out.retain(|_, (_, count)| *count > 0);
        Self { listed, left_out, room: Room::EachRule }
    }

    /// Adds a finding: to the list, or to the count.
    pub fn push(&mut self, finding: Finding) {
        let class = Class::of(&finding);
        let is_listed =
            self.has_room(&class) || (self.room == Room::Document && !self.lists(&class) && self.drop_repeated());
        if is_listed {
            self.listed.push(finding);
        } else {
            self.count(class, 1);
        }
    }

    /// Adds a finding as its rule weighs it. Its words are made only where they are listed, so that a document with a
    /// hundred thousand faults costs no more than reading it.
    pub(crate) fn report(&mut self, rule: &Arc<Rule>, finding: impl FnOnce() -> Finding) {
        if self.would_list(rule) {
            self.push(finding());
        } else {
            self.count(Class::of_rule(rule), 1);
        }
    }

    /// Whether the next finding of a rule is listed.
    pub(crate) fn would_list(&self, rule: &Arc<Rule>) -> bool {
        let class = Class::of_rule(rule);
        self.has_room(&class) || (self.room == Room::Document && !self.lists(&class))
    }

    /// Adds the findings of a part.
    pub fn append(&mut self, part: Self) {
        let Self { listed, left_out, room: _ } = part;
        self.extend(listed);
        for ((_, severity, is_excepted), (rule, count)) in left_out {
            self.count(Class { rule: &rule, severity, is_excepted }, count);
        }
    }

    fn has_room(&self, class: &Class) -> bool {
        let room = limits::REPORT_FINDINGS;
        self.listed.len() < room
            || match self.room {
                Room::Document => false,
                Room::EachRule => {
                    self.listed.iter().filter(|finding| finding.rule.code == class.rule.code).count() < room
                }
            }
    }

    fn lists(&self, class: &Class) -> bool {
        self.left_out.contains_key(&class.key())
            || self.listed.iter().any(|listed| Class::of(listed).key() == class.key())
    }

    /// Takes the last finding off the list whose class is listed more than once. Tells whether there was one.
    fn drop_repeated(&mut self) -> bool {
        let mut seen: BTreeMap<Key, usize> = BTreeMap::new();
        for finding in &self.listed {
            *seen.entry(Class::of(finding).key()).or_default() += 1;
        }
        let is_spare = |finding: &Finding| seen.get(&Class::of(finding).key()).is_some_and(|count| *count > 1);
        let Some(spare) = self.listed.iter().rposition(is_spare) else { return false };
        let spare = self.listed.remove(spare);
        self.count(Class::of(&spare), 1);
        true
    }

    fn count(&mut self, class: Class, more: usize) {
        self.left_out.entry(class.key()).or_insert_with(|| (Arc::clone(class.rule), 0)).1 += more;
    }

    /// How many there are, those that are not listed included.
    #[must_use]
    pub fn total(&self) -> usize {
        self.listed.len() + self.left_out()
    }

    /// How many are not listed.
    #[must_use]
    pub fn left_out(&self) -> usize {
        self.left_out.values().map(|(_, count)| count).sum()
    }

    #[must_use]
    pub fn is_truncated(&self) -> bool {
        !self.left_out.is_empty()
    }

    /// How many of each class are not listed.
    pub fn unlisted(&self) -> impl Iterator<Item = (Class<'_>, usize)> {
        let left_out = self.left_out.iter();
        left_out.map(|((_, severity, is_excepted), (rule, count))| {
            (Class { rule, severity: *severity, is_excepted: *is_excepted }, *count)
        })
    }

    /// Every finding by its class, those that are not listed included.
    pub fn classes(&self) -> impl Iterator<Item = (Class<'_>, usize)> {
        self.listed.iter().map(|finding| (Class::of(finding), 1)).chain(self.unlisted())
    }

    /// Whether any finding stops the run.
    #[must_use]
    pub fn has_errors(&self) -> bool {
        self.classes().any(|(class, _)| class.severity == Severity::Error)
    }

    /// The exit code that all findings together ask for.
    #[must_use]
    pub fn exit_code(&self) -> ExitCode {
        self.classes().map(|(class, _)| class.exit_code()).fold(ExitCode::Valid, ExitCode::worse)
    }

    /// The problem code that names all errors together; the reader's refusals come before everything else.
    #[must_use]
    pub fn problem_code(&self) -> Option<ProblemCode> {
        let errors = self.classes().filter(|(class, _)| class.severity == Severity::Error);
        errors
            .map(|(class, _)| class.rule.problem)
            .min_by_key(|code| (code.spec().status, std::cmp::Reverse(code.weight())))
    }

    /// The findings in a document that contains the one they were found in.
    #[must_use]
    pub(crate) fn beneath(self, base: &Pointer) -> Self {
        self.map(|finding| finding.beneath(base))
    }

    /// The findings, each as `change` makes it. What is left out stays as it was counted.
    #[must_use]
    pub fn map(mut self, change: impl FnMut(Finding) -> Finding) -> Self {
        self.listed = self.listed.into_iter().map(change).collect();
        self
    }

    /// Keeps the findings that `is_kept` tells, and of those that are not listed the classes that it keeps one of.
    pub fn retain(&mut self, is_kept: impl Fn(&Finding) -> bool) {
        self.listed.retain(is_kept);
        let kept: Vec<Key> = self.listed.iter().map(|finding| Class::of(finding).key()).collect();
        self.left_out.retain(|key, _| kept.contains(key));
    }

    /// The findings of a rule, and the others.
    #[must_use]
    pub(crate) fn partition(self, code: RuleCode) -> (Self, Self) {
        let (mut of_rule, mut others) = (self.clone(), self);
        of_rule.retain(|finding| finding.rule.is(code));
        others.retain(|finding| !finding.rule.is(code));
        (of_rule, others)
    }

    /// The list, to be put in another order.
    pub fn listed_mut(&mut self) -> &mut [Finding] {
        &mut self.listed
    }
}

impl Deref for Findings {
    type Target = [Finding];

    fn deref(&self) -> &[Finding] {
        &self.listed
    }
}

impl Extend<Finding> for Findings {
    fn extend<I: IntoIterator<Item = Finding>>(&mut self, findings: I) {
        findings.into_iter().for_each(|finding| self.push(finding));
    }
}

impl FromIterator<Finding> for Findings {
    fn from_iter<I: IntoIterator<Item = Finding>>(findings: I) -> Self {
        let mut all = Self::default();
        all.extend(findings);
        all
    }
}

impl From<Vec<Finding>> for Findings {
    fn from(findings: Vec<Finding>) -> Self {
        findings.into_iter().collect()
    }
}

impl From<Finding> for Findings {
    fn from(finding: Finding) -> Self {
        Self { listed: vec![finding], ..Self::default() }
    }
}

impl IntoIterator for Findings {
    type Item = Finding;
    type IntoIter = std::vec::IntoIter<Finding>;

    fn into_iter(self) -> Self::IntoIter {
        self.listed.into_iter()
    }
}

impl<'f> IntoIterator for &'f Findings {
    type Item = &'f Finding;
    type IntoIter = std::slice::Iter<'f, Finding>;

    fn into_iter(self) -> Self::IntoIter {
        self.listed.iter()
    }
}
