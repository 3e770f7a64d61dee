//! What is signed is verified, and nothing else: the keys are those of the journal.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::print_stdout,
    reason = "a test fails by panicking, and a measurement prints"
)]

mod checkpoint;
mod cosignature;
mod evidence;
mod hand_over;
mod minimum_index;
mod policy;
mod public_key;
mod thief;
