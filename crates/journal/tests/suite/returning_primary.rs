//! An old primary that returns after a failover: no node goes on with it, whatever the order of addresses, nodes and databases.

use std::{
    collections::BTreeMap,
    fs,
    path::Path,
    thread,
    time::{Duration, Instant},
};

use svc_journal::{
    joining::{Joining, KnownLog},
    open::{Backend, Location},
    postgres::Settings,
    writer::Journal,
};
use svc_proof::{
    checkpoint::Checkpoint,
    fault::JournalFaultKind::{self, Rewound, Unreachable, WrongPrimary},
};
use svc_testkit::{
    campaign::{self, Random, Record},
    standby::Replication,
};
use tempfile::TempDir;

use crate::{cluster::Cluster, drafts};

/// Longer than a node takes to look at all hosts again.
const LOOK_AROUND: Duration = Duration::from_secs(7);

fn location(folder: &Path, clusters: &[&Cluster]) -> Location {
    let url = Cluster::address(clusters, "journal");
    Location {
        backend: Backend::Shared(Box::new(Settings::parse(&url, None, None).unwrap())),
        folder: folder.to_owned(),
    }
}

fn files(folder: &Path) -> BTreeMap<String, Vec<u8>> {
    let entries = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap());
    entries.map(|entry| (entry.file_name().into_string().unwrap(), fs::read(entry.path()).unwrap())).collect()
}

fn refused(location: &Location) -> (JournalFaultKind, String) {
    let before = files(&location.folder);
    let fault = location.write().map(drop).unwrap_err();
    assert_eq!(files(&location.folder), before, "{fault}");
    (fault.kind, fault.detail)
}

#[test]
#[ignore = "needs PostgreSQL; `cargo xtask gates` runs it"]
fn a_primary_from_before_a_failover_is_refused_by_name() {
    let clusters = [Cluster::start(), Cluster::nowhere()];
    let [old, new] = &clusters;
    old.database("journal");
    let folder = tempfile::tempdir().unwrap();
    let either = location(folder.path(), &[old, new]);
    let journal = either.write_joining(&Joining::First).unwrap();
    new.follow(old, Replication::Synchronous);
    (0..3).for_each(|at| drop(journal.record_blocking(drafts::mixed(at)).unwrap()));
    old.kill();
    new.promote();
    journal.record_blocking(drafts::mixed(3)).or_else(|_| journal.record_blocking(drafts::mixed(3))).unwrap();
    drop(journal);
    // It comes back, and takes writes.
    old.up();
    old.forget_standbys();
    for order in [[old, new], [new, old]] {
        let (kind, detail) = refused(&location(folder.path(), &order));
        assert_eq!(kind, WrongPrimary, "{detail}");
        assert!(detail.contains("more than one database takes writes: "), "{detail}");
        assert!(detail.contains("(timeline 1)") && detail.contains("(timeline 2)"), "{detail}");
    }
    new.kill();
    let (kind, detail) = refused(&either);
    assert!(kind == WrongPrimary && detail.contains("from before a failover"), "{detail}");
    let (kind, detail) = refused(&location(folder.path(), &[old]));
    assert!(kind == WrongPrimary && detail.contains("from before a failover"), "{detail}");
    // Without the timeline, what was signed is still remembered.
    fs::remove_file(folder.path().join("journal.timeline")).unwrap();
    assert_eq!(refused(&either).0, Rewound);
    // The old primary is fenced: it becomes a standby of the new one.
    old.kill();
    new.up();
    old.follow(new, Replication::Synchronous);
    let journal = either.write().unwrap();
    assert_eq!(journal.record_blocking(drafts::mixed(4)).unwrap().index.get(), 4);
}

