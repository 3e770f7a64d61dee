//! The tests of the workspace, run by Cargo.

use anyhow::Result;
use svc_gates::{
    process::{command, run},
    programs::Programs,
};

/// How many tests of one binary run side by side: many of them wait for a program or a clock.
const THREADS: &str = "3";

/// Runs every test of the workspace and the examples in its documentation.
pub(crate) fn check() -> Result<()> {
    cargo_test(&["--workspace"])
}

/// Runs the gates: every test that is ignored, but those that take hours, a crowd that another test starts, and one that needs
/// vectors of others that no registry has. With names, those alone.
pub(crate) fn gates(names: &[&str]) -> Result<()> {
    let chosen = ["--", "--ignored", "--skip", "campaign_", "--skip", "crowd::", "--skip", "published_vectors"];
    cargo_test(&[&["--workspace"], &chosen[..], names].concat())
}

/// Runs a gate that rewrites its page.
pub(crate) fn record(name: &str) -> Result<()> {
    Programs::build()?;
    let mut gate =
        command("cargo", &["test", "--locked", "--quiet", "--workspace", "--test", "gates", "--", "--ignored", name]);
    gate.env("SVC_RECORD", "yes");
    run(gate)
}

fn cargo_test(arguments: &[&str]) -> Result<()> {
    // Cargo builds the program of a test's own package only, and tests run both.
    Programs::build()?;
    let mut tests = command("cargo", &[&["test", "--locked", "--quiet", "--no-fail-fast"], arguments].concat());
    tests.env("RUST_TEST_THREADS", THREADS);
    run(tests)
}
