//! The gate `supply-chain`: `cargo deny` over every dependency, with the rules of `deny.toml`; yanked versions, advisories
//! where there is a database of them, what `svc` must do without, and the SBOMs.
//!
//! The tool is installed where it is missing. The ready-made wheel of another package index was tried first: its newest
//! version is 0.14.2, which panics on the package ids that cargo writes since 1.77. So it is built from source, pinned, as
//! its lock file says, and without optimisation: that takes about two minutes on two cores instead of five, and the check
//! itself stays below a second.

mod advisories;
mod sbom_check;
mod walls;

use std::{
    fs,
    path::{Path, PathBuf},
    process::Command,
};

use anyhow::{Result, ensure};

use svc_gates::process::{command, root, run, target};

const VERSION: &str = "0.20.2";

/// Rules that no build of this project can pass, to see that the tool refuses at all.
const PROOF: &str = "[bans]\ndeny = [{ name = \"serde\" }]\n";

/// Checks the dependencies.
pub(crate) fn check() -> Result<()> {
    let tool = installed()?;
    let proof = target().join("xtask/deny-proof.toml");
    if let Some(folder) = proof.parent() {
        fs::create_dir_all(folder)?;
    }
    fs::write(&proof, PROOF)?;
    let refusal = deny(&tool, &proof, &["bans"]).output()?;
    let says_why = String::from_utf8_lossy(&refusal.stderr).contains("error[banned]");
    ensure!(!refusal.status.success() && says_why, "cargo-deny lets a banned crate through: its verdict means nothing");
    run(deny(&tool, &root().join("deny.toml"), &["bans", "licenses", "sources"]))?;
    say(&advisories::none_yanked()?);
    say(&advisories::advisories(&tool)?);
    say(&walls::check()?);
    say(&sbom_check::check()?);
    Ok(())
}

#[expect(clippy::print_stdout, reason = "a task talks to its developer")]
fn say(found: &str) {
    println!("  {found}");
}

fn deny(tool: &Path, config: &Path, checks: &[&str]) -> Command {
    let mut command = command(&tool.to_string_lossy(), &["--locked", "--workspace", "--config"]);
    command.arg(config).arg("check").args(checks);
    command
}

/// The pinned tool: from the search path, from an earlier run, or built now.
fn installed() -> Result<PathBuf> {
    let own = target().join("tools/bin").join(format!("cargo-deny{}", std::env::consts::EXE_SUFFIX));
    let candidates = [PathBuf::from("cargo-deny"), own.clone()];
    if let Some(tool) = candidates.into_iter().find(|tool| is_pinned(tool)) {
        return Ok(tool);
    }
    let mut install =
        command("cargo", &["install", "cargo-deny", "--version", VERSION, "--locked", "--debug", "--root"]);
    install.arg(target().join("tools"));
    install.env("CARGO_PROFILE_DEV_DEBUG", "0");
    // Not among the project's own files, which the next build would then look through.
    install.env_remove("CARGO_TARGET_DIR");
    run(install)?;
    ensure!(is_pinned(&own), "cargo-deny {VERSION} was built and does not run");
    Ok(own)
}

fn is_pinned(tool: &Path) -> bool {
    let said = Command::new(tool).arg("--version").output();
    said.is_ok_and(|output| String::from_utf8_lossy(&output.stdout).trim() == format!("cargo-deny {VERSION}"))
}
