//! A folder of files that was not there before: it appears whole, or not at all.

use std::{
    collections::BTreeMap,
    fs::{self, File},
    io::{self, Write as _},
    path::{Path, PathBuf},
    process,
};

/// Writes the files of a folder that does not exist yet, or is empty. Paths are relative, with `/` between their parts.
pub(crate) fn write_new(folder: &Path, files: &BTreeMap<String, Vec<u8>>) -> io::Result<()> {
    let name = folder.file_name().ok_or_else(|| io::Error::other("the folder must have a name"))?;
    let fresh = folder.with_file_name(format!(".{}.{}-0.tmp", name.to_string_lossy(), process::id()));
    let written = write_all(&fresh, files).and_then(|()| rename(&fresh, folder));
    if written.is_err() {
        // What is left of it is of no use to anybody.
        let _ = fs::remove_dir_all(&fresh);
    }
    written
}

fn write_all(fresh: &Path, files: &BTreeMap<String, Vec<u8>>) -> io::Result<()> {
    fs::create_dir(fresh)?;
    for (path, bytes) in files {
        let path: PathBuf = fresh.join(path);
        if let Some(parent) = path.parent() {
            fs::create_dir_all(parent)?;
        }
        let mut file = File::create_new(&path)?;
        file.write_all(bytes)?;
        file.sync_all()?;
    }
    Ok(())
}

/// An empty folder gives way; one with anything in it, a file or a link does not.
fn rename(fresh: &Path, folder: &Path) -> io::Result<()> {
    match fs::symlink_metadata(folder) {
        Ok(found) if found.is_dir() => fs::remove_dir(folder)?,
        Ok(_) => return Err(io::Error::new(io::ErrorKind::AlreadyExists, "something else stands there")),
        Err(error) if error.kind() == io::ErrorKind::NotFound => {}
        Err(error) => return Err(error),
    }
    fs::rename(fresh, folder)
}
