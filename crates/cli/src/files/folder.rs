//! The folder a file is written into, held open, so that every step of one write happens in the same place
//! even if somebody renames the path meanwhile.

#[cfg(not(unix))]
pub(super) use self::portable::TargetFolder;
#[cfg(unix)]
pub(super) use self::unix::TargetFolder;

/// By descriptor: nothing below is looked up by path again.
#[cfg(unix)]
mod unix {
    use std::{
        ffi::{OsStr, OsString},
        fs::{File, Permissions},
        io,
        os::unix::{ffi::OsStrExt as _, fs::PermissionsExt as _},
        path::Path,
    };

    use rustix::{
        fs::{self, Access, AtFlags, FileType, Mode, OFlags},
        io::Errno,
    };

    use crate::files::kind::FileKind;

    pub(crate) struct TargetFolder(File);

    impl TargetFolder {
        pub(crate) fn open(path: &Path) -> io::Result<Self> {
            let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC;
            Ok(Self(fs::open(path, flags, Mode::empty())?.into()))
        }

        /// What bears the name, links not followed.
        pub(crate) fn kind_of(&self, name: &OsStr) -> io::Result<Option<FileKind>> {
            match fs::statat(&self.0, name, AtFlags::SYMLINK_NOFOLLOW) {
                Ok(stat) => Ok(FileKind::from_raw(FileType::from_raw_mode(stat.st_mode))),
                Err(Errno::NOENT) => Ok(None),
                Err(error) => Err(error.into()),
            }
        }

        /// Whether files can be made in it, by its permissions and its file system.
        pub(crate) fn require_writable(&self) -> io::Result<()> {
            Ok(fs::accessat(&self.0, ".", Access::WRITE_OK | Access::EXEC_OK, AtFlags::empty())?)
        }

        pub(crate) fn open_for_reading(&self, name: &OsStr) -> io::Result<File> {
            let flags = OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::NOCTTY | OFlags::CLOEXEC;
            Ok(fs::openat(&self.0, name, flags, Mode::empty())?.into())
        }

        /// A file that did not exist before, readable by its owner only, and the permissions it should end with.
        ///
        /// It is created with the final mode, so that the kernel applies the umask (which cannot be asked for
        /// without setting it for all threads) or the folder's default ACL, and narrowed while it is still empty.
        /// A file system without modes, such as FAT, refuses the narrowing: then there is nothing to restore.
        pub(crate) fn create(&self, name: &OsStr) -> io::Result<(File, Option<Permissions>)> {
            let flags = OFlags::WRONLY | OFlags::CREATE | OFlags::EXCL | OFlags::NOFOLLOW | OFlags::CLOEXEC;
            let file = File::from(fs::openat(&self.0, name, flags, Mode::from_raw_mode(0o644))?);
            let last = file.metadata().map(|metadata| metadata.permissions());
            let narrowed = file.set_permissions(Permissions::from_mode(0o600));
            Ok((file, last.ok().filter(|_| narrowed.is_ok())))
        }

        /// Everything in it, as far as it can be told.
        pub(crate) fn names(&self) -> Vec<OsString> {
            let entries = fs::Dir::read_from(&self.0).into_iter().flatten().flatten();
            entries.map(|entry| OsStr::from_bytes(entry.file_name().to_bytes()).to_owned()).collect()
        }

        pub(crate) fn rename(&self, from: &OsStr, to: &OsStr) -> io::Result<()> {
            Ok(fs::renameat(&self.0, from, &self.0, to)?)
        }

        pub(crate) fn remove(&self, name: &OsStr) -> io::Result<()> {
            Ok(fs::unlinkat(&self.0, name, AtFlags::empty())?)
        }

        /// Makes a rename durable, where the file system knows how to for folders.
        pub(crate) fn sync(&self) -> io::Result<()> {
            match fs::fsync(&self.0) {
                Ok(()) | Err(Errno::INVAL | Errno::NOTSUP | Errno::NOSYS) => Ok(()),
                Err(error) => Err(error.into()),
            }
        }
    }
}

/// By path, for platforms without `openat`. Folders cannot be synced there.
#[cfg(any(not(unix), test))]
mod portable {
    use std::{
        ffi::{OsStr, OsString},
        fs::{self, File, OpenOptions, Permissions},
        io::{self, ErrorKind},
        path::{Path, PathBuf},
    };

