//! The rule set as a whole: its version and the digest that travels in every artifact.

use std::{collections::BTreeMap, sync::OnceLock};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{Rule, artifacts, files, listing, manifest, permissions, rule::Parameter, syntax};
use crate::{canonical_json, digest::Digest, ident::Version};

/// The version for people. Rules are compared by digest.
pub const VERSION: &str = "1.0.0";

/// Every rule, in order of code.
pub fn all() -> impl Iterator<Item = &'static Rule> {
    let families = [artifacts::ALL, files::ALL, syntax::ALL, listing::ALL, manifest::ALL, permissions::ALL];
    families.into_iter().flatten().copied()
}

/// The rule with exactly this code.
pub(crate) fn exact(code: &str) -> Option<&'static Rule> {
    all().find(|rule| rule.code == code)
}

/// The rule of this code, with or without the prefix.
#[must_use]
pub fn find(code: &str) -> Option<&'static Rule> {
    let code = code.to_ascii_uppercase();
    all().find(|rule| rule.code == code || rule.code.strip_prefix("SVC-") == Some(code.as_str()))
}

/// Which rules an artifact was made with.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "ruleset")]
pub struct RulesetRef {
    /// The digest over every rule's code, severity, parameters and revision.
    pub digest: Digest,
    /// The version for people.
    pub version: Version,
}

impl RulesetRef {
    /// The rules of this build.
    ///
    /// # Panics
    /// Never: the version is a literal that a test reads.
    #[must_use]
    #[expect(clippy::expect_used, reason = "the version is a literal of this file, read by a test")]
    pub fn own() -> &'static Self {
        static OWN: OnceLock<RulesetRef> = OnceLock::new();
        OWN.get_or_init(|| Self {
            digest: digest(),
            version: Version::parse(VERSION).expect("the rule set's version is a semantic version"),
        })
    }

    /// Whether these are the rules of this build. The digest alone tells: a version is a name for people.
    #[must_use]
    pub fn is_own(&self) -> bool {
        self.digest == Self::own().digest
    }

    /// Whether the rules of this build are called by another version than theirs.
    #[must_use]
    pub fn is_misnamed(&self) -> bool {
        self.is_own() && self.version != Self::own().version
    }
}

/// What the digest covers: what a rule does, not how it is explained.
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
    canonical_json::digest(&rules).0
}
