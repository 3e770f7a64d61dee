//! What a webhook delivers: a range of the log, in order, with a signed state that covers it.
//!
//! | member | what |
//! |---|---|
//! | `type` | `registry.journal.records`, or `registry.test` for a trial |
//! | `timestamp` | when the range was first sent; the same in every try |
//! | `data.from` `data.to` | the range: from this index on, up to and without the other; it begins where the last one ended |
//! | `data.records` | the records of the range, each with its index and the type of its event |
//! | `data.filtered` | `true` when records of the range were left out on purpose; absent otherwise |
//! | `data.checkpoint` | the text of a signed state of the log, of `to` records or more |
//!
//! What is sent is the RFC 8785 form, so that a range has the same bytes however often it is sent.

use std::{borrow::Cow, fmt, ops::Range};

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Deserializer, Serialize, Serializer, de};
use svc_json::{canonical, typed};

use crate::{
    journal::{event::EventType, record::Record, scalars::Count, timestamp::Timestamp},
    string_newtype, wire_enum,
};

/// The schema's URN.
pub const SCHEMA: &str = "urn:svc:registry:schema:event-delivery:1.0";

/// The URN of the schema of a trial.
pub const TEST_SCHEMA: &str = "urn:svc:registry:schema:event-test:1.0";

/// The most records of one delivery.
pub const MOST_RECORDS: usize = 256;

/// The longest text of a signed state: a note with the cosignatures of many witnesses is far below.
pub const MOST_CHECKPOINT_BYTES: usize = 16 * 1024;

string_newtype! {
    /// The name that an operator gives an endpoint.
    pub struct EndpointName {
        check: |text| (1..=64).contains(&text.len())
            && text.bytes().all(|byte| matches!(byte, b'a'..=b'z' | b'0'..=b'9' | b'-'))
            && !text.starts_with('-') && !text.ends_with('-'),
        name: "endpoint-name",
        rule: B015,
        expected: "1 to 64 lowercase letters, digits and hyphens, with no hyphen at either end",
        pattern: "^[0-9a-z]([0-9a-z-]*[0-9a-z])?$",
        max_length: 64,
    }
}

wire_enum! {
    /// The type of a delivery.
    pub enum DeliveryType("delivery-type", B006) {
        /// Records of the log.
        Records = "registry.journal.records",
    }
}

wire_enum! {
    /// The type of a trial.
    pub enum TestType("delivery-test-type", B006) {
        /// The only one.
        Test = "registry.test",
    }
}

/// Says that records of a range were left out. It has no other value, and is absent when none were.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LeftOut;

impl Serialize for LeftOut {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_bool(true)
    }
}

impl<'de> Deserialize<'de> for LeftOut {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct OnlyPresent;

        impl de::Visitor<'_> for OnlyPresent {
            type Value = LeftOut;

            fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
                formatter.write_str("the literal `true`, or nothing")
            }

            fn visit_bool<E: de::Error>(self, flag: bool) -> Result<LeftOut, E> {
                if flag { Ok(LeftOut) } else { Err(E::custom("absent instead of false")) }
            }
        }

        deserializer.deserialize_bool(OnlyPresent)
    }
}

impl JsonSchema for LeftOut {
    fn schema_name() -> Cow<'static, str> {
        "left-out-flag".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({ "type": "boolean", "title": "left-out-flag", "const": true })
    }
}

/// A record as it is delivered.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "delivered-record")]
pub struct DeliveredRecord {
    /// Its place in the log, which is the id of the event.
    pub index: Count,
    /// The record, as the log has it.
    pub record: Record,
    /// The type of its event.
    pub r#type: EventType,
}

