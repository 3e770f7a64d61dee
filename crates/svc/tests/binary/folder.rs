//! Folders of a test's own, and what is in them before and after.

use std::{
    collections::BTreeMap,
    fs,
    os::unix::{ffi::OsStrExt as _, fs::PermissionsExt as _},
    path::{Path, PathBuf},
};

use tempfile::TempDir;

/// Every entry below a folder: files by content, everything else by what it is.
pub(crate) type Contents = BTreeMap<PathBuf, Vec<u8>>;

/// An empty folder that everybody may look into.
pub(crate) fn empty() -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    set_mode(folder.path(), 0o755);
    folder
}

pub(crate) fn set_mode(path: &Path, mode: u32) {
    fs::set_permissions(path, fs::Permissions::from_mode(mode)).unwrap();
}

pub(crate) fn contents(folder: &Path) -> Contents {
    let mut found = Contents::new();
    collect(folder, folder, &mut found);
    found
}

fn collect(root: &Path, folder: &Path, found: &mut Contents) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let kind = path.symlink_metadata().unwrap().file_type();
        let content = if kind.is_symlink() {
            [b"-> ", fs::read_link(&path).unwrap().as_os_str().as_bytes()].concat()
        } else if kind.is_file() {
            let size = path.metadata().unwrap().len();
            // A sparse giant is told by its size.
            if size > 64 << 20 { size.to_le_bytes().to_vec() } else { fs::read(&path).unwrap_or_default() }
        } else if kind.is_dir() {
            collect(root, &path, found);
            b"folder".to_vec()
        } else {
            b"special".to_vec()
        };
        found.insert(path.strip_prefix(root).unwrap().to_owned(), content);
    }
}

/// Runs something that must leave the folder as it is.
#[track_caller]
pub(crate) fn untouched<T>(folder: &Path, run: impl FnOnce() -> T) -> T {
    let before = contents(folder);
    let result = run();
    let after = contents(folder);
    assert!(before == after, "was {:?}, is {:?}", before.keys(), after.keys());
    result
}

/// Copies a tree of plain files and folders.
pub(crate) fn copy(from: &Path, to: &Path) {
    fs::create_dir_all(to).unwrap();
    set_mode(to, 0o755);
    for entry in fs::read_dir(from).unwrap() {
        let entry = entry.unwrap();
        let target = to.join(entry.file_name());
        if entry.file_type().unwrap().is_dir() {
            copy(&entry.path(), &target);
        } else {
            fs::write(&target, fs::read(entry.path()).unwrap()).unwrap();
        }
    }
}
