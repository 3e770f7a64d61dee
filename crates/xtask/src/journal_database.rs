//! The gate `postgresql`: the tests that need a real database, each in a private cluster of its own.
//!
//! The database is Debian's; where it is missing, its package is put in. The tests start and end
//! their clusters themselves (`svc_testkit::cluster`), on a Unix socket, with flushing on.

use std::{fs, path::PathBuf};

use anyhow::Result;

use crate::{debian, suites};

/// Runs the tests.
pub(crate) fn check() -> Result<()> {
    provide()?;
    suites::run_ignored(
        &["suite"],
        &["postgres::", "shared::", "standby::", "returning_primary::", "roles::", "encrypted::"],
    )?;
    let servers =
        ["many_nodes::", "failovers::", "database_starts::", "readiness::", "followed_advice::", "joins::", "lived::"];
    suites::run_ignored(&["journal"], &servers)?;
    suites::run_ignored(&["docs"], &["the_runbook_for_nodes"])
}

/// Makes sure that there is a database to start.
pub(crate) fn provide() -> Result<()> {
    debian::require("postgresql", initdb).map(drop)
}

fn initdb() -> Option<PathBuf> {
    let versions = fs::read_dir("/usr/lib/postgresql").into_iter().flatten().flatten();
    let mut debian = versions.map(|version| version.path().join("bin/initdb"));
    debian.find(|program| program.is_file()).or_else(|| debian::on_path("initdb"))
}
