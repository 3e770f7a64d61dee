//! A folder of files, replaced as a whole: either every file is the new one, or every file is the old one.

use std::{
    collections::BTreeMap,
    fs::{self, File},
    io::{self, Write as _},
    path::{Path, PathBuf},
};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Swapped {
    /// There was no folder.
    Created,
    /// There was a folder with other content.
    Replaced,
    /// The folder already held these files and was not touched.
    Unchanged,
}

/// Why nothing was written.
#[derive(Debug)]
pub(crate) enum SwapError {
    /// The folder holds something that is not part of the bundle and would be lost.
    HoldsOthers(String),
    /// Something else than a folder stands there.
    NotFolder,
    /// The folder above does not exist.
    ParentMissing,
    /// The path has no name of its own, such as `.` or `/`.
    NoName,
    /// Anything else the system reports.
    Io(io::Error),
}

impl SwapError {
    /// What is wrong, to stand behind the folder's name. Not escaped.
    pub(crate) fn message(&self) -> String {
        match self {
            Self::HoldsOthers(name) => format!("holds `{name}`, which is not part of the bundle"),
            Self::NotFolder => "is not a folder".to_owned(),
            Self::ParentMissing => "the folder above it does not exist".to_owned(),
            Self::NoName => "cannot be replaced as a whole".to_owned(),
            Self::Io(error) => format!("cannot be written: {error}"),
        }
    }

    /// A way out, where there is one.
    pub(crate) fn help(&self) -> Option<&'static str> {
        match self {
            Self::HoldsOthers(_) | Self::NotFolder | Self::NoName => {
                Some("give the bundle a folder of its own with --out-dir")
            }
            Self::ParentMissing => Some("make the folder first"),
            Self::Io(_) => None,
        }
    }
}

impl From<io::Error> for SwapError {
    fn from(error: io::Error) -> Self {
        Self::Io(error)
    }
}

/// Puts the files into the folder, all or none.
pub(crate) fn write_whole(folder: &Path, files: &BTreeMap<&'static str, Vec<u8>>) -> Result<Swapped, SwapError> {
    let name = folder.file_name().ok_or(SwapError::NoName)?;
    let parent = folder.parent().filter(|parent| !parent.as_os_str().is_empty()).unwrap_or(Path::new("."));
    if !parent.is_dir() {
        return Err(SwapError::ParentMissing);
    }
    let exists = match fs::symlink_metadata(folder) {
        Ok(found) if found.is_dir() => true,
        Ok(_) => return Err(SwapError::NotFolder),
        Err(error) if error.kind() == io::ErrorKind::NotFound => false,
        Err(error) => return Err(error.into()),
    };
    if exists {
        refuse_others(folder, files)?;
        if files.iter().all(|(name, bytes)| holds(&folder.join(name), bytes)) {
            return Ok(Swapped::Unchanged);
        }
    }
    let mut fresh = Fresh::beside(parent, &name.to_string_lossy())?;
    fresh.fill(files)?;
    if exists {
        exchange(&fresh.path, folder)?
    } else {
        fs::rename(&fresh.path, folder)?
    }
    sync_folder(parent)?;
    Ok(if exists { Swapped::Replaced } else { Swapped::Created })
}

/// The folder beside a bundle that keeps what registries answered to it.
pub(crate) fn answers_beside(folder: &Path) -> Option<PathBuf> {
    let name = folder.file_name()?.to_string_lossy().into_owned();
    Some(folder.with_file_name(format!("{name}-answers")))
}

/// The folder, what belongs to it beside it, and what runs that were killed while they wrote it have left there.
pub(crate) fn with_leftovers(folder: &Path) -> Vec<PathBuf> {
    let mut paths = vec![folder.to_path_buf()];
    paths.extend(answers_beside(folder));
    let (Some(name), Some(parent)) = (folder.file_name(), folder.parent()) else { return paths };
    let parent = if parent.as_os_str().is_empty() { Path::new(".") } else { parent };
    let prefix = format!(".{}.", name.to_string_lossy());
    let entries = fs::read_dir(parent).into_iter().flatten().flatten();
    let leftovers = entries.filter(|entry| is_leftover(&prefix, &entry.file_name().to_string_lossy()));
    paths.extend(leftovers.map(|entry| parent.join(entry.file_name())));
    paths
}

/// Whether a name is one that `Fresh::beside` or `replace` makes.
fn is_leftover(prefix: &str, name: &str) -> bool {
    let numbers = name.strip_prefix(prefix).and_then(|rest| rest.rsplit_once('.'));
    let is_number = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    numbers.is_some_and(|(numbers, end)| {
        let (process, attempt) = numbers.split_once('-').unwrap_or_default();
        matches!(end, "tmp" | "old") && is_number(process) && is_number(attempt)
    })
}

fn refuse_others(folder: &Path, files: &BTreeMap<&'static str, Vec<u8>>) -> Result<(), SwapError> {
    for entry in fs::read_dir(folder)? {
        let name = entry?.file_name().to_string_lossy().into_owned();
        if !files.contains_key(name.as_str()) {
            return Err(SwapError::HoldsOthers(name));
        }
    }
    Ok(())
}

fn holds(path: &Path, bytes: &[u8]) -> bool {
    let same_length =
        fs::symlink_metadata(path).is_ok_and(|found| found.is_file() && found.len() == bytes.len() as u64);
    same_length && fs::read(path).is_ok_and(|found| found == bytes)
}

