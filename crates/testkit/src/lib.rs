//! What the tests of several crates share.
//!
//! | module | what it holds |
//! |---|---|
//! | `campaign` | counts, seeds and records of runs that are short in the tests and long in a campaign |
//! | `cluster` | a private PostgreSQL |
//! | `run`, `running` | the built `svc`, run to its end, or serving |
//! | `seed_words` | the specification, written again by hand; it imports nothing |
#![allow(
    missing_docs,
    clippy::missing_panics_doc,
    clippy::must_use_candidate,
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a test fails by panicking, and nobody but our own tests calls this"
)]

pub mod campaign;
#[cfg(unix)]
pub mod cluster;
pub mod run;
pub mod running;
pub mod seed_words;
