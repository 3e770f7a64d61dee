//! A log that has been used: exported, pruned, given a second key, restored, and with PostgreSQL failed over.
//!
//! What holds on a new log may not hold in its second year, so that gates and suites start from this one. It is made by the
//! commands that an operator runs.

use std::{
    fs,
    path::{Path, PathBuf},
    thread,
};

use super::{
    cluster::Cluster,
    run::{Run, program},
    running::{self, Running},
    standby::Replication,
};

/// Where the log begins: one whole tile of records is pruned.
pub const BEGINS: u64 = 256;

/// How many clients fill the log at once.
const CLIENTS: u64 = 8;

/// What was made, and what its readers have of it.
pub struct LivedLog {
    /// The data folder of a node.
    pub data: PathBuf,
    /// Flags that say where the log is, without `--data-dir`.
    pub journal: Vec<String>,
    /// Answers, each with the receipt of its record: of one that is pruned now, of one under the first key that is not, of one
    /// under both keys, and of those under the second.
    pub answers: Vec<String>,
    /// The public key that the log began with.
    pub first_key: String,
    /// A state that the first key signed, of more records than were pruned.
    pub earlier: String,
    /// The folder that the log was exported to before it was pruned: it has every record of then.
    pub archive: PathBuf,
}

impl LivedLog {
    /// A log in SQLite that was brought back from its export: `data` is a new folder, and what was before is next to it.
    pub fn in_sqlite(data: &Path, origin: Option<&str>) -> Self {
        let before = data.with_extension("before");
        let journal = ["--journal", "sqlite"];
        let init = origin.map_or(Vec::new(), |origin| vec!["--origin", origin]);
        journal_of(&before, &journal, "init", &init);
        Self::age(&before, &journal).restored(data, &journal)
    }

    /// A log in PostgreSQL that was brought back from its export into another database, and whose primary was then lost: its
    /// standby is the primary now. The data folder is that of a node that was there all the time.
    pub fn failed_over(data: &Path) -> (Self, [Cluster; 2]) {
        let clusters = [Cluster::start(), Cluster::nowhere()];
        let before = data.with_extension("before");
        let lost = clusters[0].database("lost");
        let journal = ["--journal", &lost];
        journal_of(&before, &journal, "init", &["--first-node"]);
        clusters[0].database("journal");
        let address = Cluster::address(&[&clusters[0], &clusters[1]], "journal");
        let mut log = Self::age(&before, &journal).restored(data, &["--journal", &address]);
        clusters[1].follow(&clusters[0], Replication::Synchronous);
        log.answers.push(log.ask());
        clusters[0].kill();
        clusters[1].promote();
        log.answers.push(log.ask());
        (log, clusters)
    }

    /// Takes a log that has begun through its first year.
    pub fn age(data: &Path, journal: &[&str]) -> Self {
        let mut log = Self {
            data: data.to_owned(),
            journal: journal.iter().map(|flag| (*flag).to_owned()).collect(),
            answers: Vec::new(),
            first_key: fs::read_to_string(data.join("journal.pub")).unwrap(),
            earlier: String::new(),
            archive: data.with_extension("archive"),
        };
        log.fill();
        log.earlier = fs::read_to_string(data.join("journal.checkpoint")).unwrap();
        log.journal("export", &[&text(&log.archive)]);
        log.journal("prune", &["--before", &(BEGINS + 10).to_string()]);
        log.rotate_key();
        log
    }

    /// Exports it and brings it back elsewhere, with its key, as after the loss of folder or database.
    pub fn restored(mut self, data: &Path, journal: &[&str]) -> Self {
        let (from, known) = (text(&data.with_extension("exported")), text(&self.data.join("journal.checkpoint")));
        self.journal("export", &[&from]);
        journal_of(data, journal, "import", &[&from, "--at-least", &known]);
        fs::copy(self.data.join("journal.key"), data.join("journal.key")).unwrap();
        self.data = data.to_owned();
        self.journal = journal.iter().map(|flag| (*flag).to_owned()).collect();
        self.answers.push(self.ask());
        self
    }

    /// Gives the log its next key: announced, signed with together, then alone. Each step has its answer.
    pub fn rotate_key(&mut self) {
        self.journal("announce-key", &[]);
        self.answers.push(self.ask());
        self.journal("rotate-key", &[]);
        self.answers.push(self.ask());
    }

    /// Runs a command on the log that must end well, and gives what it prints.
    pub fn journal(&self, command: &str, more: &[&str]) -> String {
        journal_of(&self.data, &self.flags(), command, more)
    }

    /// The flags that say where the log is, for a service as for a command.
    pub fn place(&self) -> Vec<String> {
        [&self.journal[..], &["--data-dir".to_owned(), text(&self.data)]].concat()
    }

    /// One answer of a service that starts for it and ends.
    pub fn ask(&self) -> String {
        self.serve().answer()
    }

    /// One answer, many refusals, one answer: more records than one tile has, in about a second.
    fn fill(&mut self) {
        let running = self.serve();
        self.answers.push(running.answer());
        thread::scope(|scope| {
            for _ in 0..CLIENTS {
                scope.spawn(|| {
                    let mut connection = running::connect(&running.0.address).unwrap();
                    for _ in 0..BEGINS / CLIENTS + 2 {
                        let answer = running::exchange(&mut connection, &running::post("", b"{}")).unwrap();
                        assert!(answer.starts_with("HTTP/1.1 422 "), "{answer}");
                    }
                });
            }
        });
        self.answers.push(running.answer());
        running.end();
    }

    fn serve(&self) -> Serving {
        let place = self.place();
        let place: Vec<&str> = place.iter().map(String::as_str).collect();
        Serving(Running::start(&self.data, &place))
    }

    fn flags(&self) -> Vec<&str> {
        self.journal.iter().map(String::as_str).collect()
    }
}

struct Serving(Running);

impl Serving {
    fn answer(&self) -> String {
        let answer = self.0.ask(&running::post("", &running::document())).unwrap();
        assert!(answer.starts_with("HTTP/1.1 200 "), "{answer}");
        answer.split_once("\r\n\r\n").unwrap().1.to_owned()
    }

    /// Ends as a service manager has it, so that its folder has the newest state.
    fn end(self) {
        self.0.terminate();
        let (status, said) = self.0.ended();
        assert!(status.success(), "{status}: {said}");
    }
}

fn journal_of(data: &Path, journal: &[&str], command: &str, more: &[&str]) -> String {
    fs::create_dir_all(data).unwrap();
    let folder = text(data);
    let arguments = [&["journal", command], journal, &["--data-dir", &folder], more].concat();
    Run::of(&mut program(data, &arguments)).exits(0).stdout
}

fn text(path: &Path) -> String {
    path.to_string_lossy().into_owned()
}
