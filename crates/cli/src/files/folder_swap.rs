//! A folder of files, replaced as a whole: either every file is the new one, or every file is the old one.

use std::{
    collections::BTreeSet,
    fs, io,
    path::{Path, PathBuf},
};

use svc_core::words::kind;

use super::fresh_folder::{
    Contents, FreshFolder, clear_leftovers, folders_of, is_artifact, leftovers, parent_of, sync,
};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Swapped {
    /// There was no folder.
    Created,
    /// There was a folder with other content.
    Replaced,
    /// The folder already held these files and was not touched.
    Unchanged,
}

/// Why nothing was written.
#[derive(Debug)]
pub enum SwapError {
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
    pub fn message(&self) -> String {
        match self {
            Self::HoldsOthers(name) => format!("holds `{name}`, which is not part of the bundle"),
            Self::NotFolder => "is not a folder".to_owned(),
            Self::ParentMissing => "the folder above it does not exist".to_owned(),
            Self::NoName => "cannot be replaced as a whole".to_owned(),
            Self::Io(error) => format!("cannot be written: {error}"),
        }
    }

    /// A way out, where there is one.
    pub fn help(&self) -> Option<&'static str> {
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
pub fn write_whole(folder: &Path, files: &Contents) -> Result<Swapped, SwapError> {
    if folder.file_name().is_none() {
        return Err(SwapError::NoName);
    }
    let parent = parent_of(folder);
    if !parent.is_dir() {
        return Err(SwapError::ParentMissing);
    }
    let exists = match fs::symlink_metadata(folder) {
        Ok(found) if found.is_dir() => true,
        Ok(_) => return Err(SwapError::NotFolder),
        Err(error) if error.kind() == io::ErrorKind::NotFound => false,
        Err(error) => return Err(error.into()),
    };
    clear_leftovers(folder, files);
    if exists && refuse_others(folder, files)? == Held::TheseAlone {
        return Ok(Swapped::Unchanged);
    }
    let fresh = FreshFolder::filled(folder, files)?;
    if exists {
        exchange(&fresh.path, folder)?
    } else {
        fs::rename(&fresh.path, folder)?
    }
    sync(parent)?;
    Ok(if exists { Swapped::Replaced } else { Swapped::Created })
}

/// Whether a folder holds the bundles of several packages: an index, no submission of its own, and folders.
pub fn is_collection(folder: &Path) -> bool {
    let is_there = |file: &str| fs::symlink_metadata(folder.join(file)).is_ok();
    let mut entries = fs::read_dir(folder).into_iter().flatten().flatten();
    is_there(kind::INDEX.file)
        && !is_there(kind::SUBMISSION.file)
        && entries.any(|entry| entry.file_type().is_ok_and(|kind| kind.is_dir()))
}

/// The folder beside a bundle that keeps what registries answered to it.
pub fn answers_beside(folder: &Path) -> Option<PathBuf> {
    // `.`, `..` and a link have no name of their own, or another one than the folder.
    let is_link = folder.symlink_metadata().is_ok_and(|found| found.is_symlink());
    let whole =
        if is_link || folder.file_name().is_none() { folder.canonicalize().ok()? } else { folder.to_path_buf() };
    let folder = whole.as_path();
    let name = folder.file_name()?.to_string_lossy().into_owned();
    // A folder of several bundles is replaced as a whole, so that nothing is kept in it.
    let around = folder.parent().filter(|around| is_collection(around)).and_then(|around| around.canonicalize().ok());
    match around {
        Some(around) => {
            let outer = around.file_name()?.to_string_lossy().into_owned();
            Some(around.with_file_name(format!("{outer}-{name}-answers")))
        }
        None => Some(folder.with_file_name(format!("{name}-answers"))),
    }
}

/// The folder, what belongs to it beside it, and what runs that were killed while they wrote it have left there.
pub fn with_leftovers(folder: &Path) -> Vec<PathBuf> {
    let mut paths = vec![folder.to_path_buf()];
    paths.extend(answers_beside(folder));
    paths.extend(leftovers(folder));
    let begin = format!("{}-", folder.file_name().unwrap_or_default().to_string_lossy());
    let beside = fs::read_dir(parent_of(folder)).into_iter().flatten().flatten().map(|entry| entry.file_name());
    let of_bundles = beside.filter(|name| {
        name.to_str().is_some_and(|name| name.strip_prefix(&begin).is_some_and(|rest| rest.ends_with("-answers")))
    });
    paths.extend(of_bundles.map(|name| parent_of(folder).join(name)));
    paths
}

/// Refuses a folder that is left out of a package as its bundle and has anything else in it, which nobody would look at.
pub fn require_bundle_only(folder: &Path) -> Result<(), SwapError> {
    let Ok(entries) = fs::read_dir(folder) else { return Ok(()) };
    for entry in entries {
        let entry = entry?;
        let name = entry.file_name().to_string_lossy().into_owned();
        if !entry.file_type()?.is_dir() {
            if !is_artifact(&name) {
                return Err(SwapError::HoldsOthers(name));
            }
            continue;
        }
        for inner in fs::read_dir(entry.path())? {
            let inner = inner?;
            let inner_name = inner.file_name().to_string_lossy().into_owned();
            if inner.file_type()?.is_dir() || !is_artifact(&inner_name) {
                return Err(SwapError::HoldsOthers(format!("{name}/{inner_name}")));
            }
        }
    }
    Ok(())
}

/// What a folder holds that may be replaced.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Held {
    /// These files and no other.
    TheseAlone,
    Others,
}

