//! `cargo install` as the ready workflow does it: an empty home, no crate fetched before, and a checkout in which nothing was
//! built.
//!
//! Of this machine only the compiler and, where there is one, cargo's settings are taken: they say where crates come from.
//! The step is run word for word, but the release profile is told not to optimise: this is about whether it builds, and
//! `scripts/dist.sh` makes the released program.

use std::{
    fs,
    path::{Path, PathBuf},
    process::Command,
    time::Instant,
};

use anyhow::{Context as _, Result, ensure};

use super::place::{say, text};
use svc_gates::process::{command, ends, run};

const WORKFLOW: &str = "examples/ci/github-workflow.yml";

/// Installs the program from a repository at a commit, and runs it on the example.
pub(super) fn install(checkout: &Path, folder: &Path) -> Result<()> {
    let home = Home::new(folder)?;
    let revision = commit(checkout)?;
    let runner = folder.join("runner");
    fs::create_dir(&runner)?;
    let mut by_git = home.shell(&build_step(&fs::read_to_string(checkout.join(WORKFLOW))?)?);
    by_git.current_dir(&runner).env("RUNNER_TEMP", &runner).env("SVC_REVISION", revision);
    by_git.env("SVC_REPOSITORY", format!("file://{}", text(checkout)));
    timed("cargo install of a commit, as the workflow does", by_git)?;
    try_program(&runner.join("svc/bin/svc"), &folder.join("by-git"))?;
    ends(command(&text(&runner.join("svc/bin/svc")), &["verify", "local"]), 0, "as declared")?;
    Ok(fs::remove_dir_all(home.built)?)
}

/// A home with nothing in it but cargo's settings of this machine.
struct Home {
    folder: PathBuf,
    built: PathBuf,
    compiler: PathBuf,
}

impl Home {
    fn new(folder: &Path) -> Result<Self> {
        let (home, built) = (folder.join("home"), folder.join("built"));
        fs::create_dir_all(home.join(".cargo"))?;
        if let Some(settings) = settings() {
            fs::copy(settings, home.join(".cargo/config.toml"))?;
        }
        let output = command("rustc", &["--print", "sysroot"]).output()?;
        let compiler = PathBuf::from(String::from_utf8(output.stdout)?.trim()).join("bin");
        Ok(Self { folder: home, built, compiler })
    }

    fn shell(&self, script: &str) -> Command {
        let mut shell = Command::new("bash");
        shell.args(["--noprofile", "--norc", "-eo", "pipefail", "-c", script]).env_clear();
        shell.env("HOME", &self.folder).env("PATH", format!("{}:/usr/bin:/bin", text(&self.compiler)));
        shell.env("CARGO_TARGET_DIR", &self.built).env("CARGO_TERM_QUIET", "true");
        for (setting, value) in [("OPT_LEVEL", "0"), ("LTO", "off"), ("CODEGEN_UNITS", "16")] {
            shell.env(format!("CARGO_PROFILE_RELEASE_{setting}"), value);
        }
        shell
    }
}

/// Cargo's settings of this machine, if it has any.
fn settings() -> Option<PathBuf> {
    let home = std::env::var_os("CARGO_HOME").map(PathBuf::from);
    let home = home.or_else(|| Some(std::env::home_dir()?.join(".cargo")))?;
    ["config.toml", "config"].map(|name| home.join(name)).into_iter().find(|path| path.is_file())
}

/// The checkout as a repository with one commit.
fn commit(checkout: &Path) -> Result<String> {
    let git = |arguments: &[&str]| {
        let mut git = command("git", &["-c", "user.name=a", "-c", "user.email=a@example.org"]);
        git.args(["-c", "commit.gpgsign=false", "-c", "core.hooksPath="]).args(arguments).current_dir(checkout);
        git
    };
    for arguments in [&["init", "--quiet", "."][..], &["add", "."], &["commit", "--quiet", "--message", "as it is"]] {
        run(git(arguments))?;
    }
    Ok(String::from_utf8(git(&["rev-parse", "HEAD"]).output()?.stdout)?.trim().to_owned())
}

/// The script of the step that builds svc.
fn build_step(workflow: &str) -> Result<String> {
    let (_, step) = workflow.split_once("- name: Build svc\n").context("the workflow has no step that builds svc")?;
    let (_, script) = step.split_once("run: |\n").context("the step has no script")?;
    let lines = script.lines().take_while(|line| !line.is_empty()).map(str::trim_start);
    Ok(lines.collect::<Vec<_>>().join("\n"))
}

fn timed(what: &str, command: Command) -> Result<()> {
    let start = Instant::now();
    run(command)?;
    say(&format!("{what}: {} s", start.elapsed().as_secs()))
}

/// It makes the seven files.
fn try_program(svc: &Path, bundle: &Path) -> Result<()> {
    let (svc, bundle) = (text(svc), text(bundle));
    let preflight = ["app", "preflight", "examples/weather-board", "--out-dir", &bundle];
    ends(command(&svc, &preflight), 0, "accepted no, signed no, installable no")?;
    ensure!(fs::read_dir(&bundle)?.count() == 7, "the program does not write the seven files");
    Ok(())
}
