//! `svc-registry serve` and `svc-registry token`, on the real binary: set up, stopped under load, followed, and listened to.
#![cfg(unix)]
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a test fails by panicking"
)]

mod bad_requests;
mod check_config;
mod console;
mod drain;
mod formats;
mod log_readers;
mod manager;
mod metrics;
mod private_files;
mod probes;
mod proxies;
mod readers;
mod reload;
mod resealed;
mod settings;
mod streams;
mod tokens;

use svc_testkit::{campaign, follower, run, running};
