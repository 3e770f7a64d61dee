//! The walls between a folder and the rest of the disk: nothing beneath it is opened through a link or above it.
//! Linux has `openat2`; other Unix systems open part by part; elsewhere the standard library looks first.

pub mod entry;
#[cfg(any(not(unix), test))]
mod portable;
pub mod stamp;
#[cfg(unix)]
mod unix;

#[cfg(not(unix))]
pub use portable::{ListedFolder, Root};
#[cfg(unix)]
pub use unix::{ListedFolder, Root};

#[cfg(test)]
#[cfg(unix)]
mod tests {
    use std::{ffi::OsStr, os::unix::fs::symlink};

    use tempfile::tempdir;

    use crate::files::kind::{FileKind, SpecialKind};

    /// The same of every wall.
    macro_rules! what_is_made_beneath_a_root_is_new_and_behind_no_link {
        ($test:ident, $wall:ty) => {
            #[test]
            fn $test() {
                let dir = tempdir().unwrap();
                let root = dir.path().join("root");
                std::fs::create_dir_all(root.join("a")).unwrap();
                std::fs::create_dir(dir.path().join("outside")).unwrap();
                std::fs::write(root.join("a/there"), "kept").unwrap();
                symlink("../outside", root.join("out")).unwrap();
                symlink("../outside/file", root.join("link")).unwrap();
                symlink("root", dir.path().join("alias")).unwrap();
                assert!(<$wall>::open_itself(&dir.path().join("alias")).is_err());
                let wall = <$wall>::open_itself(&root).unwrap();
                for path in ["a/there", "out/file", "link", "a/there/below"] {
                    assert!(wall.create(path).is_err(), "{path}");
                }
                assert!(wall.create("a/new").is_ok() && wall.create("b/c/new").is_ok());
                assert_eq!(std::fs::read(root.join("a/there")).unwrap(), b"kept");
                assert_eq!(std::fs::read_dir(dir.path().join("outside")).unwrap().count(), 0);
                assert!(wall.remove_folder("b/c").is_err(), "something is in it");
                assert!(wall.remove_file("a").is_err() && wall.remove_file("none").is_err());
                assert!(wall.remove_file("b/c/new").is_ok() && wall.remove_folder("b/c").is_ok());
                assert!(wall.remove_file("a/new").is_ok() && root.join("a/there").exists());
                let kinds = ["a", "link", "b"].map(|name| wall.kind_of(OsStr::new(name)).unwrap());
                assert_eq!(kinds, [FileKind::Folder, FileKind::Special(SpecialKind::Symlink), FileKind::Folder]);
            }
        };
    }

    what_is_made_beneath_a_root_is_new_and_behind_no_link!(by_descriptors, super::unix::Root);
    what_is_made_beneath_a_root_is_new_and_behind_no_link!(by_paths, super::portable::Root);
}
