//! The seed, held against the finished binary.
//!
//! `seed_words` of the test kit repeats the specification by hand: thirteen commands, seven files, six paths, the ledger, five
//! stages. Nothing here imports a table of the project, so that the tables cannot only prove themselves; and
//! `digests.py` recomputes every digest with another language's hashing and JSON.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a test fails by panicking"
)]

mod artifacts;
mod bundle;
mod commands;
mod contracts;
mod forgery;
mod refusals;
mod repeatable;

use svc_testkit::seed_words as words;
