//! The answer of the registry. It is built from a checked artifact, and there is no way to build it open.

use std::borrow::Cow;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Serialize, Serializer, ser::SerializeStruct};

use crate::{
    artifact::{
        checked::Checked,
        head::{ArtifactKind, PackageRef, SchemaVersion},
        table::{IsArtifact, Source},
    },
    canonical_json::{self, gap::Gap},
    digest::Digest,
    fail_closed::{DigestMatches, False},
    finding::Finding,
    gate::{Gate, GateStatuses},
    ident::OwnerId,
    journal::receipt::Receipt,
    lifecycle::Reached,
    objects,
    review::{self, Blocker, Counts, Verdict},
    rules::{artifacts, ruleset::RulesetRef},
    words,
};

/// The schema's URN.
pub const SCHEMA: &str = "urn:svc:registry:schema:decision:1.0";

words! {
    /// The kind of the answer.
    pub enum DecisionKind("decision-kind", artifacts::B001) {
        /// The only one.
        Decision = "svc-registry-decision",
    }
}

words! {
    /// The outcome of every evaluation.
    pub enum Outcome("outcome", artifacts::B006) {
        /// The only one.
        Denied = "denied",
    }
}

/// A completed evaluation. The answer is no. Fields are private: [`Decision::deny`] is the only maker.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "svc-registry-decision", deny_unknown_fields)]
pub struct Decision {
    accepted: False,
    artifact: EvaluatedArtifact,
    #[serde(skip_serializing_if = "Option::is_none")]
    blockers: Option<Vec<Blocker>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    decision_id: Option<Digest>,
    #[serde(skip_serializing_if = "Option::is_none")]
    digest_check: Option<DigestCheck>,
    #[serde(skip_serializing_if = "Option::is_none")]
    entries: Option<Vec<EvaluatedPackage>>,
    gate_statuses: GateStatuses,
    installable: False,
    kind: DecisionKind,
    #[schemars(length(min = 5, max = 6))]
    missing_gates: Vec<Gate>,
    next_gate: Gate,
    operation: &'static str,
    outcome: Outcome,
    #[serde(skip_serializing_if = "Option::is_none")]
    package: Option<PackageRef>,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<Receipt>")]
    receipt: Option<Gap>,
    #[serde(skip_serializing_if = "Option::is_none")]
    request_id: Option<String>,
    ruleset: ComparedRulesets,
    schema_version: SchemaVersion,
    signed: False,
    #[serde(skip_serializing_if = "Option::is_none")]
    stage: Option<Reached>,
    /// For the journal; the answer does not repeat it.
    #[serde(skip)]
    owner: Option<OwnerId>,
}

objects! {
    /// Which document was evaluated.
    EvaluatedArtifact "evaluated-artifact" {
        /// Its document digest.
        digest: Digest,
        /// Its kind.
        kind: ArtifactKind,
    }
    /// The artifact's rules beside the registry's.
    ComparedRulesets "compared-rulesets" {
        /// The artifact's.
        declared: RulesetRef,
        /// Whether the two are the same.
        equal: bool,
        /// The registry's.
        own: RulesetRef,
    }
}

/// What was evaluated about one package.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "evaluated-package", deny_unknown_fields)]
pub struct EvaluatedPackage {
    /// What stands between the package and the next stage.
    pub(crate) blockers: Vec<Blocker>,
    /// The package digest, recomputed.
    pub(crate) digest_check: DigestCheck,
    /// Which package.
    pub(crate) package: PackageRef,
    /// Where it stands: a single document's package by itself, an index's package as the entry it is.
    pub(crate) stage: Reached,
    /// Who submitted it. For the journal; the answer does not repeat it.
    #[serde(skip)]
    pub(crate) owner: OwnerId,
    /// What our own rules found, for whoever shows it; the answer has the blockers that follow.
    #[serde(skip)]
    pub(crate) findings: Vec<Finding>,
}

impl EvaluatedPackage {
    /// What stands between the package and the next stage, by our own rules.
    #[must_use]
    pub fn blockers(&self) -> &[Blocker] {
        &self.blockers
    }

    /// What our own rules found, the heaviest first.
    #[must_use]
    pub fn findings(&self) -> Vec<&Finding> {
        review::in_order(&self.findings)
    }

    /// Which package it is.
    #[must_use]
    pub fn package(&self) -> &PackageRef {
        &self.package
    }

    /// What our own rules say of the package.
    #[must_use]
    pub fn verdict(&self) -> Verdict {
        Verdict::of(&Counts::of(&self.findings))
    }

    /// Where it stands, by our own rules.
    #[must_use]
    pub fn stage(&self) -> Reached {
        self.stage
    }
}

/// The package digest as declared and as recomputed. It exists only when the two are equal.
#[derive(Clone, Copy, Debug)]
pub struct DigestCheck(pub(crate) DigestMatches);

impl Serialize for DigestCheck {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut check = serializer.serialize_struct("DigestCheck", 3)?;
        check.serialize_field("declared", self.0.digest())?;
        check.serialize_field("matches", &true)?;
        check.serialize_field("recomputed", self.0.digest())?;
        check.end()
    }
}

impl JsonSchema for DigestCheck {
    fn schema_name() -> Cow<'static, str> {
        "digest-check".into()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        let digest = generator.subschema_for::<Digest>();
        json_schema!({
            "type": "object",
            "properties": { "declared": digest, "matches": { "const": true }, "recomputed": digest },
            "required": ["declared", "matches", "recomputed"],
            "additionalProperties": false,
        })
    }
}

impl Decision {
    /// Answers a checked artifact. `None` for the submission, which has no endpoint.
    #[must_use]
    pub fn deny<A: IsArtifact>(artifact: Checked<A>) -> Option<Self> {
        let endpoint = A::SPEC.endpoint?;
        let gate_statuses = GateStatuses::now();
        let missing_gates = gate_statuses.missing();
        let mut decision = Self {
            accepted: False,
            artifact: EvaluatedArtifact { digest: *artifact.digest_matches().digest(), kind: ArtifactKind::of::<A>() },
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
            ruleset: ComparedRulesets::of(artifact.ruleset()),
            schema_version: SchemaVersion::V1_0,
            signed: False,
            stage: None,
        };
        decision.describe(artifact.into_packages(), A::SPEC.source);
        decision.decision_id = Some(canonical_json::digest(&decision).0);
        Some(decision)
    }

    /// The decision as the answer to a request. Its name does not depend on the request's.
    #[must_use]
    pub fn for_request(mut self, id: &str) -> Self {
        self.request_id = Some(id.to_owned());
        self
    }

    /// The decision with a place for the proof that it is on record. Its name does not depend on the proof.
    #[must_use]
    pub fn awaiting_receipt(mut self) -> Self {
        self.receipt = Some(Gap);
        self
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
                    self.stage = Some(one.stage);
                }
            }
        }
    }
}

impl ComparedRulesets {
    fn of(declared: &RulesetRef) -> Self {
        let own = RulesetRef::own();
        Self { declared: declared.clone(), equal: declared.is_own(), own: own.clone() }
    }
}
