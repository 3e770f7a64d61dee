//! The status of the gates cannot be put together.

use std::marker::PhantomData;

use svc_core::gates::{Evidenced, GateStatuses};

fn by_hand() -> GateStatuses {
    GateStatuses::<Evidenced>(PhantomData)
}

fn main() {}

// refused: 8 E0423
