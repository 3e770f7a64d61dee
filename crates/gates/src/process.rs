//! Running other programs from the root of the repository.

use std::{
    path::{Path, PathBuf},
    process::{Child, Command},
};

use anyhow::{Context as _, Result, bail, ensure};

/// A program that runs until this goes out of scope.
pub struct Running(pub Child);

impl Drop for Running {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// The root of the repository.
pub fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// The folder of everything that is built.
pub fn target() -> PathBuf {
    std::env::var_os("CARGO_TARGET_DIR").map_or_else(|| root().join("target"), PathBuf::from)
}

/// A command that starts at the root, without what `cargo run` tells this program about its own crate: build scripts that
/// look at it (ring's does) would run again, and everything above them would be built a second time.
pub fn command(program: &str, arguments: &[&str]) -> Command {
    let mut command = Command::new(program);
    command.args(arguments).current_dir(root());
    for (name, _) in std::env::vars_os().filter(|(name, _)| is_about_this_crate(&name.to_string_lossy())) {
        command.env_remove(name);
    }
    command
}

fn is_about_this_crate(name: &str) -> bool {
    name.starts_with("CARGO_PKG_") || matches!(name, "CARGO_MANIFEST_DIR" | "CARGO_MANIFEST_PATH")
}

/// Runs a command to its end; anything but success is an error.
pub fn run(mut command: Command) -> Result<()> {
    let shown = format!("{command:?}");
    let status = command.status().with_context(|| format!("cannot start {shown}"))?;
    if !status.success() {
        bail!("{shown} ended with {status}");
    }
    Ok(())
}

/// Runs a command that is to end with a code and to say something.
pub fn ends(mut command: Command, code: i32, told: &str) -> Result<()> {
    let shown = format!("{command:?}");
    let output = command.output().with_context(|| format!("cannot start {shown}"))?;
    let said = [output.stdout, output.stderr].map(|bytes| String::from_utf8_lossy(&bytes).into_owned()).concat();
    ensure!(output.status.code() == Some(code) && said.contains(told), "{shown} ended with {}:\n{said}", output.status);
    Ok(())
}

/// What a command prints that ends well.
pub fn said(command: &mut Command) -> Result<String> {
    Ok(String::from_utf8(output(command)?)?.trim().to_owned())
}

/// The same as bytes.
pub fn output(command: &mut Command) -> Result<Vec<u8>> {
    let output = command.output().with_context(|| format!("cannot start {command:?}"))?;
    if !output.status.success() {
        bail!("{command:?} ended with {}: {}", output.status, String::from_utf8_lossy(&output.stderr));
    }
    Ok(output.stdout)
}

/// Tells whoever runs a task.
#[expect(clippy::print_stdout, reason = "a task talks to its developer")]
pub fn say(text: &str) {
    println!("{text}");
}
