//! A `Checked` comes from the check, never from its parts.

use svc_core::{
    artifact::{checked::Checked, submission::Submission},
    closed::DigestMatches,
};

fn forge(artifact: Submission, matches: DigestMatches) -> Checked<Submission> {
    Checked { artifact, matches, packages: Vec::new() }
}

fn main() {}

// refused: 9 -
