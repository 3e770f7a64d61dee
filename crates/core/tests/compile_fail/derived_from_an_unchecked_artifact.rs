//! Nothing is derived from an artifact that was only read, nor from one of another kind.

use svc_core::artifact::{
    acceptance_request::AcceptanceRequest, checked::Checked, derive::derive, index::Index,
    install_policy::InstallPolicy, submission::Submission,
};
use svc_core::rules::ruleset::Rules;

fn from_unchecked(submission: &Submission) {
    let _ = derive::<AcceptanceRequest>(submission);
}

fn from_another_kind(submission: &Checked<Submission>) {
    let _ = derive::<InstallPolicy>(submission);
}

fn index_of_unchecked(submission: Submission) {
    let _ = Index::from_submissions(&Rules::svc_default(), &[submission], None);
}

fn main() {}

// refused: 10 E0308, 14 E0308, 18 E0308
