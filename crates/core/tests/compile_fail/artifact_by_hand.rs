//! An artifact is read, or made from a package; it cannot be put together.

use svc_core::{artifact::submission::Submission, words::stage::Reached};

fn forge() -> Submission {
    Submission { stage: Reached::CollectionEntry }
}

fn main() {}

// refused: 6 -
