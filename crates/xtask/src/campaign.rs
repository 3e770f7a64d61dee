//! `cargo xtask campaign`: the full-count runs of what the tests run in slices.

use anyhow::{Result, bail};

/// Runs one campaign, or all.
pub(crate) fn run(_name: Option<&str>) -> Result<()> {
    bail!("not yet")
}
