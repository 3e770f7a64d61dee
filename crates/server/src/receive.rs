//! What a POST does: one function for all six.

use svc_core::artifact::table::ArtifactSpec;

use crate::answer::{Answer, RequestName};

/// Evaluates a body. A pure function of it, but for the request's name in the answer.
pub(crate) fn evaluate(spec: &ArtifactSpec, body: &[u8], request: &RequestName) -> Answer {
    match (spec.decide)(body) {
        Ok(decision) => Answer::decision(&decision.for_request(&request.id)),
        Err(findings) => Answer::findings(&findings, request),
    }
}
