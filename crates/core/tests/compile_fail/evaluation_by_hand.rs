//! What an answer speaks of comes from the seal, and from nowhere else.

use svc_core::{artifact::evaluated::Evaluation, closed::DigestMatches, words::kind};

fn evaluation(digest: DigestMatches) -> Evaluation {
    Evaluation { spec: &kind::INDEX, digest, packages: Vec::new() }
}

fn sealed(digest: DigestMatches) {
    let _ = Evaluation::of_sealed(&kind::INDEX, digest, None, Vec::new());
}

fn main() {}

// refused: 10 E0308, 10 E0624, 6 -
