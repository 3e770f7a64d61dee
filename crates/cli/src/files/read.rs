//! A bounded read: it never hangs on a pipe, never trusts a size, and says exactly why it refuses.

use std::{
    ffi::{OsStr, OsString},
    fs::File,
    io::{self, ErrorKind, Read},
    path::{Path, PathBuf},
    thread,
    time::Duration,
};

use super::{
    kind::{FileKind, SpecialKind},
    size,
};

/// Where a document comes from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Input {
    /// Standard input, written `-`.
    Stdin,
    /// A file.
    Path(PathBuf),
}

impl Input {
    /// `-` is standard input, anything else a path (a file named `-` is `./-`).
    pub(crate) fn from_argument(argument: impl Into<OsString>) -> Self {
        let argument = argument.into();
        if argument == OsStr::new("-") { Self::Stdin } else { Self::Path(argument.into()) }
    }

    /// The name a user knows it by. Not escaped.
    pub(crate) fn label(&self) -> String {
        match self {
            Self::Stdin => "<stdin>".to_owned(),
            Self::Path(path) => path.to_string_lossy().into_owned(),
        }
    }
}

/// Why a document could not be read.
#[derive(Debug)]
pub(crate) enum ReadError {
    /// Nothing is there.
    NotFound,
    /// A folder is there.
    IsDirectory,
    /// A pipe, socket or device is there.
    NotRegular(SpecialKind),
    /// The user may not read it.
    PermissionDenied,
    /// It holds more than the limit.
    TooLarge {
        /// The limit, in bytes.
        limit: u64,
    },
    /// Anything else the system reports.
    Io(io::Error),
}

impl ReadError {
    /// What is wrong, to stand behind the input's label. Not escaped.
    pub(crate) fn message(&self) -> String {
        match self {
            Self::NotFound => "no such file".to_owned(),
            Self::IsDirectory => "is a folder, not a file".to_owned(),
            Self::NotRegular(kind) => format!("is {}, not a regular file", kind.noun()),
            Self::PermissionDenied => "permission denied".to_owned(),
            Self::TooLarge { limit } => format!("is larger than {}", size::in_words(*limit)),
            Self::Io(error) => format!("cannot be read: {error}"),
        }
    }

    /// A way out, where there is one.
    pub(crate) fn help(&self) -> Option<&'static str> {
        match self {
            Self::NotFound => Some("check the path; `-` reads standard input"),
            Self::IsDirectory => Some("name a file inside the folder"),
            Self::NotRegular(SpecialKind::Symlink) => Some("links are not followed here: name the file itself"),
            Self::NotRegular(SpecialKind::Fifo | SpecialKind::Socket | SpecialKind::Device) => {
                Some("pipe the content in and pass `-` instead of a path")
            }
            Self::PermissionDenied => Some("check the permissions of the file and of the folders above it"),
            Self::TooLarge { .. } => Some("check that this is the right file"),
            Self::Io(_) => None,
        }
    }
}

impl From<io::Error> for ReadError {
    fn from(error: io::Error) -> Self {
        let is = |kinds: &[ErrorKind]| kinds.contains(&error.kind());
        if is(&[ErrorKind::NotFound, ErrorKind::NotADirectory]) {
            Self::NotFound
        } else if is(&[ErrorKind::PermissionDenied]) {
            Self::PermissionDenied
        } else if is(&[ErrorKind::IsADirectory]) {
            Self::IsDirectory
        } else {
            Self::Io(error)
        }
    }
}

/// The whole input, if it is a regular file (or standard input) of at most `limit` bytes. Links are followed: this is for
/// the user's own files, such as keys. What a package may hold is read by [`super::document`].
pub(crate) fn read_bounded(input: &Input, limit: u64) -> Result<Vec<u8>, ReadError> {
    match input {
        Input::Stdin => read_stdin(limit),
        Input::Path(path) => read_path(path, limit),
    }
}

/// Standard input to its end.
pub(super) fn read_stdin(limit: u64) -> Result<Vec<u8>, ReadError> {
    read_counted(io::stdin().lock(), limit)
}

fn read_path(path: &Path, limit: u64) -> Result<Vec<u8>, ReadError> {
    // Asked before opening, because opening a device can act on it; asked again of the open file, because
    // only that answer is about what will be read.
    FileKind::from(path.metadata()?.file_type()).require_regular()?;
    read_open(open(path)?, limit)
}

/// A file that is open already.
pub(super) fn read_open(file: File, limit: u64) -> Result<Vec<u8>, ReadError> {
    let metadata = file.metadata()?;
    FileKind::from(metadata.file_type()).require_regular()?;
    if metadata.len() > limit {
        return Err(ReadError::TooLarge { limit });
    }
    read_counted(file, limit)
}

