//! By descriptors. Each name is looked up in a folder that is already open, never by a path from outside.

use std::{
    ffi::OsStr,
    fs::File,
    io,
    os::{
        fd::{AsFd as _, BorrowedFd, OwnedFd},
        unix::ffi::OsStrExt as _,
    },
    path::Path,
};

use rustix::{
    fs::{self, AtFlags, Dir, FileType, Mode, OFlags},
    io::{Errno, retry_on_intr},
};

use super::entry::{FolderEntry, OpenFault};
use crate::files::kind::FileKind;

const FOLDER: OFlags = OFlags::RDONLY.union(OFlags::DIRECTORY).union(OFlags::NOFOLLOW).union(OFlags::CLOEXEC);

/// `NONBLOCK`: a pipe put in the file's place opens at once and is then refused.
const FILE: OFlags =
    OFlags::RDONLY.union(OFlags::NONBLOCK).union(OFlags::NOCTTY).union(OFlags::NOFOLLOW).union(OFlags::CLOEXEC);

/// The root of a package, held open.
#[derive(Debug)]
pub struct Root {
    descriptor: OwnedFd,
    lookup: Lookup,
}

impl Root {
    /// The root itself may lie behind links: the user named it.
    pub fn open(path: &Path) -> io::Result<Self> {
        let path = if path.as_os_str().is_empty() { Path::new(".") } else { path };
        let descriptor = fs::open(path, FOLDER.difference(OFlags::NOFOLLOW), Mode::empty())?;
        let lookup = Lookup::available(descriptor.as_fd());
        Ok(Self { descriptor, lookup })
    }

    /// The folder of this very name, not one that a link of the name leads to.
    pub fn open_itself(path: &Path) -> io::Result<Self> {
        let descriptor = fs::open(path, FOLDER, Mode::empty())?;
        let lookup = Lookup::available(descriptor.as_fd());
        Ok(Self { descriptor, lookup })
    }

    /// A file that did not exist before, at a path relative to the root, with the folders above it.
    pub fn create(&self, path: &str) -> Result<File, OpenFault> {
        let (folders, name) = path.rsplit_once('/').unwrap_or(("", path));
        let mut folder: Option<OwnedFd> = None;
        for part in folders.split('/').filter(|part| !part.is_empty()) {
            let above = folder.as_ref().map_or(self.descriptor.as_fd(), |folder| folder.as_fd());
            match fs::mkdirat(above, part, Mode::from_raw_mode(0o777)) {
                Ok(()) | Err(Errno::EXIST) => {}
                Err(error) => return Err(error.into()),
            }
            folder = Some(self.lookup.open(above, OsStr::new(part), FOLDER)?);
        }
        let above = folder.as_ref().map_or(self.descriptor.as_fd(), |folder| folder.as_fd());
        let flags = OFlags::WRONLY | OFlags::CREATE | OFlags::EXCL | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        Ok(fs::openat(above, name, flags, Mode::from_raw_mode(0o644))?.into())
    }

    /// Takes a file away again that was made beneath the root.
    pub fn remove_file(&self, path: &str) -> Result<(), OpenFault> {
        self.unlink(path, AtFlags::empty())
    }

    /// Takes a folder away again, if nothing is in it.
    pub fn remove_folder(&self, path: &str) -> Result<(), OpenFault> {
        self.unlink(path, AtFlags::REMOVEDIR)
    }

    fn unlink(&self, path: &str, flags: AtFlags) -> Result<(), OpenFault> {
        match path.rsplit_once('/') {
            None => Ok(fs::unlinkat(&self.descriptor, path, flags)?),
            Some((folder, name)) => {
                let folder = self.lookup.open(self.descriptor.as_fd(), OsStr::new(folder), FOLDER)?;
                Ok(fs::unlinkat(folder, name, flags)?)
            }
        }
    }

    /// As where `openat2` does not exist, which tests hold against the kernel's own walk.
    ///
    /// # Errors
    /// As [`Root::open`].
    pub fn open_by_parts(path: &Path) -> io::Result<Self> {
        Ok(Self { lookup: Lookup::ByParts, ..Self::open(path)? })
    }

    /// The root as a folder to list.
    pub fn folder(&self) -> Result<ListedFolder, OpenFault> {
        ListedFolder::over(fs::openat(&self.descriptor, c".", FOLDER, Mode::empty()), self.lookup)
    }

    /// The file at a path relative to the root. What it is, only the open file can tell.
    pub fn file(&self, path: impl AsRef<OsStr>) -> Result<File, OpenFault> {
        Ok(self.lookup.open(self.descriptor.as_fd(), path.as_ref(), FILE)?.into())
    }

