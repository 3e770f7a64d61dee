//! The install policy: what a host's policy would have to judge. None is applied, and the package is not installable.

use crate::{
    artifact::{
        about_package::Basis, checked::Checked, define::define_artifact, derive::Derived,
        signing_request::SigningRequest,
    },
    gates::AllGates,
    manifest::{
        scalars::{Csp, HostRange},
        vocabulary::{DataCollection, Isolation},
    },
    review::report::{Capabilities, RatedPermission},
    scalar::url::Origin,
    wire_struct,
};

wire_struct! {
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
        /// What it asks for; why stands in the manifest.
        permissions: Vec<RatedPermission>,
    }
}

define_artifact! {
    /// Requested capabilities, with no policy applied.
    InstallPolicy, row INSTALL_POLICY, body InstallPolicyBody,
    schema, accepted, artifact_digests, derived_from, document_digest, gate_statuses, installable, kind, owner, package, package_artifact,
    /// What the package asks for.
    policy: RequestedPolicy,
    /// The gates that an installation would take: all of them.
    requires: AllGates,
    ruleset, schema_version, signed, status, visibility,
}

fn body_of(basis: &Basis<'_, ()>) -> InstallPolicyBody {
    let manifest = &basis.package_artifact.manifest;
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
