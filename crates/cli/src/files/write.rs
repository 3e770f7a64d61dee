//! An atomic write: afterwards the path holds the old file or the new one, whole, whatever happened.
//!
//! The bytes go to a temporary file in the same folder (`.svc-<16 hex digits>.tmp`, created exclusively), are
//! synced, renamed over the target, and the folder is synced. Two writers at once leave one complete file. A lock on it
//! tells the next run that somebody still writes; what nobody does is removed.
//! A failed sync is never tried again: the kernel may have dropped the pages and would then report success.

use std::{
    ffi::{OsStr, OsString},
    fs::{self, File, Permissions},
    hash::{BuildHasher as _, RandomState},
    io::{self, ErrorKind, Read as _, Write as _},
    path::{Path, PathBuf},
};

use super::{
    folder::TargetFolder,
    kind::{FileKind, SpecialKind},
    lock,
};

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Output {
    /// Standard output, written `-`.
    Stdout,
    Path(PathBuf),
}

impl Output {
    /// `-` is standard output, anything else a path (a file named `-` is `./-`).
    pub fn from_argument(argument: impl Into<OsString>) -> Self {
        let argument = argument.into();
        if argument == OsStr::new("-") { Self::Stdout } else { Self::Path(argument.into()) }
    }

    /// What standard output gets as long as there is no result, if it is the output.
    pub fn empty_payload(&self) -> Option<Vec<u8>> {
        match self {
            Self::Stdout => Some(Vec::new()),
            Self::Path(_) => None,
        }
    }

