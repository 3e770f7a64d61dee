//! The journal as a whole, against both stores. What needs PostgreSQL is ignored here and run by `cargo xtask gates`.
#![cfg(unix)]
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::print_stdout,
    reason = "a test fails by panicking, and a measurement prints"
)]

/// Tests that run in each store.
macro_rules! in_both_stores {
    ($($name:ident,)+) => {
        mod sqlite {
            $(#[test] fn $name() { super::$name(&crate::place::Place::sqlite()); })+
        }
        mod postgres {
            $(#[test] #[ignore = "needs PostgreSQL; `cargo xtask gates` runs it"]
            fn $name() { super::$name(&crate::place::Place::postgres()); })+
        }
    };
}

mod attributions;
mod background;
mod both;
mod cosigned;
mod damage;
mod drafts;
mod embedded;
mod encrypted;
mod endpoints;
mod image;
mod life_cycle;
mod memories;
mod origin;
mod place;
mod policies;
mod probed;
mod published_vectors;
mod receipts;
mod refused_start;
mod returning_primary;
mod roles;
mod shared;
mod standby;
mod stored;
mod unreleased;

use svc_testkit::cluster;
