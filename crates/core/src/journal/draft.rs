//! From an answer to the record that stands before it.

use svc_json::{
    canonical,
    digest::Digest,
    survey::{self, Survey},
};

use crate::{
    closed::False,
    decision::Decision,
    gates::{Evidenced, HashGateStatus, Unevidenced},
    journal::{
        attribution::Attribution,
        record::{RECORDED_STATUS, Record, RecordKind, RecordedArtifact, Refusal},
        scalars::{Count, OperationName, ProbeId, RequestId, TokenName},
        timestamp::Timestamp,
    },
    problem::Problem,
    rules::ruleset::Rules,
    scalar::ident::{OwnerId, PackageId, PackageRef, Version},
    words::kind::{ArtifactKind, ArtifactSpec, SchemaVersion},
};

/// A record that has no place in the log yet. Its place and its time are known last, and nobody reads them before.
#[derive(Clone, Debug)]
pub struct RecordDraft(Record);

/// What is put on record, and beside it who asked.
#[derive(Clone, Debug)]
pub struct EntryDraft {
    /// What the log will hold.
    pub record: RecordDraft,
    /// What stands beside the log.
    pub attribution: Option<Attribution>,
}

/// Who asked, and under which name.
#[derive(Clone, Debug)]
pub struct RequestIdentity {
    /// The request.
    pub request: RequestId,
    /// The token, when one was needed.
    pub token: Option<TokenName>,
    /// The run of the verifier, where it was one.
    pub probe: Option<ProbeId>,
}

impl EntryDraft {
    /// The record of a decision, as it is answered but for its receipt. `None` for the answer to another request, and
    /// for one that is on record already.
    #[must_use]
    pub fn denied(decision: &Decision, by: RequestIdentity) -> Option<Self> {
        decision.request_id().filter(|id| *id == by.request.as_str() && decision.receipt().is_none())?;
        let answer = canonical::digest(decision).0;
        let ruleset = decision.ruleset().digest;
        let mut record = blank(OperationName::parse(decision.operation())?, answer, by.request, ruleset);
        record.probe = by.probe;
        let artifact = decision.artifact();
        record.artifact = Some(RecordedArtifact { digest: Some(artifact.digest), kind: Some(artifact.kind) });
        record.decision_id = Some(*decision.id()?);
        record.missing_gates = Evidenced::missing();
        record.outcome = Refusal::Denied;
        record.reviewed = Some(decision.reviewed()?);
        let attribution = Attribution::new(decision.owner().cloned(), decision.package().cloned(), by.token);
        Some(Self { record: RecordDraft(record), attribution })
    }

    /// The record of a document that these rules refused, as that is answered but for its receipt. `None` for refusals
    /// that are only counted, for the answer to another request, and for one that is on record already.
    #[must_use]
    pub fn refused(
        rules: &Rules,
        spec: &ArtifactSpec,
        body: &[u8],
        problem: &Problem,
        by: RequestIdentity,
    ) -> Option<Self> {
        Some(problem.request_id()).filter(|id| *id == by.request.as_str() && problem.receipt().is_none())?;
        let code = Some(problem.code()).filter(|code| code.spec().status == RECORDED_STATUS)?;
        let mut record =
            blank(OperationName::of(spec)?, canonical::digest(problem).0, by.request, rules.ruleset().digest);
        record.probe = by.probe;
        record.body_digest = Some(Digest::of(body));
        record.problem = Some(code.into());
        let (owner, package) = survey::unnoted(body, &CLAIMS).map_or((None, None), |survey| {
            record.artifact = claimed_artifact(&survey);
            claimed_names(&survey)
        });
        Some(Self { record: RecordDraft(record), attribution: Attribution::new(owner, package, by.token) })
    }
}

impl RecordDraft {
    /// The record at its place: what is kept and hashed.
    #[must_use]
    pub fn place(self, sequence: Count, time: Timestamp) -> Record {
        Record { sequence, time, ..self.0 }
    }
}

/// The refusal of everything, of a request.
fn blank(operation: OperationName, answer_digest: Digest, request_id: RequestId, ruleset: Digest) -> Record {
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
        probe: None,
        problem: None,
        request_id,
        reviewed: None,
        ruleset,
        schema_version: SchemaVersion::V1_0,
        sequence: Count::default(),
        signed: False,
        time: Timestamp::EPOCH,
    }
}

/// Where a refused document says what it is, and whom and what it names.
const CLAIMS: [&str; 5] = ["/documentDigest", "/kind", "/owner/id", "/package/id", "/package/version"];

/// What a refused document says of itself, where it has the right form. None of it was checked.
fn claimed_artifact(survey: &Survey<'_>) -> Option<RecordedArtifact> {
    let digest = claimed(survey, "/documentDigest", Digest::parse);
    let kind = claimed(survey, "/kind", ArtifactKind::parse);
    (digest.is_some() || kind.is_some()).then_some(RecordedArtifact { digest, kind })
}

/// Whom and what it names, in the same way.
fn claimed_names(survey: &Survey<'_>) -> (Option<OwnerId>, Option<PackageRef>) {
    let owner = claimed(survey, "/owner/id", OwnerId::parse);
    let id = claimed(survey, "/package/id", PackageId::parse);
    let version = claimed(survey, "/package/version", Version::parse);
    (owner, id.zip(version).map(|(id, version)| PackageRef { id, version }))
}

fn claimed<T>(survey: &Survey<'_>, pointer: &str, parse: impl FnOnce(&str) -> Option<T>) -> Option<T> {
    let number = CLAIMS.iter().position(|claim| *claim == pointer)?;
    parse(&survey.text_at(number)?)
}
