//! Load by h2load, which speaks HTTP/1.1 too: as fast as it goes, or at a rate.

use std::{fs, path::Path, process::Command};

use anyhow::{Context as _, Result, ensure};
use svc_core::{contract::contracts::BASE_PATH, words::kind};

use crate::statistics::percentile;

/// The path that everyone is asked at.
pub fn path() -> String {
    let endpoint = kind::find("svc-registry-acceptance-request").and_then(|spec| spec.endpoint);
    format!("{BASE_PATH}{}", endpoint.map_or("", |endpoint| endpoint.path))
}

/// What a load did.
#[derive(Clone, Copy, Debug)]
pub struct Served {
    pub per_second: f64,
    /// Milliseconds within which 99 of 100 answers came.
    pub p99: f64,
}

/// A load: who sends what, for how long.
#[derive(Clone, Debug)]
pub struct Load<'a> {
    pub url: &'a str,
    pub body: &'a Path,
    pub clients: u32,
    pub seconds: f64,
    /// Requests a second of all clients together; without it as many as are answered.
    pub rate: Option<f64>,
}

impl Load<'_> {
    /// The generator, ready to start.
    pub fn command(&self, log: &Path) -> Command {
        let mut command = Command::new("h2load");
        command.args(["--h1", "--threads=1", "--warm-up-time=300ms", "--header=content-type: application/json"]);
        command.arg(format!("--clients={}", self.clients));
        command.arg(format!("--duration={}ms", (self.seconds * 1000.0) as u64));
        command.arg(format!("--log-file={}", log.display()));
        if let Some(rate) = self.rate {
            command.arg(format!("--rps={:.0}", (rate / f64::from(self.clients)).max(1.0)));
        }
        command.arg(format!("--data={}", self.body.display())).arg(format!("{}{}", self.url, path()));
        let _ = fs::remove_file(log);
        command
    }

    /// Runs it. Anything but a completed evaluation is an error: a refusal is cheap and proves nothing.
    pub fn run(&self, log: &Path) -> Result<Served> {
        let output = self.command(log).output().context("h2load is needed: Debian's package nghttp2-client")?;
        read(&String::from_utf8_lossy(&output.stdout), log).with_context(|| format!("{self:?}"))
    }
}

/// What the generator printed and logged.
pub fn read(printed: &str, log: &Path) -> Result<Served> {
    let finished = printed.lines().find(|line| line.starts_with("finished in")).context(printed.to_owned())?;
    let per_second = finished.split(", ").find_map(|part| part.strip_suffix(" req/s")?.parse::<f64>().ok());
    let log = fs::read_to_string(log)?;
    let mut times = Vec::new();
    for line in log.lines() {
        let mut columns = line.split('\t').skip(1);
        let (status, micros) = (columns.next().unwrap_or_default(), columns.next().unwrap_or_default());
        ensure!(status == "200", "an answer had status {status}");
        times.push(micros.parse::<f64>()? / 1000.0);
    }
    ensure!(!times.is_empty(), "nothing was answered: {printed}");
    Ok(Served { per_second: per_second.context(finished.to_owned())?, p99: percentile(&mut times, 0.99) })
}
