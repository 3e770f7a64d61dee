//! Nothing in a decision can be set, and its outcome has one word.

use svc_core::decision::{Decision, Outcome};

fn open(mut denied: Decision) {
    denied.missing_gates.clear();
    denied.outcome = Outcome::Accepted;
}

fn main() {}

// refused: 6 E0616, 7 E0599, 7 E0616
