//! The program of another commit, built once: as it was, and with one rule made more severe, which makes another rule set.

use std::{
    fs,
    path::{Path, PathBuf},
    process::Command,
};

use anyhow::{Context as _, Result, ensure};

use svc_gates::process::{command, run, said, target};

/// The commit that landed last; `SVC_OTHER_COMMIT` names another.
const LANDED: &str = "c4f02a67cfdaab027f81f75ca2489d8ba66fdcdc";

/// A rule's row, and the same rule made more severe. Texts are not part of a rule set's digest; severities are.
const RULES: &str = "crates/core/src/rules/listing.rs";
const CHANGED: (&str, &str) = ("L003 Warning, Facts", "L003 Blocker, Facts");

pub(crate) struct OtherProgram {
    /// Its first twelve digits.
    pub(crate) commit: String,
    pub(crate) registry: PathBuf,
    pub(crate) with_other_rules: PathBuf,
}

impl OtherProgram {
    /// Builds both where they are not there yet.
    pub(crate) fn build() -> Result<Self> {
        let asked = std::env::var("SVC_OTHER_COMMIT").unwrap_or_else(|_| LANDED.to_owned());
        let commit = said(&mut command("git", &["rev-parse", "--verify", &format!("{asked}^{{commit}}")]))?;
        let versions = target().join("xtask/versions");
        let folder = versions.join(&commit);
        fs::create_dir_all(&folder)?;
        let (folder, build) = (folder.canonicalize()?, versions.canonicalize()?.join("build"));
        let (registry, with_other_rules) = (folder.join("svc-registry"), folder.join("svc-registry-other-rules"));
        if !registry.is_file() || !with_other_rules.is_file() {
            let source = folder.join("source");
            unpack(&commit, &source)?;
            cargo_build(&source, &build, &registry)?;
            change_rule(&source.join(RULES))?;
            cargo_build(&source, &build, &with_other_rules)?;
        }
        Ok(Self { commit: commit.chars().take(12).collect(), registry, with_other_rules })
    }
}

/// The files of the commit, without a worktree that others would see.
fn unpack(commit: &str, source: &Path) -> Result<()> {
    let _ = fs::remove_dir_all(source);
    fs::create_dir_all(source)?;
    let archive = source.with_extension("tar");
    let mut export = command("git", &["archive", "--output"]);
    export.arg(&archive).arg(commit);
    run(export)?;
    let mut unpack = Command::new("tar");
    unpack.arg("--extract").arg("--touch").arg("--file").arg(&archive).arg("--directory").arg(source);
    run(unpack)
}

fn change_rule(file: &Path) -> Result<()> {
    let text = fs::read_to_string(file).with_context(|| format!("the other commit has no {RULES}"))?;
    ensure!(text.contains(CHANGED.0), "{RULES} of the other commit has no `{}`", CHANGED.0);
    Ok(fs::write(file, text.replace(CHANGED.0, CHANGED.1))?)
}

fn cargo_build(source: &Path, build: &Path, registry: &Path) -> Result<()> {
    let mut cargo = command("cargo", &["build", "--quiet", "--locked", "--package", "svc-registry", "--target-dir"]);
    run({
        cargo.arg(build).current_dir(source);
        cargo
    })?;
    Ok(fs::copy(build.join("debug").join("svc-registry"), registry).map(drop)?)
}
