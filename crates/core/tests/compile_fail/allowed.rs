//! What may be written does compile: a checked artifact is derived from, and answered.

use svc_core::{
    artifact::{acceptance_request::AcceptanceRequest, checked::Checked, derive::derive, submission::Submission},
    decision::Decision,
};

pub fn derived(submission: &Checked<Submission>) {
    let _ = derive::<AcceptanceRequest>(submission);
}

pub fn answered(request: Checked<AcceptanceRequest>) -> Option<Decision> {
    Decision::deny(request.into_evaluation())
}

fn main() {}
