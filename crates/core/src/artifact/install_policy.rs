//! The install policy: what a host's policy would have to judge. None is applied, and the package is not installable.

use super::{
    checked::{self, Checked, Derived},
    head::Facts,
    signing_request::{self, SigningRequest},
    table::{ArtifactSpec, CheckCommand, Endpoint, MakeCommand, Source},
    weave::artifact,
};
use crate::{
    gate::AllGates,
    limits,
    manifest::{
        forms::{Csp, HostRange},
        vocabulary::{DataCollection, Isolation},
    },
    objects,
    review::{Capabilities, RatedPermission},
    url::Origin,
};

/// The row of this kind.
pub static SPEC: ArtifactSpec = ArtifactSpec {
    kind: "svc-registry-install-policy",
    file: "svc-registry-install-policy.json",
    name: "install-policy",
    schema: "urn:svc:registry:schema:install-policy:1.0",
    status: "not-applied",
    evidences: "Install-policy preflight; its status is `not-applied`; the package stays non-installable.",
    make: MakeCommand {
        order: 12,
        name: "registry-install-policy",
        about: "Derive the install-policy preflight from a signing request",
    },
    check: Some(CheckCommand {
        order: 13,
        name: "registry-install-policy-validate",
        about: "Check an install-policy preflight",
    }),
    endpoint: Some(Endpoint { operation: "evaluate-install-policy", path: "/install-policy" }),
    source: Source::Artifact { parent: &signing_request::SPEC, derive: checked::derive_from_bytes::<InstallPolicy> },
    most_bytes: limits::ARTIFACT_BYTES,
    leaves: &[],
    verify: checked::verify::<InstallPolicy>,
    decide: checked::decide::<InstallPolicy>,
    json_schema: checked::json_schema::<InstallPolicy>,
};

objects! {
    /// What the package asks for, as a host's policy would see it.
    RequestedPolicy "requested-policy" {
        /// The content security policy it asks for.
        #[serde(skip_serializing_if = "Option::is_none")]
        csp: Option<Csp>,
        /// What it collects.
        data_collection: Vec<DataCollection>,
        /// The hosts it is made for.
        host: HostRange,
        /// How its renderer asks to be kept apart.
        isolation: Isolation,
        /// What it may talk to.
        origins: Vec<Origin>,
        /// What it asks for, and why.
        permissions: Vec<RatedPermission>,
    }
}

artifact! {
    /// Requested capabilities, with no policy applied.
    InstallPolicy, body InstallPolicyBody,
    after_package_artifact {
        /// What the package asks for.
        policy: RequestedPolicy,
        /// The gates that an installation would take: all of them.
        requires: AllGates,
    }
}

fn body_of(facts: &Facts<'_, ()>) -> InstallPolicyBody {
    let manifest = &facts.package_artifact.manifest;
    let Capabilities { data_collection, isolation, origins, permissions } = Capabilities::of(manifest);
    let policy = RequestedPolicy {
        csp: manifest.entry.csp.clone(),
        data_collection,
        host: manifest.engines.host.clone(),
        isolation,
        origins,
        permissions,
    };
    InstallPolicyBody { policy, requires: AllGates }
}

impl Derived for InstallPolicy {
    type Parent = SigningRequest;

    fn report_from(_: &Checked<SigningRequest>) {}
}
