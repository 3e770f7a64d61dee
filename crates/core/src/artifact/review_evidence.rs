//! The review evidence: the report as a registry would store it. Nothing is stored.

use svc_json::digest::Digest;

use crate::{
    artifact::{
        about_package::{AboutPackage, Basis},
        checked::Checked,
        define::define_artifact,
        derive::Derived,
        submission::Submission,
    },
    package::descriptor::DescriptorName,
    review::report::ReviewReport,
    string_newtype, wire_enum, wire_struct,
};

wire_enum! {
    /// Whether the evidence is stored.
    pub enum StorageStatus("storage-status", B006) {
        /// It is not.
        Unstored = "unstored",
    }
}

string_newtype! {
    /// The content address that a store would use.
    pub struct StorageKey {
        check: is_storage_key,
        name: "storage-key",
        rule: B015,
        expected: "`reviews/sha256/`, two digits, `/` and 64 digits of a digest",
        pattern: "^reviews/sha256/[0-9a-f]{2}/[0-9a-f]{64}$",
        max_length: 82,
    }
}

wire_struct! {
    /// Where the evidence would be stored.
    Storage "storage" {
        /// The content address.
        key: StorageKey,
        /// Not stored.
        status: StorageStatus,
    }
}

define_artifact! {
    /// The report, prepared for storage.
    ReviewEvidence, row REVIEW_EVIDENCE, body ReviewEvidenceBody,
    schema, accepted, artifact_digests, derived_from, document_digest, gate_statuses, installable, kind, owner, package, package_artifact,
    /// What the rules found.
    embeds review_report: ReviewReport,
    ruleset, schema_version, signed, status,
    /// Where it would be stored.
    storage: Storage,
    visibility,
}

fn body_of(basis: &Basis<'_, ReviewReport>) -> ReviewEvidenceBody {
    // Without the descriptor the key is that of nothing, which fits no store and is found to differ.
    let digest = basis.digest(DescriptorName::ReviewReport).copied().unwrap_or(Digest::of(b""));
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
        parent.basis().report.clone()
    }
}
