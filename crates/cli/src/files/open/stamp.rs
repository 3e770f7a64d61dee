//! What must be the same before and after a read.

use std::{
    fs::{File, Metadata},
    io,
    time::{Duration, SystemTime},
};

use crate::files::kind::FileKind;

/// An open file's kind, size, times and identity.
#[derive(Debug, PartialEq, Eq)]
pub struct Stamp {
    /// The kind of the file that is open, whatever its name leads to by now.
    pub kind: FileKind,
    /// The size it claims.
    pub size: u64,
    version: FileVersion,
    /// When it was last written, as far as its file system tells.
    written: Option<SystemTime>,
}

impl Stamp {
    pub fn of(file: &File) -> io::Result<Self> {
        let metadata = file.metadata()?;
        Ok(Self {
            kind: metadata.file_type().into(),
            size: metadata.len(),
            version: FileVersion::from_metadata(&metadata),
            written: metadata.modified().ok(),
        })
    }

    /// Whether it was written less than so long before a time, or after it, or nobody knows when.
    pub fn is_written_within(&self, span: Duration, time: SystemTime) -> bool {
        self.written.and_then(|written| time.duration_since(written).ok()).is_none_or(|before| before < span)
    }
}

/// The change time cannot be set back by a user, so that a write which restores the modification time shows.
#[cfg(unix)]
#[derive(Debug, PartialEq, Eq)]
struct FileVersion {
    device: u64,
    inode: u64,
    modified: (i64, i64),
    changed: (i64, i64),
}

#[cfg(unix)]
impl FileVersion {
    fn from_metadata(metadata: &Metadata) -> Self {
        use std::os::unix::fs::MetadataExt as _;

        Self {
            device: metadata.dev(),
            inode: metadata.ino(),
            modified: (metadata.mtime(), metadata.mtime_nsec()),
            changed: (metadata.ctime(), metadata.ctime_nsec()),
        }
    }
}

#[cfg(not(unix))]
#[derive(Debug, PartialEq, Eq)]
struct FileVersion {
    created: Option<std::time::SystemTime>,
    modified: Option<std::time::SystemTime>,
}

#[cfg(not(unix))]
impl FileVersion {
    fn from_metadata(metadata: &Metadata) -> Self {
        Self { created: metadata.created().ok(), modified: metadata.modified().ok() }
    }
}
