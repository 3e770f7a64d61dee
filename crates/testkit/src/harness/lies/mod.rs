//! Registries that lie, each in one way, and registries that are honest in another way than ours.
//!
//! A lie is one row of [`table::LIES`]. Every client of ours is held against all of them.

pub mod honest;
pub mod proxy;
pub mod table;
