//! The outcome's flags have one value.

use svc_core::closed::{ClosedOutcome, False};

fn open() -> ClosedOutcome {
    ClosedOutcome { accepted: true, ..ClosedOutcome::default() }
}

fn flag() -> False {
    False(true)
}

fn negated() -> False {
    !False
}

fn main() {}

// refused: 10 E0618, 14 E0600, 6 E0308
