//! The walls between the package root and the rest of the disk: nothing is opened through a link or above the
//! root. Linux has `openat2`; other Unix systems open part by part; elsewhere the standard library looks first.

pub(super) mod entry;
#[cfg(any(not(unix), test))]
mod portable;
pub(super) mod stamp;
#[cfg(unix)]
mod unix;

#[cfg(not(unix))]
pub(super) use portable::{Folder, Root};
#[cfg(unix)]
pub(super) use unix::{Folder, Root};
