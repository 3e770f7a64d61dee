//! The status of every gate in artifacts and answers: each has one word, and none of them means done.

use std::{borrow::Cow, fmt, marker::PhantomData};

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Deserializer, Serialize, Serializer, de, ser::SerializeMap as _};
use svc_json::tree::Value;

use crate::words::{
    gate::Gate,
    rule_code::RuleCode,
    wire::{ScalarSpec, WireScalar},
};

/// What a completed evaluation or a refused one says about the artifact hash. There are two, and nobody adds a third.
pub trait HashGateStatus: sealed::Sealed {
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

impl HashGateStatus for Evidenced {
    const WORD: &'static str = Gate::ArtifactHash.spec().status;

    fn missing() -> Vec<Gate> {
        Gate::ALL.iter().copied().filter(|gate| !gate.can_be_evidenced()).collect()
    }
}

impl HashGateStatus for Unevidenced {
    const WORD: &'static str = "unevidenced";

    fn missing() -> Vec<Gate> {
        Gate::ALL.to_vec()
    }
}

/// The status of every gate, an object of gate id to word. Five words are constants; the sixth is its type.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct GateStatuses<H = Evidenced>(PhantomData<H>);

impl<H: HashGateStatus> GateStatuses<H> {
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

/// Every word that an answer can have for a gate: a completed evaluation's, then a refusal's where it is another.
#[must_use]
pub fn words(gate: Gate) -> Vec<&'static str> {
    let mut words = vec![GateStatuses::<Evidenced>::now().word(gate), GateStatuses::<Unevidenced>::now().word(gate)];
    words.dedup();
    words
}

impl<H: HashGateStatus> Serialize for GateStatuses<H> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let gates = Gate::in_member_order();
        let mut map = serializer.serialize_map(Some(gates.len()))?;
        for gate in gates {
            map.serialize_entry(gate.as_str(), Self::now().word(gate))?;
        }
        map.end()
    }
}

impl<'de, H: HashGateStatus> Deserialize<'de> for GateStatuses<H> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_map(ExactGates(PhantomData))
    }
}

struct ExactGates<H>(PhantomData<H>);

impl<'de, H: HashGateStatus> de::Visitor<'de> for ExactGates<H> {
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

impl<H: HashGateStatus> JsonSchema for GateStatuses<H> {
    fn schema_name() -> Cow<'static, str> {
        format!("gate-statuses-{}", H::WORD).into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        let members: serde_json::Map<String, serde_json::Value> = Gate::ALL
            .iter()
            .map(|&gate| (gate.to_string(), serde_json::json!({ "type": "string", "const": Self::now().word(gate) })))
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

impl WireScalar for AllGates {
    const SCALAR: ScalarSpec = ScalarSpec {
        name: "all-gates",
        rule: |_| RuleCode::B007,
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
        Self::SCALAR.name.into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({ "type": "array", "title": Self::SCALAR.name, "const": Gate::WORDS })
    }
}
