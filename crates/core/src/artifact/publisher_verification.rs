//! The publisher verification: who the manifest says publishes it, and how that could be proved. Nothing is checked.

use crate::{
    artifact::{
        about_package::Basis,
        checked::Checked,
        define::define_artifact,
        derive::Derived,
        publisher_proof::{self, Proof},
        submission::Submission,
    },
    scalar::{ident::PublisherId, url::HttpsUrl},
    wire_struct,
};

wire_struct! {
    /// The publisher as the manifest declares it, without the name for people.
    DeclaredPublisher "declared-publisher" {
        /// The publisher's id.
        id: PublisherId,
        /// The publisher's page.
        #[serde(skip_serializing_if = "Option::is_none")]
        url: Option<HttpsUrl>,
    }
}

define_artifact! {
    /// A declared publisher, unverified.
    PublisherVerification, row PUBLISHER_VERIFICATION, body PublisherVerificationBody,
    schema, accepted, artifact_digests, derived_from, document_digest, gate_statuses, installable, kind, owner, package, package_artifact,
    /// The prepared proofs, none of them checked.
    #[schemars(length(max = 3))]
    proofs: Vec<Proof>,
    /// The publisher as the manifest declares it.
    publisher: DeclaredPublisher,
    ruleset, schema_version, signed, status, visibility,
}

fn body_of(basis: &Basis<'_, ()>) -> PublisherVerificationBody {
    let manifest = &basis.package_artifact.manifest;
    let publisher = DeclaredPublisher { id: manifest.publisher.id.clone(), url: manifest.publisher.url.clone() };
    PublisherVerificationBody { proofs: publisher_proof::proofs(manifest, &basis.owner.id), publisher }
}

impl Derived for PublisherVerification {
    type Parent = Submission;

    fn report_from(_: &Checked<Submission>) {}
}
