//! The signing request: the statement that a host's signer could one day sign. It is not signed, and cannot be here.

use std::{borrow::Cow, fmt};

use data_encoding::BASE64;
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Deserializer, Serialize, Serializer, de, ser::SerializeSeq as _};
use svc_json::canonical;

use crate::{
    artifact::{
        about_package::Basis, acceptance_request::AcceptanceRequest, checked::Checked, define::define_artifact,
        derive::Derived, head::Visibility,
    },
    gates::GateStatuses,
    package::descriptor::DescriptorName,
    scalar::{
        ident::{OwnerId, PackageRef},
        ruleset_ref::RulesetRef,
    },
    string_newtype, wire_enum, wire_struct,
    words::limits,
};

wire_enum! {
    /// The type of an in-toto statement.
    pub enum StatementType("statement-type", B015) {
        /// Version 1.
        V1 = "https://in-toto.io/Statement/v1",
    }
}

wire_enum! {
    /// What the statement says about its subjects.
    pub enum PredicateType("predicate-type", B015) {
        /// A package went through the preflight, no more.
        PackagePreflight = "urn:svc:registry:package-preflight:v1",
    }
}

wire_enum! {
    /// The type of the envelope's payload.
    pub enum PayloadType("payload-type", B015) {
        /// An in-toto statement.
        InToto = "application/vnd.in-toto+json",
    }
}

string_newtype! {
    /// 64 lowercase hexadecimal digits, as in-toto writes digests.
    pub struct Hex {
        check: |text| text.len() == 64 && text.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f')),
        name: "hex",
        rule: B004,
        expected: "64 lowercase hexadecimal digits",
        pattern: "^[0-9a-f]{64}$",
        max_length: 64,
    }
}

string_newtype! {
    /// Bytes in standard base64.
    pub struct Base64 {
        check: is_base64,
        name: "base64",
        rule: B015,
        expected: "standard base64 with padding",
        pattern: "^[A-Za-z0-9+/]+={0,2}$",
        max_length: limits::JSON_STRING_BYTES,
    }
}

wire_struct! {
    /// An in-toto statement over the package's digests.
    Statement "statement" {
        /// The statement's type.
        #[serde(rename = "_type")]
        statement_type: StatementType,
        /// What is said.
        predicate: Predicate,
        /// What kind of thing is said.
        predicate_type: PredicateType,
        /// What it is said about.
        #[schemars(length(min = 2, max = 2))]
        subject: Vec<StatementSubject>,
    }
    /// What is said: who submitted what, by which rules, and that no gate is cleared.
    Predicate "predicate" {
        /// The status of every gate.
        gate_statuses: GateStatuses,
        /// Who submits.
        owner: OwnerRef,
        /// Which package.
        package: PackageRef,
        /// The rules.
        ruleset: RulesetRef,
        /// Who may see it one day.
        visibility: Visibility,
    }
    /// Who submits, by the account alone.
    OwnerRef "owner-ref" {
        /// The account.
        id: OwnerId,
    }
    /// One subject.
    StatementSubject "statement-subject" {
        /// Its digest.
        digest: DigestSet,
        /// The descriptor it stands for.
        name: DescriptorName,
    }
    /// Digests by algorithm: one.
    DigestSet "digest-set" {
        /// SHA-256.
        sha256: Hex,
    }
    /// A DSSE envelope without signatures.
    Envelope "envelope" {
        /// The statement's canonical form in base64.
        payload: Base64,
        /// What the payload is.
        payload_type: PayloadType,
        /// None.
        signatures: NoSignatures,
    }
}

/// The empty list: the only list of signatures that exists.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct NoSignatures;

impl Serialize for NoSignatures {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_seq(Some(0))?.end()
    }
}

impl<'de> Deserialize<'de> for NoSignatures {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Empty;

        impl<'de> de::Visitor<'de> for Empty {
            type Value = NoSignatures;

            fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
                formatter.write_str("an empty list")
            }

            fn visit_seq<A: de::SeqAccess<'de>>(self, mut elements: A) -> Result<NoSignatures, A::Error> {
                match elements.next_element::<de::IgnoredAny>()? {
                    None => Ok(NoSignatures),
                    Some(_) => Err(de::Error::custom("nothing is signed here")),
                }
            }
        }

        deserializer.deserialize_seq(Empty)
    }
}

impl JsonSchema for NoSignatures {
    fn schema_name() -> Cow<'static, str> {
        "no-signatures".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({ "type": "array", "title": "no-signatures", "const": [] })
    }
}

define_artifact! {
    /// Digests for a signer that the host controls.
    SigningRequest, row SIGNING_REQUEST, body SigningRequestBody,
    schema, accepted, artifact_digests, derived_from, document_digest,
    /// The statement in the shell of a DSSE envelope, unsigned.
    envelope: Envelope,
    gate_statuses, installable, kind, owner, package, package_artifact, ruleset, schema_version, signed,
    /// The statement.
    statement: Statement,
    status, visibility,
}

impl SigningRequest {
    /// What a signer would put its name to.
    #[must_use]
    pub fn statement(&self) -> &Statement {
        &self.statement
    }
}

fn body_of(basis: &Basis<'_, ()>) -> SigningRequestBody {
    let subject = basis.digests.iter().map(|descriptor| StatementSubject {
        digest: DigestSet { sha256: Hex(descriptor.digest.hex()) },
        name: descriptor.name,
    });
    let statement = Statement {
        statement_type: StatementType::V1,
        predicate: Predicate {
            gate_statuses: GateStatuses::now(),
            owner: OwnerRef { id: basis.owner.id.clone() },
            package: basis.package(),
            ruleset: basis.ruleset.clone(),
            visibility: basis.visibility,
        },
        predicate_type: PredicateType::PackagePreflight,
        subject: subject.collect(),
    };
    let payload = Base64(BASE64.encode(&canonical::to_bytes(&statement)));
    let envelope = Envelope { payload, payload_type: PayloadType::InToto, signatures: NoSignatures };
    SigningRequestBody { envelope, statement }
}

/// One text has one spelling: padding stands at the end, although the decoder would take several runs with theirs.
fn is_base64(text: &str) -> bool {
    !text.trim_end_matches('=').contains('=') && !text.is_empty() && BASE64.decode(text.as_bytes()).is_ok()
}

impl Derived for SigningRequest {
    type Parent = AcceptanceRequest;

    fn report_from(_: &Checked<AcceptanceRequest>) {}
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn base64_has_one_spelling() {
        for text in ["", "e30", "e31=", "e30=e30=", "e3==", "====", "e 30=", "e30=\n"] {
            assert!(Base64::parse(text).is_none(), "{text:?} was let in");
        }
        for text in ["e30=", "ew==", "AAAA"] {
            assert!(Base64::parse(text).is_some(), "{text:?} was refused");
        }
    }
}
