//! The user's own files, such as keys and tokens: links are followed. What a package may hold is read by
//! [`super::document`], which follows none.

use std::path::Path;

use svc_archive::regular_file::open;

use super::{
    kind::FileKind,
    read::{Input, ReadError, read_open, read_stdin},
};

/// The whole input, if it is a regular file (or standard input) of at most `limit` bytes.
pub fn read_bounded(input: &Input, limit: u64) -> Result<Vec<u8>, ReadError> {
    match input {
        Input::Stdin => read_stdin(limit),
        Input::Path(path) => read_path(path, limit),
    }
}

fn read_path(path: &Path, limit: u64) -> Result<Vec<u8>, ReadError> {
    // Asked before opening, because opening a device can act on it; asked again of the open file, because
    // only that answer is about what will be read.
    FileKind::from(path.metadata()?.file_type()).require_regular()?;
    read_open(open(path)?, limit)
}

#[cfg(test)]
#[cfg(unix)]
mod tests {
    use std::{
        fs::{self, File},
        os::unix::{fs::symlink, net::UnixListener},
        thread,
        time::{Duration, Instant},
    };

    use rustix::fs::{CWD, Mode};
    use tempfile::tempdir;

    use super::*;
    use svc_testkit::rerun;

    use crate::files::kind::SpecialKind;

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
        assert!(device.help().is_some());
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
        if rerun::as_nobody("files::user_file::tests::an_unreadable_file_is_refused") {
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
        assert_eq!(refusal.message(), "is larger than 9 bytes, the most that is read here");
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
}
