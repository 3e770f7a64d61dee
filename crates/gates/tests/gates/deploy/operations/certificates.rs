//! Certificates of the nodes are replaced while every request of nginx is a connection of its own, and nginx asks nobody else.

use std::{
    fs,
    path::{Path, PathBuf},
    process::Command,
    thread,
    time::{Duration, Instant},
};

use anyhow::{Context as _, Result, ensure};

use super::event::{Event, Stage, address};
use crate::deploy::{load, nodes::Nodes};
use svc_gates::{certificate, nginx::Site};

/// How long a change may take to be seen.
const SEEN_WITHIN: Duration = Duration::from_secs(10);

/// Between one half of a change and the other.
const HALFWAY: Duration = Duration::from_millis(1500);

pub(crate) fn changed(stage: &Stage<'_>) -> Result<Vec<Event>> {
    let pairs = (0..=stage.times * 2).map(|at| pair(&stage.folder.join(format!("pair-{at}"))));
    let pairs = pairs.collect::<Result<Vec<PathBuf>>>()?;
    let shown = stage.folder.join("shown");
    fs::create_dir_all(&shown)?;
    let first = pairs.first().context("no pair")?;
    FILES.iter().try_for_each(|file| fs::copy(first.join(file), shown.join(file)).map(drop))?;
    let mut nodes = Nodes::prepare(stage.registry, stage.folder)?;
    for node in &mut nodes.nodes {
        let [key, certificate] = FILES.map(|file| shown.join(file).to_string_lossy().into_owned());
        node.settings = vec!["--tls-certificate".to_owned(), certificate, "--tls-key".to_owned(), key];
    }
    nodes.up()?;
    let site = Site::shipped()?
        .plain()?
        .with("location / { proxy_pass http://svc_registry; }", "location / { proxy_pass https://svc_registry; }")?
        .with("    keepalive 32;\n", "")?
        .with("    keepalive_timeout 5s;\n", "    # No connection is used twice.\n")?
        .with("error timeout http_503 non_idempotent;", "off;")?;
    let proxy = stage.nginx.start(&site, &nodes.addresses())?;
    let (seen, longest) = load::under_load(address(&proxy)?, &load::requests()?, || {
        let mut longest = Duration::ZERO;
        for (at, pair) in pairs.iter().enumerate().skip(1) {
            let way = if at.is_multiple_of(2) { in_place } else { by_renaming };
            way(pair, &shown, &mut || nodes.nodes.iter_mut().try_for_each(|node| node.signal("-HUP")))?;
            for node in nodes.addresses() {
                longest = longest.max(is_shown(&pair.join(CERTIFICATE), node)?);
            }
        }
        Ok(longest)
    })?;
    let longest = usize::try_from(longest.as_millis())?;
    let event = Event::unnoticed("changes of the nodes' certificates", pairs.len() - 1, seen);
    Ok(vec![event.note("ms at most until a new certificate is shown", longest).holds(nodes.log_holds())])
}

const CERTIFICATE: &str = "tls.crt";

/// The key first: whoever writes it first has half a pair for longer.
const FILES: [&str; 2] = ["tls.key", CERTIFICATE];

fn pair(folder: &Path) -> Result<PathBuf> {
    fs::create_dir_all(folder)?;
    certificate::make(folder)?;
    Ok(folder.to_owned())
}

/// As careful tools do it: each file at once, one after the other.
fn by_renaming(pair: &Path, shown: &Path, hang_up: &mut dyn FnMut() -> Result<()>) -> Result<()> {
    for file in FILES {
        let beside = shown.join(format!("{file}.new"));
        fs::copy(pair.join(file), &beside)?;
        fs::rename(&beside, shown.join(file))?;
        hang_up()?;
        thread::sleep(HALFWAY);
    }
    Ok(())
}

/// As `cp` does it, only slower: each file is empty, then cut off, then whole.
fn in_place(pair: &Path, shown: &Path, hang_up: &mut dyn FnMut() -> Result<()>) -> Result<()> {
    for file in FILES {
        let bytes = fs::read(pair.join(file))?;
        for end in [0, bytes.len() / 2, bytes.len()] {
            fs::write(shown.join(file), bytes.get(..end).context("no half")?)?;
            hang_up()?;
            thread::sleep(HALFWAY / 3);
        }
    }
    Ok(())
}

/// Waits until a client that believes this certificate and no other gets an answer.
fn is_shown(certificate: &Path, node: &str) -> Result<Duration> {
    let start = Instant::now();
    loop {
        let mut curl = Command::new("curl");
        curl.args(["--silent", "--fail", "--output", "/dev/null", "--cacert"]).arg(certificate);
        if curl.arg(format!("https://{node}/livez")).status().context("curl")?.success() {
            return Ok(start.elapsed());
        }
        ensure!(start.elapsed() < SEEN_WITHIN, "{node} does not show {}", certificate.display());
        thread::sleep(Duration::from_millis(50));
    }
}