/// A node that was down during the failover reaches the old primary alone: it remembers that there was a standby.
#[test]
#[ignore = "needs PostgreSQL; `cargo xtask gates` runs it"]
fn a_node_that_slept_through_a_failover_does_not_go_on_with_the_old_primary() {
    let clusters = [Cluster::start(), Cluster::nowhere()];
    let [old, new] = &clusters;
    old.database("journal");
    let folders = [tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap()];
    let [slept, woke] = [0, 1].map(|at| location(folders[at].path(), &[old, new]));
    drop(slept.write_joining(&Joining::First).unwrap());
    fs::copy(folders[0].path().join("journal.key"), folders[1].path().join("journal.key")).unwrap();
    new.follow(old, Replication::Synchronous);
    let journal = slept.write().unwrap();
    journal.record_blocking(drafts::mixed(0)).unwrap();
    let known = journal.checkpoint().text().as_str().to_owned();
    drop(journal);
    old.kill();
    new.promote();
    let journal = woke.write_joining(&Joining::AtLeast(KnownLog::state(known))).unwrap();
    journal.record_blocking(drafts::mixed(1)).unwrap();
    drop(journal);
    new.kill();
    old.up();
    old.forget_standbys();
    let (kind, detail) = refused(&slept);
    assert!(kind == WrongPrimary && detail.contains("has no standby any more, and"), "{detail}");
    assert!(detail.contains("bring it back, or take it out of `journal`"), "{detail}");
    // What it says: the other one is brought back, and the old one is fenced.
    new.up();
    assert_eq!(refused(&slept).0, WrongPrimary);
    old.kill();
    let journal = slept.write().unwrap();
    assert_eq!(journal.record_blocking(drafts::mixed(2)).unwrap().index.get(), 2);
    drop(journal);
    // Or it is gone for good, and taken out of the list.
    new.kill();
    new.up();
    drop(location(folders[0].path(), &[new]).write().unwrap());
}

/// A standby is promoted while the primary is still up: a node on the old one notices within seconds.
#[test]
#[ignore = "needs PostgreSQL; `cargo xtask gates` runs it"]
fn a_node_on_a_primary_whose_standby_was_promoted_stops() {
    let clusters = [Cluster::start(), Cluster::nowhere()];
    let [old, new] = &clusters;
    old.database("journal");
    let folder = tempfile::tempdir().unwrap();
    let either = location(folder.path(), &[old, new]);
    let journal = either.write_joining(&Joining::First).unwrap();
    new.follow(old, Replication::Asynchronous);
    journal.record_blocking(drafts::mixed(0)).unwrap();
    new.promote();
    let started = Instant::now();
    let fault = loop {
        match journal.record_blocking(drafts::mixed(1)) {
            Err(fault) if fault.kind == WrongPrimary => break fault,
            Ok(_) | Err(_) => assert!(started.elapsed() < 3 * LOOK_AROUND, "still recorded"),
        }
        thread::sleep(Duration::from_millis(100));
    };
    assert!(fault.detail.contains("more than one database takes writes"), "{fault}");
    assert!(started.elapsed() < LOOK_AROUND, "{:?}", started.elapsed());
}

/// Two nodes, two databases, and whatever order of starts, stops, failovers and returns.
#[test]
#[ignore = "needs PostgreSQL; `cargo xtask gates` runs it"]
fn in_every_order_of_nodes_and_databases_one_history_is_signed() {
    let schedules = campaign::count(3, 200);
    let (mut steps, mut states, mut counted) = (0, 0, BTreeMap::new());
    let mut found = Vec::new();
    // They mostly wait, so that all of them go on at once.
    let ended: Vec<_> = thread::scope(|scope| {
        let running: Vec<_> = (0..schedules).map(|schedule| scope.spawn(move || run_schedule(schedule))).collect();
        running.into_iter().map(|running| running.join().unwrap()).collect()
    });
    for (schedule, (world, trace)) in ended.into_iter().enumerate() {
        steps += trace.len();
        states += world.signed.len();
        let events = world.events.iter().map(|(name, count)| ((*name).to_owned(), *count));
        for (what, count) in world.refusals.clone().into_iter().chain(events) {
            *counted.entry(what).or_insert(0) += count;
        }
        found.extend(world.faults.iter().map(|fault| format!("schedule {schedule}: {fault} after {trace:?}")));
    }
    let mut counts = vec![
        ("schedules".to_owned(), schedules as u64),
        ("steps".to_owned(), steps as u64),
        ("sizes of signed states".to_owned(), states as u64),
    ];
    counts.extend(counted);
    Record {
        name: "returning-primary",
        tried: "Two nodes and two databases are started, stopped, failed over and brought back in random orders, the primary \
                from before a failover among them. Of every size, one root was signed.",
        counts: counts.into_iter().map(|(name, count)| (name, usize::try_from(count).unwrap())).collect(),
        found,
    }
    .close();
}

