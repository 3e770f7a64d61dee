//! A rule set as a value: its rows with their parameters, its version, and the digest that travels in every artifact.
//!
//! Everything that evaluates is given one. Nothing here is a global, so a process can evaluate by several.

use std::{collections::BTreeMap, fmt, ops::Range, sync::Arc};

use serde::Serialize;
use svc_json::{canonical, digest::Digest};

use crate::{
    finding::Finding,
    package::fact_table,
    scalar::{ident::Version, ruleset_ref::RulesetRef},
    words::{
        rule::{Needs, Parameter, Rule},
        rule_code::RuleCode,
    },
};

/// A rule set. Copies share the rows.
///
/// The words that a manifest may use are parameters of the rules on them: permissions of P001, categories of M022, kinds of
/// data of P010.
#[derive(Clone)]
pub struct Rules(Arc<Tables>);

#[derive(Clone)]
struct Tables {
    ruleset: RulesetRef,
    families: Vec<(&'static str, &'static str, Range<usize>)>,
    /// In order of code.
    rules: Vec<Arc<Rule>>,
}

/// Rules about one thing.
#[derive(Clone, Copy, Debug)]
pub struct RuleFamily<'r> {
    /// A word for tools.
    pub name: &'static str,
    /// What its rules look at, for people.
    pub title: &'static str,
    /// In order of code.
    pub rules: &'r [Arc<Rule>],
}

/// Counts changes of what reading the same bytes tells.
pub const FACTS_VERSION: u32 = 2;

impl Rules {
    /// A rule set of these families, each with its name, its title and its rows in order of code.
    pub(super) fn of_families<'f>(
        version: Version,
        rows: impl Iterator<Item = (&'static str, &'static str, Vec<&'f Rule>)>,
    ) -> Self {
        let (mut families, mut rules) = (Vec::new(), Vec::new());
        for (name, title, rows) in rows {
            let first = rules.len();
            rules.extend(rows.into_iter().map(|rule| Arc::new(rule.clone())));
            families.push((name, title, first..rules.len()));
        }
        let ruleset = RulesetRef { digest: digest_of(&rules), version };
        Self(Arc::new(Tables { ruleset, families, rules }))
    }

    /// The rule set with this rule in place of the one of its code. Nothing without such a rule.
    #[must_use]
    pub fn with_rule(&self, rule: Rule) -> Option<Self> {
        let mut tables = Tables::clone(&self.0);
        let own = tables.rules.iter_mut().find(|own| ***own == rule)?;
        *own = Arc::new(rule);
        tables.ruleset.digest = digest_of(&tables.rules);
        Some(Self(Arc::new(tables)))
    }

    /// What documents call the rule set.
    #[must_use]
    pub fn ruleset(&self) -> &RulesetRef {
        &self.0.ruleset
    }

    /// Whether a document names this rule set. The digest alone decides: a version is a name for people.
    #[must_use]
    pub fn is_named_by(&self, ruleset: &RulesetRef) -> bool {
        ruleset.digest == self.ruleset().digest
    }

    /// The families, in order of their codes.
    pub fn families(&self) -> impl Iterator<Item = RuleFamily<'_>> {
        let rules = |numbers: &Range<usize>| self.0.rules.get(numbers.clone()).unwrap_or_default();
        self.0.families.iter().map(move |(name, title, numbers)| RuleFamily { name, title, rules: rules(numbers) })
    }

    /// Every rule, in order of code.
    pub fn all(&self) -> impl Iterator<Item = &Arc<Rule>> {
        self.0.rules.iter()
    }

    /// The rules that speak of packages, in order of code as the report lists them.
    pub fn about_packages(&self) -> impl Iterator<Item = &Arc<Rule>> {
        self.all().filter(|rule| rule.needs != Needs::Artifact)
    }

    /// The row of a rule.
    ///
    /// # Panics
    /// Never: a test finds the row of every code at its place.
    #[must_use]
    #[expect(clippy::expect_used, reason = "a test finds the row of every code at its place")]
    pub fn row(&self, code: RuleCode) -> &Arc<Rule> {
        self.0.rules.get(code as usize).expect("every code has a row")
    }

    /// The rule of this code, with or without the prefix.
    #[must_use]
    pub fn find(&self, code: &str) -> Option<&Arc<Rule>> {
        let code = code.to_ascii_uppercase();
        self.all().find(|rule| rule.code == code || rule.code.strip_prefix("SVC-") == Some(code.as_str()))
    }

    /// A finding of a rule, at the root and with the rule's own way out.
    pub fn finding(&self, code: RuleCode, message: impl Into<String>) -> Finding {
        Finding::new(self.row(code), message)
    }
}

impl fmt::Debug for Rules {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_tuple("Rules").field(self.ruleset()).finish()
    }
}

/// What the digest covers: what rules and the reading of files do, not how they are explained.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct HashedRuleset<'r> {
    facts: Vec<HashedFact>,
    facts_version: u32,
    rules: Vec<HashedRule<'r>>,
}

#[derive(Serialize)]
struct HashedFact {
    kind: &'static str,
    word: &'static str,
}

#[derive(Serialize)]
struct HashedRule<'r> {
    code: &'r str,
    parameters: BTreeMap<&'static str, Parameter>,
    revision: u32,
    severity: &'static str,
}

fn digest_of(rules: &[Arc<Rule>]) -> Digest {
    let rules = rules.iter().map(|rule| HashedRule {
        code: &rule.code,
        parameters: rule.parameters.iter().copied().collect(),
        revision: rule.revision,
        severity: rule.severity.as_str(),
    });
    let facts = fact_table::ALL.iter().map(|spec| HashedFact { kind: spec.kind, word: spec.word }).collect();
    canonical::digest(&HashedRuleset { facts, facts_version: FACTS_VERSION, rules: rules.collect() }).0
}
