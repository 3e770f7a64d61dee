//! Whether a service is ready follows its store, while nobody posts: `/readyz` and `svc_ready` say the same.

use std::{
    fs,
    path::Path,
    thread,
    time::{Duration, Instant},
};

use svc_journal::{
    joining::{Joining, KnownLog},
    open::{Backend, Location},
    postgres::Settings,
};

use crate::{
    cluster::Cluster,
    running::{Running, connect, document, exchange, post},
};

/// An idle store is asked once a second, and has a second and a half to answer.
const DOWN_WITHIN: Duration = Duration::from_secs(4);

/// A store that is down is asked several times a second.
const BACK_WITHIN: Duration = Duration::from_secs(1);

struct Node {
    running: Running,
    admin: String,
}

impl Node {
    fn start(folder: &Path, journal: &str, data: &str) -> Self {
        let arguments = ["--journal", journal, "--data-dir", data, "--admin-bind", "127.0.0.1:0"];
        let mut running = Running::start(folder, &arguments);
        let admin = running.admin_address();
        Self { running, admin }
    }

    /// The status of `/readyz`, why it is not ready, and the metric.
    fn ready(&self) -> (u16, Option<String>, u64) {
        let told = get(&self.running.address, "/readyz");
        let status = told.split(' ').nth(1).unwrap().parse().unwrap();
        let body: serde_json::Value = serde_json::from_str(told.lines().last().unwrap()).unwrap();
        assert_eq!(body["ready"], status == 200, "{told}");
        (status, body["reason"].as_str().map(str::to_owned), self.metric("svc_ready"))
    }

    fn metric(&self, name: &str) -> u64 {
        let text = get(&self.admin, "/metrics");
        let line = text.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(' '));
        line.unwrap_or_else(|| panic!("{name} in\n{text}")).parse().unwrap()
    }

    /// Waits until it is as it must be by then; between two looks it may turn.
    fn gets(&self, wanted: &(u16, Option<String>, u64), within: Duration) -> Duration {
        let start = Instant::now();
        loop {
            let found = self.ready();
            if found == *wanted {
                return start.elapsed();
            }
            assert!(start.elapsed() < within, "{found:?} and not {wanted:?} after {within:?}");
            thread::sleep(Duration::from_millis(10));
        }
    }
}

fn get(address: &str, path: &str) -> String {
    let request = format!("GET {path} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n");
    exchange(&mut connect(address).unwrap(), request.as_bytes()).expect("an answer")
}

fn ready() -> (u16, Option<String>, u64) {
    (200, None, 1)
}

fn unready(reason: &str) -> (u16, Option<String>, u64) {
    (503, Some(reason.to_owned()), 0)
}

#[test]
fn a_journal_whose_file_is_gone_is_not_ready_before_anybody_posts() {
    let folder = tempfile::tempdir().unwrap();
    let node = Node::start(folder.path(), "sqlite", "data");
    assert_eq!(node.ready(), ready());
    let (file, away) = (folder.path().join("data/journal.sqlite3"), folder.path().join("away"));
    fs::rename(&file, &away).unwrap();
    node.gets(&unready("journal-missing"), DOWN_WITHIN);
    assert_eq!(node.metric("svc_journal_takes_records"), 0);
    fs::rename(&away, &file).unwrap();
    node.gets(&ready(), BACK_WITHIN);
    assert_eq!(node.running.status(&post("", &document())), 200);
    let log = node.running.log();
    assert_eq!(log.matches("the store of the journal takes no records").count(), 1, "{log}");
    assert_eq!(log.matches("the store of the journal takes records again").count(), 1, "{log}");
}

#[test]
#[ignore = "needs PostgreSQL; `cargo xtask gates` runs it"]
fn readiness_follows_a_database_to_which_nobody_posts() {
    let cluster = Cluster::start();
    let url = cluster.database("journal");
    let folder = tempfile::tempdir().unwrap();
    let settings = Settings::parse(&url, None, None).unwrap();
    let place = Location { backend: Backend::Shared(Box::new(settings)), folder: folder.path().join("one") };
    drop(place.write_joining(&Joining::First).unwrap());
    let node = Node::start(folder.path(), &url, "one");
    let down = unready("journal-unreachable");
    assert_eq!(node.ready(), ready());

    // Refused.
    cluster.stop();
    node.gets(&down, DOWN_WITHIN);
    thread::sleep(Duration::from_secs(3));
    assert_eq!(node.ready(), down);
    cluster.up();
    node.gets(&ready(), BACK_WITHIN);
    assert_eq!(node.running.status(&post("", &document())), 200, "ready means ready");

    // Not answered.
    cluster.hang();
    node.gets(&down, DOWN_WITHIN);
    thread::sleep(Duration::from_secs(5));
    assert_eq!(node.ready(), down);
    cluster.go_on();
    node.gets(&ready(), BACK_WITHIN);
    assert_eq!(node.running.status(&post("", &document())), 200);
    let connections = "SELECT count(*) FROM pg_stat_activity WHERE application_name = 'svc-journal'";
    let open: u32 = cluster.sql(&url, connections).trim().parse().unwrap();
    assert!(open <= 8, "a database that hung is not left with {open} connections of one node");

    // A database that takes no writes any more.
    let read_only = |word: &str| {
        let mine = "SET default_transaction_read_only = off;\n";
        let all = format!("ALTER SYSTEM SET default_transaction_read_only = {word};\nSELECT pg_reload_conf();\n");
        cluster.script("svc", "journal", &(mine.to_owned() + &all));
    };
    read_only("on");
    node.gets(&down, DOWN_WITHIN);
    read_only("off");
    node.gets(&ready(), BACK_WITHIN);
    assert_eq!(node.running.status(&post("", &document())), 200);
}

#[test]
#[ignore = "needs PostgreSQL; `cargo xtask gates` runs it"]
fn an_idle_node_follows_what_the_other_one_appends() {
    let cluster = Cluster::start();
    let url = cluster.database("journal");
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| {
        let settings = Settings::parse(&url, None, None).unwrap();
        Location { backend: Backend::Shared(Box::new(settings)), folder: folder.path().join(name) }
    };
    drop(at("one").write_joining(&Joining::First).unwrap());
    let file = |node: &str, name: &str| folder.path().join(node).join(name);
    fs::create_dir(folder.path().join("two")).unwrap();
    fs::copy(file("one", "journal.key"), file("two", "journal.key")).unwrap();
    let known = fs::read_to_string(file("one", "journal.checkpoint")).unwrap();
    drop(at("two").write_joining(&Joining::AtLeast(KnownLog::state(known))).unwrap());
    let (one, two) = (Node::start(folder.path(), &url, "one"), Node::start(folder.path(), &url, "two"));
    for _ in 0..3 {
        assert_eq!(one.running.status(&post("", &document())), 200);
    }
    let start = Instant::now();
    while two.metric("svc_journal_size_records") < 3 {
        assert!(start.elapsed() < Duration::from_secs(3), "the idle node follows within a second or two");
        thread::sleep(Duration::from_millis(20));
    }
    let kept = || fs::read_to_string(file("two", "journal.checkpoint")).unwrap();
    while kept().lines().nth(1) != Some("3") {
        assert!(start.elapsed() < Duration::from_secs(4), "{}", kept());
        thread::sleep(Duration::from_millis(20));
    }
    assert_eq!((one.ready(), two.ready()), (ready(), ready()));
}
