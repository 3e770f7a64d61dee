//! A bounded read: it never hangs on a pipe, never trusts a size, and says exactly why it refuses.

use std::{
    ffi::{OsStr, OsString},
    fs::File,
    io::{self, ErrorKind, Read},
    path::PathBuf,
    thread,
    time::Duration,
};

use super::{
    kind::{FileKind, SpecialKind},
    size,
};

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Input {
    /// Standard input, written `-`.
    Stdin,
    Path(PathBuf),
}

impl Input {
    /// `-` is standard input, anything else a path (a file named `-` is `./-`).
    pub fn from_argument(argument: impl Into<OsString>) -> Self {
        let argument = argument.into();
        if argument == OsStr::new("-") { Self::Stdin } else { Self::Path(argument.into()) }
    }

    /// The name a user knows it by. Not escaped.
    pub fn label(&self) -> String {
        match self {
            Self::Stdin => "<stdin>".to_owned(),
            Self::Path(path) => path.to_string_lossy().into_owned(),
        }
    }
}

/// Why a document could not be read.
#[derive(Debug)]
pub enum ReadError {
    /// Nothing is there.
    NotFound,
    /// A folder is there.
    IsDirectory,
    /// A pipe, socket or device is there.
    NotRegular(SpecialKind),
    /// The user may not read it.
    PermissionDenied,
    /// It holds more than the limit.
    TooLarge { limit: u64 },
    /// Anything else the system reports.
    Io(io::Error),
}

impl ReadError {
    /// What is wrong, to stand behind the input's label. Not escaped.
    pub fn message(&self) -> String {
        match self {
            Self::NotFound => "no such file".to_owned(),
            Self::IsDirectory => "is a folder, not a file".to_owned(),
            Self::NotRegular(kind) => format!("is {}, not a regular file", kind.noun()),
            Self::PermissionDenied => "permission denied".to_owned(),
            Self::TooLarge { limit } => {
                format!("is larger than {}, the most that is read here", size::in_words(*limit))
            }
            Self::Io(error) => format!("cannot be read: {error}"),
        }
    }

    /// A way out, where there is one.
    pub fn help(&self) -> Option<&'static str> {
        match self {
            Self::NotFound => Some("check the path"),
            Self::IsDirectory => Some("name a file inside the folder"),
            Self::NotRegular(SpecialKind::Symlink) => Some("links are not followed here: name the file itself"),
            Self::NotRegular(SpecialKind::Fifo | SpecialKind::Socket | SpecialKind::Device) => {
                Some("copy its content into a file, and name that file")
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

/// Standard input to its end.
pub(super) fn read_stdin(limit: u64) -> Result<Vec<u8>, ReadError> {
    read_counted(io::stdin().lock(), limit)
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

#[cfg(test)]
#[cfg(unix)]
mod tests {
    use std::os::unix::ffi::OsStringExt as _;

    use tempfile::tempdir;

    use super::*;

    #[test]
    fn an_endless_stream_is_cut_at_the_limit() {
        assert!(matches!(read_counted(io::repeat(0), 1 << 16), Err(ReadError::TooLarge { .. })));
        assert_eq!(read_counted(io::empty(), 0).unwrap(), b"");
    }

    #[test]
    fn a_dash_is_standard_input_and_nothing_else_is() {
        assert_eq!(Input::from_argument("-"), Input::Stdin);
        assert_eq!(Input::from_argument("-").label(), "<stdin>");
        assert_eq!(Input::from_argument("./-"), Input::Path("./-".into()));
        assert_eq!(Input::from_argument("a/b.json").label(), "a/b.json");
        assert_eq!(Input::from_argument(OsString::from_vec(vec![b'a', 0xff])).label(), "a\u{fffd}");
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
}
