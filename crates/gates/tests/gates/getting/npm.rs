//! The npm package of the built program: tried by itself, and by the package scripts where there is no cargo.

use std::{
    fs,
    path::{Path, PathBuf},
    process::Command,
};

use anyhow::{Context as _, Result};

use super::place::only;
use crate::readiness;
use svc_gates::{
    debian,
    process::{command, ends, root, run},
};

/// The package, and the program that it was made of.
pub(super) struct Package {
    pub(super) tarball: PathBuf,
    pub(super) program: PathBuf,
}

/// The launcher's own tests, then the package from its tarball.
pub(super) fn try_package(package: &Package) -> Result<()> {
    let mut tests = command("node", &["--test", "packaging/npm/test/"]);
    tests.env("SVC_TARBALL", &package.tarball).env("SVC_BINARY", &package.program);
    tests.env("SVC_REPOSITORY", root().canonicalize()?).env("SVC_PNPM", absolute(&readiness::pnpm()?)?);
    run(tests)
}

/// The path of a program that is named by its path or found by its name.
fn absolute(program: &str) -> Result<PathBuf> {
    let found = if program.contains('/') { Some(PathBuf::from(program)) } else { debian::on_path(program) };
    Ok(found.with_context(|| format!("{program} is not found"))?.canonicalize()?)
}

/// The scripts of a checkout that was never built, where there is no cargo: refused with both ways out, then run by the
/// package of the caller, then by that of the checkout.
pub(super) fn try_scripts(package: &Package, checkout: &Path, folder: &Path) -> Result<()> {
    let bin = only(folder, &["env", "node", "sh"])?;
    let caller = folder.join("caller");
    fs::create_dir(&caller)?;
    fs::write(caller.join("package.json"), "{ \"private\": true }\n")?;
    let local = || {
        let mut local = Command::new("node");
        local.arg(checkout.join("scripts/verify-registry-readiness.mjs")).arg("local").current_dir(folder);
        local.env_clear().env("PATH", &bin).env("HOME", folder).env("INIT_CWD", &caller);
        local
    };
    ends(local(), 3, "cargo cannot be started (ENOENT)")?;
    ends(local(), 3, "build svc with cargo, or put in the npm package svc-preflight")?;
    for (place, manifest) in [(caller.as_path(), "caller"), (checkout, "checkout")] {
        put_in(package, place)?;
        ends(local(), 0, "CLOSED as declared")?;
        ends(local(), 0, &format!("{manifest}/node_modules/svc-preflight/bin/svc.mjs"))?;
    }
    let mut named = local();
    named.env("SVC_BINARY", folder.join("nowhere"));
    ends(named, 3, "nowhere cannot be started (ENOENT)")
}

fn put_in(package: &Package, place: &Path) -> Result<()> {
    let flags = ["install", "--offline", "--no-save", "--no-audit", "--no-fund", "--ignore-scripts", "--prefix"];
    let mut npm = command("npm", &flags);
    npm.arg(place).arg(&package.tarball);
    run(npm)
}
