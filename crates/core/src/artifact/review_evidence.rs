//! The review evidence: the report as a registry would store it. Nothing is stored.

use super::{
    checked::{self, Checked, Derived},
    head::{AboutPackage, Facts},
    submission::{self, Submission},
    table::{ArtifactSpec, CheckCommand, Endpoint, MakeCommand, Source},
    weave::artifact,
};
use crate::{
    digest::Digest, leaf::IsLeaf as _, limits, objects, package::DescriptorName, review::ReviewReport,
    rules::artifacts, text_form, words,
};

/// The row of this kind.
pub static SPEC: ArtifactSpec = ArtifactSpec {
    kind: "svc-registry-review-evidence",
    file: "svc-registry-review-evidence.json",
    name: "review-evidence",
    schema: "urn:svc:registry:schema:review-evidence:1.0",
    status: "unstored",
    evidences: "Prepared review evidence; its status is `unstored`.",
    make: MakeCommand {
        order: 8,
        name: "registry-review-evidence",
        about: "Derive the review evidence from a submission",
    },
    check: Some(CheckCommand { order: 9, name: "registry-review-evidence-validate", about: "Check review evidence" }),
    endpoint: Some(Endpoint { operation: "evaluate-review-evidence", path: "/review-evidence" }),
    source: Source::Artifact { parent: &submission::SPEC, derive: checked::derive_from_bytes::<ReviewEvidence> },
    most_bytes: limits::ARTIFACT_BYTES,
    leaves: &[StorageStatus::LEAF, StorageKey::LEAF],
    verify: checked::verify::<ReviewEvidence>,
    decide: checked::decide::<ReviewEvidence>,
    json_schema: checked::json_schema::<ReviewEvidence>,
};

words! {
    /// Whether the evidence is stored.
    pub enum StorageStatus("storage-status", artifacts::B006) {
        /// It is not.
        Unstored = "unstored",
    }
}

text_form! {
    /// The content address that a store would use.
    pub struct StorageKey {
        check: is_storage_key,
        name: "storage-key",
        rule: artifacts::B015,
        expected: "`reviews/sha256/`, two digits, `/` and 64 digits of a digest",
        pattern: "^reviews/sha256/[0-9a-f]{2}/[0-9a-f]{64}$",
        max_length: 82,
    }
}

objects! {
    /// Where the evidence would be stored.
    Storage "storage" {
        /// The content address.
        key: StorageKey,
        /// Not stored.
        status: StorageStatus,
    }
}

artifact! {
    /// The report, prepared for storage.
    ReviewEvidence, body ReviewEvidenceBody,
    embeds {
        /// What the rules found.
        review_report: ReviewReport,
    }
    after_status {
        /// Where it would be stored.
        storage: Storage,
    }
}

fn body_of(facts: &Facts<'_, ReviewReport>) -> ReviewEvidenceBody {
    // Without the descriptor the key is that of nothing, which fits no store and is found to differ.
    let digest = facts.digest(DescriptorName::ReviewReport).copied().unwrap_or(Digest::of(b""));
    let hex = digest.hex();
    let shard: String = hex.chars().take(2).collect();
    let key = StorageKey(format!("reviews/sha256/{shard}/{hex}"));
    ReviewEvidenceBody { storage: Storage { key, status: StorageStatus::Unstored } }
}

fn is_storage_key(text: &str) -> bool {
    let Some((shard, hex)) = text.strip_prefix("reviews/sha256/").and_then(|rest| rest.split_once('/')) else {
        return false;
    };
    shard.len() == 2 && hex.starts_with(shard) && Digest::parse(&format!("sha256:{hex}")).is_some()
}

impl Derived for ReviewEvidence {
    type Parent = Submission;

    fn report_from(parent: &Checked<Submission>) -> ReviewReport {
        parent.facts().report.clone()
    }
}
