//! The journal at the rim: nothing that must be on record is answered before it is.
//!
//! A completed evaluation (200) and a refused document (422) wait for their record. When it cannot be made, the answer is
//! 503, closed like every other, and the no that was found is not told.

mod routes;

use std::sync::Arc;

use svc_core::{
    journal::record::{Asker, Draft, RequestId, TokenName},
    problem::ProblemCode,
};
use svc_journal::{fault::FaultKind, writer::Journal};

pub use self::routes::Reads;
pub(crate) use self::routes::{matches, operations, read, takes_query, unless_known};
use crate::{
    answer::{Answer, RequestName},
    log,
    operation::Operation,
    receive::Outcome,
    registry::{Registry, evaluated},
};

/// What a body came to, and what of it has to be on record first.
pub(crate) struct Considered {
    outcome: Result<Outcome, Answer>,
    record: Recording,
}

enum Recording {
    /// Statuses that are only counted.
    NotNeeded,
    /// This goes on record.
    Needed(Box<Draft>),
    /// Something has to go on record, and cannot be written down.
    Impossible,
}

/// The statuses that are recorded.
const RECORDED: [u16; 2] = [200, 422];

impl Considered {
    /// Evaluates a body. A panic is a closed failure, not an open connection.
    pub(crate) fn of(operation: &Operation, body: &[u8], request: &RequestName, token: Option<&str>) -> Self {
        let failed = || Answer::problem(ProblemCode::Internal, "the evaluation failed", request);
        let Some(spec) = evaluated(operation) else {
            return Self { outcome: Err(failed()), record: Recording::NotNeeded };
        };
        let evaluation = std::panic::AssertUnwindSafe(|| {
            let outcome = Outcome::of(spec, body);
            let asker = asker(request, token);
            let draft = asker.and_then(|asker| outcome.draft(spec, body, asker));
            (outcome, draft)
        });
        let Ok((outcome, draft)) = std::panic::catch_unwind(evaluation) else {
            return Self { outcome: Err(failed()), record: Recording::NotNeeded };
        };
        let record = match draft {
            Some(draft) => Recording::Needed(Box::new(draft)),
            None if RECORDED.contains(&outcome.status()) => Recording::Impossible,
            None => Recording::NotNeeded,
        };
        Self { outcome: Ok(outcome), record }
    }

    /// The answer as it is without a journal.
    pub(crate) fn unrecorded(self, request: &RequestName) -> Answer {
        self.outcome.map_or_else(|answer| answer, |outcome| outcome.answer(request, None))
    }

    /// The answer, once it is on record.
    pub(crate) async fn settle(
        self,
        journal: Option<&Arc<Journal>>,
        registry: &Registry,
        request: &RequestName,
    ) -> Answer {
        let Some(journal) = journal else { return self.unrecorded(request) };
        let draft = match self.record {
            Recording::NotNeeded => return self.unrecorded(request),
            Recording::Impossible => return unavailable(ProblemCode::JournalUnavailable, request),
            Recording::Needed(draft) => *draft,
        };
        match journal.record(draft).await {
            Ok(receipt) => {
                registry.health.journal_answers(true);
                registry.metrics.recorded();
                self.outcome.map_or_else(|answer| answer, |outcome| outcome.answer(request, Some(receipt)))
            }
            Err(fault) => {
                registry.metrics.unrecorded();
                let code = if fault.kind == FaultKind::Busy {
                    ProblemCode::Overloaded
                } else {
                    registry.health.journal_answers(false);
                    ProblemCode::JournalUnavailable
                };
                log::note("not on record", &fault.to_string());
                unavailable(code, request)
            }
        }
    }
}

/// Whether the journal takes records again, asked of the store itself: a service that is not ready is sent no requests.
pub(crate) async fn probe(journal: Option<&Arc<Journal>>, registry: &Registry) {
    let Some(journal) = journal else { return };
    if journal.stopped().is_some() {
        return registry.health.journal_answers(false);
    }
    if registry.health.journal_is_down() {
        let store = Arc::clone(journal.store());
        let probed = tokio::task::spawn_blocking(move || store.head().is_ok() && store.check_room().is_ok()).await;
        registry.health.journal_answers(probed.unwrap_or(false));
    }
}

fn unavailable(code: ProblemCode, request: &RequestName) -> Answer {
    // Why is in the log: it may name folders and hosts.
    let detail = "the answer could not be put on record, so that there is none";
    Answer::problem(code, detail, request).with_header("retry-after", "1")
}

fn asker(request: &RequestName, token: Option<&str>) -> Option<Asker> {
    let token = match token {
        Some(token) => Some(TokenName::fit(token)?),
        None => None,
    };
    Some(Asker { request: RequestId::parse(&request.id)?, token })
}
