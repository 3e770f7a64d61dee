//! A lock on what is being written, so that another run can tell whether anybody still does.

use std::{
    fs::{self, File, TryLockError},
    io,
    path::Path,
};

/// A lock that is held, or a file system that has none, where nobody can tell.
#[derive(Debug)]
pub(super) enum Held {
    Locked(File),
    Unknown,
}

impl Held {
    /// What must stay open for the lock to hold.
    pub(super) fn into_file(self) -> Option<File> {
        match self {
            Self::Locked(file) => Some(file),
            Self::Unknown => None,
        }
    }
}

/// Locks a folder, not through a link. Nothing when another holds it, or when the path leads elsewhere by now.
#[cfg(unix)]
pub(super) fn hold_folder(path: &Path) -> io::Result<Option<Held>> {
    use std::os::unix::fs::MetadataExt as _;

    if !fs::symlink_metadata(path)?.is_dir() {
        return Ok(None);
    }
    let file = match File::open(path) {
        Ok(file) => file,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(error),
    };
    let locked = try_lock(&file)?;
    let is_same = match (file.metadata(), fs::symlink_metadata(path)) {
        (Ok(own), Ok(there)) => (own.dev(), own.ino()) == (there.dev(), there.ino()),
        (Err(_), _) | (_, Err(_)) => false,
    };
    Ok(match locked {
        _ if !is_same => None,
        Some(true) => Some(Held::Locked(file)),
        Some(false) => None,
        None => Some(Held::Unknown),
    })
}

/// Elsewhere folders cannot be opened, let alone locked.
#[cfg(not(unix))]
pub(super) fn hold_folder(_: &Path) -> io::Result<Option<Held>> {
    Ok(Some(Held::Unknown))
}

/// Whether the lock was free and is now held. Nothing where the file system has no locks.
pub(super) fn try_lock(file: &File) -> io::Result<Option<bool>> {
    match file.try_lock() {
        Ok(()) => Ok(Some(true)),
        Err(TryLockError::WouldBlock) => Ok(Some(false)),
        Err(TryLockError::Error(error)) if error.kind() == io::ErrorKind::Unsupported => Ok(None),
        Err(TryLockError::Error(error)) => Err(error),
    }
}
