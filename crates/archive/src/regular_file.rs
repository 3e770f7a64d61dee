//! Files that an operator names, such as keys, passwords and token files: read whole, up to a bound, and only when they are
//! regular files. A pipe would be waited for, and a device may have no end. Links are followed.

use std::{
    fs::{File, FileType},
    io::{self, Read as _},
    path::Path,
};

/// Reads a regular file of at most so many bytes.
///
/// # Errors
/// When it is no regular file, is larger, or cannot be read.
pub fn read(path: &Path, most: u64) -> io::Result<Vec<u8>> {
    // Asked before opening, because opening a device can act on it; asked again of the open file, because only that
    // answer is about what will be read.
    require_regular(path.metadata()?.file_type())?;
    let file = open(path)?;
    require_regular(file.metadata()?.file_type())?;
    let mut bytes = Vec::new();
    file.take(most.saturating_add(1)).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > most {
        return Err(io::Error::new(io::ErrorKind::FileTooLarge, format!("it must have at most {most} bytes")));
    }
    Ok(bytes)
}

/// Reads a regular file that decides whom to trust: keys, tokens, passwords, certificates. One that every user of the
/// machine may change is refused.
///
/// # Errors
/// As [`read`], and when others may write to it.
pub fn read_guarded(path: &Path, most: u64) -> io::Result<Vec<u8>> {
    refuse_world_writable(path)?;
    read(path, most)
}

/// Refuses a file that every user of the machine may change.
///
/// # Errors
/// When it is one.
pub fn refuse_world_writable(path: &Path) -> io::Result<()> {
    match mode_of(path)? {
        Some(mode) if mode & 0o002 != 0 => {
            let message =
                format!("every user may write to it (mode {mode:o}); run `chmod o-w` on it, and check what it holds");
            Err(io::Error::new(io::ErrorKind::PermissionDenied, message))
        }
        Some(_) | None => Ok(()),
    }
}

/// What to tell of a secret that every user of the machine may read.
#[must_use]
pub fn shown_to_everybody(path: &Path) -> Option<String> {
    let mode = mode_of(path).ok().flatten().filter(|mode| mode & 0o004 != 0)?;
    Some(format!("{}: every user may read this secret (mode {mode:o}); run `chmod o-r` on it", path.display()))
}

/// The permissions of a regular file.
#[cfg(unix)]
fn mode_of(path: &Path) -> io::Result<Option<u32>> {
    let found = path.metadata()?;
    let mode = std::os::unix::fs::PermissionsExt::mode(&found.permissions());
    Ok(found.is_file().then_some(mode & 0o777))
}

#[cfg(not(unix))]
fn mode_of(_: &Path) -> io::Result<Option<u32>> {
    Ok(None)
}

/// Reads a regular file of text.
///
/// # Errors
/// As [`read`], and when it is not UTF-8.
pub fn read_text(path: &Path, most: u64) -> io::Result<String> {
    let text = String::from_utf8(read(path, most)?);
    text.map_err(|_| io::Error::new(io::ErrorKind::InvalidData, "it must be text in UTF-8"))
}

fn require_regular(kind: FileType) -> io::Result<()> {
    if kind.is_file() {
        return Ok(());
    }
    let message = format!("it must be a regular file and is {}; give the path of a regular file", noun(kind));
    Err(io::Error::new(io::ErrorKind::InvalidInput, message))
}

fn noun(kind: FileType) -> &'static str {
    #[cfg(unix)]
    {
        use std::os::unix::fs::FileTypeExt as _;

        if kind.is_fifo() {
            return "a named pipe";
        }
        if kind.is_socket() {
            return "a socket";
        }
    }
    if kind.is_dir() { "a folder" } else { "a device" }
}

/// Opens a file to read it. A pipe that was put in its place since the first look opens at once, and does not become the terminal of
/// the process: `O_NONBLOCK`, `O_NOCTTY`.
///
/// # Errors
/// When it cannot be opened.
#[cfg(unix)]
pub fn open(path: &Path) -> io::Result<File> {
    use rustix::fs::{Mode, OFlags};

    let flags = OFlags::RDONLY | OFlags::NONBLOCK | OFlags::NOCTTY | OFlags::CLOEXEC;
    Ok(rustix::fs::open(path, flags, Mode::empty())?.into())
}

/// Opens a file to read it.
///
/// # Errors
/// When it cannot be opened.
#[cfg(not(unix))]
pub fn open(path: &Path) -> io::Result<File> {
    File::open(path)
}

#[cfg(test)]
#[cfg(unix)]
mod tests {
    use std::{fs, os::unix::fs::symlink};

    use rustix::fs::{CWD, Mode};
    use tempfile::tempdir;

    use super::*;

    #[test]
    fn only_a_regular_file_within_its_bound_is_read() {
        let folder = tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        rustix::fs::mkfifoat(CWD, at("pipe"), Mode::RWXU).unwrap();
        symlink(at("pipe"), at("link-to-pipe")).unwrap();
        fs::write(at("file"), "0123").unwrap();
        symlink(at("file"), at("link")).unwrap();
        for (path, noun) in [
            (at("pipe"), "a named pipe"),
            (at("link-to-pipe"), "a named pipe"),
            (folder.path().to_owned(), "a folder"),
            ("/dev/zero".into(), "a device"),
        ] {
            let refused = read(&path, 4).unwrap_err().to_string();
            assert_eq!(refused, format!("it must be a regular file and is {noun}; give the path of a regular file"));
        }
        assert!(open(&at("pipe")).is_ok(), "also when it appears between look and open");
        assert_eq!(read(&at("link"), 4).unwrap(), b"0123");
        assert_eq!(read(&at("file"), 3).unwrap_err().to_string(), "it must have at most 3 bytes");
        assert_eq!(read(&at("none"), 3).unwrap_err().kind(), io::ErrorKind::NotFound);
        fs::write(at("file"), b"\xff").unwrap();
        assert_eq!(read_text(&at("file"), 3).unwrap_err().to_string(), "it must be text in UTF-8");
    }
}
