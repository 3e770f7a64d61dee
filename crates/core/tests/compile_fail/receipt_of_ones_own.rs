//! Nothing but the journal's receipt stands in an answer as the proof of its record.

use svc_core::decision::Decision;

fn approved(decision: Decision) {
    let _ = decision.with_receipt("accepted");
}

fn main() {}

// refused: 6 E0308
