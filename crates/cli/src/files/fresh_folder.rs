//! A folder that is filled under another name before it takes its own, and what is left of it when a run was killed.
//!
//! Whoever fills one holds a lock on it. The system lets go of the lock with the process, however that ended, so that the
//! next run can tell what nobody writes any more.

use std::{
    collections::BTreeMap,
    ffi::OsStr,
    fs::{self, File},
    io::{self, Write as _},
    path::{Path, PathBuf},
};

use svc_core::words::kind;

use super::lock::{self, Held};

/// The files of a folder by path, with `/` between the parts.
pub type Contents = BTreeMap<String, Vec<u8>>;

/// A new folder beside another. Whatever is left of it goes away with the value, also on errors.
#[derive(Debug)]
pub(super) struct FreshFolder {
    pub(super) path: PathBuf,
    /// Held until the end.
    _lock: Option<File>,
}

impl FreshFolder {
    /// A folder with these files, beside the one whose place it is to take. Each is on disk.
    pub(super) fn filled(folder: &Path, files: &Contents) -> io::Result<Self> {
        let fresh = Self::beside(folder)?;
        fresh.fill(files)?;
        Ok(fresh)
    }

    fn beside(folder: &Path) -> io::Result<Self> {
        let mut attempt = 0_u32;
        loop {
            let name = format!("{}{}-{attempt}.tmp", prefix(folder), std::process::id());
            let path = parent_of(folder).join(name);
            match fs::create_dir(&path) {
                Ok(()) => match lock::hold_folder(&path)? {
                    Some(lock) => return Ok(Self { path, _lock: lock.into_file() }),
                    // Another run took it for a leftover, before it was locked.
                    None => attempt += 1,
                },
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists && attempt < 1000 => attempt += 1,
                Err(error) => return Err(error),
            }
        }
    }

    fn fill(&self, files: &Contents) -> io::Result<()> {
        for (path, bytes) in files {
            let path = self.path.join(path);
            if let Some(parent) = path.parent() {
                fs::create_dir_all(parent)?;
            }
            let mut file = File::create_new(&path)?;
            file.write_all(bytes)?;
            file.sync_all()?;
        }
        for folder in folders_of(files) {
            sync(&self.path.join(folder))?;
        }
        sync(&self.path)
    }
}

impl Drop for FreshFolder {
    fn drop(&mut self) {
        // After a swap this is the old folder; after a plain rename there is nothing left here.
        let _ = fs::remove_dir_all(&self.path);
    }
}

/// The folders that the paths name.
pub(super) fn folders_of(files: &Contents) -> impl Iterator<Item = &str> {
    files.keys().filter_map(|path| Some(path.rsplit_once('/')?.0))
}

/// The folder above, which is the current one for a bare name.
pub(super) fn parent_of(folder: &Path) -> &Path {
    folder.parent().filter(|parent| !parent.as_os_str().is_empty()).unwrap_or(Path::new("."))
}

/// What runs that were killed while they wrote a folder have left beside it.
pub(super) fn leftovers(folder: &Path) -> Vec<PathBuf> {
    let (parent, prefix) = (parent_of(folder), prefix(folder));
    let entries = fs::read_dir(parent).into_iter().flatten().flatten();
    let names = entries.map(|entry| entry.file_name()).filter(|name| is_leftover(&prefix, &name.to_string_lossy()));
    names.map(|name| parent.join(name)).collect()
}

/// Removes what is left of killed runs. What is still written stays, and what holds anything that no run writes.
pub(super) fn clear_leftovers(folder: &Path, files: &Contents) {
    for path in leftovers(folder) {
        // A folder that was set aside is the only copy until the new one stands in its place.
        let is_only_copy = path.extension() == Some(OsStr::new("old")) && !folder.is_dir();
        if is_only_copy || !holds_only_own(&path, files) {
            continue;
        }
        if let Ok(Some(Held::Locked(_lock))) = lock::hold_folder(&path) {
            let _ = fs::remove_dir_all(&path);
        }
    }
}

fn prefix(folder: &Path) -> String {
    format!(".{}.", folder.file_name().unwrap_or_default().to_string_lossy())
}

/// Whether a name is one that is made here, or by setting a folder aside.
fn is_leftover(prefix: &str, name: &str) -> bool {
    let numbers = name.strip_prefix(prefix).and_then(|rest| rest.rsplit_once('.'));
    let is_number = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    numbers.is_some_and(|(numbers, end)| {
        let (process, attempt) = numbers.split_once('-').unwrap_or_default();
        matches!(end, "tmp" | "old") && is_number(process) && is_number(attempt)
    })
}