fn run_schedule(schedule: usize) -> (World, Vec<String>) {
    let mut random = Random::new(&format!("returning-primary-{schedule}"));
    let mut world = World::new();
    let trace = (0..16).map(|_| world.step(&mut random)).collect();
    world.end();
    (world, trace)
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Role {
    Down,
    Primary,
    Standby,
}

#[derive(Clone, Copy)]
enum Event {
    Record(usize),
    StartOrStop(usize),
    Kill(usize),
    /// A primary or a standby as it was.
    Restart(usize),
    Promote,
    /// The old primary returns as what it was, and its operator lets it go on without the standby that it lacks.
    Return,
    /// The old primary becomes a standby of the new one.
    Rebuild,
}

impl Event {
    const fn name(self) -> &'static str {
        match self {
            Self::Record(_) => "records",
            Self::StartOrStop(_) => "starts and stops of a node",
            Self::Kill(_) => "kills of a database",
            Self::Restart(_) => "restarts of a database",
            Self::Promote => "failovers",
            Self::Return => "returns of an old primary",
            Self::Rebuild => "new standbys",
        }
    }
}

struct World {
    clusters: [Cluster; 2],
    roles: [Role; 2],
    /// The one that was promoted last.
    primary: usize,
    /// Whether the other one was made a standby of it since.
    has_standby: bool,
    folders: [TempDir; 2],
    nodes: [Option<Journal>; 2],
    /// How many promotions there were, and how many each node has seen.
    promotions: u32,
    seen: [u32; 2],
    /// The last promotion whose primary each node saw with a standby.
    followed: [Option<u32>; 2],
    next: u64,
    signed: BTreeMap<u64, String>,
    refusals: BTreeMap<String, u64>,
    events: BTreeMap<&'static str, u64>,
    faults: Vec<String>,
}

impl World {
    fn new() -> Self {
        let clusters = [Cluster::start(), Cluster::nowhere()];
        clusters[0].database("journal");
        let folders = [tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap()];
        let first = location(folders[0].path(), &[&clusters[0], &clusters[1]]);
        let journal = first.write_joining(&Joining::First).unwrap();
        fs::copy(folders[0].path().join("journal.key"), folders[1].path().join("journal.key")).unwrap();
        clusters[1].follow(&clusters[0], Replication::Synchronous);
        journal.record_blocking(drafts::mixed(0)).unwrap();
        let known = journal.checkpoint().text().as_str().to_owned();
        let second = location(folders[1].path(), &[&clusters[1], &clusters[0]]);
        let other = second.write_joining(&Joining::AtLeast(KnownLog::state(known))).unwrap();
        thread::sleep(LOOK_AROUND);
        Self {
            clusters,
            roles: [Role::Primary, Role::Standby],
            primary: 0,
            has_standby: true,
            folders,
            nodes: [Some(journal), Some(other)],
            promotions: 0,
            seen: [0, 0],
            followed: [Some(0), Some(0)],
            next: 1,
            signed: BTreeMap::new(),
            refusals: BTreeMap::new(),
            events: BTreeMap::new(),
            faults: Vec::new(),
        }
    }

    fn location(&self, node: usize) -> Location {
        location(self.folders[node].path(), &[&self.clusters[node], &self.clusters[1 - node]])
    }

    fn see(&mut self, state: &Checkpoint) {
        let root = format!("{:?}", state.root());
        let before = self.signed.entry(state.size()).or_insert_with(|| root.clone());
        if *before != root {
            self.faults.push(format!("two states of {} records were signed", state.size()));
        }
    }

    fn refused(&mut self, kind: JournalFaultKind) {
        *self.refusals.entry(format!("refused as {}", kind.code())).or_insert(0) += 1;
    }

    fn step(&mut self, random: &mut Random) -> String {
        let possible = self.possible();
        let event = possible[random.below(possible.len())];
        *self.events.entry(event.name()).or_insert(0) += 1;
        let (primary, old) = (self.primary, 1 - self.primary);
        match event {
            Event::Record(node) => self.record(node),
            Event::StartOrStop(node) => match self.nodes[node].take() {
                Some(journal) => {
                    self.see(&journal.checkpoint());
                    format!("stop node {node}")
                }
                None => self.start(node),
            },
            Event::Kill(at) => {
                self.clusters[at].kill();
                self.roles[at] = Role::Down;
                format!("kill database {at}")
            }
            Event::Restart(at) => {
                self.clusters[at].up();
                self.roles[at] = if at == primary { Role::Primary } else { Role::Standby };
                format!("start database {at}")
            }
            Event::Promote => {
                self.clusters[old].promote();
                self.roles[old] = Role::Primary;
                self.primary = old;
                self.promotions += 1;
                self.has_standby = false;
                format!("promote database {old}")
            }
            Event::Return => {
                self.clusters[old].up();
                self.clusters[old].forget_standbys();
                self.roles[old] = Role::Primary;
                format!("return of database {old}")
            }
            Event::Rebuild => {
                if self.roles[old] != Role::Down {
                    self.clusters[old].kill();
                }
                self.clusters[old].follow(&self.clusters[primary], Replication::Synchronous);
                self.roles[old] = Role::Standby;
                self.has_standby = true;
                if self.nodes.iter().any(Option::is_some) {
                    thread::sleep(LOOK_AROUND);
                }
                for node in 0..2 {
                    self.sees_standby(node);
                }
                format!("rebuild database {old}")
            }
        }
    }

