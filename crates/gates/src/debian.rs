//! Programs from Debian's packages. None is installed here: what is missing is named with the command that installs it.

use std::{fs, path::PathBuf};

use anyhow::{Context as _, Result, ensure};

use crate::process::{command, run, said, say, target};

/// What the gates need.
const PACKAGES: &[&str] = &[
    "chromium",
    "default-jre-headless",
    "dnsmasq-base",
    "docker-registry",
    "golang-go",
    "golang-golang-x-mod-dev",
    "nginx",
    "postgresql",
    "skopeo",
    "systemd",
    "umoci",
    "valgrind",
];

/// Prints the packages that the gates need, for `apt-get install`.
pub fn print_packages() -> Result<()> {
    say(&PACKAGES.join(" "));
    Ok(())
}

/// Fails when a package that the gates need is not installed. Other systems than Debian are not asked.
pub fn check() -> Result<()> {
    let mut query = command("dpkg-query", &["--show", "--showformat", "${Package} ${db:Status-Status}\\n"]);
    let Ok(installed) = said(&mut query) else { return Ok(()) };
    let is_missing = |package: &&&str| !installed.lines().any(|line| line == format!("{package} installed"));
    let missing: Vec<&str> = PACKAGES.iter().filter(is_missing).copied().collect();
    ensure!(
        missing.is_empty(),
        "not installed: {0}; `apt-get install --no-install-recommends {0}` as root does",
        missing.join(" ")
    );
    Ok(())
}

/// Gives what is looked for.
pub fn require<T>(package: &str, find: impl Fn() -> Option<T>) -> Result<T> {
    find().with_context(|| {
        format!("Debian's package `{package}` is not installed; `apt-get install --no-install-recommends {package}` as root does")
    })
}

/// The files of a package below a folder, without installing it: nothing of it is started, and nobody has to be root.
pub fn unpack(package: &str, folder: &str) -> Result<PathBuf> {
    let unpacked = target().join("tools/debian").join(package);
    let wanted = unpacked.join(folder);
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
pub fn on_path(name: &str) -> Option<PathBuf> {
    let folders = std::env::var_os("PATH")?;
    std::env::split_paths(&folders).map(|folder| folder.join(name)).find(|candidate| candidate.is_file())
}
