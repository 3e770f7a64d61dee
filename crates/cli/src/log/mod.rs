//! Logs as both programs read them: at an address, with their witnesses, and the verdict on a whole one.

pub mod archive;
mod content_coding;
pub mod log_progress;
pub mod remote;
pub mod verdict;
pub mod witnessed;
