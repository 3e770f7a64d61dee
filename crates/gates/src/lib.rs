//! What the gates share: other programs, found and started. The gates themselves are `tests/gates`, one file for each;
//! `cargo xtask gates` runs them.

pub mod certificate;
pub mod debian;
pub mod journal_database;
pub mod nginx;
pub mod nginx_problems;
pub mod process;
pub mod programs;
pub mod service;
pub mod tools;
