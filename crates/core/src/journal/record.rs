//! A record of the journal: one no, in the words that were answered.
//!
//! | member | when |
//! |---|---|
//! | `accepted` `installable` `signed` | always `false` |
//! | `kind` `schemaVersion` | always, constants |
//! | `answerDigest` | always: over the RFC 8785 form of the answer without its `receipt` |
//! | `sequence` `time` `operation` `outcome` `missingGates` `requestId` `ruleset` | always |
//! | `artifact` | denied: as checked; refused: as far as the document declares it in the right form, unchecked |
//! | `decisionId` | denied |
//! | `reviewed` | denied: what the answer is based on, of an index the least of its entries; never files |
//! | `probe` | the request was a probe of the verifier, and was let through as one |
//! | `problem` `bodyDigest` | refused; the digest is over the bytes as they came |
//!
//! A record is hashed and kept as its RFC 8785 form. Bodies are never kept, and nothing but a no has a form: the outcome
//! has two words, and both are noes. Nobody is named: who asked, and about which package, stands beside it
//! ([`crate::journal::attribution`]), because a log cannot be cleaned.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use svc_json::{canonical, digest::Digest, typed};

use crate::{
    closed::False,
    gates::{Evidenced, HashGateStatus as _, Unevidenced},
    journal::{
        scalars::{Count, OperationName, ProbeId, RequestId},
        timestamp::Timestamp,
    },
    scalar::any_problem_code::AnyProblemCode,
    wire_enum,
    words::{
        gate::Gate,
        kind::{ArtifactKind, SchemaVersion},
        problem_code::ProblemCode,
        review_depth::ClaimedDepth,
    },
};

/// The schema's URN.
pub const SCHEMA: &str = "urn:svc:registry:schema:journal-record:1.0";

/// The longest record. Every member is bounded, and this is above their sum.
pub const MOST_BYTES: usize = 4096;

/// The status of the refusals that are recorded.
pub(super) const RECORDED_STATUS: u16 = 422;

/// What records named before they were first published. Logs with them were never released, and are refused by name.
const UNRELEASED_MEMBERS: [&str; 3] = ["owner", "package", "token"];

wire_enum! {
    /// The kind of a record. No artifact has it, so that neither is ever read as the other.
    pub enum RecordKind("record-kind", B001) {
        /// The only one.
        Record = "svc-journal-record",
    }
}

wire_enum! {
    /// How a recorded request ended.
    pub enum Refusal("record-outcome", B006) {
        /// An evaluation was completed, and the answer was no.
        Denied = "denied",
        /// The artifact was read and refused.
        Refused = "refused",
    }
}

/// Which document a record is about. Both members are there when it was checked.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "recorded-artifact")]
pub struct RecordedArtifact {
    /// Its document digest.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub digest: Option<Digest>,
    /// Its kind.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub kind: Option<ArtifactKind>,
}

/// A record of the journal: one no.
// Fields are private: it is made from a decision or a refusal, or read back whole.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
#[schemars(rename = "svc-journal-record")]
pub struct Record {
    /// Never accepted.
    pub(super) accepted: False,
    /// SHA-256 over the RFC 8785 form of the answer without its receipt.
    pub(super) answer_digest: Digest,
    /// The document: as checked when denied, as far as it could be read when refused.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) artifact: Option<RecordedArtifact>,
    /// When refused: SHA-256 over the body as it came.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) body_digest: Option<Digest>,
    /// When denied: the id of the decision.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) decision_id: Option<Digest>,
    /// Never installable.
    pub(super) installable: False,
    /// The kind of document.
    pub(super) kind: RecordKind,
    /// The gates that are not cleared, in their order. Never empty.
    #[schemars(length(min = 5, max = 6))]
    pub(super) missing_gates: Vec<Gate>,
    /// The operation that was asked for.
    pub(super) operation: OperationName,
    /// How it ended. Both words are a no.
    pub(super) outcome: Refusal,
    /// The run of the verifier that asked, where it was one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) probe: Option<ProbeId>,
    /// When refused: the problem code.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) problem: Option<AnyProblemCode>,
    /// The id of the request.
    pub(super) request_id: RequestId,
    /// When denied: what the answer is based on. No registry is sent files, so there is no word for having read them.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) reviewed: Option<ClaimedDepth>,
    /// The digest of the registry's rules.
    pub(super) ruleset: Digest,
    /// The version of this schema.
    pub(super) schema_version: SchemaVersion,
    /// Its place in the log, from zero.
    pub(super) sequence: Count,
    /// Never signed.
    pub(super) signed: False,
    /// When it was recorded.
    pub(super) time: Timestamp,
}

