//! A registry that runs while a step needs it.

use std::{
    fs::File,
    io::{BufRead as _, BufReader},
    path::Path,
    process::{Child, Command, Stdio},
};

use anyhow::{Context as _, Result};

use crate::process::target;

/// `svc serve` on a free port of loopback, until it goes out of scope.
pub(crate) struct Service {
    child: Child,
    /// Where it listens: scheme, address and port.
    pub(crate) url: String,
}

impl Service {
    /// Starts the program and waits until it listens. Its log goes to the folder of built things.
    pub(crate) fn start(svc: &Path, arguments: &[&str]) -> Result<Self> {
        let log = target().join("xtask/service.log");
        let mut command = Command::new(svc);
        command.args(["serve", "--bind", "127.0.0.1:0"]).args(arguments);
        let mut child = command.stdout(Stdio::piped()).stderr(File::create(&log)?).spawn().context("svc serve")?;
        let mut line = String::new();
        if let Some(stdout) = child.stdout.take() {
            BufReader::new(stdout).read_line(&mut line)?;
        }
        let url = line.strip_prefix("listening on ").and_then(|rest| rest.split("/api/").next());
        let url = url.with_context(|| format!("svc serve did not start: {}", log.display()))?.to_owned();
        Ok(Self { child, url })
    }
}

impl Drop for Service {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