/// Refuses a folder with anything in it that no run of ours writes.
fn refuse_others(folder: &Path, files: &Contents) -> Result<Held, SwapError> {
    let mut same = files.iter().all(|(path, bytes)| holds(&folder.join(path), bytes));
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        let name = entry.file_name().to_string_lossy().into_owned();
        if !entry.file_type()?.is_dir() {
            if !files.contains_key(&name) && !is_artifact(&name) {
                return Err(SwapError::HoldsOthers(name));
            }
            same &= files.contains_key(&name);
            continue;
        }
        // The folder of a package, where folders are written: of one that is there, or of one that was.
        if folders_of(files).next().is_none() {
            return Err(SwapError::HoldsOthers(name));
        }
        for inner in fs::read_dir(entry.path())? {
            let inner = inner?;
            let path = format!("{name}/{}", inner.file_name().to_string_lossy());
            if inner.file_type()?.is_dir() || !is_artifact(&inner.file_name().to_string_lossy()) {
                return Err(SwapError::HoldsOthers(path));
            }
            same &= files.contains_key(&path);
        }
    }
    Ok(if same { Held::TheseAlone } else { Held::Others })
}

/// The paths whose files are not these, and those of files that should not be there.
pub fn differing(folder: &Path, files: &Contents) -> Vec<String> {
    let label = |path: &str| folder.join(path).to_string_lossy().into_owned();
    let mut differing: Vec<String> =
        files.iter().filter(|(path, bytes)| !holds(&folder.join(path), bytes)).map(|(path, _)| label(path)).collect();
    // Where several are, a bundle of a package that is there no more.
    let known: BTreeSet<&str> = folders_of(files).collect();
    if !known.is_empty() {
        let entries = fs::read_dir(folder).into_iter().flatten().flatten();
        let folders = entries.filter(|entry| entry.file_type().is_ok_and(|kind| kind.is_dir()));
        let names = folders.map(|entry| entry.file_name().to_string_lossy().into_owned());
        differing.extend(names.filter(|name| !known.contains(name.as_str())).map(|name| label(&name)));
    }
    differing.sort();
    differing
}

fn holds(path: &Path, bytes: &[u8]) -> bool {
    let same_length =
        fs::symlink_metadata(path).is_ok_and(|found| found.is_file() && found.len() == bytes.len() as u64);
    same_length && fs::read(path).is_ok_and(|found| found == bytes)
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
    // Also another run may remove it, once the new one stands.
    let _ = fs::remove_dir_all(&aside);
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn files(text: &str) -> Contents {
        Contents::from([("a.json".to_owned(), text.as_bytes().to_vec()), ("b.json".to_owned(), b"b".to_vec())])
    }

    /// One index, and a folder for each package.
    fn of_packages(names: &[&str]) -> Contents {
        let bundles = names.iter().map(|name| (format!("{name}/svc-registry-submission.json"), b"{}".to_vec()));
        bundles.chain([("svc-registry-index.json".to_owned(), names.join(" ").into_bytes())]).collect()
    }

    #[test]
    fn a_package_that_left_goes_and_other_things_are_left_alone() {
        let temporary = tempfile::tempdir().unwrap();
        let folder = temporary.path().join("bundle");
        assert_eq!(write_whole(&folder, &of_packages(&["one", "two"])).unwrap(), Swapped::Created);
        assert_eq!(write_whole(&folder, &of_packages(&["one", "two"])).unwrap(), Swapped::Unchanged);
        fs::write(folder.join("two/notes.txt"), "mine").unwrap();
        let refused = write_whole(&folder, &of_packages(&["one"]));
        assert!(matches!(refused, Err(SwapError::HoldsOthers(name)) if name == "two/notes.txt"));
        fs::remove_file(folder.join("two/notes.txt")).unwrap();
        assert_eq!(write_whole(&folder, &of_packages(&["one"])).unwrap(), Swapped::Replaced);
        assert!(!folder.join("two").exists());
        let refused = write_whole(&folder, &files("1"));
        assert!(matches!(refused, Err(SwapError::HoldsOthers(name)) if name == "one"), "one bundle replaces no others");
    }

    #[test]
    fn a_folder_that_bears_the_name_of_a_file_is_left_alone() {
        let temporary = tempfile::tempdir().unwrap();
        let folder = temporary.path().join("bundle");
        fs::create_dir_all(folder.join("a.json")).unwrap();
        fs::write(folder.join("a.json/mine.txt"), "mine").unwrap();
        assert!(matches!(write_whole(&folder, &files("1")), Err(SwapError::HoldsOthers(name)) if name == "a.json"));
        assert_eq!(fs::read(folder.join("a.json/mine.txt")).unwrap(), b"mine");
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
