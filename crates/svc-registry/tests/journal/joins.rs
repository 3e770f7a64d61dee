//! A node that is new to a shared log: by the address of another node and the state that the log began with, as pods have it.
//! Whatever keeps the other from answering, a log that somebody set back is not signed.

use std::{
    fs,
    path::{Path, PathBuf},
};

use svc_testkit::lived_log::LivedLog;

use crate::{
    cluster::Cluster,
    run::{Run, program},
    running::{Running, document, post},
};

/// A log in its second year, the state that it began with, and a copy of its database from before.
struct Place {
    folder: tempfile::TempDir,
    cluster: Cluster,
    url: String,
    log: LivedLog,
}

impl Place {
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let cluster = Cluster::start();
        let url = cluster.database("journal");
        let one = folder.path().join("one");
        let init = ["journal", "init", "--first-node", "--journal", &url, "--data-dir", "one"];
        Run::of(&mut program(folder.path(), &init)).exits(0);
        fs::copy(one.join("journal.checkpoint"), folder.path().join("empty")).unwrap();
        let log = LivedLog::age(&one, &["--journal", &url]);
        Self { folder, cluster, url, log }
    }

    /// A new data folder with the log's key.
    fn node(&self, name: &str) -> PathBuf {
        let node = self.folder.path().join(name);
        fs::create_dir(&node).unwrap();
        fs::copy(self.log.data.join("journal.key"), node.join("journal.key")).unwrap();
        node
    }

    fn join(&self, node: &Path, states: &[&str]) -> Run {
        let node = node.to_string_lossy();
        let states: Vec<&str> = states.iter().flat_map(|state| ["--at-least", *state]).collect();
        let init = ["journal", "init", "--journal", &self.url, "--data-dir", &node];
        Run::of(&mut program(self.folder.path(), &[&init[..], &states].concat()))
    }

    fn serve(&self, node: &Path) -> Running {
        Running::start(node, &["--journal", &self.url, "--data-dir", "."])
    }

    /// The files of a folder that was refused: none but the key that was there.
    fn has_nothing(node: &Path) {
        let names: Vec<_> = fs::read_dir(node).unwrap().map(|entry| entry.unwrap().file_name()).collect();
        assert_eq!(names, ["journal.key"]);
    }
}

/// An address of this machine at which nobody answers.
fn nobody() -> String {
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    format!("http://{}", listener.local_addr().unwrap())
}

#[test]
#[ignore = "needs PostgreSQL; `cargo xtask gates` runs it"]
fn a_new_node_joins_by_a_node_that_runs_and_by_nothing_less() {
    let place = Place::new();
    let two = place.node("two");
    let dead = nobody();
    // Nobody to ask, and the state of the empty log: nothing shows that this is the newest.
    let refused = place.join(&two, &["empty", &dead]).exits(2);
    assert!(refused.stderr.contains("journal-unremembered"), "{}", refused.stderr);
    assert!(refused.stderr.contains(&format!("`--at-least {dead}` gives no state")), "{}", refused.stderr);
    Place::has_nothing(&two);
    place.join(&two, &[&dead]).exits(6);
    Place::has_nothing(&two);
    // What the refusal names works: a node that runs …
    let one = place.serve(&place.log.data);
    let url = format!("http://{}", one.address);
    place.join(&two, &["empty", &url]).exits(0);
    assert_eq!(place.serve(&two).status(&post("", &document())), 200);
    // … and an answer, of the time before the key was changed or after it, when there is none.
    for (at, answer) in place.log.answers.iter().enumerate() {
        let node = place.node(&format!("by-answer-{at}"));
        fs::write(place.folder.path().join("answer.json"), answer).unwrap();
        place.join(&node, &["empty", "answer.json", &dead]).exits(0);
    }
    // A folder that remembers asks for nothing.
    drop(one);
    place.join(&two, &["empty", &dead]).exits(0);
}

#[test]
#[ignore = "needs PostgreSQL; `cargo xtask gates` runs it"]
fn a_log_that_was_set_back_is_joined_by_no_new_node() {
    let place = Place::new();
    let sql = |statements: &str| place.cluster.sql(&place.url, &format!("SET search_path = svc_journal; {statements}"));
    sql("CREATE TABLE public.head AS SELECT * FROM head");
    let one = place.serve(&place.log.data);
    let url = format!("http://{}", one.address);
    let newest = one.ask(&post("", &document())).unwrap();
    fs::write(place.folder.path().join("newest"), newest.split_once("\r\n\r\n").unwrap().1).unwrap();
    sql(
        "DELETE FROM entry WHERE place >= (SELECT size FROM public.head); DELETE FROM head; INSERT INTO head SELECT * FROM public.head",
    );
    let two = place.node("two");
    let dead = nobody();
    fs::write(place.folder.path().join("earlier"), &place.log.earlier).unwrap();
    for (states, code, told) in [
        (&["empty"][..], 2, "journal-unremembered"),
        (&["empty", &dead], 2, "journal-unremembered"),
        // The node that runs has noticed it and answers 503. Nor does a state from before it make up for that.
        (&["empty", &url], 6, "journal-busy"),
        (&["earlier", &url], 6, "journal-busy"),
        (&["newest", &dead], 4, "journal-rewound"),
        (&["earlier", "newest"], 4, "journal-rewound"),
        (&["newest", "earlier"], 4, "journal-rewound"),
    ] {
        let refused = place.join(&two, states).exits(code);
        assert!(refused.stderr.contains(told), "{states:?}: {}", refused.stderr);
        Place::has_nothing(&two);
    }
}