    /// What bears a name right beneath the root now, links not followed.
    pub fn kind_of(&self, name: &OsStr) -> Result<FileKind, OpenFault> {
        kind_beneath(self.descriptor.as_fd(), name)
    }
}

/// A folder beneath the root, being listed.
pub struct ListedFolder {
    entries: Dir,
    lookup: Lookup,
}

impl ListedFolder {
    fn over(descriptor: Result<OwnedFd, Errno>, lookup: Lookup) -> Result<Self, OpenFault> {
        Ok(Self { entries: Dir::new(descriptor?)?, lookup })
    }

    /// The next name, in no particular order.
    pub fn next_entry(&mut self) -> Option<io::Result<FolderEntry>> {
        loop {
            let entry = match self.entries.read()? {
                Ok(entry) => entry,
                Err(error) => return Some(Err(error.into())),
            };
            let name = entry.file_name().to_bytes();
            if name != b"." && name != b".." {
                let name = OsStr::from_bytes(name).to_owned();
                return Some(Ok(FolderEntry { name, kind: FileKind::from_raw(entry.file_type()) }));
            }
        }
    }

    /// What bears the name now, links not followed.
    pub fn kind_of(&self, name: &OsStr) -> Result<FileKind, OpenFault> {
        kind_beneath(self.entries.fd()?, name)
    }

    /// Whether the link of that name leads to a folder. It is asked about, never entered.
    pub fn leads_to_folder(&self, name: &OsStr) -> bool {
        self.entries
            .fd()
            .and_then(|folder| fs::statat(folder, name, AtFlags::empty()))
            .is_ok_and(|stat| FileType::from_raw_mode(stat.st_mode).is_dir())
    }

    pub fn child(&self, name: &OsStr) -> Result<Self, OpenFault> {
        Self::over(self.lookup.open(self.entries.fd()?, name, FOLDER), self.lookup)
    }
}

fn kind_beneath(folder: BorrowedFd<'_>, name: &OsStr) -> Result<FileKind, OpenFault> {
    let stat = fs::statat(folder, name, AtFlags::SYMLINK_NOFOLLOW)?;
    FileKind::from_raw(FileType::from_raw_mode(stat.st_mode)).ok_or(OpenFault::Blocked)
}

impl From<Errno> for OpenFault {
    fn from(error: Errno) -> Self {
        match error {
            Errno::NOENT => Self::Missing,
            // MLINK is FreeBSD's word for a link under O_NOFOLLOW, NXIO every system's for a socket.
            Errno::LOOP | Errno::NOTDIR | Errno::XDEV | Errno::NXIO | Errno::MLINK => Self::Blocked,
            other => Self::Io(other.into()),
        }
    }
}

/// How a path is kept beneath the folder it starts from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Lookup {
    /// The kernel does it.
    #[cfg(target_os = "linux")]
    Openat2,
    /// Each part is opened from the one before, no link followed.
    ByParts,
}

impl Lookup {
    /// Old kernels answer ENOSYS and some container sandboxes EPERM; the root is open already, so that no
    /// other cause is left.
    #[cfg(target_os = "linux")]
    fn available(root: BorrowedFd<'_>) -> Self {
        match open_by_kernel(root, OsStr::new("."), FOLDER) {
            Err(Errno::NOSYS | Errno::PERM) => Self::ByParts,
            Ok(_) | Err(_) => Self::Openat2,
        }
    }

    #[cfg(not(target_os = "linux"))]
    fn available(_: BorrowedFd<'_>) -> Self {
        Self::ByParts
    }

    fn open(self, folder: BorrowedFd<'_>, path: &OsStr, flags: OFlags) -> Result<OwnedFd, Errno> {
        // No name in a folder looks so. Without `..`, openat2 also never answers EAGAIN, which it does for any
        // rename on the whole system meanwhile.
        if path.as_bytes().split(|byte| *byte == b'/').any(|part| matches!(part, b"" | b"." | b"..")) {
            return Err(Errno::XDEV);
        }
        match self {
            #[cfg(target_os = "linux")]
            Self::Openat2 => open_by_kernel(folder, path, flags),
            Self::ByParts => open_by_parts(folder, path, flags),
        }
    }
}

#[cfg(target_os = "linux")]
fn open_by_kernel(folder: BorrowedFd<'_>, path: &OsStr, flags: OFlags) -> Result<OwnedFd, Errno> {
    use rustix::fs::ResolveFlags;

    let resolve = ResolveFlags::BENEATH | ResolveFlags::NO_SYMLINKS | ResolveFlags::NO_MAGICLINKS;
    retry_on_intr(|| fs::openat2(folder, path, flags, Mode::empty(), resolve))
}

