//! The statuses of the hash gate are types without values: there is nothing to hold, only something to be.

use svc_core::gates::{Evidenced, Unevidenced};

fn evidenced() -> Evidenced {
    Evidenced
}

fn unevidenced() -> Unevidenced {
    Unevidenced::default()
}

fn main() {}

// refused: 10 E0599, 6 E0423