impl FileKind {
    /// Refuses what has no content, or somebody else's.
    pub(super) fn require_regular(self) -> Result<(), ReadError> {
        match self {
            Self::Regular => Ok(()),
            Self::Folder => Err(ReadError::IsDirectory),
            Self::Special(kind) => Err(ReadError::NotRegular(kind)),
        }
    }
}

fn read_counted(reader: impl Read, limit: u64) -> Result<Vec<u8>, ReadError> {
    let mut bytes = Vec::new();
    let mut reader = reader.take(limit.saturating_add(1));
    while let Err(error) = reader.read_to_end(&mut bytes) {
        // A parent such as Node leaves pipes it shares non-blocking; what was read so far is kept.
        if error.kind() != ErrorKind::WouldBlock {
            return Err(error.into());
        }
        thread::sleep(Duration::from_millis(5));
    }
    if u64::try_from(bytes.len()).is_ok_and(|count| count <= limit) {
        Ok(bytes)
    } else {
        Err(ReadError::TooLarge { limit })
    }
}

/// `O_NONBLOCK`: a pipe put there since the first look opens at once, and is then refused.
#[cfg(unix)]
fn open(path: &Path) -> io::Result<File> {
    use rustix::fs::{Mode, OFlags};

    let flags = OFlags::RDONLY | OFlags::NONBLOCK | OFlags::NOCTTY | OFlags::CLOEXEC;
    Ok(rustix::fs::open(path, flags, Mode::empty())?.into())
}

#[cfg(not(unix))]
fn open(path: &Path) -> io::Result<File> {
    File::open(path)
}

#[cfg(test)]
#[cfg(unix)]
mod tests {
    use std::{
        fs,
        os::unix::{ffi::OsStringExt as _, fs::symlink, net::UnixListener},
        time::Instant,
    };

    use rustix::fs::{CWD, Mode};
    use tempfile::tempdir;

    use super::*;
    use crate::files::rerun;

    fn read(path: &Path, limit: u64) -> Result<Vec<u8>, ReadError> {
        read_bounded(&Input::Path(path.to_owned()), limit)
    }

    #[test]
    fn a_pipe_without_a_writer_is_refused_at_once() {
        let dir = tempdir().unwrap();
        let path = dir.path().join("pipe");
        rustix::fs::mkfifoat(CWD, &path, Mode::RWXU).unwrap();
        let begun = Instant::now();
        let refusal = read(&path, 10).unwrap_err();
        assert!(matches!(refusal, ReadError::NotRegular(SpecialKind::Fifo)));
        assert_eq!(refusal.message(), "is a named pipe, not a regular file");
        assert!(open(&path).is_ok(), "also when it appears between look and open");
        assert!(begun.elapsed() < Duration::from_secs(1));
    }

    #[test]
    fn a_pipe_exchanged_for_the_file_is_never_read() {
        let dir = tempdir().unwrap();
        let (file, pipe) = (dir.path().join("file"), dir.path().join("pipe"));
        fs::write(&file, "content").unwrap();
        rustix::fs::mkfifoat(CWD, &pipe, Mode::RWXU).unwrap();
        thread::scope(|scope| {
            scope.spawn(|| {
                for _ in 0..20_000 {
                    let exchange = rustix::fs::RenameFlags::EXCHANGE;
                    rustix::fs::renameat_with(CWD, &file, CWD, &pipe, exchange).unwrap();
                }
            });
            for _ in 0..5_000 {
                match read(&file, 10) {
                    Ok(bytes) => assert_eq!(bytes, b"content"),
                    Err(refusal) => {
                        assert!(matches!(refusal, ReadError::NotRegular(SpecialKind::Fifo)))
                    }
                }
            }
        });
    }

    #[test]
    fn a_socket_and_a_device_are_refused() {
        let dir = tempdir().unwrap();
        let path = dir.path().join("socket");
        let _listener = UnixListener::bind(&path).unwrap();
        assert!(matches!(read(&path, 10), Err(ReadError::NotRegular(SpecialKind::Socket))));
        let device = read(Path::new("/dev/zero"), 10).unwrap_err();
        assert!(matches!(device, ReadError::NotRegular(SpecialKind::Device)));
        assert!(device.help().unwrap().contains('-'));
    }

    #[test]
    fn a_folder_is_refused() {
        let dir = tempdir().unwrap();
        let refusal = read(dir.path(), 10).unwrap_err();
        assert!(matches!(refusal, ReadError::IsDirectory));
        assert_eq!(refusal.message(), "is a folder, not a file");
        let link = dir.path().join("link");
        symlink(dir.path(), &link).unwrap();
        assert!(matches!(read(&link, 10), Err(ReadError::IsDirectory)));
    }

