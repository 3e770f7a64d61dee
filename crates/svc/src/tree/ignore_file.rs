//! `.svcignore`, read through the same wall as the package's files.

use std::io::Read as _;

use svc_cli::files::{
    kind::{FileKind, SpecialKind},
    open::{Root, entry::OpenFault, stamp::Stamp},
};

use super::fault::TreeFault;

/// The ignore file, at the root. Those of folders below are files like any other.
pub(crate) const IGNORE_FILE: &str = ".svcignore";

const IGNORE_FILE_BYTES: u64 = 64 * 1024;

/// The text of the root's ignore file, if there is one. A link is refused: what it says would not be the package's.
pub(crate) fn read_ignore_file(root: &Root) -> Result<Option<String>, TreeFault> {
    let unreadable = |error| TreeFault::Unreadable { path: IGNORE_FILE.to_owned(), error };
    let special = |what| TreeFault::SpecialFile { path: IGNORE_FILE.to_owned(), what };
    let file = match root.file(IGNORE_FILE) {
        Ok(file) => file,
        Err(OpenFault::Missing) => return Ok(None),
        Err(OpenFault::Blocked) => return Err(special(SpecialKind::Symlink)),
        Err(OpenFault::Io(error)) => return Err(unreadable(error)),
    };
    let stamp = Stamp::of(&file).map_err(unreadable)?;
    if let FileKind::Special(what) = stamp.kind {
        return Err(special(what));
    }
    let mut bytes = Vec::new();
    let counted = file.take(IGNORE_FILE_BYTES + 1).read_to_end(&mut bytes);
    let count = counted.map_err(unreadable)?;
    if u64::try_from(count).is_ok_and(|count| count > IGNORE_FILE_BYTES) {
        return Err(TreeFault::FileTooLarge { path: IGNORE_FILE.to_owned(), limit: IGNORE_FILE_BYTES });
    }
    let text = String::from_utf8(bytes);
    text.map(Some).map_err(|error| unreadable(std::io::Error::other(error.utf8_error())))
}

#[cfg(test)]
#[cfg(unix)]
mod tests {
    use std::{
        fs::{self, File},
        os::unix::fs::symlink,
    };

    use tempfile::tempdir;

    use super::*;

    fn read_ignore_file(folder: &std::path::Path) -> Result<Option<String>, TreeFault> {
        super::read_ignore_file(&Root::open(folder).unwrap())
    }

    #[test]
    fn a_linked_ignore_file_is_refused() {
        let dir = tempdir().unwrap();
        fs::write(dir.path().join("elsewhere"), "*").unwrap();
        for target in ["elsewhere", "nowhere"] {
            symlink(target, dir.path().join(IGNORE_FILE)).unwrap();
            let refusal = read_ignore_file(dir.path()).unwrap_err();
            assert!(matches!(refusal, TreeFault::SpecialFile { what: SpecialKind::Symlink, .. }));
            fs::remove_file(dir.path().join(IGNORE_FILE)).unwrap();
        }
    }

    #[test]
    fn a_pipe_a_folder_a_huge_and_a_garbled_ignore_file_are_refused() {
        let dir = tempdir().unwrap();
        let path = dir.path().join(IGNORE_FILE);
        rustix::fs::mkfifoat(rustix::fs::CWD, &path, rustix::fs::Mode::RWXU).unwrap();
        let refused = || read_ignore_file(dir.path()).unwrap_err();
        assert!(matches!(refused(), TreeFault::SpecialFile { what: SpecialKind::Fifo, .. }));
        fs::remove_file(&path).unwrap();
        fs::create_dir(&path).unwrap();
        assert!(matches!(refused(), TreeFault::Unreadable { .. }));
        fs::remove_dir(&path).unwrap();
        File::create(&path).unwrap().set_len(1 << 40).unwrap();
        assert!(matches!(refused(), TreeFault::FileTooLarge { limit: IGNORE_FILE_BYTES, .. }));
        fs::write(&path, [0xff, 0xfe]).unwrap();
        assert!(refused().message().contains("utf-8"));
    }

    #[test]
    fn the_text_is_given_where_there_is_one() {
        let dir = tempdir().unwrap();
        assert_eq!(read_ignore_file(dir.path()).unwrap(), None);
        fs::write(dir.path().join(IGNORE_FILE), "*.map\n").unwrap();
        assert_eq!(read_ignore_file(dir.path()).unwrap().as_deref(), Some("*.map\n"));
    }
}
