//! What every wall answers with.

use std::{ffi::OsString, io};

use crate::files::kind::FileKind;

pub struct FolderEntry {
    /// One part of a path, as the system spells it.
    pub name: OsString,
    /// What it was when the folder was read; `None` where the file system does not say.
    pub kind: Option<FileKind>,
}

/// Why something beneath the root did not open.
#[derive(Debug)]
pub enum OpenFault {
    /// Nothing bears the name.
    Missing,
    /// The way leads through a link, out of the root, or through something that is no folder.
    Blocked,
    /// Anything else the system reports.
    Io(io::Error),
}