    #[test]
    fn a_missing_file_is_not_found_also_below_a_file_and_behind_a_dangling_link() {
        let dir = tempdir().unwrap();
        fs::write(dir.path().join("file"), "x").unwrap();
        symlink("nowhere", dir.path().join("dangling")).unwrap();
        for name in ["missing", "file/below", "dangling"] {
            let refusal = read(&dir.path().join(name), 10).unwrap_err();
            assert!(matches!(refusal, ReadError::NotFound), "{name}");
        }
        assert!(matches!(read(Path::new(""), 10), Err(ReadError::NotFound)));
    }

    #[test]
    fn a_link_loop_and_a_nul_are_reported_as_the_system_says() {
        let dir = tempdir().unwrap();
        let path = dir.path().join("loop");
        symlink("loop", &path).unwrap();
        for path in [path.as_path(), Path::new("a\0b")] {
            let refusal = read(path, 10).unwrap_err();
            assert!(matches!(refusal, ReadError::Io(_)));
            assert!(refusal.message().starts_with("cannot be read: "));
            assert!(refusal.help().is_none());
        }
    }

    #[test]
    fn an_unreadable_file_is_refused() {
        if rerun::as_nobody("files::read::tests::an_unreadable_file_is_refused") {
            return;
        }
        let dir = tempdir().unwrap();
        let path = dir.path().join("secret");
        fs::write(&path, "x").unwrap();
        fs::set_permissions(&path, std::os::unix::fs::PermissionsExt::from_mode(0o000)).unwrap();
        let refusal = read(&path, 10).unwrap_err();
        assert!(matches!(refusal, ReadError::PermissionDenied));
        assert_eq!(refusal.message(), "permission denied");
    }

    #[test]
    fn a_file_one_byte_over_the_limit_is_refused_and_one_at_the_limit_is_read() {
        let dir = tempdir().unwrap();
        let path = dir.path().join("file");
        fs::write(&path, "0123456789").unwrap();
        assert_eq!(read(&path, 10).unwrap(), b"0123456789");
        let refusal = read(&path, 9).unwrap_err();
        assert!(matches!(refusal, ReadError::TooLarge { limit: 9 }));
        assert_eq!(refusal.message(), "is larger than 9 bytes");
    }

    #[test]
    fn a_sparse_file_of_a_tebibyte_is_refused_at_once() {
        let dir = tempdir().unwrap();
        let path = dir.path().join("sparse");
        File::create(&path).unwrap().set_len(1 << 40).unwrap();
        let begun = Instant::now();
        assert!(matches!(read(&path, 1 << 20), Err(ReadError::TooLarge { .. })));
        assert!(begun.elapsed() < Duration::from_secs(1));
    }

    #[test]
    fn a_file_that_claims_no_size_is_counted_while_it_is_read() {
        // The kernel gives this regular file the size 0.
        let path = Path::new("/proc/self/status");
        if !path.exists() {
            return;
        }
        assert!(!read(path, 1 << 20).unwrap().is_empty());
        assert!(matches!(read(path, 8), Err(ReadError::TooLarge { limit: 8 })));
    }

    #[test]
    fn an_endless_stream_is_cut_at_the_limit() {
        assert!(matches!(read_counted(io::repeat(0), 1 << 16), Err(ReadError::TooLarge { .. })));
        assert_eq!(read_counted(io::empty(), 0).unwrap(), b"");
    }

    #[test]
    fn a_folder_as_standard_input_is_refused() {
        let dir = tempdir().unwrap();
        let folder = File::open(dir.path()).unwrap();
        assert!(matches!(read_counted(folder, 10), Err(ReadError::IsDirectory)));
    }

    #[test]
    fn a_pipe_that_has_nothing_yet_loses_nothing() {
        struct Hesitant(u8);
        impl Read for Hesitant {
            fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
                self.0 += 1;
                match self.0 {
                    1 | 3 => Err(ErrorKind::WouldBlock.into()),
                    2 | 4 => (&b"ab"[..]).read(buffer),
                    _ => Ok(0),
                }
            }
        }
        assert_eq!(read_counted(Hesitant(0), 10).unwrap(), b"abab");
        assert!(matches!(read_counted(Hesitant(0), 3), Err(ReadError::TooLarge { .. })));
    }

    #[test]
    fn a_dash_is_standard_input_and_nothing_else_is() {
        assert_eq!(Input::from_argument("-"), Input::Stdin);
        assert_eq!(Input::from_argument("-").label(), "<stdin>");
        assert_eq!(Input::from_argument("./-"), Input::Path("./-".into()));
        assert_eq!(Input::from_argument("a/b.json").label(), "a/b.json");
        assert_eq!(Input::from_argument(OsString::from_vec(vec![b'a', 0xff])).label(), "a\u{fffd}");
    }
}
