//! The journal at the rim: nothing that must be on record is answered before it is.
//!
//! A completed evaluation (200) and a refused document (422) wait for their record. When it cannot be made, the answer is
//! 503, closed like every other, and the no that was found is not told.

use std::{sync::Arc, time::Duration};

use svc_core::{
    artifact::table::ArtifactSpec,
    journal::record::{Asker, Draft, RequestId, TokenName},
    problem::ProblemCode,
};
use svc_journal::{fault::FaultKind, writer::Journal};

use crate::{
    answer::{Answer, RequestName, Unproven},
    log,
    receive::Outcome,
    registry::Registry,
};

/// What a body came to.
pub(crate) enum Considered {
    /// This is the answer.
    Answered(Answer),
    /// This goes on record first.
    ToRecord(Box<(Draft, Unproven)>),
    /// Something has to go on record, and cannot be written down.
    Unrecordable,
}

/// A store that has not answered a probe by then is down.
const PROBE_TIMEOUT: Duration = Duration::from_secs(2);

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

impl Considered {
    /// Evaluates a body; what has to be on record is written down when there is a record to put it on. A panic is a closed
    /// failure, not an open connection.
    pub(crate) fn of(spec: &ArtifactSpec, body: &[u8], request: &RequestName, keeping: Keeping<'_>) -> Self {
        let evaluation = std::panic::AssertUnwindSafe(|| {
            let outcome = Outcome::of(spec, body);
            match keeping {
                Keeping::Nothing => Self::Answered(outcome.answer(request)),
                Keeping::Records { token } => Self::recorded(outcome, spec, body, request, token),
            }
        });
        std::panic::catch_unwind(evaluation).unwrap_or_else(|_| {
            Self::Answered(Answer::problem(ProblemCode::Internal, "the evaluation failed", request))
        })
    }

    fn recorded(
        outcome: Outcome,
        spec: &ArtifactSpec,
        body: &[u8],
        request: &RequestName,
        token: Option<&str>,
    ) -> Self {
        let draft = asker(request, token).and_then(|asker| outcome.draft(spec, body, asker));
        let is_recorded = RECORDED.contains(&outcome.status());
        match draft {
            Some(draft) => match outcome.unproven(request) {
                Some(unproven) => Self::ToRecord(Box::new((draft, unproven))),
                None => Self::Unrecordable,
            },
            None if is_recorded => Self::Unrecordable,
            None => Self::Answered(outcome.answer(request)),
        }
    }

    /// The answer as it is without a journal.
    pub(crate) fn unrecorded(self, request: &RequestName) -> Answer {
        match self {
            Self::Answered(answer) => answer,
            Self::ToRecord(_) | Self::Unrecordable => unavailable(ProblemCode::JournalUnavailable, request),
        }
    }

    /// The answer, once it is on record.
    pub(crate) async fn settle(
        self,
        journal: Option<&Arc<Journal>>,
        registry: &Registry,
        request: &RequestName,
    ) -> Answer {
        let (draft, unproven) = match self {
            Self::ToRecord(to_record) => *to_record,
            other @ (Self::Answered(_) | Self::Unrecordable) => return other.unrecorded(request),
        };
        let Some(journal) = journal else { return unavailable(ProblemCode::JournalUnavailable, request) };
        match journal.record(draft).await {
            Ok(receipt) => {
                registry.health.journal_answers(true);
                registry.metrics.recorded();
                unproven.proven_by(&receipt)
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
        let probed = tokio::task::spawn_blocking(move || store.head().is_ok() && store.check_room().is_ok());
        let probed = tokio::time::timeout(PROBE_TIMEOUT, probed).await;
        registry.health.journal_answers(matches!(probed, Ok(Ok(true))));
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
