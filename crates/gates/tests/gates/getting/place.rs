//! Where the gate works: a copy of the repository, a search path without cargo, and words for the log.

use std::{
    fs,
    io::{self, Write as _},
    path::{Path, PathBuf},
    process::Stdio,
};

use anyhow::{Context as _, Result, ensure};

use svc_gates::{
    debian,
    process::{command, root},
};

/// The files of the repository as they are now, and nothing that was built.
pub(super) fn copy_checkout(to: &Path) -> Result<()> {
    let listed = command("git", &["ls-files", "-z", "--cached", "--others", "--exclude-standard"]).output()?;
    ensure!(listed.status.success(), "git does not list the files of the repository");
    for name in listed.stdout.split(|byte| *byte == 0).filter(|name| !name.is_empty()) {
        let name = Path::new(std::str::from_utf8(name)?);
        let (from, to) = (root().join(name), to.join(name));
        if from.is_file() {
            fs::create_dir_all(to.parent().context("a file has a folder")?)?;
            fs::copy(from, to)?;
        }
    }
    Ok(())
}

/// Tells what was measured, for whoever reads the log.
pub(super) fn say(text: &str) -> Result<()> {
    Ok(writeln!(io::stdout(), "  {text}")?)
}

pub(super) fn text(path: &Path) -> String {
    path.to_string_lossy().into_owned()
}

/// A folder of links to these programs, to be the whole search path of something.
pub(super) fn only(folder: &Path, programs: &[&str]) -> Result<PathBuf> {
    let bin = folder.join("bin");
    fs::create_dir_all(&bin)?;
    for name in programs {
        let program = debian::on_path(name).with_context(|| format!("{name} is needed"))?;
        std::os::unix::fs::symlink(program, bin.join(name))?;
    }
    let cargo = command("sh", &["-c", "command -v cargo"]).env("PATH", &bin).stdout(Stdio::null()).status()?;
    ensure!(!cargo.success(), "cargo is found where it is not to be");
    Ok(bin)
}
