//! The finished binary, attacked: bad inputs, bad outputs, forged and torn files, hostile names, hostile packages.
//!
//! The modules of a campaign (`byte_flips`, `true_claims`, `forgeries`, `kills`, `writers`, `isolation`) run a slice of it here;
//! `cargo xtask campaign` runs the same functions with the full counts, told so by the environment (`campaign.rs`).
#![cfg(unix)]
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a test fails by panicking"
)]

mod bundle;
mod byte_flips;
mod commands;
mod depth;
mod folder;
mod forgeries;
mod help;
mod inputs;
mod isolation;
mod json_output;
mod kills;
mod links;
mod outputs;
mod package_attacks;
mod package_on_disk;
mod publisher;
mod streams;
mod svc;
mod terminal;
mod touches;
mod true_claims;
mod writers;

use svc_testkit::campaign;
