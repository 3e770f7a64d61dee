//! `svc serve` and `svc token`, on the real binary: set up, stopped under load, measured, and listened to.
#![cfg(unix)]
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a test fails by panicking"
)]

#[path = "../../../../tests/campaign/mod.rs"]
#[allow(dead_code, reason = "shared by all suites with campaigns; no suite needs each part")]
mod campaign;
mod drain;
mod log_readers;
mod memory;
mod metrics;
mod resealed;
#[path = "../run/mod.rs"]
#[allow(dead_code, reason = "the helpers of all tests of the binary; no test needs each")]
mod run;
mod running;
mod settings;
mod slow_clients;
mod tokens;
