//! Two nodes of one registry, on one PostgreSQL of their own, which can be stopped, killed and started again.

use std::{
    fs::{self, File},
    net::{Ipv4Addr, TcpListener},
    path::{Path, PathBuf},
    process::{Command, Stdio},
    thread,
    time::{Duration, Instant},
};

use anyhow::{Context as _, Result, ensure};
use svc_testkit::cluster::Cluster;

use super::http;
use crate::process::{Running, run};

const PATIENCE: Duration = Duration::from_secs(30);

/// The database with its nodes.
pub(crate) struct Nodes {
    pub(crate) nodes: Vec<Node>,
    _database: Cluster,
}

/// One node, which keeps its address and its folder when it is started again.
pub(crate) struct Node {
    svc: PathBuf,
    journal: String,
    folder: PathBuf,
    pub(crate) address: String,
    running: Option<Running>,
}

impl Nodes {
    /// Makes the log and starts both.
    pub(crate) fn start(svc: &Path, folder: &Path) -> Result<Self> {
        let database = Cluster::start();
        let journal = database.database("journal");
        let mut nodes = Vec::new();
        for name in ["one", "two"] {
            let folder = folder.join(name);
            fs::create_dir_all(&folder)?;
            let address = format!("127.0.0.1:{}", free_port()?);
            nodes.push(Node { svc: svc.to_owned(), journal: journal.clone(), folder, address, running: None });
        }
        if let [one, two] = nodes.as_slice() {
            one.init(&["--first-node"])?;
            fs::copy(one.folder.join("journal.key"), two.folder.join("journal.key"))?;
            two.init(&["--at-least", &one.folder.join("journal.checkpoint").to_string_lossy()])?;
        }
        nodes.iter_mut().try_for_each(Node::up)?;
        Ok(Self { nodes, _database: database })
    }

    pub(crate) fn addresses(&self) -> Vec<&str> {
        self.nodes.iter().map(|node| node.address.as_str()).collect()
    }
}

impl Node {
    fn init(&self, how: &[&str]) -> Result<()> {
        let mut init = Command::new(&self.svc);
        init.args(["journal", "init"]).args(how).args(["--journal", &self.journal, "--data-dir"]).arg(&self.folder);
        init.stdout(Stdio::null());
        run(init)
    }

    /// Starts it, and waits until it is ready.
    pub(crate) fn up(&mut self) -> Result<()> {
        let mut serve = Command::new(&self.svc);
        serve.args(["serve", "--bind", &self.address, "--journal", &self.journal, "--data-dir"]).arg(&self.folder);
        let log = self.folder.join("serve.log");
        serve.stdout(Stdio::null()).stderr(File::create(&log)?);
        self.running = Some(Running(serve.spawn()?));
        let start = Instant::now();
        let is_ready = || http::ask(&self.address, &http::get("/readyz")).is_ok_and(|reply| reply.status == 200);
        while !is_ready() {
            ensure!(start.elapsed() < PATIENCE, "a node does not get ready: {}", log.display());
            thread::sleep(Duration::from_millis(20));
        }
        Ok(())
    }

    /// Asks it to stop, as a service manager does, and waits for its end.
    pub(crate) fn stop(&mut self) -> Result<()> {
        let mut running = self.running.take().context("the node does not run")?;
        run(signal("-TERM", running.0.id()))?;
        let status = running.0.wait()?;
        ensure!(status.success(), "a node that was told to stop ended with {status}");
        Ok(())
    }

    /// Ends it at once, with whatever it was at.
    pub(crate) fn kill(&mut self) -> Result<()> {
        let mut running = self.running.take().context("the node does not run")?;
        run(signal("-KILL", running.0.id()))?;
        running.0.wait()?;
        Ok(())
    }
}

fn signal(name: &str, process: u32) -> Command {
    let mut kill = Command::new("kill");
    kill.args([name, &process.to_string()]);
    kill
}

/// A port of loopback that nobody listens on.
pub(crate) fn free_port() -> Result<u16> {
    Ok(TcpListener::bind((Ipv4Addr::LOCALHOST, 0))?.local_addr()?.port())
}
