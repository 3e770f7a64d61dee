//! The Rust sources of the workspace as text, by path from the root.

use std::{collections::BTreeMap, fs, path::Path};

use anyhow::{Context as _, Result};
use serde::Deserialize;

use crate::process::root;

#[derive(Deserialize)]
struct Workspace {
    workspace: Members,
}

#[derive(Deserialize)]
struct Members {
    members: Vec<String>,
}

/// The folders of all crates.
pub(crate) fn members() -> Result<Vec<String>> {
    let text = fs::read_to_string(root().join("Cargo.toml"))?;
    Ok(toml::from_str::<Workspace>(&text)?.workspace.members)
}

/// Every file of every `src` folder.
pub(crate) fn of_workspace() -> Result<BTreeMap<String, String>> {
    let mut files = BTreeMap::new();
    for member in members()? {
        collect(&root(), &format!("{member}/src"), &mut files)?;
    }
    Ok(files)
}

fn collect(root: &Path, folder: &str, files: &mut BTreeMap<String, String>) -> Result<()> {
    for entry in fs::read_dir(root.join(folder)).with_context(|| folder.to_owned())? {
        let entry = entry?;
        let path = format!("{folder}/{}", entry.file_name().to_string_lossy());
        if entry.file_type()?.is_dir() {
            collect(root, &path, files)?;
        } else if path.ends_with(".rs") {
            let text = fs::read_to_string(entry.path()).with_context(|| path.clone())?;
            files.insert(path, text);
        }
    }
    Ok(())
}
