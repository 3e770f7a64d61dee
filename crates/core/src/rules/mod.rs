//! The rules: one table per family, one row per rule. Codes are stable and never reused.

pub mod artifacts;
pub mod asked_and_used;
mod causes;
pub mod changes;
mod claims;
mod collisions;
mod csp;
mod declared;
pub mod example_package;
pub mod example_text;
mod exceptions;
mod family;
pub mod files;
pub mod listing;
pub mod manifest;
pub mod package;
pub mod permissions;
pub mod proposal;
pub mod ruleset;
pub mod run;
mod settings;
mod svc_default;
pub mod syntax;

#[cfg(test)]
mod tests;