    /// What can happen now. Each is as likely as the others, so that most schedules have a failover and a return.
    fn possible(&self) -> Vec<Event> {
        let (primary, old) = (self.primary, 1 - self.primary);
        let (is_down, has_primary) = (self.roles[primary] == Role::Down, self.roles[primary] == Role::Primary);
        let mut possible = vec![Event::Record(0), Event::Record(1), Event::StartOrStop(0), Event::StartOrStop(1)];
        possible.extend((0..2).filter(|at| self.roles[*at] != Role::Down).map(Event::Kill));
        let others = [
            (is_down && self.roles[old] == Role::Standby, Event::Promote),
            (is_down && self.roles[old] != Role::Standby, Event::Restart(primary)),
            (self.roles[old] == Role::Down && self.has_standby, Event::Restart(old)),
            (self.roles[old] == Role::Down && !self.has_standby, Event::Return),
            (has_primary && !self.has_standby, Event::Rebuild),
        ];
        possible.extend(others.into_iter().filter(|(is_possible, _)| *is_possible).map(|(_, event)| event));
        possible
    }

    fn start(&mut self, node: usize) -> String {
        if self.cannot_know(node) {
            return format!("node {node} waits for the new primary");
        }
        match self.location(node).write() {
            Ok(journal) => {
                self.seen[node] = self.promotions;
                self.see(&journal.checkpoint());
                self.nodes[node] = Some(journal);
                self.sees_standby(node);
                format!("start node {node}")
            }
            Err(fault) => {
                if !matches!(fault.kind, Unreachable | WrongPrimary) {
                    self.faults.push(format!("a start was refused with {fault}"));
                }
                self.refused(fault.kind);
                format!("node {node} refused: {}", fault.kind.code())
            }
        }
    }

    fn sees_standby(&mut self, node: usize) {
        let is_whole = self.roles[self.primary] == Role::Primary && self.roles[1 - self.primary] == Role::Standby;
        if is_whole && self.nodes[node].is_some() {
            self.followed[node] = Some(self.promotions);
        }
    }

    /// A node that has not seen a failover, and never saw that there was a standby to be promoted, cannot know: only fencing
    /// prevents that.
    fn cannot_know(&self, node: usize) -> bool {
        let knows_standby = self.promotions.checked_sub(1).is_some_and(|old| self.followed[node] >= Some(old));
        self.seen[node] < self.promotions && self.roles[self.primary] == Role::Down && !knows_standby
    }

    fn record(&mut self, node: usize) -> String {
        if self.cannot_know(node) {
            return format!("node {node} waits for the new primary");
        }
        self.next += 1;
        let Some(journal) = &self.nodes[node] else { return "nothing".to_owned() };
        let recorded = journal.record_blocking(drafts::mixed(self.next)).map(drop);
        let state = journal.checkpoint();
        self.see(&state);
        match recorded {
            Ok(()) => {
                self.seen[node] = self.promotions;
                format!("node {node} records, {} in all", state.size())
            }
            Err(fault) => {
                self.refused(fault.kind);
                format!("node {node} cannot record: {}", fault.kind.code())
            }
        }
    }

    /// There is always a way out: with the old primary fenced, both nodes go on.
    fn end(&mut self) {
        self.nodes = [None, None];
        let (new, old) = (self.primary, 1 - self.primary);
        if self.roles[new] == Role::Down {
            self.clusters[new].up();
        }
        if !self.has_standby || self.roles[old] == Role::Down {
            if self.roles[old] != Role::Down {
                self.clusters[old].kill();
            }
            self.clusters[old].follow(&self.clusters[new], Replication::Synchronous);
        }
        for node in 0..2 {
            match self.location(node).write() {
                Ok(journal) => {
                    self.see(&journal.checkpoint());
                    if let Err(fault) = journal.record_blocking(drafts::mixed(self.next)) {
                        self.faults.push(format!("node {node} does not go on at the end: {fault}"));
                    }
                    let state = journal.checkpoint();
                    self.see(&state);
                }
                Err(fault) => self.faults.push(format!("node {node} does not start at the end: {fault}")),
            }
        }
    }
}
