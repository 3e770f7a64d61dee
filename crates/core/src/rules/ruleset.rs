//! The rule set as a whole: its version and the digest that travels in every artifact.

use std::{collections::BTreeMap, sync::OnceLock};

use serde::Serialize;
use svc_json::{canonical, digest::Digest};

use crate::{
    package::fact_table,
    rules::{artifacts, changes, files, listing, manifest, permissions, syntax},
    scalar::{ident::Version, ruleset_ref::RulesetRef},
    words::{
        rule::{Parameter, Rule},
        rule_code::RuleCode,
    },
};

/// The version for people. Rules are compared by digest.
pub const VERSION: &str = "1.0.0";

/// Rules about one thing.
#[derive(Clone, Copy, Debug)]
pub struct RuleFamily {
    /// A word for tools.
    pub name: &'static str,
    /// What its rules look at, for people.
    pub title: &'static str,
    /// In order of code.
    pub rules: &'static [&'static Rule],
}

/// The families, in order of their codes.
pub static FAMILIES: [RuleFamily; 7] = [
    RuleFamily { name: "artifacts", title: "Artifacts and bundles", rules: artifacts::ALL },
    RuleFamily { name: "changes", title: "What a new version changes", rules: changes::ALL },
    RuleFamily { name: "files", title: "The files of a package", rules: files::ALL },
    RuleFamily { name: "syntax", title: "The text of any document", rules: syntax::ALL },
    RuleFamily { name: "listing", title: "How a package shows itself", rules: listing::ALL },
    RuleFamily { name: "manifest", title: "The manifest", rules: manifest::ALL },
    RuleFamily { name: "permissions", title: "What a package asks for", rules: permissions::ALL },
];

/// Every rule, in order of code.
pub fn all() -> impl Iterator<Item = &'static Rule> {
    FAMILIES.iter().flat_map(|family| family.rules).copied()
}

/// The rule with exactly this code.
pub(crate) fn exact(code: &str) -> Option<&'static Rule> {
    RuleCode::parse(code).map(row)
}

/// The rule of this code, with or without the prefix.
#[must_use]
pub fn find(code: &str) -> Option<&'static Rule> {
    let code = code.to_ascii_uppercase();
    all().find(|rule| rule.code == code || rule.code.strip_prefix("SVC-") == Some(code.as_str()))
}

/// The rules of this build.
///
/// # Panics
/// Never: the version is a literal that a test reads.
#[must_use]
#[expect(clippy::expect_used, reason = "the version is a literal of this file, read by a test")]
pub fn own() -> &'static RulesetRef {
    static OWN: OnceLock<RulesetRef> = OnceLock::new();
    OWN.get_or_init(|| RulesetRef {
        digest: digest(),
        version: Version::parse(VERSION).expect("the rule set's version is a semantic version"),
    })
}

/// Whether these are the rules of this build. The digest alone tells: a version is a name for people.
#[must_use]
pub fn is_own(ruleset: &RulesetRef) -> bool {
    ruleset.digest == own().digest
}

/// Whether the rules of this build are called by another version than theirs.
#[must_use]
pub fn is_misnamed(ruleset: &RulesetRef) -> bool {
    is_own(ruleset) && ruleset.version != own().version
}

/// The row of a rule.
///
/// # Panics
/// Never: a test finds a row for every code.
#[must_use]
#[expect(clippy::expect_used, reason = "a test finds a row for every code")]
pub fn row(code: RuleCode) -> &'static Rule {
    all().find(|rule| rule.code == code.as_str()).expect("every code has a row")
}

/// Counts changes of what reading the same bytes tells.
pub const FACTS_VERSION: u32 = 2;

/// What the digest covers: what rules and the reading of files do, not how they are explained.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct HashedRuleset {
    facts: Vec<HashedFact>,
    facts_version: u32,
    rules: Vec<HashedRule>,
}

#[derive(Serialize)]
struct HashedFact {
    kind: &'static str,
    word: &'static str,
}

#[derive(Serialize)]
struct HashedRule {
    code: &'static str,
    parameters: BTreeMap<&'static str, Parameter>,
    revision: u32,
    severity: &'static str,
}

fn digest() -> Digest {
    let rules: Vec<HashedRule> = all()
        .map(|rule| HashedRule {
            code: rule.code,
            parameters: rule.parameters.iter().copied().collect(),
            revision: rule.revision,
            severity: rule.severity.as_str(),
        })
        .collect();
    let facts = fact_table::ALL.iter().map(|spec| HashedFact { kind: spec.kind, word: spec.word }).collect();
    canonical::digest(&HashedRuleset { facts, facts_version: FACTS_VERSION, rules }).0
}
