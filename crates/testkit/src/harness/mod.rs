//! What only tests use.
#![allow(
    clippy::missing_panics_doc,
    clippy::must_use_candidate,
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a test fails by panicking, and nobody but our own tests calls this"
)]

/// The judge of JSON Schemas. Tests of three crates use it, and from here every build of the workspace has it with the same features.
pub use jsonschema;

pub mod campaign;
#[cfg(unix)]
pub mod cluster;
#[cfg(unix)]
pub mod follower;
pub mod lies;
#[cfg(unix)]
pub mod lived_log;
pub mod order;
pub mod receiver;
#[cfg(unix)]
pub mod rerun;
pub mod run;
pub mod running;
pub mod seed_words;
#[cfg(unix)]
pub mod standby;
