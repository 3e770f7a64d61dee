//! The verifier against an honest registry, and against registries that lie in one way each.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a test fails by panicking"
)]

mod answers;
mod careful;
mod documents;
mod foreign;
mod honest;
mod liar;
mod lie;
mod refusals;
mod transport;

use crate::lie::Lie;

/// Every lie there is.
fn all_lies() -> impl Iterator<Item = &'static Lie> {
    [answers::LIES, refusals::LIES, documents::LIES, transport::LIES].into_iter().flatten()
}

#[test]
fn there_are_enough_lies_and_no_name_twice() {
    let mut names: Vec<&str> = all_lies().map(|lie| lie.name).collect();
    assert!(names.len() >= 60, "{}", names.len());
    names.sort_unstable();
    names.dedup();
    assert_eq!(names.len(), all_lies().count());
}
