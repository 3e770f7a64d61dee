//! What a POST does: one function for all six.

use svc_core::{
    artifact::table::ArtifactSpec,
    decision::Decision,
    finding::{self, Finding},
    journal::record::{Asker, Draft},
};

use crate::answer::{Answer, RequestName, Unproven};

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

    /// The answer.
    pub(crate) fn answer(self, request: &RequestName) -> Answer {
        match self {
            Self::Denied(decision) => Answer::decision(&decision.for_request(&request.id)),
            Self::Refused(findings) => Answer::findings(&findings, request),
        }
    }

    /// The answer up to the proof that it is on record.
    pub(crate) fn unproven(self, request: &RequestName) -> Option<Unproven> {
        match self {
            Self::Denied(decision) => Unproven::decision(decision.for_request(&request.id)),
            Self::Refused(findings) => Unproven::findings(&findings, request),
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
