//! Why nothing here can say yes.
//!
//! The three outcome flags have the type [`False`]: it has one value, writes `false` and reads nothing else. The
//! answer of the registry is built around a [`ClosedOutcome`], which has no other state. Standing is carried by
//! witnesses ([`crate::artifact::checked::Checked`], [`DigestMatches`]) whose fields are private to this crate, so
//! neither the command line nor the server can make one without the check having run.

use std::{borrow::Cow, fmt};

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Deserializer, Serialize, Serializer, de};
use svc_json::{digest::Digest, tree::Value};

use crate::words::{
    rule_code::RuleCode,
    wire::{ScalarSpec, WireScalar},
};

/// A flag that is `false`. There is no other value.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct False;

impl WireScalar for False {
    const SCALAR: ScalarSpec = ScalarSpec {
        name: "closed-flag",
        rule: |_| RuleCode::B006,
        expected: "the literal `false`",
        pattern: "",
        accepts: |value| *value == Value::Bool(false),
        words: &[],
    };
}

impl Serialize for False {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_bool(false)
    }
}

impl<'de> Deserialize<'de> for False {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct OnlyFalse;

        impl de::Visitor<'_> for OnlyFalse {
            type Value = False;

            fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
                formatter.write_str(False::SCALAR.expected)
            }

            fn visit_bool<E: de::Error>(self, flag: bool) -> Result<False, E> {
                if flag { Err(E::custom("an open claim")) } else { Ok(False) }
            }
        }

        deserializer.deserialize_bool(OnlyFalse)
    }
}

impl JsonSchema for False {
    fn schema_name() -> Cow<'static, str> {
        Self::SCALAR.name.into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({ "type": "boolean", "title": Self::SCALAR.name, "const": false })
    }
}

/// The outcome of every evaluation.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "closed-outcome")]
pub struct ClosedOutcome {
    /// Never accepted.
    pub accepted: False,
    /// Never installable.
    pub installable: False,
    /// Never signed.
    pub signed: False,
}

/// Proof that a declared digest was recomputed and found equal. Only [`DigestMatches::compare`] makes one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DigestMatches {
    digest: Digest,
}

impl DigestMatches {
    /// Compares in constant time.
    #[must_use]
    pub fn compare(declared: &Digest, recomputed: &Digest) -> Option<Self> {
        (declared == recomputed).then_some(Self { digest: *recomputed })
    }

    /// The digest both sides agree on.
    #[must_use]
    pub fn digest(&self) -> &Digest {
        &self.digest
    }
}
