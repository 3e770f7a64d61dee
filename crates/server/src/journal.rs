//! The journal at the rim: nothing that must be on record is answered before it is.
//!
//! A completed evaluation (200) and a refused document (422) wait for their record. When it cannot be made, the answer is
//! 503, closed like every other, and the no that was found is not told.

mod routes;

use std::sync::Arc;

use svc_core::{
    artifact::table::ArtifactSpec,
    journal::record::{Asker, Draft, RequestId, TokenName},
    problem::ProblemCode,
};
use svc_journal::{fault::FaultKind, writer::Journal};

pub use self::routes::Reads;
pub(crate) use self::routes::{matches, operations, read, takes_query, unless_known};
use crate::{
    answer::{Answer, RequestName},
    log,
    receive::Outcome,
    registry::Registry,
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

/// Whether there is a journal.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Keeping<'a> {
    /// There is none.
    Nothing,
    /// There is, and this token asked, where one was needed.
    Records {
        /// Its name.
        token: Option<&'a str>,
    },
}

impl<'a> Keeping<'a> {
    pub(crate) fn of(has_journal: bool, token: Option<&'a str>) -> Self {
        if has_journal { Self::Records { token } } else { Self::Nothing }
    }
}

impl Recording {
    fn of(outcome: &Outcome, spec: &ArtifactSpec, body: &[u8], asker: Option<Asker>) -> Self {
        match asker.and_then(|asker| outcome.draft(spec, body, asker)) {
            Some(draft) => Self::Needed(Box::new(draft)),
            None if RECORDED.contains(&outcome.status()) => Self::Impossible,
            None => Self::NotNeeded,
        }
    }
}

impl Considered {
    /// Evaluates a body; what has to be on record is written down when there is a record to put it on. A panic is a closed
    /// failure, not an open connection.
    pub(crate) fn of(spec: &ArtifactSpec, body: &[u8], request: &RequestName, keeping: Keeping<'_>) -> Self {
        let evaluation = std::panic::AssertUnwindSafe(|| {
            let outcome = Outcome::of(spec, body);
            let record = match keeping {
                Keeping::Nothing => Recording::NotNeeded,
                Keeping::Records { token } => Recording::of(&outcome, spec, body, asker(request, token)),
            };
            (outcome, record)
        });
        match std::panic::catch_unwind(evaluation) {
            Ok((outcome, record)) => Self { outcome: Ok(outcome), record },
            Err(_) => {
                let failed = Answer::problem(ProblemCode::Internal, "the evaluation failed", request);
                Self { outcome: Err(failed), record: Recording::NotNeeded }
            }
        }
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
