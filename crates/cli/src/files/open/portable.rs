//! By paths, for platforms without `openat`: each part is looked at before it is used. Between look and use
//! somebody could still put a link there; the docs say so.

use std::{
    ffi::{OsStr, OsString},
    fs::{self, File, ReadDir},
    io::{self, ErrorKind},
    path::{Path, PathBuf},
};

use super::entry::{FolderEntry, OpenFault};
use crate::files::kind::FileKind;

#[derive(Debug)]
pub(crate) struct Root(PathBuf);

impl Root {
    pub(crate) fn open(path: &Path) -> io::Result<Self> {
        let path = if path.as_os_str().is_empty() { Path::new(".") } else { path };
        fs::read_dir(path)?;
        Ok(Self(path.to_owned()))
    }

    pub(crate) fn open_itself(path: &Path) -> io::Result<Self> {
        match FileKind::from(fs::symlink_metadata(path)?.file_type()) {
            FileKind::Folder => Self::open(path),
            FileKind::Regular | FileKind::Special(_) => Err(ErrorKind::NotADirectory.into()),
        }
    }

    pub(crate) fn create(&self, path: &str) -> Result<File, OpenFault> {
        let mut place = self.0.clone();
        let (folders, name) = path.rsplit_once('/').unwrap_or(("", path));
        for part in folders.split('/').filter(|part| !part.is_empty()) {
            place.push(part);
            match fs::create_dir(&place) {
                Err(error) if error.kind() != ErrorKind::AlreadyExists => return Err(error.into()),
                Ok(()) | Err(_) => {}
            }
            if kind_at(&place)? != FileKind::Folder {
                return Err(OpenFault::Blocked);
            }
        }
        Ok(File::options().write(true).create_new(true).open(place.join(name))?)
    }

    pub(crate) fn remove_file(&self, path: &str) -> Result<(), OpenFault> {
        match kind_at(&self.0.join(path))? {
            FileKind::Regular => Ok(fs::remove_file(self.0.join(path))?),
            FileKind::Folder | FileKind::Special(_) => Err(OpenFault::Blocked),
        }
    }

    pub(crate) fn remove_folder(&self, path: &str) -> Result<(), OpenFault> {
        Ok(fs::remove_dir(self.0.join(path))?)
    }

    pub(crate) fn folder(&self) -> Result<ListedFolder, OpenFault> {
        ListedFolder::over(self.0.clone())
    }

    pub(crate) fn kind_of(&self, name: &OsStr) -> Result<FileKind, OpenFault> {
        kind_at(&self.0.join(name))
    }

    pub(crate) fn file(&self, path: impl AsRef<OsStr>) -> Result<File, OpenFault> {
        let Some(path) = path.as_ref().to_str() else { return Err(OpenFault::Blocked) };
        let mut parts = path.split('/').peekable();
        let mut place = self.0.clone();
        while let Some(part) = parts.next() {
            if matches!(part, "" | "." | "..") || part.contains(['\\', ':']) {
                return Err(OpenFault::Blocked);
            }
            place.push(part);
            match (kind_at(&place)?, parts.peek()) {
                (FileKind::Folder, Some(_)) | (FileKind::Regular, None) => {}
                (FileKind::Folder | FileKind::Regular | FileKind::Special(_), _) => {
                    return Err(OpenFault::Blocked);
                }
            }
        }
        Ok(File::open(place)?)
    }
}

/// A folder beneath the root, being listed.
pub(crate) struct ListedFolder {
    path: PathBuf,
    entries: ReadDir,
}

impl ListedFolder {
    fn over(path: PathBuf) -> Result<Self, OpenFault> {
        let entries = fs::read_dir(&path)?;
        Ok(Self { path, entries })
    }

    pub(crate) fn next_entry(&mut self) -> Option<io::Result<FolderEntry>> {
        Some(self.entries.next()?.map(|entry| {
            let name: OsString = entry.file_name();
            let kind = entry.file_type().ok().map(FileKind::from);
            FolderEntry { name, kind }
        }))
    }

    pub(crate) fn kind_of(&self, name: &OsStr) -> Result<FileKind, OpenFault> {
        kind_at(&self.path.join(name))
    }

    pub(crate) fn leads_to_folder(&self, name: &OsStr) -> bool {
        fs::metadata(self.path.join(name)).is_ok_and(|metadata| metadata.is_dir())
    }

    pub(crate) fn child(&self, name: &OsStr) -> Result<Self, OpenFault> {
        let path = self.path.join(name);
        match kind_at(&path)? {
            FileKind::Folder => Self::over(path),
            FileKind::Regular | FileKind::Special(_) => Err(OpenFault::Blocked),
        }
    }
}

fn kind_at(path: &Path) -> Result<FileKind, OpenFault> {
    Ok(fs::symlink_metadata(path)?.file_type().into())
}

impl From<io::Error> for OpenFault {
    fn from(error: io::Error) -> Self {
        if error.kind() == ErrorKind::NotFound {
            Self::Missing
        } else if error.kind() == ErrorKind::NotADirectory {
            Self::Blocked
        } else {
            Self::Io(error)
        }
    }
}

#[cfg(test)]
#[cfg(unix)]
mod tests {
    use std::os::unix::fs::symlink;

    use tempfile::tempdir;

    use super::*;
    use crate::files::kind::SpecialKind;

    #[test]
    fn no_link_is_followed_and_no_path_leads_out() {
        let dir = tempdir().unwrap();
        let root = dir.path().join("root");
        fs::create_dir_all(root.join("a")).unwrap();
        fs::write(root.join("a/file"), "inside").unwrap();
        fs::write(dir.path().join("secret"), "outside").unwrap();
        symlink("../secret", root.join("link")).unwrap();
        symlink("a", root.join("within")).unwrap();
        let wall = Root::open(&root).unwrap();
        for path in ["link", "within/file", "../secret", "a/../../secret", "a", "a/file/below", "/etc/passwd", ""] {
            assert!(matches!(wall.file(path), Err(OpenFault::Blocked)), "{path}");
        }
        assert!(matches!(wall.file("none"), Err(OpenFault::Missing)));
        assert!(wall.file("a/file").is_ok());
        let folder = wall.folder().unwrap();
        assert!(folder.leads_to_folder(OsStr::new("within")));
        assert!(matches!(folder.child(OsStr::new("within")), Err(OpenFault::Blocked)));
        assert!(folder.child(OsStr::new("a")).is_ok());
    }

    #[test]
    fn a_folder_lists_every_name_with_its_kind() {
        let dir = tempdir().unwrap();
        fs::create_dir(dir.path().join("folder")).unwrap();
        fs::write(dir.path().join("file"), "x").unwrap();
        symlink("x", dir.path().join("link")).unwrap();
        let mut folder = Root::open(dir.path()).unwrap().folder().unwrap();
        let mut found = Vec::new();
        while let Some(entry) = folder.next_entry() {
            let entry = entry.unwrap();
            assert_eq!(folder.kind_of(&entry.name).unwrap(), entry.kind.unwrap());
            found.push((entry.name.into_string().unwrap(), entry.kind.unwrap()));
        }
        found.sort_by(|a, b| a.0.cmp(&b.0));
        let expected = [
            ("file", FileKind::Regular),
            ("folder", FileKind::Folder),
            ("link", FileKind::Special(SpecialKind::Symlink)),
        ];
        assert_eq!(found, expected.map(|(name, kind)| (name.to_owned(), kind)));
    }
}
