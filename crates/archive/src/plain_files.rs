//! Files below one folder: put in place whole, looked at and removed, and no link below the folder is ever followed.
//!
//! Whoever may write to the folder could lay a link in place of a file, of a folder on the way, or of the file that is written
//! first. Every step is taken from the open folder before it, so that a link which comes in between is refused too.

use std::{
    fs::{self, File},
    io::{self, Read as _, Write as _},
    path::{Path, PathBuf},
};

/// How a file is called while it is written.
const NEW: &str = ".new";

/// A folder by its path, which may lead through links: somebody named it.
#[derive(Clone, Debug)]
pub struct PlainFiles(PathBuf);

/// Who may read a file, and when it is on the disk.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Care {
    /// Everybody; it is on the disk when the whole folder was flushed.
    Public,
    /// Its owner alone, who stays the one of the file before, else of the folder; it is on the disk at once.
    Private,
}

/// What is in a folder under a name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Named {
    pub name: String,
    pub is_folder: bool,
}

impl PlainFiles {
    pub fn below(folder: &Path) -> Self {
        Self(folder.to_owned())
    }

    /// The length of a file, when there is one.
    pub fn length(&self, inside: &str) -> io::Result<Option<u64>> {
        let found = self.parent(inside, Way::AsItIs).and_then(|(folder, name)| folder.open_file(name));
        match found {
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
            Err(error) => Err(error),
            Ok(file) => Ok(Some(file.metadata()?.len())),
        }
    }

    /// Puts a file in place whole, unless it is there as it is; whether that was done.
    pub fn put(&self, inside: &str, bytes: &[u8], care: Care) -> io::Result<bool> {
        if care == Care::Public {
            fs::create_dir_all(&self.0)?;
        }
        let (folder, name) = self.parent(inside, Way::Made)?;
        if care == Care::Public && folder.open_file(name).is_ok_and(|file| holds(file, bytes)) {
            return Ok(false);
        }
        let new = temporary(name);
        folder.remove(&new)?;
        let mut file = folder.create(&new, care)?;
        if care == Care::Private {
            let place = self.0.join(inside);
            let is_there = fs::symlink_metadata(&place).is_ok_and(|found| found.is_file());
            keep_owner(&file, if is_there { &place } else { &self.0 })?;
        }
        file.write_all(bytes)?;
        if care == Care::Private {
            file.sync_all()?;
        }
        folder.rename(&new, name)?;
        if care == Care::Private {
            folder.sync()?;
        }
        Ok(true)
    }

    /// Opens a file that is there, to write into it in place.
    pub fn open_for_writing(&self, inside: &str) -> io::Result<File> {
        let (folder, name) = self.parent(inside, Way::AsItIs)?;
        folder.open_for_writing(name)
    }

    /// Removes a file, a link itself in place of what it leads to, or an empty folder. What is not there is removed.
    pub fn remove(&self, inside: &str) -> io::Result<()> {
        let (folder, name) = self.parent(inside, Way::AsItIs)?;
        folder.remove(name)
    }

    /// Removes a folder that is empty.
    pub fn remove_empty(&self, inside: &str) {
        if let Ok((folder, name)) = self.parent(inside, Way::AsItIs) {
            folder.remove_empty(name);
        }
    }

    /// What is in a folder; nothing in one that is not there.
    pub fn names(&self, inside: &str) -> io::Result<Vec<Named>> {
        match self.parent(&format!("{inside}/"), Way::AsItIs) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(Vec::new()),
            found => found?.0.names(),
        }
    }

    /// The folder of a file, and the file's name in it.
    fn parent<'p>(&self, inside: &'p str, way: Way) -> io::Result<(Anchor, &'p str)> {
        let mut folder = Anchor::open(&self.0)?;
        let (above, name) = inside.rsplit_once('/').unwrap_or(("", inside));
        for part in above.split('/').filter(|part| !part.is_empty()) {
            folder = folder.enter(part, way)?;
        }
        Ok((folder, name))
    }
}

/// The name of a file while it is written.
pub fn temporary(name: &str) -> String {
    format!(".{name}{NEW}")
}

/// Whether a name is one that a run which was cut short leaves behind.
pub fn is_temporary(name: &str) -> bool {
    name.starts_with('.') && name.ends_with(NEW)
}

/// Whether folders on the way are made.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Way {
    Made,
    AsItIs,
}

fn holds(file: File, bytes: &[u8]) -> bool {
    let length = bytes.len() as u64;
    let mut there = Vec::new();
    file.metadata().is_ok_and(|found| found.len() == length)
        && file.take(length + 1).read_to_end(&mut there).is_ok()
        && there == bytes
}

