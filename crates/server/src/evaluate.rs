//! From a body to its answer, the same way for all six POST routes: decide, draft the record, write the answer.
//!
//! `http/request.rs` brings a whole body here, [`crate::record`] takes what comes of it.

use std::panic::{AssertUnwindSafe, catch_unwind};

use svc_core::{
    decision::Decision,
    findings::Findings,
    journal::{
        draft::{EntryDraft, RequestIdentity},
        scalars::{RequestId, TokenName},
    },
    problem::Problem,
    rules::ruleset::Rules,
    words::{kind::ArtifactSpec, problem_code::ProblemCode},
};

use crate::{
    answer::{Answer, PendingAnswer, RequestName},
    auth::asker::Asker,
};

/// The statuses that are recorded: a completed evaluation and a refused document.
const RECORDED: [u16; 2] = [200, 422];

/// Whether there is a journal.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Recording<'a> {
    Off,
    /// Under the name of whoever asks.
    On(&'a Asker),
}

impl<'a> Recording<'a> {
    pub(crate) fn of(has_journal: bool, asker: &'a Asker) -> Self {
        if has_journal { Self::On(asker) } else { Self::Off }
    }
}

/// What came of a body.
pub(crate) enum Evaluation {
    /// Nothing has to be on record before this is answered.
    Answered(Answer),
    /// This goes on record first.
    ToRecord(Box<(EntryDraft, PendingAnswer)>),
    /// Something has to go on record, and cannot be written down.
    Unrecordable,
}

/// Evaluates a body. A panic is a closed failure, not an open connection.
pub(crate) fn evaluate(
    rules: &Rules,
    spec: &ArtifactSpec,
    body: &[u8],
    request: &RequestName,
    recording: Recording<'_>,
) -> Evaluation {
    let evaluation = AssertUnwindSafe(|| {
        let verdict = Verdict::of(rules, spec, body);
        match recording {
            Recording::Off => Evaluation::Answered(verdict.answer(request)),
            Recording::On(asker) => verdict.for_record(rules, spec, body, request, asker),
        }
    });
    catch_unwind(evaluation).unwrap_or_else(|_| {
        Evaluation::Answered(Answer::problem(
            ProblemCode::Internal,
            "the evaluation failed inside the service, so nothing was decided",
            request,
        ))
    })
}

/// What core says of a body.
enum Verdict {
    /// The evaluation was completed: no.
    Denied(Box<Decision>),
    /// The document was refused.
    Refused(Findings),
}

impl Verdict {
    /// A pure function of rules and body.
    fn of(rules: &Rules, spec: &ArtifactSpec, body: &[u8]) -> Self {
        match svc_core::read::decide(rules, spec.artifact, body) {
            Ok(decision) => Self::Denied(Box::new(decision)),
            Err(findings) => Self::Refused(findings),
        }
    }

    fn answer(self, request: &RequestName) -> Answer {
        match self {
            Self::Denied(decision) => Answer::decision(&decision.for_request(&request.id)),
            Self::Refused(findings) => Answer::findings(&findings, request),
        }
    }

    /// The record and the answer, but for what only the journal knows.
    fn for_record(
        self,
        rules: &Rules,
        spec: &ArtifactSpec,
        body: &[u8],
        request: &RequestName,
        asker: &Asker,
    ) -> Evaluation {
        if !RECORDED.contains(&self.status()) {
            return Evaluation::Answered(self.answer(request));
        }
        let answer = self.pending_answer(request);
        let draft = requester(request, asker).and_then(|requester| match &answer {
            PendingAnswer::Denied(decision) => EntryDraft::denied(decision, requester),
            PendingAnswer::Refused(problem) => EntryDraft::refused(rules, spec, body, problem, requester),
        });
        draft.map_or(Evaluation::Unrecordable, |draft| Evaluation::ToRecord(Box::new((draft, answer))))
    }

    fn status(&self) -> u16 {
        match self {
            Self::Denied(_) => 200,
            Self::Refused(findings) => findings.problem_code().map_or(500, |code| code.spec().status),
        }
    }

    fn pending_answer(self, request: &RequestName) -> PendingAnswer {
        match self {
            Self::Denied(decision) => PendingAnswer::Denied(Box::new(decision.for_request(&request.id))),
            Self::Refused(findings) => {
                let problem = Problem::of_findings(&findings, request.path.clone(), request.id.clone());
                PendingAnswer::Refused(Box::new(problem))
            }
        }
    }
}

fn requester(request: &RequestName, asker: &Asker) -> Option<RequestIdentity> {
    let token = match &asker.token {
        Some(token) => Some(TokenName::fit(token)?),
        None => None,
    };
    Some(RequestIdentity { request: RequestId::parse(&request.id)?, token, probe: asker.probe.clone() })
}