fn open_by_parts(folder: BorrowedFd<'_>, path: &OsStr, flags: OFlags) -> Result<OwnedFd, Errno> {
    let mut parts = path.as_bytes().split(|byte| *byte == b'/').peekable();
    let mut opened: Option<OwnedFd> = None;
    while let Some(part) = parts.next() {
        let flags = if parts.peek().is_some() { FOLDER } else { flags };
        let from = opened.as_ref().map_or(folder, |folder| folder.as_fd());
        opened = Some(retry_on_intr(|| fs::openat(from, part, flags, Mode::empty()))?);
    }
    opened.ok_or(Errno::NOENT)
}

#[cfg(test)]
mod tests {
    use std::{
        io::Read as _,
        os::unix::{fs::symlink, net::UnixListener},
    };

    use rustix::fs::CWD;
    use tempfile::{TempDir, tempdir};

    use super::*;

    /// A root with one real file and a secret outside of it.
    fn tree() -> TempDir {
        let dir = tempdir().unwrap();
        std::fs::create_dir_all(dir.path().join("root/a/b")).unwrap();
        std::fs::write(dir.path().join("root/a/b/file"), "inside").unwrap();
        std::fs::write(dir.path().join("secret"), "outside").unwrap();
        symlink("../secret", dir.path().join("root/link")).unwrap();
        symlink("..", dir.path().join("root/up")).unwrap();
        symlink("b", dir.path().join("root/a/within")).unwrap();
        symlink("loop", dir.path().join("root/loop")).unwrap();
        symlink("nowhere", dir.path().join("root/dangling")).unwrap();
        symlink("/proc/self/cwd", dir.path().join("root/magic")).unwrap();
        dir
    }

    fn both_ways(dir: &TempDir) -> [Root; 2] {
        let root = dir.path().join("root");
        [Root::open(&root).unwrap(), Root::open_by_parts(&root).unwrap()]
    }

    #[test]
    fn no_link_is_followed_either_way() {
        let dir = tree();
        for root in both_ways(&dir) {
            for path in ["link", "up/secret", "a/within/file", "loop", "dangling", "magic", "magic/x", "up"] {
                let refusal = root.file(path).unwrap_err();
                assert!(matches!(refusal, OpenFault::Blocked), "{path} {:?}: {refusal:?}", root.lookup);
            }
        }
    }

    #[test]
    fn no_path_leads_out_of_the_root() {
        let dir = tree();
        let absolute = dir.path().join("secret");
        for root in both_ways(&dir) {
            for path in ["../secret", "a/../../secret", absolute.to_str().unwrap()] {
                assert!(matches!(root.file(path), Err(OpenFault::Blocked)), "{path} {:?}", root.lookup);
            }
            for path in ["", ".", "a/", "a//b", "./a"] {
                assert!(matches!(root.file(path), Err(OpenFault::Blocked)), "{path} {:?}", root.lookup);
            }
        }
    }

    #[test]
    fn a_plain_path_opens_and_a_missing_one_is_missing() {
        let dir = tree();
        for root in both_ways(&dir) {
            let mut text = String::new();
            root.file("a/b/file").unwrap().read_to_string(&mut text).unwrap();
            assert_eq!(text, "inside");
            assert!(matches!(root.file("a/none"), Err(OpenFault::Missing)));
            assert!(matches!(root.file("a/b/file/below"), Err(OpenFault::Blocked)));
        }
    }

    #[test]
    fn a_pipe_opens_without_waiting_and_a_socket_is_blocked() {
        let dir = tree();
        rustix::fs::mkfifoat(CWD, dir.path().join("root/pipe"), Mode::RWXU).unwrap();
        let _listener = UnixListener::bind(dir.path().join("root/socket")).unwrap();
        for root in both_ways(&dir) {
            assert!(root.file("pipe").is_ok());
            assert!(matches!(root.file("socket"), Err(OpenFault::Blocked)));
        }
    }

    #[test]
    fn a_linked_folder_is_recognised_but_not_entered() {
        let dir = tree();
        for root in both_ways(&dir) {
            let folder = root.folder().unwrap();
            assert!(folder.leads_to_folder(OsStr::new("up")));
            assert!(!folder.leads_to_folder(OsStr::new("link")));
            assert!(!folder.leads_to_folder(OsStr::new("dangling")));
            assert!(matches!(folder.child(OsStr::new("up")), Err(OpenFault::Blocked)));
            assert!(folder.child(OsStr::new("a")).is_ok());
        }
    }

    #[test]
    fn linux_here_uses_openat2() {
        #[cfg(target_os = "linux")]
        assert_eq!(both_ways(&tree()).map(|root| root.lookup), [Lookup::Openat2, Lookup::ByParts]);
    }
}
