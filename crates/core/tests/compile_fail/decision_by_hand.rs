//! A decision is made by denying a checked artifact; it cannot be put together.

use svc_core::{decision::Decision, fail_closed::False};

fn forge() -> Decision {
    Decision { accepted: False }
}

fn main() {}
