//! What an answer speaks of comes from the seal, and from nowhere else.

use svc_core::{artifact::evaluated::SealedEvaluation, closed::DigestMatches, words::kind};

fn evaluation(digest: DigestMatches) -> SealedEvaluation {
    SealedEvaluation { spec: &kind::INDEX, digest, packages: Vec::new() }
}

fn sealed(digest: DigestMatches) {
    let _ = SealedEvaluation::of_sealed(&kind::INDEX, digest, None, Vec::new());
}

fn main() {}

// refused: 10 E0308, 10 E0624, 6 -
