//! Nothing that must be on record is answered before it is.
//!
//! A completed evaluation (200) and a refused document (422) wait for their record. When it cannot be made, the answer is
//! 503, closed like every other, and the denial that was found is withheld.

use std::fmt;

use svc_core::{
    journal::{draft::EntryDraft, receipt::Receipt},
    words::problem_code::ProblemCode,
};
use svc_proof::fault::{JournalFault, JournalFaultKind};

use crate::{
    answer::{Answer, PendingAnswer},
    evaluate::Evaluation,
    request::RequestName,
};

/// Puts denials on record.
pub trait Recorder: fmt::Debug + Send + Sync {
    /// Records a denial, and returns its receipt once the record is durable.
    ///
    /// # Errors
    /// When it is not on record, or that cannot be known.
    fn record(&self, draft: EntryDraft) -> Result<Receipt, JournalFault>;
}

impl Evaluation {
    /// The answer, once whatever must be on record is.
    pub(crate) fn recorded_by(self, recorder: Option<&dyn Recorder>, request: &RequestName) -> Answer {
        match (self, recorder) {
            (Self::Answered(answer), _) => answer,
            (Self::ToRecord(to_record), Some(recorder)) => {
                let (draft, answer) = *to_record;
                answer.recorded(recorder.record(draft), request)
            }
            (Self::ToRecord(_), None) | (Self::Unrecordable, _) => unrecorded(request),
        }
    }
}

impl PendingAnswer {
    /// The answer with its receipt. Without one it is withheld.
    #[must_use]
    pub fn recorded(self, receipt: Result<Receipt, JournalFault>, request: &RequestName) -> Answer {
        match receipt {
            Ok(receipt) => self.with_receipt(receipt),
            Err(fault) if fault.kind == JournalFaultKind::Busy => withheld(ProblemCode::Overloaded, request),
            Err(_) => unrecorded(request),
        }
    }
}

/// The answer to what must be on record and cannot be.
#[must_use]
pub fn unrecorded(request: &RequestName) -> Answer {
    withheld(ProblemCode::JournalUnavailable, request)
}

fn withheld(code: ProblemCode, request: &RequestName) -> Answer {
    // Why is in the log: it may name folders and hosts.
    let detail = "the decision could not be recorded in the journal, so it was withheld";
    Answer::problem(code, detail, request).with_header("retry-after", "1")
}
