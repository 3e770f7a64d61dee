//! The publisher verification: who the manifest says publishes it, and how that could be proved. Nothing is checked.

use serde::Serialize;
use svc_json::canonical;

use crate::{
    artifact::{
        about_package::Facts, checked::Checked, define::define_artifact, derive::Derived, submission::Submission,
    },
    manifest::model::Publisher,
    scalar::{
        ident::{PackageRef, PublisherId},
        prose::Prose,
    },
    wire_enum, wire_struct,
};

wire_enum! {
    /// A way to prove control of the namespace.
    pub enum ProofMethod("proof-method", B015) {
        /// A TXT record below the domain.
        DnsTxt = "dns-txt",
        /// A file at a well-known address of the domain.
        WellKnownHttps = "well-known-https",
        /// The subject of a token that the repository's build service issues.
        OidcSubject = "oidc-subject",
    }
}

wire_enum! {
    /// Whether a proof was looked at.
    pub enum ProofStatus("proof-status", B006) {
        /// It was not.
        Unchecked = "unchecked",
    }
}

wire_struct! {
    /// One prepared proof: where a registry would look, and what it would have to find.
    Proof "proof" {
        /// The value that would have to stand there.
        expected: Prose,
        /// Where a registry would look.
        location: Prose,
        /// How.
        method: ProofMethod,
        /// Not looked at.
        status: ProofStatus,
    }
}

define_artifact! {
    /// A declared publisher, unverified.
    PublisherVerification, row PUBLISHER_VERIFICATION, body PublisherVerificationBody,
    after_package_artifact {
        /// The prepared proofs, none of them checked.
        #[schemars(length(min = 2, max = 3))]
        proofs: Vec<Proof>,
        /// The publisher as the manifest declares it.
        publisher: Publisher,
    }
}

fn body_of(facts: &Facts<'_, ()>) -> PublisherVerificationBody {
    let manifest = &facts.package_artifact.manifest;
    let domain = manifest.id.domain();
    let challenge = challenge(facts);
    let mut proofs = vec![
        proof(ProofMethod::DnsTxt, &format!("_svc-publisher.{domain}"), &format!("svc-publisher={challenge}")),
        proof(
            ProofMethod::WellKnownHttps,
            &format!("https://{domain}/.well-known/svc-publisher/{}.txt", manifest.publisher.id),
            &challenge,
        ),
    ];
    if let Some(repository) = &manifest.repository {
        proofs.push(proof(
            ProofMethod::OidcSubject,
            "the subject claim of a build token",
            &subject(repository.url.as_str()),
        ));
    }
    PublisherVerificationBody { proofs, publisher: manifest.publisher.clone() }
}

fn proof(method: ProofMethod, location: &str, expected: &str) -> Proof {
    Proof { expected: Prose::of(expected), location: Prose::of(location), method, status: ProofStatus::Unchecked }
}

/// The value that ties a proof to this owner, publisher and package, whatever its version.
fn challenge(facts: &Facts<'_, ()>) -> String {
    #[derive(Serialize)]
    struct Claim<'a> {
        owner: &'a str,
        package: &'a str,
        publisher: &'a PublisherId,
    }

    let PackageRef { id, .. } = facts.package();
    let claim = Claim {
        owner: facts.owner.id.as_str(),
        package: id.as_str(),
        publisher: &facts.package_artifact.manifest.publisher.id,
    };
    canonical::digest(&claim).0.to_string()
}

/// `https://host/owner/name` gives `repo:owner/name`, the form that build services use.
fn subject(repository: &str) -> String {
    let path = repository.strip_prefix("https://").and_then(|rest| rest.split_once('/')).map(|(_, path)| path);
    let path = path.unwrap_or_default().trim_end_matches('/');
    format!("repo:{}", path.strip_suffix(".git").unwrap_or(path))
}

impl Derived for PublisherVerification {
    type Parent = Submission;

    fn report_from(_: &Checked<Submission>) {}
}
