//! Nothing that must be on record is answered before it is.
//!
//! A completed evaluation (200) and a refused document (422) wait for their record. When it cannot be made, the answer is
//! 503, closed like every other, and the no that was found is not told.

use std::sync::Arc;

use svc_core::words::problem_code::ProblemCode;
use svc_journal::writer::Journal;
use svc_proof::fault::{JournalFault, JournalFaultKind};

use crate::{
    answer::{Answer, RequestName},
    evaluate::Evaluation,
    health::Health,
    log,
    metrics::Metrics,
    witnessing::Witnessing,
};

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
                self.metrics.recorded();
                answer.with_receipt(receipt)
            }
            Err(fault) => withheld(self.note_failure(&fault), request),
        }
    }

    fn note_failure(self, fault: &JournalFault) -> ProblemCode {
        self.metrics.unrecorded();
        log::warn("not on record", &fault.to_string());
        self.note_journal();
        if fault.kind == JournalFaultKind::Busy { ProblemCode::Overloaded } else { ProblemCode::JournalUnavailable }
    }

    /// Notes what is known of the journal and its witnesses, for whoever asks whether the service is ready. Waits for nothing:
    /// the journal asks its store by itself.
    pub(crate) fn note_journal(self) {
        if let Some(witnessing) = self.witnessing {
            self.health.note_witnesses(witnessing.summary());
        }
        let Some(journal) = self.journal else { return };
        let progress = journal.audited();
        self.health.note_journal_check(progress.checked, progress.of);
        if let Some(fault) = journal.stopped()
            && self.health.close_journal(fault.kind)
        {
            log::error("the journal is closed until the next start", &fault.to_string());
        }
        let fault = journal.store_fault();
        if self.health.note_store(fault.as_ref().map(|fault| fault.kind)) {
            match fault {
                Some(fault) => log::warn("the store of the journal takes no records", &fault.to_string()),
                None => log::note("the store of the journal takes records again", journal.store().name().as_str()),
            }
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
