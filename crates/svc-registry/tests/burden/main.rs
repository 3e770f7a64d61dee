//! `svc-registry serve` under a burden: crowds of slow clients, large bodies beside small ones, and what one request takes. Memory and
//! short times are measured, so that these run beside no other tests.
#![cfg(unix)]
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a test fails by panicking"
)]

mod large_bodies;
mod memory;
mod refused_bodies;
mod slow_clients;

use svc_testkit::{campaign, running};
