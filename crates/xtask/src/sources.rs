//! The files of the repository, and the Rust sources of the workspace as text, by path from the root.

use std::{collections::BTreeMap, fs};

use anyhow::{Context as _, Result};

use svc_gates::process::{command, root, said};

/// The files below a folder that belong to the repository.
pub(crate) fn tracked(folder: &str) -> Result<Vec<String>> {
    let files = said(&mut command("git", &["ls-files", "--cached", "--others", "--exclude-standard", "--", folder]))?;
    Ok(files.lines().map(str::to_owned).filter(|file| root().join(file).is_file()).collect())
}

/// Every Rust file of every `src` folder.
pub(crate) fn of_workspace() -> Result<BTreeMap<String, String>> {
    let files = tracked(".")?.into_iter().filter(|file| {
        (file.starts_with("crates/") || file.starts_with("bench/")) && file.contains("/src/") && file.ends_with(".rs")
    });
    files.map(|file| Ok((file.clone(), fs::read_to_string(root().join(&file)).context(file)?))).collect()
}
