//! What a POST does: one function for all six.

use svc_core::{
    artifact::table::ArtifactSpec,
    decision::Decision,
    finding::{self, Finding},
    journal::{
        receipt::Receipt,
        record::{Asker, Draft},
    },
};

use crate::answer::{Answer, RequestName};

/// What came of a body, before it is an answer.
#[derive(Clone, Debug)]
pub(crate) enum Outcome {
    /// The evaluation was completed: no.
    Denied(Box<Decision>),
    /// The document was refused.
    Refused(Vec<Finding>),
}

impl Outcome {
    /// Evaluates a body. A pure function of it.
    pub(crate) fn of(spec: &ArtifactSpec, body: &[u8]) -> Self {
        match (spec.decide)(body) {
            Ok(decision) => Self::Denied(Box::new(decision)),
            Err(findings) => Self::Refused(findings),
        }
    }

    /// The answer, with the proof that it is on record when there is one.
    pub(crate) fn answer(self, request: &RequestName, receipt: Option<Receipt>) -> Answer {
        match self {
            Self::Denied(decision) => {
                let decision = decision.for_request(&request.id);
                Answer::decision(&match receipt {
                    Some(receipt) => decision.with_receipt(receipt),
                    None => decision,
                })
            }
            Self::Refused(findings) => Answer::findings(&findings, receipt, request),
        }
    }

    /// The status that the answer has.
    pub(crate) fn status(&self) -> u16 {
        match self {
            Self::Denied(_) => 200,
            Self::Refused(findings) => finding::problem_code(findings).map_or(500, |code| code.spec().status),
        }
    }

    /// What is put on record.
    pub(crate) fn draft(&self, spec: &ArtifactSpec, body: &[u8], asker: Asker) -> Option<Draft> {
        match self {
            Self::Denied(decision) => Draft::denied(decision, asker),
            Self::Refused(findings) => Draft::refused(spec, body, findings, asker),
        }
    }
}
