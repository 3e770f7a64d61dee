//! Files in and out, for every command: a bounded read that never hangs, a write that is whole or absent.
//!
//! Absent on purpose: nothing here escapes text. A label or message may hold a path somebody else chose;
//! the caller escapes it before it reaches a terminal.

pub(crate) mod document;
mod folder;
pub(crate) mod folder_swap;
pub(crate) mod fresh_folder;
pub(crate) mod kind;
mod lock;
pub(crate) mod new_folder;
pub(crate) mod open;
pub(crate) mod read;
#[cfg(test)]
#[cfg(unix)]
pub(crate) mod rerun;
pub(crate) mod size;
pub(crate) mod stdout;
#[cfg(any(feature = "server", test))]
pub(crate) mod user_file;
pub(crate) mod write;
