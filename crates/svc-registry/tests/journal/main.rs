//! The journal on the real binary: killed, starved, tampered with, and asked for proof.
#![cfg(unix)]
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a test fails by panicking"
)]

mod advice;
mod commands;
mod damaged_endpoints;
mod database_starts;
mod deliveries;
mod endpoints;
mod failovers;
mod faults;
mod followed_advice;
mod followers;
mod joins;
mod killed_commands;
mod kills;
mod lived;
mod load;
mod made_log;
mod many_nodes;
mod mirror;
mod names;
mod next_key;
mod nodes;
mod outsiders;
mod readiness;
mod refused_start;
mod watch;
mod witnesses;

use svc_testkit::{campaign, cluster, follower, order, receiver, run, running, standby};
