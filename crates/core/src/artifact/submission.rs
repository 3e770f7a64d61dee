//! The submission: what `svc app pack` makes of a package.

use super::{
    checked::{self, Checked},
    head::{AboutPackage, Facts, Owner, Subject, Visibility},
    table::{ArtifactSpec, MakeCommand, Source},
    weave::artifact,
};
use crate::{
    finding::Finding,
    gate::{Gate, GateStatuses},
    lifecycle::Reached,
    limits,
    package::PackageArtifact,
    review::{self, Blocker, ReviewReport},
    rules::ruleset::RulesetRef,
};

/// The row of this kind.
pub static SPEC: ArtifactSpec = ArtifactSpec {
    kind: "svc-registry-submission",
    file: "svc-registry-submission.json",
    name: "submission",
    schema: "urn:svc:registry:schema:submission:1.0",
    status: "submitted-locally",
    evidences: "Owner, visibility, package artifact, review report, blockers, next gate, and unsigned artifact digests.",
    make: MakeCommand { order: 1, name: "pack", about: "Check a package and make its submission" },
    check: None,
    endpoint: None,
    source: Source::Package,
    most_bytes: limits::ARTIFACT_BYTES,
    leaves: &[],
    verify: checked::verify::<Submission>,
    decide: checked::decide::<Submission>,
    json_schema: checked::json_schema::<Submission>,
};

artifact! {
    /// A package as its owner submits it.
    Submission, body SubmissionBody,
    after_artifact_digests {
        /// What stands between the package and the next stage. Never empty.
        #[schemars(length(min = 5, max = 210))]
        blockers: Vec<Blocker>,
    }
    after_kind {
        /// The first gate that is missing.
        next_gate: Gate,
    }
    embeds {
        /// What the rules found.
        review_report: ReviewReport,
    }
    after_signed {
        /// Where the submission stands by itself.
        stage: Reached,
    }
}

fn body_of(facts: &Facts<'_, ReviewReport>) -> SubmissionBody {
    let missing = GateStatuses::<crate::gate::Evidenced>::now().missing();
    SubmissionBody {
        blockers: review::blockers(facts.report, facts.visibility == Visibility::Public),
        next_gate: missing.first().copied().unwrap_or(Gate::PublisherVerification),
        stage: if facts.report.blocks_author() { Reached::Blueprint } else { Reached::ReviewReport },
    }
}

impl Submission {
    /// The submission of a package that no rule refused.
    ///
    /// # Errors
    /// When it would be larger than the registry reads.
    pub fn pack(
        owner: Owner,
        visibility: Visibility,
        package_artifact: PackageArtifact,
        report: ReviewReport,
    ) -> Result<Checked<Self>, Vec<Finding>> {
        let ruleset = RulesetRef::own().clone();
        checked::seal_built(Self::assemble(
            Subject { owner, package_artifact, ruleset, visibility },
            Vec::new(),
            report,
        ))
    }
}
