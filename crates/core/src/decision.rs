//! The answer of the registry. It is built from a checked artifact, and there is no way to build it open.

use schemars::JsonSchema;
use serde::Serialize;
use svc_json::{canonical, digest::Digest};

use crate::{
    artifact::evaluated::{ComparedRulesets, DigestCheck, EvaluatedPackage, SealedEvaluation},
    closed::False,
    gates::GateStatuses,
    journal::{
        receipt::Receipt,
        scalars::{OperationName, RequestId},
    },
    review::blocker::Blocker,
    scalar::{
        ident::{OwnerId, PackageRef},
        ruleset_ref::RulesetRef,
    },
    wire_enum, wire_struct,
    words::{
        gate::Gate,
        kind::{ArtifactKind, SchemaVersion, Source},
        review_depth::ClaimedDepth,
        stage::Reached,
    },
};

/// The schema's URN.
pub const SCHEMA: &str = "urn:svc:registry:schema:decision:1.0";

wire_enum! {
    /// The kind of the answer.
    pub enum DecisionKind("decision-kind", B001) {
        /// The only one.
        Decision = "svc-registry-decision",
    }
}

wire_enum! {
    /// The outcome of every evaluation.
    pub enum Outcome("outcome", B006) {
        /// The only one.
        Denied = "denied",
    }
}

/// A completed evaluation. The answer is no.
// Fields are private: `Decision::deny` is the only maker.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "svc-registry-decision", deny_unknown_fields)]
pub struct Decision {
    /// Never accepted.
    accepted: False,
    /// Which document was evaluated.
    artifact: EvaluatedArtifact,
    /// What stands between the package and the next stage. An index has it in its entries.
    #[serde(skip_serializing_if = "Option::is_none")]
    blockers: Option<Vec<Blocker>>,
    /// SHA-256 over the RFC 8785 form of the answer without `decisionId`, `requestId` and `receipt`. It opens nothing.
    #[schemars(with = "Digest")]
    #[serde(skip_serializing_if = "Option::is_none")]
    decision_id: Option<Digest>,
    /// The package digest, recomputed. An index has it in its entries.
    #[serde(skip_serializing_if = "Option::is_none")]
    digest_check: Option<DigestCheck>,
    /// For an index alone: what was evaluated about each package, in the order of the index.
    #[serde(skip_serializing_if = "Option::is_none")]
    entries: Option<Vec<EvaluatedPackage>>,
    /// The word of each gate.
    gate_statuses: GateStatuses,
    /// Never installable.
    installable: False,
    /// The kind of document.
    kind: DecisionKind,
    /// The gates that are not cleared, in their order. Never empty.
    #[schemars(length(min = 5, max = 6))]
    missing_gates: Vec<Gate>,
    /// The first gate that is missing.
    next_gate: Gate,
    /// The operation that was asked for.
    #[schemars(with = "OperationName")]
    operation: &'static str,
    /// The outcome. There is no other word.
    outcome: Outcome,
    /// With a journal: the proof that this answer is on record.
    #[serde(skip_serializing_if = "Option::is_none")]
    receipt: Option<Receipt>,
    /// The id of this one request, also in the header `Svc-Request-Id`.
    #[schemars(with = "RequestId")]
    #[serde(skip_serializing_if = "Option::is_none")]
    request_id: Option<String>,
    /// What `stage` and `blockers` are based on; never on files, which no registry is sent. An index has it in its entries.
    #[serde(skip_serializing_if = "Option::is_none")]
    reviewed: Option<ClaimedDepth>,
    /// The rules of the document beside those of the registry.
    ruleset: ComparedRulesets,
    /// The version of this schema.
    schema_version: SchemaVersion,
    /// Never signed.
    signed: False,
    /// The stage that the evidence in the document gives. An index has it in its entries.
    #[serde(skip_serializing_if = "Option::is_none")]
    stage: Option<Reached>,
    /// For the journal; the answer repeats no name that an author chose.
    #[serde(skip)]
    owner: Option<OwnerId>,
    /// For the journal; the answer names the package by its digest.
    #[serde(skip)]
    package: Option<PackageRef>,
}

