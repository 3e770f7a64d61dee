//! What may be written does compile: a checked artifact is derived from, and answered.

use svc_core::{
    artifact::{acceptance_request::AcceptanceRequest, checked::Checked, derive::derive, submission::Submission},
    closed::DigestMatches,
    decision::Decision,
};
use svc_json::digest::Digest;

pub fn derived(submission: &Checked<Submission>) {
    let _ = derive::<AcceptanceRequest>(submission);
}

pub fn answered(request: Checked<AcceptanceRequest>) -> Option<Decision> {
    Decision::deny(request.into_evaluation())
}

pub fn compared(declared: &Digest, recomputed: &Digest) -> Option<DigestMatches> {
    DigestMatches::compare(declared, recomputed)
}

fn main() {}
