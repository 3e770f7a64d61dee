//! A folder of files that was not there before: it appears whole, or not at all.

use std::{fs, io, path::Path};

use super::fresh_folder::{Contents, FreshFolder, clear_leftovers};

/// Writes the files of a folder that does not exist yet, or is empty.
pub fn write_new(folder: &Path, files: &Contents) -> io::Result<()> {
    if folder.file_name().is_none() {
        return Err(io::Error::other("the folder must have a name"));
    }
    clear_leftovers(folder, files);
    let fresh = FreshFolder::filled(folder, files)?;
    remove_empty(folder)?;
    fs::rename(&fresh.path, folder)
}

/// An empty folder is removed; one with anything in it, a file or a link does not.
fn remove_empty(folder: &Path) -> io::Result<()> {
    match fs::symlink_metadata(folder) {
        Ok(found) if found.is_dir() => fs::remove_dir(folder),
        Ok(_) => Err(io::Error::new(io::ErrorKind::AlreadyExists, "something else stands there")),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
        Err(error) => Err(error),
    }
}
