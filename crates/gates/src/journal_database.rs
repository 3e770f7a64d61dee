//! A PostgreSQL to start: Debian's. The tests start and end their clusters themselves, each a private one
//! (`svc_testkit::cluster`).

use std::{fs, path::PathBuf};

use anyhow::Result;

use crate::debian;

/// Makes sure that there is a database to start.
pub fn provide() -> Result<()> {
    debian::require("postgresql", initdb).map(drop)
}

fn initdb() -> Option<PathBuf> {
    let versions = fs::read_dir("/usr/lib/postgresql").into_iter().flatten().flatten();
    let mut debian = versions.map(|version| version.path().join("bin/initdb"));
    debian.find(|program| program.is_file()).or_else(|| debian::on_path("initdb"))
}