    use crate::files::kind::FileKind;

    pub(super) struct TargetFolder(PathBuf);

    impl TargetFolder {
        pub(super) fn open(path: &Path) -> io::Result<Self> {
            if fs::metadata(path)?.is_dir() { Ok(Self(path.to_owned())) } else { Err(ErrorKind::NotADirectory.into()) }
        }

        pub(super) fn kind_of(&self, name: &OsStr) -> io::Result<Option<FileKind>> {
            match fs::symlink_metadata(self.0.join(name)) {
                Ok(metadata) => Ok(Some(metadata.file_type().into())),
                Err(error) if error.kind() == ErrorKind::NotFound => Ok(None),
                Err(error) => Err(error),
            }
        }

        /// Nothing tells here without writing.
        pub(super) fn require_writable(&self) -> io::Result<()> {
            Ok(())
        }

        pub(super) fn open_for_reading(&self, name: &OsStr) -> io::Result<File> {
            File::open(self.0.join(name))
        }

        pub(super) fn create(&self, name: &OsStr) -> io::Result<(File, Option<Permissions>)> {
            let file = OpenOptions::new().write(true).create_new(true).open(self.0.join(name))?;
            Ok((file, None))
        }

        pub(super) fn names(&self) -> Vec<OsString> {
            fs::read_dir(&self.0).into_iter().flatten().flatten().map(|entry| entry.file_name()).collect()
        }

        pub(super) fn rename(&self, from: &OsStr, to: &OsStr) -> io::Result<()> {
            fs::rename(self.0.join(from), self.0.join(to))
        }

        pub(super) fn remove(&self, name: &OsStr) -> io::Result<()> {
            fs::remove_file(self.0.join(name))
        }

        pub(super) fn sync(&self) -> io::Result<()> {
            Ok(())
        }
    }
}

#[cfg(test)]
#[cfg(unix)]
mod tests {
    use std::{ffi::OsStr, fs, io::ErrorKind, os::unix::fs::symlink};

    use tempfile::tempdir;

    use crate::files::kind::{FileKind, SpecialKind};

    /// The same steps on each platform's folder.
    macro_rules! keeps_its_promises {
        ($name:ident, $folder:ty) => {
            #[test]
            fn $name() {
                let dir = tempdir().unwrap();
                fs::write(dir.path().join("old"), "old").unwrap();
                symlink("old", dir.path().join("link")).unwrap();
                symlink("nowhere", dir.path().join("dangling")).unwrap();
                let folder = <$folder>::open(dir.path()).unwrap();
                folder.require_writable().unwrap();
                let (old, new) = (OsStr::new("old"), OsStr::new("new"));
                for taken in ["old", "link", "dangling"] {
                    let refusal = folder.create(OsStr::new(taken)).unwrap_err();
                    assert_eq!(refusal.kind(), ErrorKind::AlreadyExists, "{taken}");
                }
                assert_eq!(fs::read(dir.path().join("old")).unwrap(), b"old");
                let link = folder.kind_of(OsStr::new("link")).unwrap();
                assert_eq!(link, Some(FileKind::Special(SpecialKind::Symlink)));
                assert_eq!(folder.kind_of(new).unwrap(), None);
                assert!(["old", "link"].iter().all(|name| folder.names().contains(&(*name).into())));
                folder.create(new).unwrap();
                folder.rename(new, old).unwrap();
                folder.sync().unwrap();
                assert_eq!(folder.kind_of(old).unwrap(), Some(FileKind::Regular));
                assert_eq!(folder.open_for_reading(old).unwrap().metadata().unwrap().len(), 0);
                folder.remove(old).unwrap();
                assert_eq!(folder.kind_of(old).unwrap(), None);
                let missing = <$folder>::open(&dir.path().join("none")).err().unwrap();
                assert_eq!(missing.kind(), ErrorKind::NotFound);
            }
        };
    }

    keeps_its_promises!(a_folder_by_descriptor_keeps_its_promises, super::unix::TargetFolder);
    keeps_its_promises!(a_folder_by_path_keeps_its_promises, super::portable::TargetFolder);
}