impl DeliveredRecord {
    /// A record of the log. Index and type are its own.
    #[must_use]
    pub fn new(record: Record) -> Self {
        Self { index: record.sequence, r#type: EventType::of(&record), record }
    }
}

/// A range of the log.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "delivered-range")]
pub struct DeliveredRange {
    /// A signed state of the log that covers the range.
    #[schemars(length(min = 1, max = 16384))]
    checkpoint: String,
    /// Whether records of the range were left out.
    #[serde(skip_serializing_if = "Option::is_none")]
    filtered: Option<LeftOut>,
    /// The index that the range begins with.
    from: Count,
    /// The records, in order.
    #[schemars(length(max = 256))]
    records: Vec<DeliveredRecord>,
    /// The index after the last one of the range.
    to: Count,
}

/// What a webhook delivers.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "event-delivery")]
pub struct EventDelivery {
    data: DeliveredRange,
    /// When the range was first sent.
    timestamp: Timestamp,
    /// The type of the delivery.
    r#type: DeliveryType,
}

impl EventDelivery {
    /// A range with its records: all of them, or those that were not left out. `None` when they are not records of the range
    /// in order, or too many.
    #[must_use]
    pub fn new(
        range: &Range<u64>,
        records: Vec<DeliveredRecord>,
        filtered: Option<LeftOut>,
        checkpoint: String,
        timestamp: Timestamp,
    ) -> Option<Self> {
        let (from, to) = (Count::new(range.start)?, Count::new(range.end)?);
        let data = DeliveredRange { checkpoint, filtered, from, records, to };
        Some(Self { data, timestamp, r#type: DeliveryType::Records }).filter(Self::holds)
    }

    /// Reads a delivery from its bytes. Anything else, and a range that is not whole, is `None`.
    #[must_use]
    pub fn parse(bytes: &[u8]) -> Option<Self> {
        let delivery: Self = typed::from_slice(bytes).ok()?;
        (delivery.holds() && canonical::is_form_of(bytes, &delivery)).then_some(delivery)
    }

    /// The RFC 8785 form: what is sent.
    #[must_use]
    pub fn to_bytes(&self) -> Vec<u8> {
        canonical::to_bytes(self)
    }

    /// The range.
    #[must_use]
    pub fn range(&self) -> Range<u64> {
        self.data.from.get()..self.data.to.get()
    }

    /// Its records.
    #[must_use]
    pub fn records(&self) -> &[DeliveredRecord] {
        &self.data.records
    }

    /// The text of the signed state.
    #[must_use]
    pub fn checkpoint(&self) -> &str {
        &self.data.checkpoint
    }

    /// Whether records of the range were left out on purpose.
    #[must_use]
    pub fn is_filtered(&self) -> bool {
        self.data.filtered.is_some()
    }

    fn holds(&self) -> bool {
        let (range, records) = (self.range(), &self.data.records);
        let is_record = |each: &DeliveredRecord| {
            each.record.holds()
                && each.record.sequence() == each.index.get()
                && each.r#type == EventType::of(&each.record)
                && range.contains(&each.index.get())
        };
        let in_order = records.iter().zip(records.iter().skip(1)).all(|(one, next)| one.index < next.index);
        let is_whole = self.is_filtered() || records.len() as u64 == range.end.saturating_sub(range.start);
        range.start < range.end
            && records.len() <= MOST_RECORDS
            && (1..=MOST_CHECKPOINT_BYTES).contains(&self.data.checkpoint.len())
            && records.iter().all(is_record)
            && in_order
            && is_whole
    }
}

/// Which endpoint is tried.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "tested-endpoint")]
pub struct TestedEndpoint {
    /// The name that its operator gave it.
    endpoint: EndpointName,
}

/// A trial delivery. It holds no record.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "event-test")]
pub struct TestDelivery {
    data: TestedEndpoint,
    /// When it was sent.
    timestamp: Timestamp,
    /// The type of the delivery.
    r#type: TestType,
}

impl TestDelivery {
    /// A trial of an endpoint.
    #[must_use]
    pub fn new(endpoint: EndpointName, timestamp: Timestamp) -> Self {
        Self { data: TestedEndpoint { endpoint }, timestamp, r#type: TestType::Test }
    }

    /// The RFC 8785 form: what is sent.
    #[must_use]
    pub fn to_bytes(&self) -> Vec<u8> {
        canonical::to_bytes(self)
    }
}
