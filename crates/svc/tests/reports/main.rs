//! What a run tells: the six formats, on the real binary.
//!
//! `thirteen-errors/` and `../foreign/` are written by hand, and so are the positions expected of them. Formats that
//! others define are held against those definitions: SARIF against its published schema, XML by another reader.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a test fails by panicking"
)]

mod blockers;
mod concise;
mod excerpts;
mod foreign;
mod github;
mod json;
mod junit;
mod lists;
mod packages;
mod same_bytes;
mod sarif;
mod sarif_schema;
mod several;
mod terminal;
mod thirteen_errors;

use svc_testkit::run;
