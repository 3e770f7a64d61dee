//! The lifecycle catalog and the one function that tells where an entry stands.
//!
//! A stage follows from evidence that was checked here, and from nothing else: no label that claims a stage is ever read.
//! What is missing is not there yet; what is there and does not hold puts the whole entry on the floor. No evidence form
//! exists for the last stage, so nothing resolves to it: [`Reached`] has no value for it.

mod standing;

use schemars::JsonSchema;
use serde::Serialize;
use svc_json::tree::Node;

use crate::{
    artifact::checked::ReviewedPackage,
    closed::False,
    finding::Finding,
    lifecycle::standing::Standing,
    scalar::any_rule_code::AnyRuleCode,
    words::{
        gate::Gate,
        review_depth::ClaimedDepth,
        stage::{Reached, Stage},
        verdict::Verdict,
    },
};

/// The name of the catalog in every language.
pub const CATALOG_NAME: &str = "SDK_DISTRIBUTION_LIFECYCLE_CATALOG";

/// The catalog: every stage, lowest first.
pub static SDK_DISTRIBUTION_LIFECYCLE_CATALOG: &[Stage] = Stage::ALL;

/// What a stage asks of a part of an entry, for people: the checks themselves are code.
#[derive(Clone, Copy, Debug)]
pub struct Evidence {
    /// The part.
    pub pointer: &'static str,
    /// What must hold of it.
    pub holds: &'static str,
}

/// The evidence that a stage adds to the stages below. The last one would take gates that no evidence clears.
#[must_use]
pub const fn evidence_of(stage: Stage) -> &'static [Evidence] {
    match stage {
        Stage::Blueprint | Stage::SignedPackage => &[],
        Stage::ShowcasePreview => &[
            Evidence {
                pointer: "/submission/packageArtifact/manifest",
                holds: "it has its form, with a name and a summary, and breaks no rule that needs the manifest alone",
            },
            Evidence { pointer: "/submission/packageArtifact/manifest/icons", holds: "it names an icon" },
        ],
        Stage::ReviewReport => &[Evidence {
            pointer: "/submission",
            holds: "every digest recomputes, and the report is the one that the rules give",
        }],
        Stage::CollectionEntry => &[
            Evidence { pointer: "/scope", holds: "it names a user or a space" },
            Evidence { pointer: "/submissionDigest", holds: "it is the digest of the submission" },
            Evidence { pointer: "/submission", holds: "our rules find nothing that its author must correct" },
        ],
    }
}

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
    /// The gates that are missing: the artifact hash too, unless digests were recomputed and match.
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
    pub findings: Vec<Finding>,
}

/// Tells where a collection entry stands, from its bytes. It may lack any part, and have members of the host around it. A
/// manifest, a submission or an index of one entry is taken as it is, too.
#[must_use]
pub fn resolve_stage(document: &[u8]) -> Resolved {
    Standing::of_document(document).unwrap_or_else(Standing::Broken).resolve()
}

/// What a document is resolved as.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Subject<'a> {
    /// A collection entry, or part of one.
    Entry,
    /// A manifest by itself.
    Manifest,
    /// What calls itself an artifact, by its kind.
    Artifact(&'a str),
}

/// The members of an entry; all others around it are the host's.
const ENTRY_MEMBERS: [&str; 3] = ["scope", "submission", "submissionDigest"];

impl<'a> Subject<'a> {
    /// What the members of a document make it. An entry comes first: a host may have a `kind` of its own next to ours.
    #[must_use]
    pub fn of(root: &'a Node<'_>) -> Self {
        let is_entry = ENTRY_MEMBERS.iter().any(|name| root.get(name).is_some());
        match root.get("kind").and_then(Node::as_str) {
            Some(kind) if !is_entry => Self::Artifact(kind),
            None if !is_entry && root.get("manifestVersion").is_some() => Self::Manifest,
            Some(_) | None => Self::Entry,
        }
    }
}

/// Tells where a package of a checked submission or index stands.
#[must_use]
pub fn resolve_checked(package: &ReviewedPackage) -> Resolved {
    Standing::of_package(package).resolve()
}
