//! The step "journal with PostgreSQL": the tests that need a real database, each in a private cluster of its own.
//!
//! The database is Debian's; where it is missing, root installs it and others are told its name. The tests start and end
//! their clusters themselves (`tests/cluster`), on a Unix socket, with flushing on.

use std::{fs, path::Path, process::Command};

use anyhow::{Result, bail, ensure};

use crate::process::{command, run};

/// Debian's name for the database.
const PACKAGE: &str = "postgresql";

/// Runs the tests.
pub(crate) fn check() -> Result<()> {
    provide()?;
    let ignored = |package: &str, suite: &str, names: &[&str]| {
        let mut tests = command("cargo", &["test", "--locked", "--quiet", "--package", package, "--test", suite]);
        tests.args(["--", "--ignored"]).args(names);
        run(tests)
    };
    ignored("svc-journal", "suite", &["postgres::", "shared::"])?;
    ignored("svc", "journal", &["many_nodes::"])
}

/// Makes sure that there is a database to start.
pub(crate) fn provide() -> Result<()> {
    if is_installed() {
        return Ok(());
    }
    let root = Command::new("id").arg("-u").output().is_ok_and(|output| output.stdout == b"0\n");
    if !root || !Path::new("/usr/bin/apt-get").exists() {
        bail!("initdb and pg_ctl are needed: Debian's package `{PACKAGE}` has them");
    }
    let mut install = command("apt-get", &["install", "--yes", "--quiet", "--no-install-recommends", PACKAGE]);
    install.env("DEBIAN_FRONTEND", "noninteractive");
    run(install)?;
    ensure!(is_installed(), "`{PACKAGE}` is there and has no initdb");
    Ok(())
}

fn is_installed() -> bool {
    let versions = fs::read_dir("/usr/lib/postgresql").into_iter().flatten().flatten();
    let debian = versions.map(|version| version.path().join("bin/initdb"));
    let path = std::env::var_os("PATH").unwrap_or_default();
    let others = std::env::split_paths(&path).map(|folder| folder.join("initdb")).collect::<Vec<_>>();
    debian.chain(others).any(|program| program.is_file())
}
