//! Settings change, and SIGHUP comes all the time.

use std::{
    fs,
    path::{Path, PathBuf},
    thread,
    time::{Duration, Instant},
};

use anyhow::{Context as _, Result, ensure};
use svc_core::words::problem_code::BASE_PATH;

use super::event::{Event, FEWEST, Stage, address};
use crate::deploy::{
    http,
    load::{self, Seen},
    nodes::{Node, Nodes},
};

/// Signals a round, to each node.
const SIGNALS: usize = 50;

const MOST_ROUNDS: usize = 50;

/// What the files say in turn, the last of them with a fault.
const SETTINGS: [&str; 3] = [
    "rate = \"off\"\nhosts = \"registry.example\"\n",
    "rate = \"6000000/600000\"\nhosts = \"registry.example, other.example\"\n",
    "rate = \"often\"\n",
];

const PATIENCE: Duration = Duration::from_secs(10);

pub(crate) fn storm(stage: &Stage<'_>) -> Result<Vec<Event>> {
    let mut nodes = Nodes::prepare(stage.registry, stage.folder)?;
    let mut files: Vec<PathBuf> = Vec::new();
    for (node, name) in nodes.nodes.iter_mut().zip(["one.toml", "two.toml"]) {
        let file = stage.folder.join(name);
        fs::write(&file, "rate = \"off\"\n")?;
        node.settings = vec!["--config".to_owned(), file.to_string_lossy().into_owned()];
        files.push(file);
    }
    nodes.up()?;
    let proxy = stage.before(&nodes)?;
    let (mut seen, mut rounds) = (Seen::default(), 0);
    // On a busy machine few answers come within a round.
    while rounds < stage.times || (seen.answered < FEWEST && rounds < MOST_ROUNDS) {
        let (more, ()) = load::under_load(address(&proxy)?, &load::requests()?, || {
            for text in SETTINGS {
                files.iter().try_for_each(|file| fs::write(file, text))?;
                for _ in 0..SIGNALS {
                    nodes.nodes.iter_mut().try_for_each(|node| node.signal("-HUP"))?;
                }
            }
            Ok(())
        })?;
        (seen, rounds) = (seen.add(more), rounds + 1);
    }
    let signals = rounds * SETTINGS.len() * SIGNALS * nodes.nodes.len();
    let change = nodes.nodes.iter_mut().zip(&files).try_for_each(|(node, file)| is_in_force(node, file));
    Ok(vec![Event::unnoticed("SIGHUPs and changed settings", signals, seen).holds(change).holds(nodes.log_holds())])
}

/// A rate that refuses, and a name that is answered, then the same without them.
fn is_in_force(node: &mut Node, file: &Path) -> Result<()> {
    let limits = http::get(&format!("{BASE_PATH}/limits"));
    let renamed = String::from_utf8(limits.clone())?.replace("Host: 127.0.0.1", "Host: new.example").into_bytes();
    let status = |request: &[u8]| http::ask(&node.address, request).map(|reply| reply.status);
    ensure!(status(&renamed)? != 200, "a name that is not among `hosts` is answered");
    fs::write(file, "rate = \"1/1\"\nhosts = \"new.example\"\n")?;
    let address = node.address.clone();
    node.signal("-HUP")?;
    becomes(&address, &limits, 429)?;
    fs::write(file, "rate = \"off\"\nhosts = \"new.example\"\n")?;
    node.signal("-HUP")?;
    becomes(&address, &limits, 200)?;
    becomes(&address, &renamed, 200)
}

fn becomes(address: &str, request: &[u8], status: u16) -> Result<()> {
    let start = Instant::now();
    loop {
        let reply = http::ask(address, request).context("a changed setting")?;
        if reply.status == status {
            return Ok(());
        }
        ensure!(start.elapsed() < PATIENCE, "a changed setting is not in force: {} for {status}", reply.status);
        thread::sleep(Duration::from_millis(20));
    }
}
