//! A member of an artifact cannot be set.

use svc_core::{artifact::submission::Submission, words::stage::Reached};

fn change(submission: &mut Submission) {
    submission.stage = Reached::CollectionEntry;
    submission.blockers.clear();
}

fn main() {}

// refused: 6 E0616, 7 E0616
