//! The lifecycle catalog and the one function that tells where an entry stands.
//!
//! A stage follows from evidence that was checked here, and from nothing else: no label that claims a stage is ever read.
//! What is missing is not there yet; what is there and does not hold puts the whole entry on the floor. No evidence form
//! exists for the last stage, so nothing resolves to it: `Reached` has no value for it.

mod entry_status;
mod resolution;

pub use self::resolution::{Resolution, Resolvable, Resolved};

use crate::{
    artifact::checked::ReviewedPackage, lifecycle::entry_status::EntryStatus, rules::ruleset::Rules,
    words::stage::Stage,
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

/// Tells where a collection entry stands, from its bytes. It may lack any part, and have members of the host around it. A
/// manifest, a submission or an index of one entry is taken as it is, too.
#[must_use]
pub fn resolve_stage(rules: &Rules, document: &[u8]) -> Resolved {
    EntryStatus::of_document(rules, document).unwrap_or_else(EntryStatus::Broken).resolve()
}

/// Tells where a package of a checked submission or index stands.
#[must_use]
pub fn resolve_checked(package: &ReviewedPackage) -> Resolved {
    EntryStatus::of_package(package).resolve()
}
