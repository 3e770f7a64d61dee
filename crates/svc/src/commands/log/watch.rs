//! `svc log watch`: the monitor of a log that somebody else serves.
//!
//! Each round proves growth from the state that is remembered, reads what is new, and remembers again. A log that cannot be
//! reached is waited for. One that contradicts what it signed ends the watch, and is written down as evidence first.

use std::{
    cell::Cell,
    fs::{self, File},
    path::{Path, PathBuf},
    sync::{Arc, mpsc},
    thread,
    time::{Duration, Instant},
};

use clap::{Arg, ArgMatches, Command, value_parser};
use svc_archive::log_folder::PUBLIC_KEYS;
use svc_cli::{
    arguments::{self, flag, given_path, is_set, text},
    clock,
    failure::Failure,
    files::write::write_atomic,
    log::{
        log_progress::LogProgress,
        remote::{self, Remote},
        verdict::{self, Growth},
        witnessed::MAX_LAG_SECONDS,
    },
    output::{format::Format, stream},
    policy_file, public_keys, registry_client,
    scope::{Scope, Why},
};
use svc_core::{diagnostics::ScopePart, words::exit_code::ExitCode};
use svc_proof::{
    audit::AuditMark,
    checkpoint::Checkpoint,
    evidence::LogEvidence,
    fault::{JournalFault, JournalFaultKind},
    follow::{ReadLog, follow},
    hand_over::HandOverNotes,
    policy::{Policy, Witnessed},
    public_key::PublicKeys,
    tiles,
    tree::to_digest,
};

use super::{
    evidence_folder::{self, Circumstances, EvidenceStore},
    judge::{RoundEnd, Seen},
    quorum,
    reader_state::ReaderState,
    remote_log::RemoteLog,
    stop_flag::StopFlag,
    stop_signal,
    watch_lines::{ReadRound, WatchEvent, WatchLines},
};
use crate::output::show::CommandOutput;

const DEFAULT_EVERY: u64 = 60;

/// The longest wait for a log that cannot be reached, which begins at a second and doubles.
const MAX_BACKOFF_SECONDS: u64 = 300;

/// How long a reading that is under way has to end when the watch is stopped.
const STOP_TIMEOUT: Duration = Duration::from_secs(2);

/// How long the log may lack the quorum of the policy.
const QUORUM_TIMEOUT: Duration = Duration::from_secs(MAX_LAG_SECONDS);

const LOCK: &str = "watch.lock";

pub(super) fn command() -> Command {
    Command::new("watch")
        .about("Watch a log that somebody else serves: that it only grows, and holds nothing but noes")
        .arg(Arg::new("address").value_name("URL").required(true).help("The address of a registry, or of a copy of its log"))
        .arg(
            arguments::path("state", "DIR")
                .long("state")
                .required(true)
                .help("A folder of your own that remembers what was seen, and takes the evidence"),
        )
        .arg(public_keys::argument().help(
            "A file with the public keys of the log, from a source that you believe; without it the keys that the registry names at the \
             first round are remembered, which shows that the log stays itself and not whose it is",
        ))
        .arg(policy_file::argument())
        .arg(verdict::from_argument())
        .arg(verdict::hand_overs_argument())
        .arg(flag("once", "One round; a log that cannot be reached ends it with exit code 6"))
        .arg(
            Arg::new("every")
                .long("every")
                .value_name("SECONDS")
                .value_parser(value_parser!(u64).range(1..=86_400)).allow_negative_numbers(true)
                .help("The time between two rounds, 1 to 86400 [default: 60]"),
        )
        .args(registry_client::arguments("read"))
        .after_help(
            "Ends with exit code 7 when a record claims something else than no, and with 4 when the log forked, shrank or does not hold; \
             what shows it is below `evidence` in the folder, and is never overwritten.\n\n\
             Example\n  svc log watch https://registry.example --state ./watched --public-key journal.pub",
        )
}

/// What is watched, and how.
struct Watch {
    arguments: ArgMatches,
    address: String,
    remote: Remote,
    folder: PathBuf,
    state: ReaderState,
    evidence: EvidenceStore,
    policy: Option<Policy>,
    lines: WatchLines,
    stop: Arc<StopFlag>,
    round: u64,
    unchanged: Cell<u64>,
    /// Held until the end.
    _lock: File,
}

