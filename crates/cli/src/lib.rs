//! What the command lines of `svc` and `svc-registry` share: arguments, failures, careful files and readable output.
//!
//! Absent on purpose: no command. Each command has one home, in one of the two programs.

pub mod arguments;
pub mod clock;
pub mod command_line;
pub mod completions;
pub mod failure;
pub mod files;
pub mod log;
pub mod man;
pub mod output;
pub mod policy_file;
pub mod public_keys;
pub mod registry_client;
pub mod rules;
pub mod scope;