impl Record {
    /// Reads a record from its canonical bytes. Anything else, and anything that is not a no, is `None`.
    #[must_use]
    pub fn parse(bytes: &[u8]) -> Option<Self> {
        let record: Self = typed::from_slice(bytes).ok().filter(|_| bytes.len() <= MOST_BYTES)?;
        (record.holds() && canonical::is_form_of(bytes, &record)).then_some(record)
    }

    /// Whether these bytes are a record of an older, unreleased form: one that names somebody, or a denial that does not say
    /// what it is based on.
    #[must_use]
    pub fn is_unreleased(bytes: &[u8]) -> bool {
        let Ok(mut members) = serde_json::from_slice::<serde_json::Map<String, serde_json::Value>>(bytes) else {
            return false;
        };
        let count = members.len();
        members.retain(|name, _| !UNRELEASED_MEMBERS.contains(&name.as_str()));
        let is_denial = members.get("outcome").and_then(serde_json::Value::as_str) == Some(Refusal::Denied.as_str());
        let is_unsaid = is_denial && !members.contains_key("reviewed");
        if is_unsaid {
            members.insert("reviewed".to_owned(), ClaimedDepth::AsClaimed.as_str().into());
        }
        (members.len() != count || is_unsaid) && Self::parse(&canonical::to_bytes(&members)).is_some()
    }

    /// Whether the members fit together, as the table above says.
    #[must_use]
    pub fn holds(&self) -> bool {
        match self.outcome {
            Refusal::Denied => {
                self.is_of_its_operation()
                    && self.decision_id.is_some()
                    && self.reviewed.is_some()
                    && self.problem.is_none()
                    && self.body_digest.is_none()
                    && self.missing_gates == Evidenced::missing()
            }
            Refusal::Refused => {
                self.problem.as_ref().is_some_and(is_recorded)
                    && self.body_digest.is_some()
                    && self.decision_id.is_none()
                    && self.reviewed.is_none()
                    && self.missing_gates == Unevidenced::missing()
            }
        }
    }

    /// Whether the document was checked, and is of the kind that the operation takes.
    fn is_of_its_operation(&self) -> bool {
        let Some(RecordedArtifact { digest: Some(_), kind: Some(kind) }) = &self.artifact else { return false };
        OperationName::of(kind.spec()) == Some(self.operation)
    }

    /// The RFC 8785 form: what is kept and hashed.
    #[must_use]
    pub fn to_bytes(&self) -> Vec<u8> {
        canonical::to_bytes(self)
    }

    /// Its place in the log, from zero.
    #[must_use]
    pub fn sequence(&self) -> u64 {
        self.sequence.get()
    }

    /// When it was put on record, by the clock of the machine that did.
    #[must_use]
    pub fn time(&self) -> Timestamp {
        self.time
    }

    /// The operation that was asked for.
    #[must_use]
    pub fn operation(&self) -> OperationName {
        self.operation
    }

    /// Which no it was.
    #[must_use]
    pub fn outcome(&self) -> Refusal {
        self.outcome
    }

    /// The digest of the whole answer, but for its receipt.
    #[must_use]
    pub fn answer_digest(&self) -> &Digest {
        &self.answer_digest
    }

    /// The document.
    #[must_use]
    pub fn artifact(&self) -> Option<&RecordedArtifact> {
        self.artifact.as_ref()
    }

    /// The digest of the bytes that were refused.
    #[must_use]
    pub fn body_digest(&self) -> Option<&Digest> {
        self.body_digest.as_ref()
    }

    /// The decision.
    #[must_use]
    pub fn decision_id(&self) -> Option<&Digest> {
        self.decision_id.as_ref()
    }

    /// The gates that were missing.
    #[must_use]
    pub fn missing_gates(&self) -> &[Gate] {
        &self.missing_gates
    }

    /// The run of the verifier that asked, where it was one.
    #[must_use]
    pub fn probe(&self) -> Option<&ProbeId> {
        self.probe.as_ref()
    }

    /// The problem, also one that only a later version knows.
    #[must_use]
    pub fn problem(&self) -> Option<&AnyProblemCode> {
        self.problem.as_ref()
    }

    /// The request.
    #[must_use]
    pub fn request_id(&self) -> &RequestId {
        &self.request_id
    }

    /// What a denial is based on.
    #[must_use]
    pub fn reviewed(&self) -> Option<ClaimedDepth> {
        self.reviewed
    }

    /// The rules that it was judged by.
    #[must_use]
    pub fn ruleset(&self) -> &Digest {
        &self.ruleset
    }
}

/// A code of a later version was recorded by a registry that knows it, under the one status that is recorded.
fn is_recorded(code: &AnyProblemCode) -> bool {
    code.known().is_none_or(is_recorded_problem)
}

/// Whether refusals with this problem are put on record.
pub(crate) fn is_recorded_problem(code: ProblemCode) -> bool {
    code.spec().status == RECORDED_STATUS
}
