//! The journal on the real binary: killed, starved, tampered with, and asked for proof.
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
#[path = "../../../../tests/cluster/mod.rs"]
#[allow(dead_code, reason = "shared by all suites with a database; no suite needs each part")]
mod cluster;
mod commands;
mod faults;
mod kills;
mod load;
mod many_nodes;
mod refused_start;
#[path = "../run/mod.rs"]
#[allow(dead_code, reason = "the helpers of all tests of the binary; no test needs each")]
mod run;
#[path = "../serve/running.rs"]
#[allow(dead_code, reason = "the helpers of all tests of the service; no test needs each")]
mod running;
