//! The publisher verification: who the manifest says publishes it, and how that could be proved. Nothing is checked.

use serde::Serialize;

use super::{
    checked::{self, Checked, Derived},
    head::{Facts, PackageRef},
    submission::{self, Submission},
    table::{ArtifactSpec, CheckCommand, Endpoint, MakeCommand, Source},
    weave::artifact,
};
use crate::{
    canonical_json, ident::PublisherId, leaf::IsLeaf as _, limits, manifest::model::Publisher, objects, review::Prose,
    rules::artifacts, words,
};

/// The row of this kind.
pub static SPEC: ArtifactSpec = ArtifactSpec {
    kind: "svc-registry-publisher-verification",
    file: "svc-registry-publisher-verification.json",
    name: "publisher-verification",
    schema: "urn:svc:registry:schema:publisher-verification:1.0",
    status: "unverified",
    evidences: "Declared publisher identity; its status is `unverified`.",
    make: MakeCommand {
        order: 6,
        name: "registry-publisher-verification",
        about: "Derive the publisher's declared identity from a submission",
    },
    check: Some(CheckCommand {
        order: 7,
        name: "registry-publisher-verification-validate",
        about: "Check a publisher's declared identity",
    }),
    endpoint: Some(Endpoint { operation: "evaluate-publisher-verification", path: "/publisher-verification" }),
    source: Source::Artifact { parent: &submission::SPEC, derive: checked::derive_from_bytes::<PublisherVerification> },
    most_bytes: limits::ARTIFACT_BYTES,
    leaves: &[ProofMethod::LEAF, ProofStatus::LEAF],
    verify: checked::verify::<PublisherVerification>,
    decide: checked::decide::<PublisherVerification>,
    json_schema: checked::json_schema::<PublisherVerification>,
};

words! {
    /// A way to prove control of the namespace.
    pub enum ProofMethod("proof-method", artifacts::B015) {
        /// A TXT record below the domain.
        DnsTxt = "dns-txt",
        /// A file at a well-known address of the domain.
        WellKnownHttps = "well-known-https",
        /// The subject of a token that the repository's build service issues.
        OidcSubject = "oidc-subject",
    }
}

words! {
    /// Whether a proof was looked at.
    pub enum ProofStatus("proof-status", artifacts::B006) {
        /// It was not.
        Unchecked = "unchecked",
    }
}

objects! {
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

artifact! {
    /// A declared publisher, unverified.
    PublisherVerification, body PublisherVerificationBody,
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
    canonical_json::digest(&claim).0.to_string()
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
