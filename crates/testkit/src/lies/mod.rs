//! Registries that lie, each in one way, and registries that are honest in another way than ours.
//!
//! A lie is one row of [`table::LIES`]. Every client of ours is held against all of them: the verifier by its own tests, and
//! the SDK by way of `cargo xtask liars`, which serves them to whoever is not Rust.

pub mod around;
pub mod client;
pub mod foreign;
pub mod honest;
pub mod liars;
pub mod proxy;
pub mod table;
