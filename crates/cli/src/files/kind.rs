//! What a directory entry is, in the few words that matter here.

use std::fs::FileType;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FileKind {
    /// Content.
    Regular,
    Folder,
    /// Anything that is neither.
    Special(SpecialKind),
}

/// A kind of file that is never read as content and never replaced.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SpecialKind {
    /// A symbolic link, dangling or not.
    Symlink,
    Fifo,
    Socket,
    /// A character or block device, or what else a platform may have.
    Device,
}

impl SpecialKind {
    /// The kind with its article, to end a sentence with.
    pub fn noun(self) -> &'static str {
        match self {
            Self::Symlink => "a symbolic link",
            Self::Fifo => "a named pipe",
            Self::Socket => "a socket",
            Self::Device => "a device",
        }
    }
}

impl From<FileType> for FileKind {
    fn from(kind: FileType) -> Self {
        if kind.is_file() {
            Self::Regular
        } else if kind.is_dir() {
            Self::Folder
        } else if kind.is_symlink() {
            Self::Special(SpecialKind::Symlink)
        } else {
            Self::Special(beyond_std(kind))
        }
    }
}

#[cfg(unix)]
fn beyond_std(kind: FileType) -> SpecialKind {
    use std::os::unix::fs::FileTypeExt as _;

    if kind.is_fifo() {
        SpecialKind::Fifo
    } else if kind.is_socket() {
        SpecialKind::Socket
    } else {
        SpecialKind::Device
    }
}

#[cfg(not(unix))]
fn beyond_std(_: FileType) -> SpecialKind {
    SpecialKind::Device
}

#[cfg(unix)]
impl FileKind {
    /// The kind by `d_type` or `st_mode`; `None` where the file system does not say.
    pub fn from_raw(kind: rustix::fs::FileType) -> Option<Self> {
        use rustix::fs::FileType as Raw;

        Some(match kind {
            Raw::RegularFile => Self::Regular,
            Raw::Directory => Self::Folder,
            Raw::Symlink => Self::Special(SpecialKind::Symlink),
            Raw::Fifo => Self::Special(SpecialKind::Fifo),
            Raw::Socket => Self::Special(SpecialKind::Socket),
            Raw::CharacterDevice | Raw::BlockDevice => Self::Special(SpecialKind::Device),
            Raw::Unknown => return None,
        })
    }
}
