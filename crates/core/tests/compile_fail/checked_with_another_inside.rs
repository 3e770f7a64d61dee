//! What was checked cannot be swapped for something else afterwards.

use svc_core::artifact::{checked::Checked, submission::Submission};

fn swap(checked: &mut Checked<Submission>, other: Submission) {
    **checked = other;
}

fn main() {}

// refused: 6 E0594
