//! The leaves of records: names and numbers with a form.

use std::{borrow::Cow, fmt};

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Deserializer, Serialize, Serializer, de};
use svc_json::characters::refused;

use crate::{
    string_newtype, wire_string,
    words::{
        kind::{self, ArtifactSpec},
        limits,
    },
};

string_newtype! {
    /// The name of a request.
    pub struct RequestId {
        check: |text| (1..=64).contains(&text.len()) && text.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-'),
        name: "request-id",
        rule: B015,
        expected: "1 to 64 letters, digits and hyphens",
        pattern: "^[0-9A-Za-z-]+$",
        max_length: 64,
    }
}

/// The header that marks a probe, with the name of the run that it belongs to.
pub const PROBE_HEADER: &str = "svc-probe";

string_newtype! {
    /// The name of a run of the verifier, as its probes carry it.
    pub struct ProbeId {
        check: |text| text.len() == 32 && text.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f')),
        name: "probe-id",
        rule: B015,
        expected: "32 lowercase hexadecimal digits",
        pattern: "^[0-9a-f]{32}$",
        max_length: 32,
    }
}

string_newtype! {
    /// The name of a token, never the token.
    pub struct TokenName {
        check: |text| (1..=128).contains(&text.chars().count()) && !text.chars().any(is_unfit),
        name: "token-name",
        rule: B015,
        expected: "1 to 128 characters that show",
        pattern: "^.+$",
        max_length: 128,
    }
}

impl TokenName {
    /// The name as far as it can be written down: what does not show becomes a question mark.
    #[must_use]
    pub fn fit(text: &str) -> Option<Self> {
        let shown: String = text.chars().take(128).map(|each| if is_unfit(each) { '?' } else { each }).collect();
        Self::parse(&shown)
    }
}

fn is_unfit(character: char) -> bool {
    character.is_control() || refused(character).is_some()
}

/// A number of records, or the place of one: JSON carries it exactly.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Count(u64);

impl Count {
    /// A number, when JSON can carry it exactly.
    #[must_use]
    pub fn new(number: u64) -> Option<Self> {
        (number <= limits::JSON_INTEGER.unsigned_abs()).then_some(Self(number))
    }

    /// The number.
    #[must_use]
    pub const fn get(self) -> u64 {
        self.0
    }
}

impl Serialize for Count {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_u64(self.0)
    }
}

impl<'de> Deserialize<'de> for Count {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Self::new(u64::deserialize(deserializer)?).ok_or_else(|| de::Error::custom("a number beyond 2^53−1"))
    }
}

impl JsonSchema for Count {
    fn schema_name() -> Cow<'static, str> {
        "count".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({ "type": "integer", "title": "count", "minimum": 0, "maximum": limits::JSON_INTEGER })
    }
}

/// The operation of one of the six endpoints.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct OperationName(&'static str);

impl OperationName {
    /// The operation of a kind; the submission has none.
    #[must_use]
    pub fn of(spec: &ArtifactSpec) -> Option<Self> {
        spec.endpoint.map(|endpoint| Self(endpoint.operation))
    }

    /// Reads the word.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        kind::ALL.iter().filter_map(|spec| Self::of(spec)).find(|operation| operation.0 == text)
    }

    pub(crate) fn with_text<T>(&self, use_text: impl FnOnce(&str) -> T) -> T {
        use_text(self.0)
    }
}

impl fmt::Display for OperationName {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.0)
    }
}

wire_string! {
    OperationName {
        name: "operation",
        rule: B015,
        expected: "the operation of an endpoint",
        pattern: "^[a-z]+(-[a-z]+)*$",
        max_length: 64,
    }
}