    /// The name a user knows it by. Not escaped.
    pub fn label(&self) -> String {
        match self {
            Self::Stdout => "<stdout>".to_owned(),
            Self::Path(path) => path.to_string_lossy().into_owned(),
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WriteOutcome {
    /// There was no file.
    Created,
    /// There was a file with other content.
    Replaced,
    /// The file already held these bytes and was not touched.
    Unchanged,
}

/// Why nothing was written.
#[derive(Debug)]
pub enum WriteError {
    /// The path ends in a slash or a dot, or is empty.
    NoFileName,
    /// The target is a folder.
    IsDirectory,
    /// The target is a symbolic link, pipe, socket or device: neither followed nor replaced.
    NotRegular(SpecialKind),
    /// The folder to write into does not exist.
    ParentMissing(PathBuf),
    /// The folder to write into is not one.
    ParentNotFolder(PathBuf),
    /// The user may not write there.
    PermissionDenied,
    /// The disk or the user's quota is full.
    DiskFull,
    /// The file system is mounted read-only.
    ReadOnly,
    /// Anything else the system reports.
    Io(io::Error),
}

impl WriteError {
    /// What is wrong, to stand behind the output's label. Not escaped.
    pub fn message(&self) -> String {
        match self {
            Self::NoFileName => "does not end in a file name".to_owned(),
            Self::IsDirectory => "is a folder, not a file".to_owned(),
            Self::NotRegular(kind) => format!("is {}, which is never replaced", kind.noun()),
            Self::ParentMissing(folder) => {
                format!("the folder {} does not exist", folder.display())
            }
            Self::ParentNotFolder(folder) => format!("{} is not a folder", folder.display()),
            Self::PermissionDenied => "permission denied".to_owned(),
            Self::DiskFull => "the disk or the quota is full".to_owned(),
            Self::ReadOnly => "the file system is read-only".to_owned(),
            Self::Io(error) => format!("cannot be written: {error}"),
        }
    }

    /// A way out, where there is one.
    pub fn help(&self) -> Option<&'static str> {
        match self {
            Self::NoFileName | Self::IsDirectory => Some("name a file inside the folder"),
            Self::NotRegular(SpecialKind::Symlink) => Some("name the file the link points at, or remove the link"),
            Self::NotRegular(SpecialKind::Fifo | SpecialKind::Socket | SpecialKind::Device) => {
                Some("name a regular file; `-` writes to standard output")
            }
            Self::ParentMissing(_) => Some("create the folder first"),
            Self::ParentNotFolder(_) | Self::ReadOnly => Some("choose another folder"),
            Self::PermissionDenied => Some("choose a folder you may write to"),
            Self::DiskFull => Some("free some space, or choose another disk"),
            Self::Io(_) => None,
        }
    }
}

impl From<io::Error> for WriteError {
    fn from(error: io::Error) -> Self {
        let is = |kinds: &[ErrorKind]| kinds.contains(&error.kind());
        if is(&[ErrorKind::PermissionDenied]) {
            Self::PermissionDenied
        } else if is(&[ErrorKind::StorageFull, ErrorKind::QuotaExceeded]) {
            Self::DiskFull
        } else if is(&[ErrorKind::ReadOnlyFilesystem]) {
            Self::ReadOnly
        } else if is(&[ErrorKind::IsADirectory]) {
            Self::IsDirectory
        } else {
            Self::Io(error)
        }
    }
}

/// Puts the bytes at the path, whole or not at all.
pub fn write_atomic(path: &Path, bytes: &[u8]) -> Result<WriteOutcome, WriteError> {
    let (parent, name) = split(path)?;
    let folder = TargetFolder::open(parent).map_err(|error| parent_error(parent, error))?;
    let written = match folder.kind_of(name)? {
        None => WriteOutcome::Created,
        Some(FileKind::Regular) if holds(&folder, name, bytes) => return Ok(WriteOutcome::Unchanged),
        Some(FileKind::Regular) => WriteOutcome::Replaced,
        Some(FileKind::Folder) => return Err(WriteError::IsDirectory),
        Some(FileKind::Special(kind)) => return Err(WriteError::NotRegular(kind)),
    };
    clear_leftovers(&folder);
    let mut temporary = Temporary::create(&folder)?;
    temporary.fill(bytes)?;
    temporary.rename_to(name)?;
    folder.sync()?;
    Ok(written)
}

/// Refuses a path that [`write_atomic`] would refuse, as far as that shows without writing.
pub fn require_writable(path: &Path) -> Result<(), WriteError> {
    let (parent, name) = split(path)?;
    let folder = TargetFolder::open(parent).map_err(|error| parent_error(parent, error))?;
    match folder.kind_of(name)? {
        None | Some(FileKind::Regular) => Ok(folder.require_writable()?),
        Some(FileKind::Folder) => Err(WriteError::IsDirectory),
        Some(FileKind::Special(kind)) => Err(WriteError::NotRegular(kind)),
    }
}

/// Whether both paths lead to one file, through links and hard links. A path that leads nowhere is no file.
#[cfg(unix)]
pub fn is_same_file(a: &Path, b: &Path) -> bool {
    use std::os::unix::fs::MetadataExt as _;

    match (fs::metadata(a), fs::metadata(b)) {
        (Ok(a), Ok(b)) => (a.dev(), a.ino()) == (b.dev(), b.ino()),
        (Err(_), _) | (_, Err(_)) => false,
    }
}

/// Whether both paths lead to one file. Hard links are not seen here.
#[cfg(not(unix))]
pub fn is_same_file(a: &Path, b: &Path) -> bool {
    match (fs::canonicalize(a), fs::canonicalize(b)) {
        (Ok(a), Ok(b)) => a == b,
        (Err(_), _) | (_, Err(_)) => false,
    }
}

fn split(path: &Path) -> Result<(&Path, &OsStr), WriteError> {
    // `file_name` sees through `out/` and `out/.`, but whoever writes that means a folder.
    let bytes = path.as_os_str().as_encoded_bytes();
    let means_folder = bytes.ends_with(b"/") || bytes.ends_with(b"/.");
    match path.file_name() {
        Some(name) if !means_folder => Ok((named(path.parent()), name)),
        Some(_) | None => Err(WriteError::NoFileName),
    }
}

fn named(parent: Option<&Path>) -> &Path {
    parent.filter(|parent| !parent.as_os_str().is_empty()).unwrap_or(Path::new("."))
}

fn parent_error(parent: &Path, error: io::Error) -> WriteError {
    if error.kind() == ErrorKind::NotFound {
        WriteError::ParentMissing(parent.to_owned())
    } else if error.kind() == ErrorKind::NotADirectory {
        WriteError::ParentNotFolder(parent.to_owned())
    } else {
        error.into()
    }
}

/// Whether the file holds exactly these bytes. One that cannot be read does not.
fn holds(folder: &TargetFolder, name: &OsStr, bytes: &[u8]) -> bool {
    let Ok(file) = folder.open_for_reading(name) else {
        return false;
    };
    let expected = u64::try_from(bytes.len()).unwrap_or(u64::MAX);
    let same_size = file.metadata().is_ok_and(|metadata| metadata.is_file() && metadata.len() == expected);
    same_size && reads_as(file, bytes)
}

fn reads_as(mut file: File, bytes: &[u8]) -> bool {
    let mut buffer = vec![0; 64 * 1024];
    let mut rest = bytes;
    loop {
        match file.read(&mut buffer) {
            Ok(0) => return rest.is_empty(),
            Ok(count) => match buffer.get(..count).and_then(|chunk| rest.strip_prefix(chunk)) {
                Some(left) => rest = left,
                None => return false,
            },
            Err(error) if error.kind() == ErrorKind::Interrupted => {}
            Err(_) => return false,
        }
    }
}

/// A file that is removed again unless it was renamed to its target.
struct Temporary<'f> {
    folder: &'f TargetFolder,
    name: OsString,
    file: File,
    last_permissions: Option<Permissions>,
    renamed: bool,
}

impl<'f> Temporary<'f> {
    fn create(folder: &'f TargetFolder) -> Result<Self, WriteError> {
        const ATTEMPTS: u32 = 16;
        let mut taken = io::Error::from(ErrorKind::AlreadyExists);
        for _ in 0..ATTEMPTS {
            let name = unpredictable_name();
            match folder.create(&name) {
                Ok((file, last_permissions)) => {
                    let held = lock::try_lock(&file)?;
                    let temporary = Self { folder, name, file, last_permissions, renamed: false };
                    // Another run may have taken it for a leftover, before it was locked.
                    if held != Some(false) && matches!(folder.kind_of(&temporary.name), Ok(Some(_))) {
                        return Ok(temporary);
                    }
                }
                Err(error) if error.kind() == ErrorKind::AlreadyExists => taken = error,
                Err(error) => return Err(error.into()),
            }
        }
        Err(taken.into())
    }

