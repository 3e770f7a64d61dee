//! The wording rule: an external package is a validated artifact or a showcase preview, and nothing more.
//!
//! `texts.rs` gathers every text that people may read: documents, contracts, templates, string literals of the source,
//! and all that the binary prints. A few words may stand in none of them, but for the exceptions that `allowed.json`
//! lists one by one, as exact strings, each with its reason. There is no grammar of negations that could be talked
//! around. `planted.rs` shows that the walk sees each word in each place.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a test fails by panicking"
)]

mod allowed;
mod commands;
mod literals;
mod planted;
mod printed;
mod promises;
mod texts;
mod words;

use crate::{allowed::Allowed, run::repository};
use svc_testkit::run;

#[test]
fn no_text_says_more_of_a_package_than_it_is() {
    let allowed = Allowed::read();
    let mut faults = allowed.faults(&texts::committed(&repository("")));
    faults.extend(allowed.faults(&printed::everything()));
    assert!(faults.is_empty(), "{} words out of place:\n{}", faults.len(), faults.join("\n"));
}

#[test]
fn no_exception_is_left_over() {
    let allowed = Allowed::read();
    allowed.faults(&texts::committed(&repository("")));
    allowed.faults(&printed::everything());
    assert_eq!(allowed.unused(), [""; 0], "remove them from allowed.json");
}
