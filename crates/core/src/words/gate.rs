//! The six gates between a package and an installation, and the one word each has now.
//!
//! Five of them have no word for "done": a gate that moves on one day is a new schema major, never a new word here.

use crate::wire_enum;

wire_enum! {
    /// Who can clear a gate or a blocker.
    pub enum Clearer("clearer", B015) {
        /// The author of the package.
        Author = "author",
        /// The registry.
        Registry = "registry",
        /// The host application.
        Host = "host",
    }
}

wire_enum! {
    /// The word of a gate that nothing here clears.
    pub enum GateWord("gate-word", B007) {
        /// Nobody checked the publisher.
        Unverified = "unverified",
        /// Nobody keeps the evidence.
        Unstored = "unstored",
        /// Nobody signed.
        Unsigned = "unsigned",
        /// Nobody applied a policy.
        NotApplied = "not-applied",
        /// Nobody keeps it apart.
        NotIsolated = "not-isolated",
    }
}

/// The facts of one gate.
#[derive(Clone, Copy, Debug)]
pub struct GateSpec {
    /// The name for people.
    pub label: &'static str,
    /// The status word in artifacts, the ledger and completed evaluations.
    pub status: &'static str,
    /// How the local ledger describes the gate (seed 2.3).
    pub local_status: &'static str,
    /// What a host would need to see.
    pub evidence: &'static str,
    /// What in code and artifacts shows the status.
    pub shown_by: &'static [&'static str],
    /// What is still missing.
    pub missing: &'static str,
    /// Who clears it, for the reader.
    pub cleared_by: &'static str,
    /// Who is named in a blocker.
    pub owner: Clearer,
}

macro_rules! gates {
    ($($(#[$meta:meta])* $variant:ident = $id:literal { $($fact:tt)* })+) => {
        wire_enum! {
            /// A gate.
            pub enum Gate("gate", B007) {
                $($(#[$meta])* $variant = $id,)+
            }
        }

        impl Gate {
            /// The gate's row.
            #[must_use]
            pub const fn spec(self) -> &'static GateSpec {
                match self {
                    $(Self::$variant => &GateSpec { $($fact)* },)+
                }
            }
        }
    };
}

gates! {
    /// Digests that recompute. The only gate that evidence in a file can satisfy.
    ArtifactHash = "artifact-hash" {
        label: "Artifact hash",
        status: "evidenced",
        local_status: "evidenced",
        evidence: "digests that recompute",
        shown_by: &["/artifactDigests", "/documentDigest", "recomputation of every digest by every route"],
        missing: "nothing for the file table and the manifest; the registry never saw the files themselves",
        cleared_by: "author and registry",
        owner: Clearer::Author,
    }
    /// Proof of the publisher's identity.
    PublisherVerification = "publisher-verification" {
        label: "Publisher verification",
        status: "unverified",
        local_status: "declared",
        evidence: "proof that the declared publisher controls the namespace",
        shown_by: &["/publisher", "/proofs"],
        missing: "a registry that checks one of the prepared proofs",
        cleared_by: "registry",
        owner: Clearer::Registry,
    }
    /// Review evidence kept by the registry.
    ReviewStorage = "review-storage" {
        label: "Review storage",
        status: "unstored",
        local_status: "prepared",
        evidence: "review evidence stored by the registry",
        shown_by: &["/reviewReport", "/storage/key"],
        missing: "a registry that stores the prepared evidence under its content address",
        cleared_by: "registry",
        owner: Clearer::Registry,
    }
    /// A signature over the package digests.
    ArtifactSigning = "artifact-signing" {
        label: "Artifact signing",
        status: "unsigned",
        local_status: "prepared",
        evidence: "a signature by the signer that the host controls",
        shown_by: &["/statement", "/envelope/signatures"],
        missing: "a signer controlled by the host; the list of signatures is empty",
        cleared_by: "host",
        owner: Clearer::Host,
    }
    /// A host policy that allows the package.
    HostInstallPolicy = "host-install-policy" {
        label: "Host install policy",
        status: "not-applied",
        local_status: "planned",
        evidence: "a host policy that allows the requested capabilities",
        shown_by: &["/policy", "/requires"],
        missing: "a host that applies a policy to the requested capabilities",
        cleared_by: "host",
        owner: Clearer::Host,
    }
    /// A renderer that keeps the package apart from the host.
    RendererIsolation = "renderer-isolation" {
        label: "Renderer isolation",
        status: "not-isolated",
        local_status: "planned",
        evidence: "an isolated renderer",
        shown_by: &["/policy/isolation"],
        missing: "a host that runs the renderer in isolation",
        cleared_by: "host",
        owner: Clearer::Host,
    }
}

impl Gate {
    /// Whether evidence inside a file can satisfy the gate. It is so for the artifact hash alone.
    #[must_use]
    pub const fn can_be_evidenced(self) -> bool {
        matches!(self, Self::ArtifactHash)
    }

    /// The gates in the member order of RFC 8785.
    #[must_use]
    pub fn in_member_order() -> Vec<Self> {
        let mut gates = Self::ALL.to_vec();
        gates.sort_by_key(|gate| gate.as_str());
        gates
    }
}
