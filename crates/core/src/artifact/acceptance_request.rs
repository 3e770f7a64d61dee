//! The acceptance request: what a registry would be asked one day, and which gates it takes.

use crate::{
    artifact::{
        about_package::{AboutPackage, Basis},
        checked::Checked,
        define::define_artifact,
        derive::Derived,
        submission::Submission,
    },
    gates::AllGates,
    review::report::ReviewReport,
};

define_artifact! {
    /// A request that a registry would one day decide on.
    AcceptanceRequest, row ACCEPTANCE_REQUEST, body AcceptanceRequestBody,
    schema, accepted, artifact_digests, derived_from, document_digest, gate_statuses, installable, kind, owner, package, package_artifact,
    /// The gates that acceptance would take: all of them.
    required_gates: AllGates,
    /// What the rules found.
    embeds review_report: ReviewReport,
    ruleset, schema_version, signed, status, visibility,
}

fn body_of(_: &Basis<'_, ReviewReport>) -> AcceptanceRequestBody {
    AcceptanceRequestBody { required_gates: AllGates }
}

impl Derived for AcceptanceRequest {
    type Parent = Submission;

    fn report_from(parent: &Checked<Submission>) -> ReviewReport {
        parent.basis().report.clone()
    }
}