pub(super) fn run(arguments: &ArgMatches, format: Format) -> Result<CommandOutput, Failure> {
    let watch = Watch::begin(arguments, format)?;
    let stop = Arc::clone(&watch.stop);
    let (sender, heard) = mpsc::channel();
    stop_signal::send_on(sender.clone(), || Heard::Signal).map_err(|error| cannot(&error))?;
    let went = move || drop(sender.send(Heard::Ended(Box::new(watch.go()))));
    thread::Builder::new().spawn(went).map_err(|error| cannot(&error))?;
    let ended = match heard.recv() {
        Ok(Heard::Ended(ended)) => *ended,
        Ok(Heard::Signal) => {
            stop.set();
            // What was read is remembered part by part, so that a request which hangs can be left.
            match heard.recv_timeout(STOP_TIMEOUT) {
                Ok(Heard::Ended(ended)) => *ended,
                Ok(Heard::Signal) | Err(_) => Ok(ExitCode::Valid),
            }
        }
        Err(_) => Err(broken_off()),
    };
    ended.map(CommandOutput::Ended)
}

/// What a watch is woken by.
enum Heard {
    Signal,
    Ended(Box<Result<ExitCode, Failure>>),
}

fn broken_off() -> Failure {
    Failure {
        exit: ExitCode::Bug,
        message: "the watch broke off".to_owned(),
        help: Some("report this as a bug of svc".to_owned()),
    }
}

fn cannot(error: &std::io::Error) -> Failure {
    Failure {
        exit: ExitCode::InputOutput,
        message: format!("cannot start to watch: {error}"),
        help: Some("raise the limits of the process".to_owned()),
    }
}

impl Watch {
    fn begin(arguments: &ArgMatches, format: Format) -> Result<Self, Failure> {
        let address = text(arguments, "address").unwrap_or_default().to_owned();
        if !remote::is_address(&address) {
            return Err(Failure::usage(
                format!("`{address}` must be an address that begins with https://"),
                "give the address of a registry; for a folder, run `svc log verify DIR --state STATE`",
            ));
        }
        let remote = Remote::new(&address, arguments)?;
        let folder = given_path(arguments, "state").unwrap_or_default();
        let state = ReaderState::at(&folder)?;
        let lock = locked(&folder)?;
        let evidence = EvidenceStore::below(&folder);
        evidence.refuse_earlier()?;
        Ok(Self {
            arguments: arguments.clone(),
            address,
            remote,
            folder,
            state,
            evidence,
            policy: policy_file::given(arguments)?,
            lines: WatchLines::new(format, is_set(arguments, "quiet")),
            stop: Arc::default(),
            round: 0,
            unchanged: Cell::new(0),
            _lock: lock,
        })
    }

    /// Round after round, to the end.
    fn go(mut self) -> Result<ExitCode, Failure> {
        let every = self.arguments.get_one::<u64>("every").copied().unwrap_or(DEFAULT_EVERY);
        let is_once = is_set(&self.arguments, "once");
        let (mut backoff, mut origin, mut unwitnessed) = (1, self.address.clone(), None);
        loop {
            self.round += 1;
            let (event, wait) = match self.read(&mut origin) {
                Ok(read) => {
                    (backoff, unwitnessed) = (1, None);
                    (Ok(read), every)
                }
                Err(_) if self.stop.is_set() => (Err(None), 0),
                Err(RoundEnd::Unread(fault)) if is_once => return Err(remote::stopped(&fault)),
                // Witnesses come a moment after the log, and a witness may be down for a while.
                Err(RoundEnd::Unwitnessed(fault))
                    if is_once || unwitnessed.get_or_insert_with(Instant::now).elapsed() > QUORUM_TIMEOUT =>
                {
                    self.lines.close();
                    return Err(quorum::lacking(&fault));
                }
                Err(RoundEnd::Unread(fault) | RoundEnd::Unwitnessed(fault)) => {
                    let wait = backoff;
                    backoff = (backoff * 2).min(MAX_BACKOFF_SECONDS);
                    (Err(Some(fault)), wait)
                }
                Err(RoundEnd::Found(evidence, fault, asked)) => return self.found(&origin, &evidence, &fault, asked),
                Err(RoundEnd::Failed(failure)) => {
                    self.lines.close();
                    return Err(failure);
                }
            };
            let told = match &event {
                Ok(read) => self.lines.write(&origin, self.round, &WatchEvent::Read(read))?,
                Err(Some(fault)) => {
                    self.lines.write(&origin, self.round, &WatchEvent::Waiting { fault, seconds: wait })?
                }
                Err(None) => true,
            };
            if is_once || !told {
                self.lines.close();
                return Ok(ExitCode::Valid);
            }
            if self.stop.wait(Duration::from_secs(wait)) {
                self.lines.write(&origin, self.round, &WatchEvent::Stopped)?;
                return Ok(ExitCode::Valid);
            }
        }
    }

