//! Nodes of one registry that can be stopped, killed and started again: two on one PostgreSQL of their own, or one alone.

use std::{
    collections::BTreeSet,
    fs::{self, OpenOptions},
    net::{Ipv4Addr, TcpListener},
    path::{Path, PathBuf},
    process::{Command, Stdio},
    sync::Mutex,
    thread,
    time::{Duration, Instant},
};

use anyhow::{Context as _, Result, anyhow, ensure};
use svc_testkit::{cluster::Cluster, lived_log::LivedLog};

use super::http;
use svc_gates::process::{Running, ends, run};

const PATIENCE: Duration = Duration::from_secs(30);

/// The database with its nodes.
pub(crate) struct Nodes {
    pub(crate) nodes: Vec<Node>,
    pub(crate) database: Cluster,
}

/// One node, which keeps its addresses and its folder when it is started again.
pub(crate) struct Node {
    /// The program that it is started with.
    pub(crate) registry: PathBuf,
    journal: String,
    folder: PathBuf,
    pub(crate) address: String,
    /// Where its probes are, whatever its tokens and rates.
    admin: String,
    /// Settings besides those of addresses and journal.
    pub(crate) settings: Vec<String>,
    pub(crate) environment: Vec<(String, String)>,
    pub(crate) log: Log,
    running: Option<Running>,
    reader: Option<Running>,
}

/// Where a node's standard error goes.
#[derive(Clone)]
pub(crate) enum Log {
    /// A file, opened for appending.
    File(PathBuf),
    /// A program that reads it and writes files of so many lines, which begin with this.
    Split(usize, PathBuf),
}

impl Nodes {
    /// Makes the log and starts both.
    pub(crate) fn start(registry: &Path, folder: &Path) -> Result<Self> {
        let mut nodes = Self::prepare(registry, folder)?;
        nodes.up()?;
        Ok(nodes)
    }

    /// Makes the log, as it is in its second year, and starts nothing but the database.
    pub(crate) fn prepare(registry: &Path, folder: &Path) -> Result<Self> {
        let database = Cluster::start();
        let journal = database.database("journal");
        let node = |name: &str| Node::new(registry, &journal, &folder.join(name), &folder.join(name));
        let (one, two) = (node("one")?, node("two")?);
        one.init(&["--first-node"])?;
        LivedLog::age(&one.folder, &["--journal", &journal]);
        fs::copy(one.folder.join("journal.key"), two.folder.join("journal.key"))?;
        two.init(&["--at-least", &one.folder.join("journal.checkpoint").to_string_lossy()])?;
        Ok(Self { nodes: vec![one, two], database })
    }

    pub(crate) fn up(&mut self) -> Result<()> {
        self.nodes.iter_mut().try_for_each(Node::up)
    }

    pub(crate) fn addresses(&self) -> Vec<&str> {
        self.nodes.iter().map(|node| node.address.as_str()).collect()
    }

    /// Every record, by what each node's folder remembers. Nodes may run meanwhile.
    pub(crate) fn log_holds(&self) -> Result<()> {
        self.nodes.iter().try_for_each(Node::log_holds)
    }
}

impl Node {
    /// One node with its log in its own folder.
    pub(crate) fn alone(registry: &Path, folder: &Path, logs: &Path) -> Result<Self> {
        Self::new(registry, "sqlite", folder, logs)
    }

    fn new(registry: &Path, journal: &str, folder: &Path, logs: &Path) -> Result<Self> {
        fs::create_dir_all(folder)?;
        fs::create_dir_all(logs)?;
        let [address, admin] = free_pair()?;
        Ok(Self {
            registry: registry.to_owned(),
            journal: journal.to_owned(),
            folder: folder.to_owned(),
            address,
            admin,
            settings: Vec::new(),
            environment: Vec::new(),
            log: Log::File(logs.join("serve.log")),
            running: None,
            reader: None,
        })
    }

    fn init(&self, how: &[&str]) -> Result<()> {
        let mut init = self.journal("init");
        init.args(how).stdout(Stdio::null());
        run(init)
    }

    pub(crate) fn log_holds(&self) -> Result<()> {
        ends(self.journal("verify"), 0, "nothing but noes")
    }

    fn journal(&self, command: &str) -> Command {
        let mut journal = Command::new(&self.registry);
        journal.args(["journal", command, "--journal", &self.journal, "--data-dir"]).arg(&self.folder);
        journal
    }

