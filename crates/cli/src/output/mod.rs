//! Words for people and machines.

pub mod escape;
pub mod format;
pub mod secret;
pub mod stop;
pub mod stream;