    fn found(
        &mut self,
        origin: &str,
        evidence: &LogEvidence,
        fault: &JournalFault,
        asked: Vec<String>,
    ) -> Result<ExitCode, Failure> {
        let around = Circumstances { address: &self.address, asked, fault, origin, time: clock::now() };
        let folder = self.evidence.write(evidence, &around)?;
        let failure = evidence_folder::found(evidence, &around, &folder);
        self.lines.write(origin, self.round, &WatchEvent::Found { kind: evidence.kind, folder: &folder, fault })?;
        if self.lines.is_json { Ok(failure.exit) } else { Err(failure) }
    }

    /// One round. A file that was there a moment ago may have been pruned since, so that what is missing is looked for twice.
    fn read(&self, origin: &mut String) -> Result<ReadRound, RoundEnd> {
        let keys = self.keys()?;
        keys.origin().clone_into(origin);
        match self.read_once(&keys) {
            Err((RoundEnd::Found(..), true)) => self.read_once(&keys).map_err(|(end, _)| end),
            read => read.map_err(|(end, _)| end),
        }
    }

    /// The same, and whether a file was missing.
    fn read_once(&self, given: &PublicKeys) -> Result<ReadRound, (RoundEnd, bool)> {
        let stop = Arc::clone(&self.stop);
        let log = RemoteLog::new(&self.remote, &stop);
        let mut seen = Seen::new(given);
        let read = self.follow(&log, &mut seen);
        read.map_err(|end| match end {
            RoundEnd::Unread(fault) => {
                let is_missing = fault.kind == JournalFaultKind::Missing;
                (seen.judge(&log, fault), is_missing)
            }
            end @ (RoundEnd::Unwitnessed(_) | RoundEnd::Found(..) | RoundEnd::Failed(_)) => (end, false),
        })
    }

    fn follow(&self, log: &RemoteLog<'_>, seen: &mut Seen<'_>) -> Result<ReadRound, RoundEnd> {
        seen.extend_keys(self.remembered_notes()?, log).map_err(RoundEnd::Unread)?;
        let changes = seen.notes.changes(&seen.keys).map_err(RoundEnd::Unread)?;
        verdict::without_hand_over(&changes, &self.arguments)?;
        let known = self.state.read(&seen.keys)?;
        let mut older = verdict::older_states(&self.arguments, &seen.keys)?;
        let served = self.policy.as_ref().map(|_| quorum::served(log)).transpose()?.flatten();
        let demand = |text: &str| self.policy.as_ref().map(|policy| quorum::demand(policy, text, &seen.keys));
        let witnessed = served.as_deref().and_then(demand);
        let mark = |seen: &Witnessed| (verdict::WITNESSED_MARK.to_owned(), seen.checkpoint().clone());
        older.extend(witnessed.iter().flatten().map(mark));
        let marks = older.iter().map(|(name, state)| AuditMark::new(name, state)).collect();
        seen.known = known
            .iter()
            .map(|known| known.checkpoint.clone())
            .chain(older.into_iter().map(|(_, state)| state))
            .collect();
        let older_sizes: Vec<u64> = seen.known.iter().map(Checkpoint::size).collect();
        let before = known.as_ref().map(|known| (known.seen.read(), known.checkpoint.clone()));
        let mut progress = LogProgress::start();
        let mut keep = |read: &ReadLog| self.state.keep(read);
        let read = follow(log, &seen.keys, known, marks, &mut keep, &mut |at, of| progress.at(at, of));
        drop(progress);
        let read = read.map_err(RoundEnd::Unread)?;
        if !seen.notes.is_empty() {
            self.keep(tiles::HAND_OVERS, seen.notes.to_file().as_bytes())?;
        }
        // A log that holds and was not seen by enough is told apart from one that does not hold.
        let newest = || demand(&String::from_utf8(log.checkpoint().unwrap_or_default()).unwrap_or_default());
        if let Some(witnessed) = witnessed.or_else(newest).transpose()? {
            quorum::expect_recent(&witnessed, &read.checkpoint)?;
        }
        let is_unchanged = before.as_ref().is_some_and(|(_, state)| state.size() == read.checkpoint.size());
        self.unchanged.set(if is_unchanged { self.unchanged.get() + 1 } else { 0 });
        let read_now = read.seen.read() - before.map_or(0, |(read, _)| read);
        Ok(ReadRound {
            denied: read.seen.denied,
            pruned: read.seen.pruned,
            read_now,
            records: read.seen.records,
            refused: read.seen.refused,
            root_hash: to_digest(read.checkpoint.root()).to_string(),
            scope: self.scope(
                verdict::unread_records(&read.seen, read_now),
                Growth::since(older_sizes, read.checkpoint.size()),
            ),
            unchanged_rounds: self.unchanged.get(),
        })
    }

