//! Programs from Debian's packages, put in where they are missing and where that can be done.

use std::path::PathBuf;

use anyhow::{Context as _, Result, bail};

use crate::process::{command, run};

/// Gives what is looked for, after its package was put in where it was missing.
pub(crate) fn provide<T>(package: &str, find: impl Fn() -> Option<T>) -> Result<T> {
    if let Some(found) = find() {
        return Ok(found);
    }
    for arguments in [&["update", "--quiet"][..], &["install", "--yes", "--quiet", "--no-install-recommends", package]]
    {
        let mut install = command("apt-get", arguments);
        install.env("DEBIAN_FRONTEND", "noninteractive");
        if let Err(error) = run(install) {
            bail!("Debian's package `{package}` is needed, and could not be put in ({error:#})");
        }
    }
    find().with_context(|| format!("Debian's package `{package}` was put in, and what is needed of it is not there"))
}

/// A program by its name.
pub(crate) fn on_path(name: &str) -> Option<PathBuf> {
    let folders = std::env::var_os("PATH")?;
    std::env::split_paths(&folders).map(|folder| folder.join(name)).find(|candidate| candidate.is_file())
}
