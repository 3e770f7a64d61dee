//! From a body to its answer, the same way for all six POST routes: decide, draft the record, write the answer.
//!
//! A host brings a whole body here, [`crate::record`] takes what comes of it.

use std::panic::{AssertUnwindSafe, catch_unwind};

use svc_core::{
    journal::{
        draft::{EntryDraft, RequestIdentity},
        scalars::{RequestId, TokenName},
    },
    rules::ruleset::Rules,
    words::{kind::ArtifactSpec, problem_code::ProblemCode},
};

use crate::{
    answer::{Answer, PendingAnswer},
    caller::Caller,
    request::RequestName,
};

/// The statuses that are recorded: a completed evaluation and a refused document.
const RECORDED: [u16; 2] = [200, 422];

/// Whether there is a journal.
#[derive(Clone, Copy, Debug)]
pub enum Recording<'a> {
    Off,
    /// Under the name of the caller.
    On(&'a Caller),
}

impl<'a> Recording<'a> {
    #[must_use]
    pub fn of(has_journal: bool, caller: &'a Caller) -> Self {
        if has_journal { Self::On(caller) } else { Self::Off }
    }
}

/// What came of a body.
#[derive(Debug)]
pub enum Evaluation {
    /// Nothing has to be on record before this is answered.
    Answered(Answer),
    /// This goes on record first.
    ToRecord(Box<(EntryDraft, PendingAnswer)>),
    /// Something has to go on record, and cannot be written down.
    Unrecordable,
}

/// Evaluates a body by rules. A panic is a closed failure, not an open connection.
#[must_use]
pub fn evaluate(
    rules: &Rules,
    spec: &ArtifactSpec,
    body: &[u8],
    request: &RequestName,
    recording: Recording<'_>,
) -> Evaluation {
    let evaluation = AssertUnwindSafe(|| {
        let answer = PendingAnswer::to_body(rules, spec, body, request);
        match recording {
            Recording::Off => Evaluation::Answered(answer.without_receipt()),
            Recording::On(caller) => for_record(rules, answer, spec, body, request, caller),
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

/// The record of an answer, but for what only the journal knows.
fn for_record(
    rules: &Rules,
    answer: PendingAnswer,
    spec: &ArtifactSpec,
    body: &[u8],
    request: &RequestName,
    caller: &Caller,
) -> Evaluation {
    if !RECORDED.contains(&answer.status()) {
        return Evaluation::Answered(answer.without_receipt());
    }
    let draft = requester(request, caller).and_then(|requester| match &answer {
        PendingAnswer::Denied(decision) => EntryDraft::denied(decision, requester),
        PendingAnswer::Refused(problem) => EntryDraft::refused(rules, spec, body, problem, requester),
    });
    draft.map_or(Evaluation::Unrecordable, |draft| Evaluation::ToRecord(Box::new((draft, answer))))
}

fn requester(request: &RequestName, caller: &Caller) -> Option<RequestIdentity> {
    let token = match &caller.token {
        Some(token) => Some(TokenName::fit(token)?),
        None => None,
    };
    Some(RequestIdentity { request: RequestId::parse(&request.id)?, token, probe: caller.probe.clone() })
}
