//! A record of the journal: one no, in the words that were answered.
//!
//! | member | when |
//! |---|---|
//! | `accepted` `installable` `signed` | always `false` |
//! | `kind` `schemaVersion` | always, constants |
//! | `sequence` `time` `operation` `outcome` `missingGates` `requestId` `ruleset` | always |
//! | `token` | when a token was needed |
//! | `artifact` | denied: as checked; refused: as far as the document declares it in the right form, unchecked |
//! | `package` `owner` | as `artifact`; an index has many, so none is named |
//! | `decisionId` | denied |
//! | `problem` `bodyDigest` | refused; the digest is over the bytes as they came |
//!
//! A record is hashed and kept as its RFC 8785 form. Bodies are never kept, and nothing but a no has a form: the outcome
//! has two words, and both are noes.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

pub use super::forms::{Count, OperationName, RequestId, TokenName};
use super::timestamp::Timestamp;
use crate::{
    artifact::{
        head::{ArtifactKind, PackageRef, SchemaVersion},
        table::ArtifactSpec,
    },
    canonical_json::{
        self,
        gap::{Gap, Unfilled},
        written::Written,
    },
    decision::Decision,
    digest::Digest,
    fail_closed::False,
    finding::{self, Finding},
    gate::{Evidenced, Gate, HashStanding as _, Unevidenced},
    ident::{OwnerId, PackageId, Version},
    problem::ProblemCode,
    rules::{artifacts, ruleset::RulesetRef},
    strict_json::{
        tree::{self, Node},
        typed,
    },
    words,
};

/// The schema's URN.
pub const SCHEMA: &str = "urn:svc:registry:schema:journal-record:1.0";

/// The longest record. Every member is bounded, and this is above their sum.
pub const MOST_BYTES: usize = 4096;

/// Room for nearly every record.
const ROOM: usize = 2048;

/// The status of the refusals that are recorded.
const RECORDED_STATUS: u16 = 422;

words! {
    /// The kind of a record. No artifact has it, so that neither is ever read as the other.
    pub enum RecordKind("record-kind", artifacts::B001) {
        /// The only one.
        Record = "svc-journal-record",
    }
}