/// Whether a folder holds artifacts and files of these names, and nothing else.
fn holds_only_own(folder: &Path, files: &Contents) -> bool {
    let is_own = |path: &Path, name: &str| {
        let inside = path.strip_prefix(folder).ok().and_then(Path::to_str);
        is_artifact(name) || inside.is_some_and(|inside| files.contains_key(inside))
    };
    let mut waiting = vec![folder.to_path_buf()];
    while let Some(folder) = waiting.pop() {
        let Ok(entries) = fs::read_dir(&folder) else { return false };
        for entry in entries {
            let Ok((entry, kind)) = entry.and_then(|entry| entry.file_type().map(|kind| (entry, kind))) else {
                return false;
            };
            match entry.file_name().to_str() {
                _ if kind.is_dir() => waiting.push(entry.path()),
                Some(name) if is_own(&entry.path(), name) => {}
                Some(_) | None => return false,
            }
        }
    }
    true
}

/// Whether a file of this name is one of a bundle.
pub(super) fn is_artifact(name: &str) -> bool {
    kind::ALL.iter().any(|spec| spec.file == name)
}

/// Makes the entries of a folder durable.
#[cfg(unix)]
pub(super) fn sync(folder: &Path) -> io::Result<()> {
    File::open(folder)?.sync_all()
}

/// Other systems have no such call; their rename is durable on its own terms.
#[cfg(not(unix))]
pub(super) fn sync(_: &Path) -> io::Result<()> {
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn files() -> Contents {
        Contents::from([("a.json".to_owned(), b"a".to_vec()), ("in/b.json".to_owned(), b"b".to_vec())])
    }

    fn names(folder: &Path) -> Vec<String> {
        let mut names: Vec<String> =
            fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
        names.sort();
        names
    }

    #[test]
    fn only_what_a_killed_run_left_behind_counts_as_such() {
        let temporary = tempfile::tempdir().unwrap();
        let own = [".bundle.71-0.tmp", ".bundle.71-12.old"];
        let others =
            [".bundle.tmp", ".bundle.-.tmp", ".bundle.71.tmp", "bundle.71-0.tmp", ".bundle.a-0.tmp", ".other.71-0.tmp"];
        for name in own.iter().chain(&others) {
            fs::create_dir(temporary.path().join(name)).unwrap();
        }
        let mut found = leftovers(&temporary.path().join("bundle"));
        found.sort();
        assert_eq!(found, own.map(|name| temporary.path().join(name)));
    }

    #[test]
    fn what_a_killed_run_left_is_removed_and_nothing_else() {
        let temporary = tempfile::tempdir().unwrap();
        let folder = temporary.path().join("bundle");
        let put = |name: &str, file: &str| {
            let path = temporary.path().join(name).join(file);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, "x").unwrap();
        };
        put(".bundle.1-0.tmp", "a.json");
        put(".bundle.2-0.tmp", "dev.acme.one/svc-registry-index.json");
        put(".bundle.3-0.tmp", "mine.txt");
        put(".bundle.4-0.old", "a.json");
        let at_work = FreshFolder::filled(&folder, &files()).unwrap();
        clear_leftovers(&folder, &files());
        let at_work_name = at_work.path.file_name().unwrap().to_str().unwrap().to_owned();
        let mut expected = vec![".bundle.3-0.tmp".to_owned(), ".bundle.4-0.old".to_owned(), at_work_name];
        expected.sort();
        assert_eq!(names(temporary.path()), expected, "that of a run at work, of others, and the only copy stay");
        drop(at_work);
        fs::create_dir(&folder).unwrap();
        clear_leftovers(&folder, &files());
        assert_eq!(names(temporary.path()), [".bundle.3-0.tmp", "bundle"]);
    }

    #[test]
    fn a_link_is_no_leftover_to_follow() {
        let temporary = tempfile::tempdir().unwrap();
        let mine = temporary.path().join("mine");
        fs::create_dir(&mine).unwrap();
        fs::write(mine.join("a.json"), "mine").unwrap();
        #[cfg(unix)]
        std::os::unix::fs::symlink(&mine, temporary.path().join(".bundle.1-0.tmp")).unwrap();
        clear_leftovers(&temporary.path().join("bundle"), &files());
        assert_eq!(fs::read(mine.join("a.json")).unwrap(), b"mine");
    }
}
