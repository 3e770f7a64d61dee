//! The rules: one table per family, one row per rule. Codes are stable and never reused.

pub mod artifacts;
pub mod example;
pub mod files;
pub mod listing;
pub mod manifest;
pub mod permissions;
pub mod review;
pub mod rule;
pub mod ruleset;
pub mod syntax;

pub use example::Example;
pub use rule::{Exit, Needs, Rule, Severity};

#[cfg(test)]
mod tests;