words! {
    /// How a recorded request ended.
    pub enum Refusal("record-outcome", artifacts::B006) {
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

/// A record. Fields are private: it is made from a decision or a refusal, or read back whole.
// Its place and its time are known last.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
#[schemars(rename = "svc-journal-record")]
pub struct Record<P = Count, T = Timestamp> {
    accepted: False,
    #[serde(skip_serializing_if = "Option::is_none")]
    artifact: Option<RecordedArtifact>,
    #[serde(skip_serializing_if = "Option::is_none")]
    body_digest: Option<Digest>,
    #[serde(skip_serializing_if = "Option::is_none")]
    decision_id: Option<Digest>,
    installable: False,
    kind: RecordKind,
    #[schemars(length(min = 5, max = 6))]
    missing_gates: Vec<Gate>,
    operation: OperationName,
    outcome: Refusal,
    #[serde(skip_serializing_if = "Option::is_none")]
    owner: Option<OwnerId>,
    #[serde(skip_serializing_if = "Option::is_none")]
    package: Option<PackageRef>,
    #[serde(skip_serializing_if = "Option::is_none")]
    problem: Option<ProblemCode>,
    request_id: RequestId,
    ruleset: Digest,
    schema_version: SchemaVersion,
    sequence: P,
    signed: False,
    time: T,
    #[serde(skip_serializing_if = "Option::is_none")]
    token: Option<TokenName>,
}

/// A record that has no place in the log yet, written around its place and its time.
#[derive(Clone, Debug)]
pub struct Draft(Unfilled<2>);

type Placeless = Record<Gap, Gap>;

/// Who asked, and under which name.
#[derive(Clone, Debug)]
pub struct Asker {
    /// The request.
    pub request: RequestId,
    /// The token, when one was needed.
    pub token: Option<TokenName>,
}

impl Draft {
    /// The record of a decision.
    #[must_use]
    pub fn denied(decision: &Decision, asker: Asker) -> Option<Self> {
        let mut record = Placeless::blank(OperationName::parse(decision.operation())?, asker);
        let artifact = decision.artifact();
        record.artifact = Some(RecordedArtifact { digest: Some(artifact.digest), kind: Some(artifact.kind) });
        record.decision_id = Some(*decision.id()?);
        record.missing_gates = Evidenced::missing();
        record.outcome = Refusal::Denied;
        record.owner = decision.owner().cloned();
        record.package = decision.package().cloned();
        Unfilled::of(&record, ROOM).map(Self)
    }

    /// The record of a refused document. `None` for refusals that are only counted.
    #[must_use]
    pub fn refused(spec: &ArtifactSpec, body: &[u8], findings: &[Finding], asker: Asker) -> Option<Self> {
        let problem = finding::problem_code(findings).filter(|code| code.spec().status == RECORDED_STATUS)?;
        let mut record = Placeless::blank(OperationName::of(spec)?, asker);
        record.body_digest = Some(Digest::of(body));
        record.problem = Some(problem);
        if let Ok(document) = tree::read(body) {
            record.claim(&document.root);
        }
        Unfilled::of(&record, ROOM).map(Self)
    }

    /// The record at its place: what is kept and hashed.
    #[must_use]
    pub fn place(&self, sequence: Count, time: Timestamp) -> Written {
        let record = self.0.fill(&sequence, &time);
        debug_assert!(Record::parse(record.as_bytes()).is_some(), "what is read back is what was written");
        record
    }
}

impl Placeless {
    /// The refusal of everything, of a request.
    fn blank(operation: OperationName, asker: Asker) -> Self {
        Self {
            accepted: False,
            artifact: None,
            body_digest: None,
            decision_id: None,
            installable: False,
            kind: RecordKind::Record,
            missing_gates: Unevidenced::missing(),
            operation,
            outcome: Refusal::Refused,
            owner: None,
            package: None,
            problem: None,
            request_id: asker.request,
            ruleset: RulesetRef::own().digest,
            schema_version: SchemaVersion::V1_0,
            sequence: Gap,
            signed: False,
            time: Gap,
            token: asker.token,
        }
    }

    /// Takes down what a refused document says of itself, where it has the right form. None of it was checked.
    fn claim(&mut self, root: &Node<'_>) {
        let text = |node: Option<&Node<'_>>, member: &str| Some(node?.get(member)?.as_str()?.to_owned());
        let digest = text(Some(root), "documentDigest").and_then(|text| Digest::parse(&text));
        let kind = text(Some(root), "kind").and_then(|text| ArtifactKind::parse(&text));
        self.artifact = (digest.is_some() || kind.is_some()).then_some(RecordedArtifact { digest, kind });
        self.owner = text(root.get("owner"), "id").and_then(|text| OwnerId::parse(&text));
        let id = text(root.get("package"), "id").and_then(|text| PackageId::parse(&text));
        let version = text(root.get("package"), "version").and_then(|text| Version::parse(&text));
        self.package = id.zip(version).map(|(id, version)| PackageRef { id, version });
    }
}

impl Record {
    /// Reads a record from its canonical bytes. Anything else, and anything that is not a no, is `None`.
    #[must_use]
    pub fn parse(bytes: &[u8]) -> Option<Self> {
        let record: Self = typed::from_slice(bytes).ok().filter(|_| bytes.len() <= MOST_BYTES)?;
        (record.holds() && canonical_json::is_form_of(bytes, &record)).then_some(record)
    }

    /// Whether the members fit together, as the table above says.
    #[must_use]
    pub fn holds(&self) -> bool {
        match self.outcome {
            Refusal::Denied => {
                let checked = self.artifact.as_ref().is_some_and(|it| it.digest.is_some() && it.kind.is_some());
                checked
                    && self.decision_id.is_some()
                    && self.problem.is_none()
                    && self.body_digest.is_none()
                    && self.missing_gates == Evidenced::missing()
            }
            Refusal::Refused => {
                self.problem.is_some_and(|code| code.spec().status == RECORDED_STATUS)
                    && self.body_digest.is_some()
                    && self.decision_id.is_none()
                    && self.missing_gates == Unevidenced::missing()
            }
        }
    }

    /// The RFC 8785 form: what is kept and hashed.
    #[must_use]
    pub fn to_bytes(&self) -> Vec<u8> {
        canonical_json::to_bytes(self)
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

    /// The owner.
    #[must_use]
    pub fn owner(&self) -> Option<&OwnerId> {
        self.owner.as_ref()
    }

    /// The package.
    #[must_use]
    pub fn package(&self) -> Option<&PackageRef> {
        self.package.as_ref()
    }

    /// The problem.
    #[must_use]
    pub fn problem(&self) -> Option<ProblemCode> {
        self.problem
    }

    /// The request.
    #[must_use]
    pub fn request_id(&self) -> &RequestId {
        &self.request_id
    }

    /// The rules that it was judged by.
    #[must_use]
    pub fn ruleset(&self) -> &Digest {
        &self.ruleset
    }

    /// The token that was used.
    #[must_use]
    pub fn token(&self) -> Option<&TokenName> {
        self.token.as_ref()
    }
}
