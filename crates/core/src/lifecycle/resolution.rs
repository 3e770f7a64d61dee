//! What is said about a stage, and what a document is resolved as.

use schemars::JsonSchema;
use serde::Serialize;
use svc_json::tree::Node;

use crate::{
    closed::False,
    findings::Findings,
    scalar::any_rule_code::AnyRuleCode,
    words::{
        gate::Gate,
        review_depth::ClaimedDepth,
        stage::{Reached, Stage},
        verdict::Verdict,
    },
};

/// Where an entry stands.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Resolution {
    /// The rules that a part of the entry breaks. It then stands on the floor.
    pub broken_rules: Vec<AnyRuleCode>,
    /// Never installable.
    pub installable: False,
    /// The stage's name for people.
    pub label: &'static str,
    /// What the stage means.
    pub meaning: &'static str,
    /// The gates that are missing, whatever the stage.
    pub missing_gates: Vec<Gate>,
    /// The next stage. There always is one.
    pub next_stage: Stage,
    /// What the next stage takes, in words for people.
    pub next_steps: Vec<String>,
    /// What the stage is based on. No file of a package was seen.
    pub reviewed: ClaimedDepth,
    /// The stage.
    pub stage: Reached,
    /// What our own rules say of the package, where its document was checked. A blocked one is never shown without it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub verdict: Option<Verdict>,
}

/// Where an entry stands, and what is wrong with it when a part of it does not hold.
#[derive(Clone, Debug)]
pub struct Resolved {
    pub resolution: Resolution,
    pub findings: Findings,
}

/// What a document is resolved as.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Resolvable<'a> {
    /// A collection entry, or part of one.
    Entry,
    /// A manifest by itself.
    Manifest,
    /// What calls itself an artifact, by its kind.
    Artifact(&'a str),
}

/// The members of an entry; all others around it are the host's.
pub(super) const ENTRY_MEMBERS: [&str; 3] = ["scope", "submission", "submissionDigest"];

impl<'a> Resolvable<'a> {
    /// What the members of a document make it. An entry comes first: a host may have a `kind` of its own next to ours.
    #[must_use]
    pub fn from_root(root: &'a Node<'_>) -> Self {
        let is_entry = ENTRY_MEMBERS.iter().any(|name| root.get(name).is_some());
        match root.get("kind").and_then(Node::as_str) {
            Some(kind) if !is_entry => Self::Artifact(kind),
            None if !is_entry && root.get("manifestVersion").is_some() => Self::Manifest,
            Some(_) | None => Self::Entry,
        }
    }
}
