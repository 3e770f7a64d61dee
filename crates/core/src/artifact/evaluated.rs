//! What our own rules and the recomputed digests say of a document, in the form that is answered.
//!
//! An [`SealedEvaluation`] is made where an artifact is sealed and nowhere else, so whoever holds one knows that the digests
//! recomputed and that its packages were judged by our own rules.

use std::borrow::Cow;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Serialize, Serializer, ser::SerializeStruct as _};
use svc_json::digest::Digest;

use crate::{
    closed::DigestMatches,
    review::blocker::Blocker,
    scalar::{
        ident::{OwnerId, PackageRef},
        ruleset_ref::RulesetRef,
    },
    wire_struct,
    words::{
        kind::ArtifactSpec,
        review_depth::ClaimedDepth,
        stage::{Reached, StageEvidence},
    },
};

/// A checked document, as far as an answer speaks of it.
#[derive(Clone, Debug)]
pub struct SealedEvaluation {
    spec: &'static ArtifactSpec,
    digest: DigestMatches,
    rulesets: ComparedRulesets,
    packages: Vec<EvaluatedPackage>,
}

impl SealedEvaluation {
    /// For the seal alone.
    pub(super) fn of_sealed(
        spec: &'static ArtifactSpec,
        digest: DigestMatches,
        rulesets: ComparedRulesets,
        packages: Vec<EvaluatedPackage>,
    ) -> Self {
        Self { spec, digest, rulesets, packages }
    }

    #[must_use]
    pub fn spec(&self) -> &'static ArtifactSpec {
        self.spec
    }

    /// The document digest, recomputed.
    #[must_use]
    pub fn digest(&self) -> &Digest {
        self.digest.digest()
    }

    #[must_use]
    pub fn rulesets(&self) -> &ComparedRulesets {
        &self.rulesets
    }

    #[must_use]
    pub fn into_packages(self) -> Vec<EvaluatedPackage> {
        self.packages
    }
}

wire_struct! {
    /// The artifact's rules beside the registry's.
    ComparedRulesets "compared-rulesets" {
        /// The digest of the artifact's. Its version is the author's word, so that it is not repeated.
        declared: Digest,
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
    /// What the statements about it are based on.
    pub(crate) reviewed: ClaimedDepth,
    /// Where it stands: a single document's package by itself, an index's package as the entry it is.
    pub(crate) stage: StageEvidence,
    /// Who submitted it. For the journal; the answer repeats no name that an author chose.
    #[serde(skip)]
    pub(crate) owner: OwnerId,
    /// Which package. For the journal and the command line; the answer names it by its digest.
    #[serde(skip)]
    pub(crate) package: PackageRef,
}

impl EvaluatedPackage {
    /// What stands between the package and the next stage, by our own rules.
    #[must_use]
    pub fn blockers(&self) -> &[Blocker] {
        &self.blockers
    }

    #[must_use]
    pub fn package(&self) -> &PackageRef {
        &self.package
    }

    /// The package as the entry of a checked index, which adds the scope and the agreeing digest: it is one when nothing
    /// keeps it out, neither what the author has to mend nor an exception that a reviewer has to look at.
    pub(super) fn enter_collection(&mut self) {
        self.stage.entry = !self.blockers.iter().any(Blocker::keeps_out);
    }

    /// What the statements about it are based on: a document, and never files.
    #[must_use]
    pub fn reviewed(&self) -> ClaimedDepth {
        self.reviewed
    }

    /// Where it stands, by our own rules.
    #[must_use]
    pub fn stage(&self) -> Reached {
        self.stage.stage()
    }

    /// The evidence that its stage follows from.
    #[must_use]
    pub fn evidence(&self) -> StageEvidence {
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
            "properties": { "declared": digest, "matches": { "type": "boolean", "const": true }, "recomputed": digest },
            "required": ["declared", "matches", "recomputed"],
            "additionalProperties": false,
        })
    }
}