/// A new folder beside the old one. Whatever is left of it goes away with the value, also on errors.
struct Fresh {
    path: PathBuf,
}

impl Fresh {
    fn beside(parent: &Path, name: &str) -> io::Result<Self> {
        let mut attempt = 0_u32;
        loop {
            let path = parent.join(format!(".{name}.{}-{attempt}.tmp", std::process::id()));
            match fs::create_dir(&path) {
                Ok(()) => return Ok(Self { path }),
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists && attempt < 1000 => attempt += 1,
                Err(error) => return Err(error),
            }
        }
    }

    fn fill(&mut self, files: &BTreeMap<&'static str, Vec<u8>>) -> io::Result<()> {
        for (name, bytes) in files {
            let mut file = File::options().write(true).create_new(true).open(self.path.join(name))?;
            file.write_all(bytes)?;
            file.sync_all()?;
        }
        sync_folder(&self.path)
    }
}

impl Drop for Fresh {
    fn drop(&mut self) {
        // After a swap this is the old bundle; after a plain rename there is nothing left here.
        let _ = fs::remove_dir_all(&self.path);
    }
}

/// Exchanges two folders in one step, so that no moment shows a mix.
#[cfg(target_os = "linux")]
fn exchange(fresh: &Path, folder: &Path) -> io::Result<()> {
    use rustix::fs::{CWD, RenameFlags, renameat_with};

    match renameat_with(CWD, fresh, CWD, folder, RenameFlags::EXCHANGE) {
        Err(rustix::io::Errno::INVAL | rustix::io::Errno::NOSYS) => replace(fresh, folder),
        exchanged => Ok(exchanged?),
    }
}

#[cfg(not(target_os = "linux"))]
fn exchange(fresh: &Path, folder: &Path) -> io::Result<()> {
    replace(fresh, folder)
}

/// Two renames: between them the folder is absent, but never a mix; a failure puts the old one back.
fn replace(fresh: &Path, folder: &Path) -> io::Result<()> {
    let aside = fresh.with_extension("old");
    fs::rename(folder, &aside)?;
    if let Err(error) = fs::rename(fresh, folder) {
        fs::rename(&aside, folder)?;
        return Err(error);
    }
    fs::remove_dir_all(&aside)
}

#[cfg(unix)]
fn sync_folder(folder: &Path) -> io::Result<()> {
    File::open(folder)?.sync_all()
}

/// Other systems have no such call; their rename is durable on its own terms.
#[cfg(not(unix))]
fn sync_folder(_: &Path) -> io::Result<()> {
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn files(text: &str) -> BTreeMap<&'static str, Vec<u8>> {
        BTreeMap::from([("a.json", text.as_bytes().to_vec()), ("b.json", b"b".to_vec())])
    }

    #[test]
    fn a_folder_with_other_things_is_left_alone() {
        let temporary = tempfile::tempdir().unwrap();
        let folder = temporary.path().join("bundle");
        fs::create_dir(&folder).unwrap();
        fs::write(folder.join("notes.txt"), "mine").unwrap();
        assert!(matches!(write_whole(&folder, &files("1")), Err(SwapError::HoldsOthers(name)) if name == "notes.txt"));
        assert_eq!(fs::read_dir(&folder).unwrap().count(), 1);
        assert_eq!(fs::read_dir(temporary.path()).unwrap().count(), 1);
    }

    #[test]
    fn only_what_a_killed_run_left_behind_counts_as_such() {
        let temporary = tempfile::tempdir().unwrap();
        let folder = temporary.path().join("bundle");
        for name in [".bundle.71-0.tmp", ".bundle.71-12.old"] {
            fs::create_dir(temporary.path().join(name)).unwrap();
        }
        for name in
            [".bundle.tmp", ".bundle.-.tmp", ".bundle.71.tmp", "bundle.71-0.tmp", ".bundle.a-0.tmp", ".other.71-0.tmp"]
        {
            fs::create_dir(temporary.path().join(name)).unwrap();
        }
        let mut found = with_leftovers(&folder);
        found.sort();
        let expected = [".bundle.71-0.tmp", ".bundle.71-12.old", "bundle", "bundle-answers"]
            .map(|name| temporary.path().join(name));
        assert_eq!(found, expected);
    }

    #[test]
    fn a_file_or_a_link_in_the_way_is_left_alone() {
        let temporary = tempfile::tempdir().unwrap();
        let path = temporary.path().join("bundle");
        fs::write(&path, "mine").unwrap();
        assert!(matches!(write_whole(&path, &files("1")), Err(SwapError::NotFolder)));
        assert_eq!(fs::read(&path).unwrap(), b"mine");
        let missing = temporary.path().join("no/bundle");
        assert!(matches!(write_whole(&missing, &files("1")), Err(SwapError::ParentMissing)));
    }

    #[test]
    fn the_whole_folder_is_created_replaced_or_left_alone() {
        let temporary = tempfile::tempdir().unwrap();
        let folder = temporary.path().join("bundle");
        assert_eq!(write_whole(&folder, &files("1")).unwrap(), Swapped::Created);
        assert_eq!(write_whole(&folder, &files("1")).unwrap(), Swapped::Unchanged);
        assert_eq!(write_whole(&folder, &files("2")).unwrap(), Swapped::Replaced);
        assert_eq!(fs::read(folder.join("a.json")).unwrap(), b"2");
        assert_eq!(fs::read_dir(temporary.path()).unwrap().count(), 1, "nothing is left behind");
    }
}