    /// What a round that ended well has checked.
    fn scope(&self, unread: Option<Why>, growth: Growth) -> Scope {
        let unpinned = given_path(&self.arguments, "public-key").is_none();
        let unseen = match &self.policy {
            None => Some(Why::NoPolicyGiven),
            Some(policy) => policy.asks_for_nobody().then_some(Why::NoWitnessNamed),
        };
        Scope::of_log([
            (ScopePart::Records, unread),
            (ScopePart::LogTree, None),
            (ScopePart::LogGrowth, growth.unseen()),
            (ScopePart::LogKey, unpinned.then_some(Why::KeysOfTheLog)),
            (ScopePart::Cosignatures, unseen),
        ])
    }

    /// The keys that were given, else those that are remembered, else those that the log names now.
    fn keys(&self) -> Result<PublicKeys, RoundEnd> {
        let remembered = self.folder.join(PUBLIC_KEYS);
        if given_path(&self.arguments, "public-key").is_some() || remembered.is_file() {
            return Ok(public_keys::given(&self.arguments, Some(&remembered))?);
        }
        let keys = self.remote.keys().map_err(RoundEnd::Unread)?;
        self.keep(PUBLIC_KEYS, keys.to_file().as_bytes())?;
        stream::status(&format!(
            "warning: the keys came from the registry itself and are remembered in {}: this shows that the log stays itself, not \
             whose it is\n",
            remembered.display()
        ));
        Ok(keys)
    }

    fn remembered_notes(&self) -> Result<HandOverNotes, Failure> {
        let path = self.folder.join(tiles::HAND_OVERS);
        if fs::symlink_metadata(&path).is_err() {
            return Ok(HandOverNotes::default());
        }
        HandOverNotes::parse(&public_keys::small_file(&path)?).map_err(|fault| Failure::log(&fault))
    }

    fn keep(&self, name: &str, bytes: &[u8]) -> Result<(), Failure> {
        let path = self.folder.join(name);
        write_atomic(&path, bytes).map(drop).map_err(|error| Failure::writing(&path.to_string_lossy(), &error))
    }
}

/// Takes the folder for this watch.
fn locked(folder: &Path) -> Result<File, Failure> {
    let path = folder.join(LOCK);
    let opened = File::options().create(true).truncate(false).write(true).open(&path);
    let file = opened.map_err(|error| Failure {
        exit: ExitCode::InputOutput,
        message: format!("{}: {error}", path.display()),
        help: Some("give a folder of your own".to_owned()),
    })?;
    match file.try_lock() {
        Err(fs::TryLockError::WouldBlock) => Err(Failure::log(&JournalFault::new(
            JournalFaultKind::Locked,
            format!("another watch writes to {}", folder.display()),
        ))),
        // Where the file system has no locks, nobody can tell.
        Ok(()) | Err(fs::TryLockError::Error(_)) => Ok(file),
    }
}
