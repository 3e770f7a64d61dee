//! Programs from Debian's packages, put in where they are missing and where that can be done.

use std::{
    fs,
    path::PathBuf,
    sync::{Mutex, PoisonError},
};

use anyhow::{Context as _, Result, bail, ensure};

use crate::process::{command, run, target};

/// Only one thing is put in at a time: apt-get refuses a second.
static PUTTING_IN: Mutex<()> = Mutex::new(());

/// Gives what is looked for, after its package was put in where it was missing.
pub(crate) fn provide<T>(package: &str, find: impl Fn() -> Option<T>) -> Result<T> {
    let _turn = PUTTING_IN.lock().unwrap_or_else(PoisonError::into_inner);
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

/// The files of a package below a folder, without putting it in: nothing of it is started, and nobody has to be root.
pub(crate) fn unpack(package: &str, folder: &str) -> Result<PathBuf> {
    let unpacked = target().join("tools/debian").join(package);
    let wanted = unpacked.join(folder);
    let _turn = PUTTING_IN.lock().unwrap_or_else(PoisonError::into_inner);
    if wanted.is_dir() {
        return Ok(wanted);
    }
    let downloads = unpacked.with_extension("download");
    let _ = fs::remove_dir_all(&downloads);
    fs::create_dir_all(&downloads)?;
    let download = || {
        let mut download = command("apt-get", &["download", "--quiet", package]);
        download.current_dir(&downloads);
        run(download)
    };
    if download().is_err() {
        run(command("apt-get", &["update", "--quiet"]))?;
        download().with_context(|| format!("Debian's package `{package}` is needed, and cannot be had"))?;
    }
    let archive = fs::read_dir(&downloads)?.next().context("apt-get says that it has loaded a package")??.path();
    let files = downloads.join("files");
    run(command("dpkg-deb", &["--extract", &archive.to_string_lossy(), &files.to_string_lossy()]))?;
    if let Some(above) = unpacked.parent() {
        fs::create_dir_all(above)?;
    }
    fs::rename(&files, &unpacked)?;
    fs::remove_dir_all(&downloads)?;
    ensure!(wanted.is_dir(), "Debian's package `{package}` has no `{folder}`");
    Ok(wanted)
}

/// A program by its name.
pub(crate) fn on_path(name: &str) -> Option<PathBuf> {
    let folders = std::env::var_os("PATH")?;
    std::env::split_paths(&folders).map(|folder| folder.join(name)).find(|candidate| candidate.is_file())
}
