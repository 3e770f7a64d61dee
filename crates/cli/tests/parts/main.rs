//! The two parts of svc: the author's alone, and the whole with the feature `server`.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a test fails by panicking"
)]

#[cfg(not(feature = "server"))]
mod left_out;
mod tree;

use svc_testkit::run;
