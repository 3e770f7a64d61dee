//! The six gates between a package and an installation, and the one word each has now.
//!
//! Five of them have no word for "done": a gate that moves on one day is a new schema major, never a new word here.

use std::{borrow::Cow, fmt, marker::PhantomData};

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Deserializer, Serialize, Serializer, de, ser::SerializeMap};

use crate::{
    leaf::{IsLeaf, Leaf},
    rules::artifacts,
    strict_json::tree::Value,
    words,
};

words! {
    /// Who can clear a gate or a blocker.
    pub enum Clearer("clearer", artifacts::B015) {
        /// The author of the package.
        Author = "author",
        /// The registry.
        Registry = "registry",
        /// The host application.
        Host = "host",
    }
}

/// The facts of one gate.
#[derive(Clone, Copy, Debug)]
pub struct GateSpec {
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
        words! {
            /// A gate.
            pub enum Gate("gate", artifacts::B007) {
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

/// What a completed evaluation or a refused one says about the artifact hash. There are two, and nobody adds a third.
pub trait HashStanding: sealed::Sealed {
    /// The word of the artifact hash gate.
    const WORD: &'static str;
    /// The gates that are missing then.
    fn missing() -> Vec<Gate>;
}

/// The digests recomputed and matched.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Evidenced {}

/// Nothing was shown: every gate is missing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unevidenced {}

mod sealed {
    /// Out of reach for other crates, and with it the implementation of the trait above it.
    pub trait Sealed {}
    impl Sealed for super::Evidenced {}
    impl Sealed for super::Unevidenced {}
}

impl HashStanding for Evidenced {
    const WORD: &'static str = Gate::ArtifactHash.spec().status;

    fn missing() -> Vec<Gate> {
        Gate::ALL.iter().copied().filter(|gate| !gate.can_be_evidenced()).collect()
    }
}

impl HashStanding for Unevidenced {
    const WORD: &'static str = "unevidenced";

    fn missing() -> Vec<Gate> {
        Gate::ALL.to_vec()
    }
}

/// The status of every gate, an object of gate id to word. Five words are constants; the sixth is its type.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct GateStatuses<H = Evidenced>(PhantomData<H>);

impl<H: HashStanding> GateStatuses<H> {
    /// The only value.
    #[must_use]
    pub const fn now() -> Self {
        Self(PhantomData)
    }

    /// The word of a gate.
    #[must_use]
    pub fn word(self, gate: Gate) -> &'static str {
        if gate.can_be_evidenced() { H::WORD } else { gate.spec().status }
    }

    /// The gates that are still missing, in table order. Never empty.
    #[must_use]
    pub fn missing(self) -> Vec<Gate> {
        H::missing()
    }
}

impl<H: HashStanding> Serialize for GateStatuses<H> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let gates = Gate::in_member_order();
        let mut map = serializer.serialize_map(Some(gates.len()))?;
        for gate in gates {
            map.serialize_entry(gate.as_str(), Self::now().word(gate))?;
        }
        map.end()
    }
}

impl<'de, H: HashStanding> Deserialize<'de> for GateStatuses<H> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_map(ExactGates(PhantomData))
    }
}

struct ExactGates<H>(PhantomData<H>);

impl<'de, H: HashStanding> de::Visitor<'de> for ExactGates<H> {
    type Value = GateStatuses<H>;

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("every gate with its word")
    }

    fn visit_map<A: de::MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
        let mut seen = 0;
        while let Some(gate) = map.next_key::<Gate>()? {
            let word: Cow<'_, str> = map.next_value()?;
            if word != GateStatuses::<H>::now().word(gate) {
                return Err(de::Error::custom(format_args!("gate {gate} has another word")));
            }
            seen += 1;
        }
        // The reader refuses a key twice, so equal counts mean equal sets.
        if seen == Gate::ALL.len() { Ok(GateStatuses::now()) } else { Err(de::Error::custom("a gate is missing")) }
    }
}

impl<H: HashStanding> JsonSchema for GateStatuses<H> {
    fn schema_name() -> Cow<'static, str> {
        format!("gate-statuses-{}", H::WORD).into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        let members: serde_json::Map<String, serde_json::Value> = Gate::ALL
            .iter()
            .map(|&gate| (gate.to_string(), serde_json::json!({ "const": Self::now().word(gate) })))
            .collect();
        json_schema!({
            "type": "object", "title": "gate-statuses", "properties": members,
            "required": Gate::WORDS, "additionalProperties": false,
        })
    }
}

/// A list that names every gate, in table order. Nothing else parses.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct AllGates;

impl IsLeaf for AllGates {
    const LEAF: Leaf = Leaf {
        name: "all-gates",
        rule: |_| &artifacts::B007,
        expected: "every gate, in order",
        pattern: "",
        accepts: |value| match value {
            Value::Array(gates) => gates.iter().map(|gate| gate.as_str()).eq(Gate::WORDS.iter().copied().map(Some)),
            Value::Null
            | Value::Bool(_)
            | Value::Integer(_)
            | Value::RefusedNumber
            | Value::String(_)
            | Value::Object(_) => false,
        },
        words: &[],
    };
}

impl Serialize for AllGates {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(Gate::ALL)
    }
}

impl<'de> Deserialize<'de> for AllGates {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let gates = Vec::<Gate>::deserialize(deserializer)?;
        if gates == Gate::ALL { Ok(Self) } else { Err(de::Error::custom("not every gate in order")) }
    }
}

impl JsonSchema for AllGates {
    fn schema_name() -> Cow<'static, str> {
        Self::LEAF.name.into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({ "type": "array", "title": Self::LEAF.name, "const": Gate::WORDS })
    }
}