wire_struct! {
    /// Which document was evaluated.
    EvaluatedArtifact "evaluated-artifact" {
        /// Its document digest.
        digest: Digest,
        /// Its kind.
        kind: ArtifactKind,
    }
}

impl Decision {
    /// Answers a checked artifact. `None` for the submission, which has no endpoint.
    #[must_use]
    pub fn deny(evaluation: SealedEvaluation) -> Option<Self> {
        let spec = evaluation.spec();
        let endpoint = spec.endpoint?;
        let gate_statuses = GateStatuses::now();
        let missing_gates = gate_statuses.missing();
        let mut decision = Self {
            accepted: False,
            artifact: EvaluatedArtifact { digest: *evaluation.digest(), kind: spec.artifact },
            blockers: None,
            decision_id: None,
            digest_check: None,
            entries: None,
            gate_statuses,
            installable: False,
            kind: DecisionKind::Decision,
            next_gate: missing_gates.first().copied().unwrap_or(Gate::PublisherVerification),
            missing_gates,
            operation: endpoint.operation,
            outcome: Outcome::Denied,
            owner: None,
            package: None,
            receipt: None,
            request_id: None,
            reviewed: None,
            ruleset: evaluation.rulesets().clone(),
            schema_version: SchemaVersion::V1_0,
            signed: False,
            stage: None,
        };
        decision.describe(evaluation.into_packages(), spec.source);
        decision.decision_id = Some(canonical::digest(&decision).0);
        Some(decision)
    }

    /// The decision as the answer to a request. Its name does not depend on the request's.
    #[must_use]
    pub fn for_request(mut self, id: &str) -> Self {
        self.request_id = Some(id.to_owned());
        self
    }

    /// The decision with the proof that it is on record. Its name does not depend on the proof.
    #[must_use]
    pub fn with_receipt(mut self, receipt: Receipt) -> Self {
        self.receipt = Some(receipt);
        self
    }

    /// The proof that it is on record, once there is one.
    #[must_use]
    pub fn receipt(&self) -> Option<&Receipt> {
        self.receipt.as_ref()
    }

    /// The rules that it was evaluated by.
    #[must_use]
    pub fn ruleset(&self) -> &RulesetRef {
        &self.ruleset.own
    }

    /// What was evaluated.
    #[must_use]
    pub fn artifact(&self) -> &EvaluatedArtifact {
        &self.artifact
    }

    /// The operation that was asked for.
    #[must_use]
    pub fn operation(&self) -> &'static str {
        self.operation
    }

    /// The request that it answers, once that is known.
    #[must_use]
    pub fn request_id(&self) -> Option<&str> {
        self.request_id.as_deref()
    }

    /// Who submitted the one package; an index has many.
    #[must_use]
    pub fn owner(&self) -> Option<&OwnerId> {
        self.owner.as_ref()
    }

    /// The one package; an index has many.
    #[must_use]
    pub fn package(&self) -> Option<&PackageRef> {
        self.package.as_ref()
    }

    /// What the decision is based on: of an index the least of its entries. `None` where it speaks of no package.
    #[must_use]
    pub fn reviewed(&self) -> Option<ClaimedDepth> {
        let entries = self.entries.iter().flatten().map(EvaluatedPackage::reviewed);
        self.reviewed.into_iter().chain(entries).min()
    }

    /// The name of the decision: the digest of everything in it.
    #[must_use]
    pub fn id(&self) -> Option<&Digest> {
        self.decision_id.as_ref()
    }

    /// An index answers entry by entry, every other kind for its one package.
    fn describe(&mut self, packages: Vec<EvaluatedPackage>, source: Source) {
        match source {
            Source::Submissions => self.entries = Some(packages),
            Source::Package | Source::Artifact { .. } => {
                if let Some(one) = packages.into_iter().next() {
                    self.blockers = Some(one.blockers);
                    self.digest_check = Some(one.digest_check);
                    self.owner = Some(one.owner);
                    self.package = Some(one.package);
                    self.reviewed = Some(one.reviewed);
                    self.stage = Some(one.stage.stage());
                }
            }
        }
    }
}
