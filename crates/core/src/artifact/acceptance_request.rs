//! The acceptance request: what a registry would be asked one day, and which gates it takes.

use super::{
    checked::{self, Checked, Derived},
    head::{AboutPackage, Facts},
    submission::{self, Submission},
    table::{ArtifactSpec, CheckCommand, Endpoint, MakeCommand, Source},
    weave::artifact,
};
use crate::{gate::AllGates, limits, review::ReviewReport};

/// The row of this kind.
pub static SPEC: ArtifactSpec = ArtifactSpec {
    kind: "svc-registry-acceptance-request",
    file: "svc-registry-acceptance-request.json",
    name: "acceptance-request",
    schema: "urn:svc:registry:schema:acceptance-request:1.0",
    status: "requested",
    evidences: "Request shape for a future hosted API, with the required server gates.",
    make: MakeCommand {
        order: 4,
        name: "registry-acceptance",
        about: "Derive the acceptance request from a submission",
    },
    check: Some(CheckCommand { order: 5, name: "registry-acceptance-validate", about: "Check an acceptance request" }),
    endpoint: Some(Endpoint { operation: "evaluate-acceptance-request", path: "/acceptance-requests" }),
    source: Source::Artifact { parent: &submission::SPEC, derive: checked::derive_from_bytes::<AcceptanceRequest> },
    most_bytes: limits::ARTIFACT_BYTES,
    leaves: &[],
    verify: checked::verify::<AcceptanceRequest>,
    decide: checked::decide::<AcceptanceRequest>,
    json_schema: checked::json_schema::<AcceptanceRequest>,
};

artifact! {
    /// A request that a registry would one day decide on.
    AcceptanceRequest, body AcceptanceRequestBody,
    after_package_artifact {
        /// The gates that acceptance would take: all of them.
        required_gates: AllGates,
    }
    embeds {
        /// What the rules found.
        review_report: ReviewReport,
    }
}

fn body_of(_: &Facts<'_, ReviewReport>) -> AcceptanceRequestBody {
    AcceptanceRequestBody { required_gates: AllGates }
}

impl Derived for AcceptanceRequest {
    type Parent = Submission;

    fn report_from(parent: &Checked<Submission>) -> ReviewReport {
        parent.facts().report.clone()
    }
}