fn not_followed(name: &str) -> io::Error {
    io::Error::other(format!(
        "`{name}` is a link, or no file or folder of the kind that belongs there; links are not followed here: put the file or \
         folder itself there"
    ))
}

/// An open folder.
#[cfg(unix)]
struct Anchor(std::os::fd::OwnedFd);

#[cfg(unix)]
impl Anchor {
    fn open(path: &Path) -> io::Result<Self> {
        Ok(Self(File::open(path)?.into()))
    }

    fn enter(&self, name: &str, way: Way) -> io::Result<Self> {
        use rustix::{
            fs::{Mode, OFlags, mkdirat, openat},
            io::Errno,
        };

        if way == Way::Made {
            match mkdirat(&self.0, name, Mode::from_raw_mode(0o777)) {
                Ok(()) | Err(Errno::EXIST) => {}
                Err(error) => return Err(error.into()),
            }
        }
        let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        match openat(&self.0, name, flags, Mode::empty()) {
            Err(Errno::NOTDIR | Errno::LOOP) => Err(not_followed(name)),
            opened => Ok(Self(opened?)),
        }
    }

    /// A regular file, for reading.
    fn open_file(&self, name: &str) -> io::Result<File> {
        self.open_regular(name, rustix::fs::OFlags::RDONLY)
    }

    /// A regular file, to write into it in place.
    fn open_for_writing(&self, name: &str) -> io::Result<File> {
        self.open_regular(name, rustix::fs::OFlags::WRONLY)
    }

    fn open_regular(&self, name: &str, access: rustix::fs::OFlags) -> io::Result<File> {
        use rustix::{
            fs::{Mode, OFlags, openat},
            io::Errno,
        };

        let flags = access | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::NOCTTY | OFlags::CLOEXEC;
        let file: File = match openat(&self.0, name, flags, Mode::empty()) {
            Err(Errno::LOOP | Errno::NXIO) => return Err(not_followed(name)),
            opened => opened?.into(),
        };
        if file.metadata()?.is_file() { Ok(file) } else { Err(not_followed(name)) }
    }

    fn create(&self, name: &str, care: Care) -> io::Result<File> {
        use rustix::fs::{Mode, OFlags, openat};

        let mode = Mode::from_raw_mode(if care == Care::Private { 0o600 } else { 0o666 });
        let flags = OFlags::WRONLY | OFlags::CREATE | OFlags::EXCL | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        Ok(openat(&self.0, name, flags, mode)?.into())
    }

    fn rename(&self, from: &str, to: &str) -> io::Result<()> {
        Ok(rustix::fs::renameat(&self.0, from, &self.0, to)?)
    }

    fn remove(&self, name: &str) -> io::Result<()> {
        match rustix::fs::unlinkat(&self.0, name, rustix::fs::AtFlags::empty()) {
            Ok(()) | Err(rustix::io::Errno::NOENT) => Ok(()),
            Err(error) => Err(error.into()),
        }
    }

    fn remove_empty(&self, name: &str) {
        let _ = rustix::fs::unlinkat(&self.0, name, rustix::fs::AtFlags::REMOVEDIR);
    }

    fn sync(&self) -> io::Result<()> {
        Ok(rustix::fs::fsync(&self.0)?)
    }

    fn names(&self) -> io::Result<Vec<Named>> {
        use rustix::fs::{AtFlags, Dir, FileType, statat};

        let mut names = Vec::new();
        for entry in Dir::read_from(&self.0)? {
            let entry = entry?;
            let Ok(name) = entry.file_name().to_str() else { continue };
            if matches!(name, "." | "..") {
                continue;
            }
            // Not every file system says what it lists.
            let kind = match entry.file_type() == FileType::Unknown {
                true => FileType::from_raw_mode(statat(&self.0, name, AtFlags::SYMLINK_NOFOLLOW)?.st_mode),
                false => entry.file_type(),
            };
            names.push(Named { name: name.to_owned(), is_folder: kind == FileType::Directory });
        }
        Ok(names)
    }
}

/// A folder by its path, where there is nothing better.
#[cfg(not(unix))]
struct Anchor(PathBuf);

#[cfg(not(unix))]
impl Anchor {
    fn open(path: &Path) -> io::Result<Self> {
        fs::metadata(path).map(|_| Self(path.to_owned()))
    }

    fn enter(&self, name: &str, way: Way) -> io::Result<Self> {
        let path = self.0.join(name);
        if way == Way::Made && fs::symlink_metadata(&path).is_err() {
            fs::create_dir(&path)?;
        }
        if fs::symlink_metadata(&path)?.is_dir() { Ok(Self(path)) } else { Err(not_followed(name)) }
    }

