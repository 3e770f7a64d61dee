//! A digest check in an answer is made by the evaluation alone.

use svc_core::{artifact::evaluated::DigestCheck, closed::DigestMatches};

fn check(matches: DigestMatches) -> DigestCheck {
    DigestCheck(matches)
}

fn main() {}

// refused: 6 E0423
