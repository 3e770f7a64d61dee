//! The submission: what `svc app pack` makes of a package.

use crate::{
    artifact::{
        about_package::{AboutPackage, Basis, InheritedParts},
        checked::Checked,
        define::define_artifact,
        derive::seal_built,
        head::{Owner, Visibility},
    },
    findings::Findings,
    gates::GateStatuses,
    package::artifact::PackageArtifact,
    review::{self, blocker::Blocker, report::ReviewReport},
    rules::ruleset::Rules,
    words::{
        gate::Gate,
        stage::{Reached, StageEvidence},
    },
};

define_artifact! {
    /// A package as its owner submits it.
    Submission, row SUBMISSION, body SubmissionBody,
    schema, accepted, artifact_digests,
    /// What stands between the package and the next stage. Never empty.
    #[schemars(length(min = 5, max = 210))]
    blockers: Vec<Blocker>,
    derived_from, document_digest, gate_statuses, installable, kind,
    /// The first gate that is missing.
    next_gate: Gate,
    owner, package, package_artifact,
    /// What the rules found.
    embeds review_report: ReviewReport,
    ruleset, schema_version, signed,
    /// Where the submission stands by itself.
    stage: Reached,
    status, visibility,
}

fn body_of(basis: &Basis<'_, ReviewReport>) -> SubmissionBody {
    let missing = GateStatuses::<crate::gates::Evidenced>::now().missing();
    SubmissionBody {
        blockers: review::blockers(basis.report, basis.visibility == Visibility::Public),
        next_gate: missing.first().copied().unwrap_or(Gate::PublisherVerification),
        stage: declared_stage(basis),
    }
}

/// The stage by the rules that the submission names, which refuse a manifest with an error: what they leave open is whether
/// it has an icon.
fn declared_stage(basis: &Basis<'_, ReviewReport>) -> Reached {
    let listing = !basis.package_artifact.manifest.icons.is_empty();
    StageEvidence { listing, report: true, entry: false }.stage()
}

impl Submission {
    /// The submission of a package that none of these rules refused.
    ///
    /// # Errors
    /// When it would be larger than the registry reads.
    pub fn pack(
        rules: &Rules,
        owner: Owner,
        visibility: Visibility,
        package_artifact: PackageArtifact,
        report: ReviewReport,
    ) -> Result<Checked<Self>, Findings> {
        let ruleset = rules.ruleset().clone();
        let parts = InheritedParts { owner, package_artifact, ruleset, visibility };
        seal_built(rules, Self::assemble(parts, Vec::new(), report))
    }
}