    fn open_file(&self, name: &str) -> io::Result<File> {
        let path = self.0.join(name);
        if fs::symlink_metadata(&path)?.is_file() { File::open(path) } else { Err(not_followed(name)) }
    }

    fn open_for_writing(&self, name: &str) -> io::Result<File> {
        self.open_file(name)?;
        fs::OpenOptions::new().write(true).open(self.0.join(name))
    }

    fn create(&self, name: &str, _: Care) -> io::Result<File> {
        File::create_new(self.0.join(name))
    }

    fn rename(&self, from: &str, to: &str) -> io::Result<()> {
        fs::rename(self.0.join(from), self.0.join(to))
    }

    fn remove(&self, name: &str) -> io::Result<()> {
        match fs::remove_file(self.0.join(name)) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
            Ok(()) | Err(_) => Ok(()),
        }
    }

    fn remove_empty(&self, name: &str) {
        let _ = fs::remove_dir(self.0.join(name));
    }

    fn sync(&self) -> io::Result<()> {
        Ok(())
    }

    fn names(&self) -> io::Result<Vec<Named>> {
        let mut names = Vec::new();
        for entry in fs::read_dir(&self.0)? {
            let entry = entry?;
            let is_folder = entry.file_type()?.is_dir();
            names.extend(entry.file_name().into_string().ok().map(|name| Named { name, is_folder }));
        }
        Ok(names)
    }
}

/// Gives a new file the owner, group and mode of the one that it replaces, else the owner of its folder: a command that root
/// runs must leave files that the service can read.
pub fn keep_owner(file: &File, of: &Path) -> io::Result<()> {
    #[cfg(unix)]
    {
        use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _};

        let (before, now) = (fs::metadata(of)?, file.metadata()?);
        if (before.uid(), before.gid()) != (now.uid(), now.gid()) {
            std::os::unix::fs::fchown(file, Some(before.uid()), Some(before.gid()))?;
        }
        if before.is_file() {
            file.set_permissions(fs::Permissions::from_mode(before.mode() & 0o777))?;
        }
    }
    #[cfg(not(unix))]
    let _ = (file, of);
    Ok(())
}

#[cfg(test)]
#[cfg(unix)]
mod tests {
    use std::os::unix::fs::symlink;

    use tempfile::tempdir;

    use super::*;

    #[test]
    fn no_link_below_the_folder_is_followed() {
        let (folder, elsewhere) = (tempdir().unwrap(), tempdir().unwrap());
        let files = PlainFiles::below(folder.path());
        let target = elsewhere.path().join("theirs");
        fs::write(&target, "theirs").unwrap();
        // In place of the file that is written first, and of the file itself: the link goes, what it leads to stays.
        symlink(&target, folder.path().join(".checkpoint.new")).unwrap();
        symlink(&target, folder.path().join("checkpoint")).unwrap();
        for care in [Care::Public, Care::Private] {
            assert!(files.put("checkpoint", b"ours", care).unwrap());
            assert_eq!(fs::read(&target).unwrap(), b"theirs");
            assert_eq!(fs::read(folder.path().join("checkpoint")).unwrap(), b"ours");
        }
        // In place of a folder on the way: nothing is written, removed, listed or found there.
        symlink(elsewhere.path(), folder.path().join("tile")).unwrap();
        assert!(files.put("tile/0/000", b"ours", Care::Public).unwrap_err().to_string().contains("`tile` is a link"));
        assert!(files.remove("tile/theirs").is_err() && files.names("tile").is_err());
        assert!(files.length("tile/theirs").is_err());
        assert_eq!(fs::read_dir(elsewhere.path()).unwrap().count(), 1);
        symlink(&target, folder.path().join("one")).unwrap();
        assert!(files.length("one").is_err());
    }

    #[test]
    fn a_file_is_put_in_place_once_and_what_is_gone_is_no_fault() {
        let folder = tempdir().unwrap();
        let files = PlainFiles::below(&folder.path().join("new"));
        assert_eq!(files.length("tile/0/000").unwrap(), None);
        assert_eq!(files.names("tile").unwrap_or_default(), []);
        assert!(files.put("tile/0/000", b"12", Care::Public).unwrap());
        assert!(!files.put("tile/0/000", b"12", Care::Public).unwrap());
        assert_eq!(files.length("tile/0/000").unwrap(), Some(2));
        assert_eq!(files.names("tile").unwrap(), [Named { name: "0".into(), is_folder: true }]);
        files.remove("tile/0/000").unwrap();
        files.remove("tile/0/000").unwrap();
        files.remove_empty("tile/0");
        assert_eq!(files.names("tile").unwrap(), []);
    }
}
