//! Two services on one log in PostgreSQL, each with a folder of its own.

use std::{
    fs,
    path::Path,
    thread,
    time::{Duration, Instant},
};

use svc_journal::{
    folder::DataFolder,
    joining::{Joining, KnownLog},
    open::{Backend, Location},
    postgres::Settings,
};
use tempfile::TempDir;

use crate::{load::Load, running::Running};

pub(crate) const NAMES: [&str; 2] = ["one", "two"];

/// How soon after a fault every node must answer again. The longest wait for a connection is two seconds, and an answer of
/// the database is waited for seven.
const BACK_WITHIN: Duration = Duration::from_secs(15);

/// Two nodes, both running until one is killed.
pub(crate) struct Nodes {
    pub(crate) folder: TempDir,
    url: String,
    running: [Option<Running>; 2],
}

impl Nodes {
    /// Begins a log in a database, lets the second node join it, and starts both.
    pub(crate) fn start(url: &str, load: &Load) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let at = |node: &str| location(url, &folder.path().join(node));
        drop(at(NAMES[0]).write_joining(&Joining::First).unwrap());
        let file = |node: &str, name: &str| folder.path().join(node).join(name);
        fs::create_dir(folder.path().join(NAMES[1])).unwrap();
        fs::copy(file(NAMES[0], "journal.key"), file(NAMES[1], "journal.key")).unwrap();
        let known = fs::read_to_string(file(NAMES[0], "journal.checkpoint")).unwrap();
        drop(at(NAMES[1]).write_joining(&Joining::AtLeast(KnownLog::state(known))).unwrap());
        load.set_keys(DataFolder::at(&folder.path().join(NAMES[0])).public_keys().unwrap().unwrap());
        let mut nodes = Self { folder, url: url.to_owned(), running: [None, None] };
        (0..NAMES.len()).for_each(|node| nodes.start_again(node, load));
        nodes
    }

    /// Where a node has its log.
    pub(crate) fn location(&self, node: usize) -> Location {
        location(&self.url, &self.folder.path().join(NAMES[node]))
    }

    /// The service of a node.
    pub(crate) fn running(&self, node: usize) -> &Running {
        self.running[node].as_ref().unwrap()
    }

    /// Waits until every node has answered a client that asked from now on, and is ready; the time that it took. A node that
    /// stays away is named, with what it says of itself.
    pub(crate) fn all_back(&self, load: &Load) -> Result<Duration, String> {
        let (start, moment) = (Instant::now(), load.now());
        let ready = |node: usize| {
            self.running(node).ask(b"GET /readyz HTTP/1.1\r\nHost: localhost\r\n\r\n").unwrap_or_default()
        };
        let is_back = |node: usize| load.has_recorded(node, moment) && ready(node).starts_with("HTTP/1.1 200 ");
        for (node, name) in NAMES.iter().enumerate() {
            while !is_back(node) {
                if start.elapsed() > BACK_WITHIN {
                    let answers = if load.has_recorded(node, moment) { "answers" } else { "does not answer" };
                    let told = ready(node);
                    return Err(format!("node {name} {answers}, /readyz: {}", told.lines().last().unwrap_or_default()));
                }
                thread::sleep(Duration::from_millis(5));
            }
        }
        Ok(start.elapsed())
    }

    pub(crate) fn kill(&mut self, node: usize, load: &Load) {
        self.running[node] = None;
        load.set_address(node, None);
    }

    /// Kills both, as the end of a machine does.
    pub(crate) fn end(&mut self) {
        self.running = [None, None];
    }

    /// Starts a node, and has clients ask it.
    pub(crate) fn start_again(&mut self, node: usize, load: &Load) {
        let running = Running::start(self.folder.path(), &["--journal", &self.url, "--data-dir", NAMES[node]]);
        load.set_address(node, Some(running.address.clone()));
        self.running[node] = Some(running);
    }
}

/// Three clients of each node, for as long as some work takes.
pub(crate) fn under_load(load: &Load, work: impl FnOnce()) {
    thread::scope(|scope| {
        let clients: Vec<_> = (0..6).map(|number| scope.spawn(move || load.client(number % 2))).collect();
        work();
        load.end();
        clients.into_iter().for_each(|client| client.join().unwrap());
    });
}

/// A moment of the load that nobody chose.
pub(crate) fn pause(random: &mut crate::campaign::Random, most_millis: usize) {
    thread::sleep(Duration::from_micros(random.below(most_millis * 1000) as u64));
}

fn location(url: &str, folder: &Path) -> Location {
    let backend = Backend::Shared(Box::new(Settings::parse(url, None, None).unwrap()));
    Location { backend, folder: folder.to_owned() }
}