    fn fill(&mut self, bytes: &[u8]) -> Result<(), WriteError> {
        self.file.write_all(bytes)?;
        if let Some(permissions) = self.last_permissions.take() {
            self.file.set_permissions(permissions)?;
        }
        Ok(self.file.sync_all()?)
    }

    fn rename_to(mut self, name: &OsStr) -> Result<(), WriteError> {
        self.folder.rename(&self.name, name)?;
        self.renamed = true;
        Ok(())
    }
}

impl Drop for Temporary<'_> {
    fn drop(&mut self) {
        if !self.renamed {
            // The first error is the one to report; a file left behind shows itself by its name.
            let _ = self.folder.remove(&self.name);
        }
    }
}

/// Removes the temporary files of runs that were killed: those that nobody holds a lock on.
fn clear_leftovers(folder: &TargetFolder) {
    for name in folder.names().into_iter().filter(|name| is_temporary(name)) {
        let Ok(file) = folder.open_for_reading(&name) else { continue };
        let is_left =
            file.metadata().is_ok_and(|found| found.is_file()) && matches!(lock::try_lock(&file), Ok(Some(true)));
        if is_left {
            let _ = folder.remove(&name);
        }
        // The lock is held until the name is gone: a run that just made the file must find it locked or missing.
        drop(file);
    }
}

/// Whether this is the name of a temporary file, which only a killed run leaves behind.
pub fn is_temporary(name: &OsStr) -> bool {
    let middle = name.to_str().and_then(|name| name.strip_prefix(".svc-")?.strip_suffix(".tmp"));
    middle.is_some_and(|middle| middle.len() == 16 && middle.bytes().all(|byte| byte.is_ascii_hexdigit()))
}

/// The standard library's hash keys come from the system's random numbers, so that no other user can guess
/// the name and stand in its way; exclusive creation makes a guess harmless anyway.
fn unpredictable_name() -> OsString {
    format!(".svc-{:016x}.tmp", RandomState::new().hash_one(std::process::id())).into()
}

#[cfg(test)]
#[cfg(unix)]
mod tests;
