//! Nothing that must be on record is answered before it is.
//!
//! A completed evaluation (200) and a refused document (422) wait for their record. When it cannot be made, the answer is
//! 503, closed like every other, and the no that was found is not told.

use std::{sync::Arc, time::Duration};

use svc_core::words::problem_code::ProblemCode;
use svc_journal::{
    fault::{JournalFault, JournalFaultKind},
    writer::Journal,
};

use crate::{
    answer::{Answer, RequestName},
    evaluate::Evaluation,
    health::Health,
    log,
    metrics::Metrics,
    witnessing::Witnessing,
};

/// A store that has not answered a probe by then is down.
const PROBE_TIMEOUT: Duration = Duration::from_secs(2);

/// The journal of a service, if it has one, and where is noted how it does.
#[derive(Clone, Copy)]
pub(crate) struct Recorder<'a> {
    pub(crate) journal: Option<&'a Arc<Journal>>,
    pub(crate) witnessing: Option<&'a Arc<Witnessing>>,
    pub(crate) health: &'a Health,
    pub(crate) metrics: &'a Metrics,
}

impl Recorder<'_> {
    /// Puts an evaluation on record, and only then gives its answer.
    pub(crate) async fn record_and_respond(self, evaluation: Evaluation, request: &RequestName) -> Answer {
        let (draft, answer) = match evaluation {
            Evaluation::ToRecord(to_record) => *to_record,
            other @ (Evaluation::Answered(_) | Evaluation::Unrecordable) => return without_record(other, request),
        };
        let Some(journal) = self.journal else { return withheld(ProblemCode::JournalUnavailable, request) };
        match journal.record(draft).await {
            Ok(receipt) => {
                self.health.journal_answers(true);
                self.metrics.recorded();
                answer.with_receipt(receipt)
            }
            Err(fault) => withheld(self.note_failure(&fault), request),
        }
    }

    fn note_failure(self, fault: &JournalFault) -> ProblemCode {
        self.metrics.unrecorded();
        let is_busy = fault.kind == JournalFaultKind::Busy;
        if !is_busy {
            self.health.journal_answers(false);
        }
        log::warn("not on record", &fault.to_string());
        self.note_closed();
        if is_busy { ProblemCode::Overloaded } else { ProblemCode::JournalUnavailable }
    }

    /// Notes how far the check of the whole journal is, and how its witnesses do.
    pub(crate) fn note_check(self) {
        if let Some(witnessing) = self.witnessing {
            self.health.note_witnesses(witnessing.summary());
        }
        if let Some(progress) = self.journal.map(|journal| journal.audited()) {
            self.health.note_journal_check(progress.checked, progress.of);
        }
    }

    /// Whether the journal is closed until somebody has looked, which is told once.
    fn note_closed(self) -> bool {
        let Some(fault) = self.journal.and_then(|journal| journal.stopped()) else { return false };
        if self.health.close_journal(fault.kind.code()) {
            log::error("the journal is closed until the next start", &fault.to_string());
        }
        true
    }

    /// Asks the store itself whether the journal takes records again: a service that is not ready is sent no requests.
    pub(crate) async fn probe(self) {
        let Some(journal) = self.journal else { return };
        self.note_check();
        if self.note_closed() {
            return;
        }
        if self.health.journal_is_down() {
            let store = Arc::clone(journal.store());
            let probed = tokio::task::spawn_blocking(move || store.head().is_ok() && store.check_room().is_ok());
            let probed = tokio::time::timeout(PROBE_TIMEOUT, probed).await;
            self.health.journal_answers(matches!(probed, Ok(Ok(true))));
        }
    }
}

/// The answer to an evaluation that was made without a journal.
pub(crate) fn without_record(evaluation: Evaluation, request: &RequestName) -> Answer {
    match evaluation {
        Evaluation::Answered(answer) => answer,
        Evaluation::ToRecord(_) | Evaluation::Unrecordable => withheld(ProblemCode::JournalUnavailable, request),
    }
}

pub(crate) fn withheld(code: ProblemCode, request: &RequestName) -> Answer {
    // Why is in the log: it may name folders and hosts.
    let detail = "the decision could not be recorded in the journal, so it was withheld";
    Answer::problem(code, detail, request).with_header("retry-after", "1")
}