    /// Starts it, and waits until it is ready.
    pub(crate) fn up(&mut self) -> Result<()> {
        let mut serve = Command::new(&self.registry);
        serve.args(["serve", "--bind", &self.address, "--admin-bind", &self.admin, "--journal", &self.journal]);
        serve.arg("--data-dir").arg(&self.folder).args(&self.settings).envs(self.environment.iter().cloned());
        let (log, reader) = self.log.open()?;
        self.reader = reader;
        self.running = Some(Running(serve.stdout(Stdio::null()).stderr(log).spawn()?));
        // The command still holds its end of the log, which the reader is to see closed with the node.
        drop(serve);
        self.gets_ready(PATIENCE)?;
        // Whoever answered there must have been this one.
        self.signal("-0")
    }

    /// Whether it takes requests.
    pub(crate) fn is_ready(&self) -> bool {
        if self.settings.iter().any(|setting| setting == "--tls-certificate") {
            let mut curl = Command::new("curl");
            curl.args(["--silent", "--fail", "--insecure", "--output", "/dev/null"]);
            return curl.arg(format!("https://{}/readyz", self.admin)).status().is_ok_and(|status| status.success());
        }
        http::ask(&self.admin, &http::get("/readyz")).is_ok_and(|reply| reply.status == 200)
    }

    fn name(&self) -> String {
        self.folder.file_name().unwrap_or_default().to_string_lossy().into_owned()
    }

    /// Waits until it is ready, and tells how long that took.
    pub(crate) fn gets_ready(&self, within: Duration) -> Result<Duration> {
        let start = Instant::now();
        while !self.is_ready() {
            ensure!(start.elapsed() < within, "node `{}` does not get ready", self.name());
            thread::sleep(Duration::from_millis(20));
        }
        Ok(start.elapsed())
    }

    /// Asks it to stop, as a service manager does, and waits for its end.
    pub(crate) fn stop(&mut self) -> Result<()> {
        self.signal("-TERM")?;
        let mut running = self.running.take().context("the node does not run")?;
        let status = running.0.wait()?;
        ensure!(status.success(), "a node that was told to stop ended with {status}");
        if let Some(mut reader) = self.reader.take() {
            reader.0.wait()?;
        }
        Ok(())
    }

    /// Ends it at once, with whatever it was at.
    pub(crate) fn kill(&mut self) -> Result<()> {
        self.signal("-KILL")?;
        let mut running = self.running.take().context("the node does not run")?;
        running.0.wait()?;
        Ok(())
    }

    /// Sends a signal to the process.
    pub(crate) fn signal(&mut self, name: &str) -> Result<()> {
        let running = self.running.as_mut().context("the node does not run")?;
        let ended = running.0.try_wait()?;
        ensure!(ended.is_none(), "node `{}` has ended: {ended:?}", self.name());
        let mut kill = Command::new("kill");
        kill.args([name, &running.0.id().to_string()]);
        run(kill)
    }
}

impl Log {
    fn open(&self) -> Result<(Stdio, Option<Running>)> {
        match self {
            Self::File(path) => {
                let file = OpenOptions::new().create(true).append(true).open(path);
                Ok((file.with_context(|| path.display().to_string())?.into(), None))
            }
            Self::Split(lines, begin) => {
                let mut split = Command::new("split");
                split.args(["--numeric-suffixes", "--suffix-length=6", &format!("--lines={lines}"), "-"]);
                let mut reader = Running(split.arg(begin).stdin(Stdio::piped()).spawn().context("split")?);
                let end = reader.0.stdin.take().context("no pipe")?;
                Ok((end.into(), Some(reader)))
            }
        }
    }
}

/// Two addresses that nobody listens on. The system may give a port a second time before it is used; no node of this run gets it twice.
fn free_pair() -> Result<[String; 2]> {
    static GIVEN: Mutex<BTreeSet<u16>> = Mutex::new(BTreeSet::new());
    let mut given = GIVEN.lock().map_err(|_| anyhow!("a thread panicked"))?;
    let mut next = || loop {
        let port = free_port()?;
        if given.insert(port) {
            return anyhow::Ok(format!("127.0.0.1:{port}"));
        }
    };
    Ok([next()?, next()?])
}

/// A port of loopback that nobody listens on.
pub(crate) fn free_port() -> Result<u16> {
    Ok(TcpListener::bind((Ipv4Addr::LOCALHOST, 0))?.local_addr()?.port())
}
