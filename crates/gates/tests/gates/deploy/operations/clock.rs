//! The clocks of nodes jump: the one of a single node, and both.

use std::{
    fs,
    path::{Path, PathBuf},
    process::Command,
    thread,
    time::{Duration, Instant},
};

use anyhow::{Context as _, Result, ensure};
use svc_core::words::problem_code::BASE_PATH;

use super::event::{Event, Stage, address};
use crate::deploy::{
    http, load,
    nodes::{Log, Nodes},
};
use svc_gates::{debian, process::said};

/// What the clock of the first node is moved by, whether the second goes with it, and what a token that ends in a day is told.
const JUMPS: [(&str, bool, u16); 8] = [
    ("+2d", false, 401),
    ("+0", false, 200),
    ("-1d", false, 200),
    ("+0", false, 200),
    // After 2038 the seconds since 1970 do not fit into 32 bits.
    ("+13y", true, 401),
    ("-1d", true, 200),
    ("+13y", false, 401),
    ("+0", true, 200),
];

/// How long a clock stays.
const STAYS: Duration = Duration::from_secs(2);

const PATIENCE: Duration = Duration::from_secs(10);

pub(crate) fn jumps(stage: &Stage<'_>) -> Result<Vec<Event>> {
    let library = debian::require("faketime", library)?;
    let mut nodes = Nodes::prepare(stage.registry, stage.folder)?;
    let tokens = stage.folder.join("tokens.json");
    let long = token(stage.registry, &tokens, "long", "30000")?;
    let short = token(stage.registry, &tokens, "short", "1")?;
    let mut clocks = Vec::new();
    let mut logs = Vec::new();
    for (node, name) in nodes.nodes.iter_mut().zip(["one", "two"]) {
        let clock = stage.folder.join(format!("{name}.clock"));
        fs::write(&clock, "+0\n")?;
        node.settings = vec!["--tokens".to_owned(), tokens.to_string_lossy().into_owned()];
        let variable = |name: &str, value: &str| (name.to_owned(), value.to_owned());
        node.environment = vec![
            variable("LD_PRELOAD", &library.to_string_lossy()),
            variable("FAKETIME_TIMESTAMP_FILE", &clock.to_string_lossy()),
            variable("FAKETIME_NO_CACHE", "1"),
            // A clock that is set moves the time of day, and not the one that time-outs go by.
            variable("FAKETIME_DONT_FAKE_MONOTONIC", "1"),
        ];
        if let Log::File(log) = &node.log {
            logs.push(log.clone());
        }
        clocks.push(clock);
    }
    nodes.up()?;
    let proxy = stage.before(&nodes)?;
    let requests: Vec<Vec<u8>> = load::requests()?.iter().map(|request| http::authorized(request, &long)).collect();
    let limits = http::authorized(&http::get(&format!("{BASE_PATH}/limits")), &short);
    let first = nodes.addresses().first().context("no node")?.to_string();
    let (seen, ()) = load::under_load(address(&proxy)?, &requests, || {
        for (offset, is_both, status) in JUMPS {
            let moved = clocks.iter().enumerate().filter(|(at, _)| *at == 0 || is_both);
            for (_, clock) in moved {
                set(clock, offset)?;
            }
            becomes(&first, &limits, status).with_context(|| format!("the clock at {offset}"))?;
            thread::sleep(STAYS);
        }
        Ok(())
    })?;
    let jumped = logs.iter().all(|log| year_of_some_line(log) > 2038);
    let event = Event::unnoticed("jumps of the clock of one node or both, by -1 day to +13 years", JUMPS.len(), seen);
    let ready = nodes.nodes.iter().all(|node| node.is_ready());
    Ok(vec![
        event
            .must("no line of a log is of after 2038", jumped)
            .must("a node is not ready", ready)
            .holds(nodes.log_holds()),
    ])
}

fn library() -> Option<PathBuf> {
    let folders = fs::read_dir("/usr/lib").ok()?.flatten().map(|entry| entry.path());
    let mut libraries = folders.map(|folder| folder.join("faketime/libfaketimeMT.so.1"));
    libraries.find(|library| library.is_file())
}

fn token(registry: &Path, file: &Path, name: &str, days: &str) -> Result<String> {
    let mut create = Command::new(registry);
    create.args(["token", "create", name, "--scope", "preflight", "--scope", "read", "--days", days, "--file"]);
    said(create.arg(file))
}

/// At once, as whoever reads half an offset would be at another time.
fn set(clock: &Path, offset: &str) -> Result<()> {
    let beside = clock.with_extension("new");
    fs::write(&beside, format!("{offset}\n"))?;
    Ok(fs::rename(&beside, clock)?)
}

fn becomes(address: &str, request: &[u8], status: u16) -> Result<()> {
    let start = Instant::now();
    loop {
        let reply = http::ask(address, request)?;
        if reply.status == status {
            return Ok(());
        }
        ensure!(start.elapsed() < PATIENCE, "a token that ends in a day is told {} for {status}", reply.status);
        thread::sleep(Duration::from_millis(20));
    }
}

fn year_of_some_line(log: &Path) -> u32 {
    let text = fs::read_to_string(log).unwrap_or_default();
    let years = text.lines().filter_map(|line| line.split_once("\"time\":\"")?.1.get(..4)?.parse().ok());
    years.max().unwrap_or_default()
}
