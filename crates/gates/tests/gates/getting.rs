//! The gate `getting`: every way to get svc and to have it run by others, as somebody without this machine's settings takes it.
//!
//! The archive; the npm package from its tarball with npm, npx and pnpm; the package scripts where there is no cargo; the composite
//! action, the workflow and the hook read by the tools of their own projects, each also with something that it must refuse;
//! and `cargo install` from a clean home.

mod clean_home;
mod npm;
mod place;
mod python;

use std::fs;

use anyhow::Result;

use svc_gates::process::target;

use crate::shipped::{Shipped, archive_is_whole, shipped};

pub(crate) fn check() -> Result<()> {
    let Shipped { archive, npm_package, .. } = shipped()?;
    archive_is_whole(&archive)?;
    let folder = target().join("xtask/getting");
    if folder.exists() {
        fs::remove_dir_all(&folder)?;
    }
    fs::create_dir_all(&folder)?;
    let folder = folder.canonicalize()?;
    let checkout = folder.join("checkout");
    place::copy_checkout(&checkout)?;
    let package = npm::Package { tarball: npm_package, program: archive.join("svc") };
    npm::try_package(&package)?;
    npm::try_scripts(&package, &checkout, &folder)?;
    python::try_action_and_hook(&package)?;
    clean_home::install(&checkout, &folder)
}
