//! Nothing is decided about an artifact that was only read.

use svc_core::{artifact::acceptance_request::AcceptanceRequest, decision::Decision};

fn decide(read: AcceptanceRequest) -> Option<Decision> {
    Decision::deny(read)
}

fn main() {}

// refused: 6 E0308
