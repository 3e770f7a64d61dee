//! Files in and out, for every command: a bounded read that never hangs, a write that is whole or absent.
//!
//! Absent on purpose: nothing here escapes text. A label or message may hold a path somebody else chose;
//! the caller escapes it before it reaches a terminal.

pub mod document;
mod folder;
pub mod folder_swap;
pub mod fresh_folder;
pub mod kind;
mod lock;
pub mod new_folder;
pub mod open;
pub mod read;
pub mod size;
pub mod stdout;
pub mod user_file;
pub mod write;
