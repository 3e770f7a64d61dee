//! Nothing but the journal's receipt stands in an answer as the proof of its record.

use svc_core::decision::{Decision, ProvesRecord};

struct Approved;

impl ProvesRecord for Approved {}

fn approved(decision: Decision) {
    let _ = decision.with_receipt("accepted");
}

fn main() {}

// refused: 10 E0277, 7 E0277, 7 E0277
