//! A length or a count that JSON carries exactly.

use std::borrow::Cow;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Deserializer, Serialize, Serializer, de};
use svc_json::tree::Value;

use crate::words::{
    limits,
    rule_code::RuleCode,
    wire::{ScalarSpec, WireScalar},
};

/// A length in bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Size(u64);

impl Size {
    /// The largest number that JSON carries exactly.
    pub const MOST: Self = Self(limits::JSON_INTEGER as u64);

    /// A length, when JSON can carry it exactly.
    #[must_use]
    pub fn new(bytes: u64) -> Option<Self> {
        i64::try_from(bytes).is_ok_and(|bytes| bytes <= limits::JSON_INTEGER).then_some(Self(bytes))
    }

    /// A count that fits JSON; larger ones cannot occur below the limits and stop at the bound.
    #[must_use]
    pub fn bounded(count: u64) -> Self {
        Self::new(count).unwrap_or(Self::MOST)
    }

    /// The number of bytes.
    #[must_use]
    pub const fn get(self) -> u64 {
        self.0
    }
}

impl WireScalar for Size {
    const SCALAR: ScalarSpec = ScalarSpec {
        name: "size",
        rule: |_| RuleCode::B015,
        expected: "a number of bytes",
        pattern: "",
        accepts: |value| matches!(value, Value::Integer(number) if *number >= 0),
        words: &[],
    };
}

impl Serialize for Size {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_u64(self.0)
    }
}

impl<'de> Deserialize<'de> for Size {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Self::new(u64::deserialize(deserializer)?).ok_or_else(|| de::Error::custom("a size beyond 2^53−1"))
    }
}

impl JsonSchema for Size {
    fn schema_name() -> Cow<'static, str> {
        Self::SCALAR.name.into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({ "type": "integer", "title": Self::SCALAR.name, "minimum": 0, "maximum": limits::JSON_INTEGER })
    }
}
