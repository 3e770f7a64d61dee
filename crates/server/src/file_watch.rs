//! Whether a file is still the one that was read: asked by what the system knows of it, so that looking costs nothing.

use std::{
    fs::{self, Metadata},
    path::{Path, PathBuf},
    time::{Duration, SystemTime},
};

/// A file that was changed this short a time before it was read may have been changed once more within one tick of the
/// file system's clock. It counts as changed until this time has passed.
const SETTLING: Duration = Duration::from_secs(2);

/// A file that may be replaced or written to at any time. Links are followed.
#[derive(Debug)]
pub(crate) struct FileWatch {
    path: PathBuf,
    seen: Seen,
}

#[derive(Debug, PartialEq, Eq)]
struct Seen {
    /// Nothing when the file cannot be looked at.
    stamp: Option<FileStamp>,
    is_settled: bool,
}

/// What changes with a file: another one under the same name has another number, and writing moves the time of the last
/// change, which nobody can set back.
#[derive(Debug, PartialEq, Eq)]
struct FileStamp {
    bytes: u64,
    modified: Option<SystemTime>,
    #[cfg(unix)]
    identity: (u64, u64, i64, i64),
}

impl FileWatch {
    /// Looks at the file as it is now; it is to be read after this, not before.
    pub(crate) fn new(path: PathBuf) -> Self {
        let seen = Seen::now(&path);
        Self { path, seen }
    }

    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    /// Whether the file may be another one than when it was looked at last. If so, it is to be read after this.
    pub(crate) fn has_changed(&mut self) -> bool {
        let now = Seen::now(&self.path);
        let is_same = now.stamp == self.seen.stamp && self.seen.is_settled;
        self.seen = now;
        !is_same
    }
}

impl Seen {
    fn now(path: &Path) -> Self {
        let stamp = fs::metadata(path).ok().map(|found| FileStamp::of(&found));
        let is_settled = stamp.as_ref().is_none_or(FileStamp::is_settled);
        Self { stamp, is_settled }
    }
}

impl FileStamp {
    fn of(found: &Metadata) -> Self {
        #[cfg(unix)]
        let identity = {
            use std::os::unix::fs::MetadataExt as _;

            (found.dev(), found.ino(), found.ctime(), found.ctime_nsec())
        };
        Self {
            bytes: found.len(),
            modified: found.modified().ok(),
            #[cfg(unix)]
            identity,
        }
    }

    /// A time in the future, after a clock was set back, is never settled.
    fn is_settled(&self) -> bool {
        let age = |time: SystemTime| time.elapsed().is_ok_and(|age| age >= SETTLING);
        #[cfg(unix)]
        let changed =
            u64::try_from(self.identity.2).ok().map(|seconds| SystemTime::UNIX_EPOCH + Duration::from_secs(seconds));
        #[cfg(not(unix))]
        let changed = self.modified;
        changed.is_some_and(age)
    }
}

#[cfg(test)]
#[cfg(unix)]
mod tests {
    use std::thread;

    use super::*;

    /// The same length and the same time of writing: what a copy with its times kept looks like.
    #[test]
    fn a_file_in_place_of_another_is_seen_whatever_its_size_and_time_say() {
        let folder = tempfile::tempdir().unwrap();
        let (path, other) = (folder.path().join("file"), folder.path().join("other"));
        fs::write(&path, "one").unwrap();
        let time = fs::metadata(&path).unwrap().modified().unwrap();
        let mut watch = FileWatch::new(path.clone());
        thread::sleep(SETTLING + Duration::from_millis(1100));
        assert!(watch.has_changed(), "it was new when it was looked at");
        assert!(!watch.has_changed());
        fs::write(&other, "two").unwrap();
        fs::File::options().write(true).open(&other).unwrap().set_modified(time).unwrap();
        fs::rename(&other, &path).unwrap();
        assert!(watch.has_changed(), "another file");
        fs::write(&path, "six").unwrap();
        fs::File::options().write(true).open(&path).unwrap().set_modified(time).unwrap();
        assert!(watch.has_changed(), "written in place");
        fs::remove_file(&path).unwrap();
        assert!(watch.has_changed(), "gone");
        assert!(!watch.has_changed(), "still gone");
    }
}
