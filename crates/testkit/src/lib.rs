//! What the tests of several crates share. Nothing that is shipped depends on it.
//!
//! | module | what it holds |
//! |---|---|
//! | `campaign` | counts, seeds and records of runs that are short in the tests and long in a campaign |
//! | `cluster`, `standby` | a private PostgreSQL, and others that follow it |
//! | `follower`, `receiver` | clients that get the records of a log: by the stream, by webhooks |
//! | `kit` | the tables of the conformance kit, and the bytes of every case |
//! | `lies` | registries that lie, and what must notice |
//! | `lived_log` | a log that was used, pruned, restored and failed over, with a second key |
//! | `order` | whether a log is one order of everything that was answered |
//! | `run`, `running` | the built `svc`, run to its end, or serving |
//! | `seed_words` | the specification, written again by hand; it imports nothing |
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
pub mod kit;
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
