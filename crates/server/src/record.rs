//! Where the registry's records go: the journal, and what is noted of how it does.

use std::sync::Arc;

use svc_core::journal::{draft::EntryDraft, receipt::Receipt};
use svc_journal::writer::Journal;
use svc_proof::fault::JournalFault;
use svc_registry_api::{
    answer::Answer,
    evaluate::Evaluation,
    record::{self, Recorder},
    request::RequestName,
};

use crate::{health::Health, log, metrics::Metrics, witnessing::Witnessing};

/// The journal as a recorder for hosts that have a thread to wait on. The wire waits without one: [`JournalDesk`].
#[derive(Debug)]
pub struct JournalRecorder(pub Arc<Journal>);

impl Recorder for JournalRecorder {
    fn record(&self, draft: EntryDraft) -> Result<Receipt, JournalFault> {
        self.0.record_blocking(draft)
    }
}

/// The journal of a service, if it has one, and where is noted how it does.
#[derive(Clone, Copy)]
pub(crate) struct JournalDesk<'a> {
    pub(crate) journal: Option<&'a Arc<Journal>>,
    pub(crate) witnessing: Option<&'a Arc<Witnessing>>,
    pub(crate) health: &'a Health,
    pub(crate) metrics: &'a Metrics,
}

impl JournalDesk<'_> {
    /// Puts an evaluation on record where it must be, and only then gives its answer.
    pub(crate) async fn record(self, evaluation: Evaluation, request: &RequestName) -> Answer {
        let (draft, answer) = match evaluation {
            Evaluation::Answered(answer) => return answer,
            Evaluation::ToRecord(to_record) => *to_record,
            Evaluation::Unrecordable => return record::unrecorded(request),
        };
        let Some(journal) = self.journal else { return record::unrecorded(request) };
        let receipt = journal.record(draft).await;
        match &receipt {
            Ok(_) => self.metrics.recorded(),
            Err(fault) => self.note_failure(fault),
        }
        answer.recorded(receipt, request)
    }

    fn note_failure(self, fault: &JournalFault) {
        self.metrics.unrecorded();
        log::warn("not on record", &fault.to_string());
        self.note_journal();
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
