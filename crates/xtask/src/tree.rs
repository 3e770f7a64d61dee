//! A tree of generated files: written, or compared with what is committed.

use std::{
    collections::BTreeMap,
    fs,
    path::{Path, PathBuf},
};

use anyhow::{Context as _, Result};

/// What a folder of generated files has that is written by hand.
const BY_HAND: &[&str] = &["README.md", "cases.py"];

/// Generated files by path below the root.
pub(crate) type Tree = BTreeMap<PathBuf, Vec<u8>>;

/// What differs between the generated tree and the folders it owns.
pub(crate) fn stale(tree: &Tree, root: &Path, owned: &[&str]) -> Result<Vec<String>> {
    let mut stale = Vec::new();
    for (path, bytes) in tree {
        match fs::read(root.join(path)) {
            Ok(found) if found == *bytes => {}
            Ok(_) => stale.push(format!("{} is not what the tables give", path.display())),
            Err(_) => stale.push(format!("{} is missing", path.display())),
        }
    }
    for path in leftovers(tree, root, owned)? {
        stale.push(format!("{} is not generated any more", path.display()));
    }
    Ok(stale)
}

/// Writes the tree and removes what the owned folders hold beside it.
pub(crate) fn write(tree: &Tree, root: &Path, owned: &[&str]) -> Result<()> {
    for path in leftovers(tree, root, owned)? {
        let path = root.join(path);
        fs::remove_file(&path)?;
        // A folder that is empty now goes too; one that is not stays.
        let _ = path.parent().map(fs::remove_dir);
    }
    for (path, bytes) in tree {
        let path = root.join(path);
        if let Some(parent) = path.parent() {
            fs::create_dir_all(parent)?;
        }
        if fs::read(&path).ok().as_ref() != Some(bytes) {
            fs::write(&path, bytes).with_context(|| format!("cannot write {}", path.display()))?;
        }
    }
    Ok(())
}

fn leftovers(tree: &Tree, root: &Path, owned: &[&str]) -> Result<Vec<PathBuf>> {
    let mut found = Vec::new();
    for folder in owned {
        collect(root, Path::new(folder), &mut found)?;
    }
    found.retain(|path| !tree.contains_key(path) && !BY_HAND.iter().any(|name| path.ends_with(name)));
    Ok(found)
}

fn collect(root: &Path, folder: &Path, found: &mut Vec<PathBuf>) -> Result<()> {
    let Ok(entries) = fs::read_dir(root.join(folder)) else { return Ok(()) };
    for entry in entries {
        let entry = entry?;
        let path = folder.join(entry.file_name());
        if entry.file_type()?.is_dir() {
            collect(root, &path, found)?;
        } else {
            found.push(path);
        }
    }
    Ok(())
}
