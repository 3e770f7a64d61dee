//! From an answer to the record that stands before it.

use svc_json::{
    canonical,
    digest::Digest,
    tree::{self, Node},
};

use crate::{
    closed::False,
    decision::Decision,
    gates::{Evidenced, HashStanding, Unevidenced},
    journal::{
        record::{RECORDED_STATUS, Record, RecordKind, RecordedArtifact, Refusal},
        scalars::{Count, OperationName, RequestId, TokenName},
        timestamp::Timestamp,
    },
    problem::Problem,
    rules::ruleset,
    scalar::ident::{OwnerId, PackageId, PackageRef, Version},
    words::kind::{ArtifactKind, ArtifactSpec, SchemaVersion},
};

/// A record that has no place in the log yet. Its place and its time are known last, and nobody reads them before.
#[derive(Clone, Debug)]
pub struct RecordDraft(Record);

/// Who asked, and under which name.
#[derive(Clone, Debug)]
pub struct RequestIdentity {
    /// The request.
    pub request: RequestId,
    /// The token, when one was needed.
    pub token: Option<TokenName>,
}

impl RecordDraft {
    /// The record of a decision, as it is answered but for its receipt. `None` for the answer to another request.
    #[must_use]
    pub fn denied(decision: &Decision, by: RequestIdentity) -> Option<Self> {
        decision.request_id().filter(|id| *id == by.request.as_str())?;
        let answer = canonical::digest(decision).0;
        let mut record = blank(OperationName::parse(decision.operation())?, answer, by);
        let artifact = decision.artifact();
        record.artifact = Some(RecordedArtifact { digest: Some(artifact.digest), kind: Some(artifact.kind) });
        record.decision_id = Some(*decision.id()?);
        record.missing_gates = Evidenced::missing();
        record.outcome = Refusal::Denied;
        record.owner = decision.owner().cloned();
        record.package = decision.package().cloned();
        Some(Self(record))
    }

    /// The record of a refused document, as that is answered but for its receipt. `None` for refusals that are only
    /// counted, and for the answer to another request.
    #[must_use]
    pub fn refused(spec: &ArtifactSpec, body: &[u8], problem: &Problem, by: RequestIdentity) -> Option<Self> {
        Some(problem.request_id()).filter(|id| *id == by.request.as_str())?;
        let code = Some(problem.code()).filter(|code| code.spec().status == RECORDED_STATUS)?;
        let mut record = blank(OperationName::of(spec)?, canonical::digest(problem).0, by);
        record.body_digest = Some(Digest::of(body));
        record.problem = Some(code);
        if let Ok(document) = tree::read(body) {
            note_claims(&mut record, &document.root);
        }
        Some(Self(record))
    }

    /// The record at its place: what is kept and hashed.
    #[must_use]
    pub fn place(self, sequence: Count, time: Timestamp) -> Record {
        Record { sequence, time, ..self.0 }
    }
}

/// The refusal of everything, of a request.
fn blank(operation: OperationName, answer_digest: Digest, by: RequestIdentity) -> Record {
    Record {
        accepted: False,
        answer_digest,
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
        request_id: by.request,
        ruleset: ruleset::own().digest,
        schema_version: SchemaVersion::V1_0,
        sequence: Count::default(),
        signed: False,
        time: Timestamp::EPOCH,
        token: by.token,
    }
}

/// Takes down what a refused document says of itself, where it has the right form. None of it was checked.
fn note_claims(record: &mut Record, root: &Node<'_>) {
    let text = |node: Option<&Node<'_>>, member: &str| Some(node?.get(member)?.as_str()?.to_owned());
    let digest = text(Some(root), "documentDigest").and_then(|text| Digest::parse(&text));
    let kind = text(Some(root), "kind").and_then(|text| ArtifactKind::parse(&text));
    record.artifact = (digest.is_some() || kind.is_some()).then_some(RecordedArtifact { digest, kind });
    record.owner = text(root.get("owner"), "id").and_then(|text| OwnerId::parse(&text));
    let id = text(root.get("package"), "id").and_then(|text| PackageId::parse(&text));
    let version = text(root.get("package"), "version").and_then(|text| Version::parse(&text));
    record.package = id.zip(version).map(|(id, version)| PackageRef { id, version });
}
