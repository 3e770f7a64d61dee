//! A registry that runs while a step needs it, and what it is verified with.

use std::{
    fs::File,
    io::{BufRead as _, BufReader},
    path::Path,
    process::{Command, Stdio},
    sync::atomic::{AtomicU32, Ordering},
};

use anyhow::{Context as _, Result};

use crate::process::{Running, command, run, target};

/// What `svc verify hosted` says of our own registry, which holds the highest level.
pub const HOLDS_BUILD: &str = "CLOSED as declared: level build holds";

/// Writes a bundle to verify a registry with.
pub fn make_bundle(svc: &Path, bundle: &Path) -> Result<()> {
    let arguments = ["app", "preflight", "examples/weather-board", "--quiet", "--out-dir"];
    let mut preflight = command(&svc.to_string_lossy(), &arguments);
    preflight.arg(bundle);
    run(preflight)
}

/// `svc-registry serve` on a free port of loopback, until it goes out of scope.
pub struct Service {
    _running: Running,
    /// Where it listens: scheme, address and port.
    pub url: String,
}

impl Service {
    /// Starts the program and waits until it listens. Its log goes to the folder of built things.
    pub fn start(registry: &Path, arguments: &[&str]) -> Result<Self> {
        static STARTED: AtomicU32 = AtomicU32::new(0);
        let log = target().join(format!("xtask/service-{}.log", STARTED.fetch_add(1, Ordering::Relaxed)));
        let mut command = Command::new(registry);
        command.args(["serve", "--bind", "127.0.0.1:0"]).args(arguments).stderr(File::create(&log)?);
        let (running, line) = first_line(command)?;
        let url = line.strip_prefix("listening on ").and_then(|rest| rest.split("/api/").next());
        let url = url.with_context(|| format!("svc-registry serve did not start: {}", log.display()))?.to_owned();
        Ok(Self { _running: running, url })
    }
}

/// Starts a program that says in its first line where it listens.
pub fn first_line(mut command: Command) -> Result<(Running, String)> {
    let mut running = Running(command.stdout(Stdio::piped()).spawn().with_context(|| format!("{command:?}"))?);
    let mut line = String::new();
    if let Some(stdout) = running.0.stdout.take() {
        BufReader::new(stdout).read_line(&mut line)?;
    }
    Ok((running, line))
}
