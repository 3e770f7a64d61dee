//! The walls between a folder and the rest of the disk: nothing beneath it is opened through a link or above it.
//! Linux has `openat2`; other Unix systems open part by part; elsewhere the standard library looks first.

pub(crate) mod entry;
#[cfg(any(not(unix), test))]
mod portable;
pub(crate) mod stamp;
#[cfg(unix)]
mod unix;

#[cfg(not(unix))]
pub(crate) use portable::{Folder, Root};
#[cfg(unix)]
pub(crate) use unix::{Folder, Root};
