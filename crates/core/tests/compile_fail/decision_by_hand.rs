//! A decision is made by denying a checked artifact; it cannot be put together.

use svc_core::{closed::False, decision::Decision};

fn forge() -> Decision {
    Decision { accepted: False }
}

fn main() {}

// refused: 6 -
