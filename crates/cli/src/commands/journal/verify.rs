//! `svc journal verify`: a whole log, from its first record to its last, offline.

use std::path::Path;

use clap::{Arg, ArgAction, ArgMatches, Command};
use serde::Serialize;
use svc_archive::{folder_files::FolderFiles, log_folder::PUBLIC_KEYS};
use svc_core::{
    diagnostics::{RunScope, ScopePart},
    words::exit_code::ExitCode,
};
use svc_journal::{store::log_start, store_source::StoreSource};
use svc_json::printable;
use svc_proof::{
    audit::{self, AuditMark, AuditSummary},
    checkpoint::Checkpoint,
    fault::{JournalFault, JournalFaultKind},
    follow::{ReadLog, follow},
    hand_over::KeyChange,
    policy::Policy,
    public_key::PublicKeys,
    source::{LogFiles, hand_overs_of, start_of},
    tiles,
    tree::to_digest,
};

use super::{
    location::{location, with_location},
    log_progress::LogProgress,
    reader_state::ReaderState,
    remote::{self, Remote},
    witnessed::{self, WitnessVerdict},
};
use crate::{
    arguments::{self, flag, given_path, is_set, text},
    failure::Failure,
    output::format::Format,
    policy_file, public_keys, registry_client,
    scope::{Scope, Why},
};

pub(super) const WITNESSED_MARK: &str = "the state that the witnesses cosigned";

pub(super) fn command() -> Command {
    let verify = Command::new("verify")
        .about("Check every record, the tree and its signed states; every record must be a no")
        .arg(
            Arg::new("source")
                .value_name("DIR|URL")
                .help("An exported folder, or the address of a registry [default: the journal of the data folder]"),
        )
        .arg(from_argument())
        .arg(public_keys::argument().help(
            "A file with the public keys of the log, from a source that you believe; without it an exported folder is checked with its own \
             keys, which shows that it agrees with itself and not who made it",
        ))
        .arg(arguments::path("state", "DIR").long("state").help(
            "A folder that remembers how far the log was read: the next run proves growth from there and reads only what is new",
        ))
        .arg(policy_file::argument())
        .arg(hand_overs_argument())
        .args(registry_client::arguments("read"))
        .after_help("Examples\n  svc journal verify\n  svc journal verify ./exported --public-key journal.pub --from last-week.checkpoint\n  svc journal verify https://registry.example --public-key journal.pub --state ./watched");
    with_location(verify)
}

pub(super) fn from_argument() -> Arg {
    arguments::path("from", "FILE")
        .long("from")
        .action(ArgAction::Append)
        .help("An older checkpoint or receipt; the log must have grown from its state; may be repeated")
}

pub(super) fn hand_overs_argument() -> Arg {
    flag("require-hand-overs", "Refuse a log that has a key which the key before did not sign")
}

/// Where the keys came from, which decides what a log that holds shows.
#[derive(Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
enum KeySource {
    /// Given by `--public-key`.
    Given,
    /// The log lines of `--policy`.
    Policy,
    /// The data folder of the journal itself.
    DataFolder,
    /// The exported folder that was checked: whoever made the one made the other.
    Export,
}

impl KeySource {
    /// Why they do not show whose log it is.
    const fn unpinned(self) -> Option<Why> {
        match self {
            Self::Given | Self::Policy => None,
            Self::DataFolder | Self::Export => Some(Why::KeysOfTheLog),
        }
    }
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct LogVerdict<'a> {
    /// The first record whose bytes are kept.
    begins: u64,
    denied: u64,
    holds: bool,
    key_source: KeySource,
    /// Keys that the key before them did not sign.
    keys_without_hand_over: Vec<String>,
    origin: &'a str,
    pruned: u64,
    /// How many of the records this run read; the others were read before.
    read_now: u64,
    records: u64,
    refused: u64,
    root_hash: String,
    scope: RunScope<'static>,
    set_back: u64,
    signed_states: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    witnesses: Option<WitnessVerdict>,
}

pub(super) fn run(arguments: &ArgMatches, format: Format) -> Result<String, Failure> {
    if given_path(arguments, "state").is_some() && text(arguments, "source").is_none() {
        return Err(Failure::usage(
            "`--state` is for a log that somebody else serves, and none was named",
            "give DIR|URL too, or leave --state out",
        ));
    }
    let policy = policy_file::given(arguments)?;
    let by_policy =
        if given_path(arguments, "public-key").is_some() { None } else { witnessed::keys_of(policy.as_ref()) };
    let is_by_policy = by_policy.is_some();
    let demands = Demands { keys: by_policy, policy };
    let (beside, CheckedLog { seen, root, keys, begins, changes, read_now, growth, witnesses }) =
        match text(arguments, "source") {
            Some(address) if remote::is_address(address) => {
                let keys = demands.keys.clone().map_or_else(|| public_keys::given(arguments, None), Ok)?;
                (
                    KeySource::Given,
                    files_at(
                        &Remote::new(address, arguments)?,
                        &keys,
                        &demands,
                        arguments,
                        (Age::Recent, remote::stopped),
                    )?,
                )
            }
            Some(folder) => (KeySource::Export, folder_at(Path::new(folder), &demands, arguments)?),
            None => (KeySource::DataFolder, journal(arguments, &demands)?),
        };
    let is_given = given_path(arguments, "public-key").is_some();
    let key_source = if is_given {
        KeySource::Given
    } else if is_by_policy {
        KeySource::Policy
    } else {
        beside
    };
    let scope = Scope::of_log([
        (ScopePart::Records, unread_records(&seen, read_now)),
        (ScopePart::LogTree, None),
        (ScopePart::LogGrowth, growth.unseen()),
        (ScopePart::LogKey, key_source.unpinned()),
        (ScopePart::Cosignatures, WitnessVerdict::unseen(witnesses.as_ref())),
    ]);
    let verdict = LogVerdict {
        begins,
        denied: seen.denied,
        holds: true,
        key_source,
        keys_without_hand_over: without_hand_over(&changes, arguments)?,
        origin: keys.origin(),
        pruned: seen.pruned,
        read_now,
        records: seen.records,
        refused: seen.refused,
        root_hash: root,
        scope: scope.to_report(),
        set_back: seen.set_back,
        signed_states: seen.marks,
        witnesses,
    };
    Ok(match format {
        Format::Json => String::from_utf8_lossy(&printable::pretty(&verdict)).into_owned(),
        Format::Human | Format::Concise | Format::Sarif | Format::Junit | Format::Github => {
            in_words(&verdict) + &scope.in_lines()
        }
    })
}

pub(super) fn unread_records(seen: &AuditSummary, read_now: u64) -> Option<Why> {
    match (seen.pruned > 0, read_now < seen.read()) {
        (true, true) => Some(Why::PrunedAndReadBefore),
        (true, false) => Some(Why::Pruned),
        (false, true) => Some(Why::ReadBefore),
        (false, false) => None,
    }
}

fn in_words(verdict: &LogVerdict<'_>) -> String {
    let pruned = match verdict.pruned {
        0 => String::new(),
        some => format!(
            "{some} of them pruned: their hashes are in the tree, their words were not read; the log begins at {}\n",
            verdict.begins
        ),
    };
    let set_back = match verdict.set_back {
        0 => String::new(),
        some => {
            format!("{some} times earlier than the record before: a clock was set back; the order is not the clock's\n")
        }
    };
    let read = verdict.denied + verdict.refused;
    let noes = if verdict.pruned == 0 {
        "nothing but noes".to_owned()
    } else {
        format!("nothing but noes in the {read} that could be read")
    };
    let (now, before) = (verdict.read_now, read - verdict.read_now.min(read));
    let headline = match before {
        0 => {
            let (records, denied, refused) = (verdict.records, verdict.denied, verdict.refused);
            format!("{records} records hold, {denied} denied and {refused} refused; {noes}")
        }
        some => format!(
            "{} records in the tree, {now} of them read now, {some} before; {} denied and {} refused when they were read",
            verdict.records, verdict.denied, verdict.refused,
        ),
    };
    let keys: String = verdict
        .keys_without_hand_over
        .iter()
        .map(|key| {
            format!(
                "warning: the key {key} came without hand-over: the one before was lost, or somebody else made it\n"
            )
        })
        .collect();
    let witnesses = verdict.witnesses.as_ref().map_or_else(String::new, |witnesses| {
        let newer = match verdict.records - witnesses.records().min(verdict.records) {
            0 => String::new(),
            some => format!("{some} newer records are not among them yet\n"),
        };
        witnesses.in_words() + &newer
    });
    format!(
        "{}: {headline}\n{pruned}{set_back}{keys}{witnesses}root {}, {} signed states met\n",
        verdict.origin, verdict.root_hash, verdict.signed_states,
    )
}

struct CheckedLog {
    seen: AuditSummary,
    root: String,
    keys: PublicKeys,
    read_now: u64,
    begins: u64,
    growth: Growth,
    changes: Vec<KeyChange>,
    witnesses: Option<WitnessVerdict>,
}

/// What a comparison with older states shows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Growth {
    Shown,
    /// Each state that was known is the one that the log has now.
    SameState,
    NoOlderState,
}

impl Growth {
    /// By the sizes of the states that were known before, and that of the log.
    pub(super) fn since(known: impl IntoIterator<Item = u64>, size: u64) -> Self {
        let mut growth = Self::NoOlderState;
        for known in known {
            if 0 < known && known < size {
                return Self::Shown;
            }
            growth = Self::SameState;
        }
        growth
    }

    pub(super) fn unseen(self) -> Option<Why> {
        match self {
            Self::Shown => None,
            Self::SameState => Some(Why::SameState),
            Self::NoOlderState => Some(Why::NoOlderState),
        }
    }
}

/// How long ago the witnesses may have seen the log.
#[derive(Clone, Copy)]
enum Age {
    /// Files that were written at some time tell nothing of now.
    Any,
    Recent,
}

/// What `--policy` demands.
struct Demands {
    /// The keys that it names, where they are the ones to check with.
    keys: Option<PublicKeys>,
    policy: Option<Policy>,
}

/// The keys that nobody handed the log over to.
pub(super) fn without_hand_over(changes: &[KeyChange], arguments: &ArgMatches) -> Result<Vec<String>, Failure> {
    let without = changes.iter().filter(|change| !change.handed_over);
    let without: Vec<String> = without.map(|change| change.key.as_str().to_owned()).collect();
    match without.first() {
        Some(key) if is_set(arguments, "require-hand-overs") => Err(broken(JournalFault::new(
            JournalFaultKind::WrongKey,
            format!("the key {key} came without hand-over, and --require-hand-overs is given"),
        ))),
        Some(_) | None => Ok(without),
    }
}

fn folder_at(folder: &Path, demands: &Demands, arguments: &ArgMatches) -> Result<CheckedLog, Failure> {
    if !folder.join(tiles::CHECKPOINT).is_file() {
        let message = format!("{} must be an exported log, and has no file `{}`", folder.display(), tiles::CHECKPOINT);
        let help =
            "give a folder that `svc journal export` wrote; to check a journal itself, give --data-dir DIR instead";
        return Err(Failure { exit: ExitCode::InputOutput, message, help: Some(help.to_owned()) });
    }
    let own = folder.join(PUBLIC_KEYS);
    let keys = demands.keys.clone().map_or_else(|| public_keys::given(arguments, Some(own.as_path())), Ok)?;
    files_at(&FolderFiles::new(folder), &keys, demands, arguments, (Age::Any, Failure::journal))
}

fn files_at(
    files: &dyn LogFiles,
    keys: &PublicKeys,
    demands: &Demands,
    arguments: &ArgMatches,
    (age, stopped): (Age, impl Fn(&JournalFault) -> Failure),
) -> Result<CheckedLog, Failure> {
    let notes = hand_overs_of(files).map_err(|fault| stopped(&fault))?;
    let keys = notes.extend(keys).map_err(broken)?;
    let changes = notes.changes(&keys).map_err(broken)?;
    let begins = start_of(files, &keys).map_err(|fault| stopped(&fault))?.index();
    let mut marks = older(arguments, &keys)?;
    let mut sizes: Vec<u64> = marks.iter().map(|mark| mark.size).collect();
    // Before the newest state is asked for, which is then never behind it.
    let witnessed = match &demands.policy {
        Some(policy) => Some(witnessed::of_log(files, policy, &keys)?),
        None => None,
    };
    marks.extend(witnessed.iter().map(|state| AuditMark::new(WITNESSED_MARK, state.checkpoint())));
    let witnesses = witnessed.as_ref().map(WitnessVerdict::new);
    let state = given_path(arguments, "state").map(|folder| ReaderState::at(&folder)).transpose()?;
    let known = state.as_ref().map_or(Ok(None), |state| state.read(&keys))?;
    sizes.extend(known.iter().map(|known| known.checkpoint.size()));
    let before = known.as_ref().map_or(0, |known| known.seen.read());
    let mut line = LogProgress::new();
    let mut keep = |read: &ReadLog| state.as_ref().map_or(Ok(()), |state| state.keep(read));
    let read = follow(files, &keys, known, marks, &mut keep, &mut |at, of| line.at(at, of));
    drop(line);
    let read = read.map_err(|fault| stopped(&fault))?;
    if let (Some(witnessed), Age::Recent) = (&witnessed, age) {
        witnessed::expect_recent(witnessed, read.checkpoint.size()).map_err(witnessed::lacking)?;
    }
    let root = to_digest(read.checkpoint.root()).to_string();
    let read_now = read.seen.read() - before;
    let growth = Growth::since(sizes, read.checkpoint.size());
    Ok(CheckedLog { root, keys, begins, changes, read_now, growth, seen: read.seen, witnesses })
}

/// The journal itself: its head, the checkpoint outside it, and whatever older ones were given.
fn journal(arguments: &ArgMatches, demands: &Demands) -> Result<CheckedLog, Failure> {
    let location = location(arguments)?;
    let reading = location.read().map_err(|fault| Failure::journal(&fault))?;
    location.check_remembered(&reading).map_err(broken)?;
    let keys = match given_path(arguments, "public-key") {
        Some(_) => public_keys::given(arguments, None)?,
        None => demands.keys.clone().unwrap_or_else(|| reading.keys.clone()),
    };
    let notes = reading.store.hand_overs().map_err(broken)?;
    let keys = notes.extend(&keys).map_err(broken)?;
    let changes = notes.changes(&keys).map_err(broken)?;
    let mut marks = older(arguments, &keys)?;
    let older_sizes: Vec<u64> = marks.iter().map(|mark| mark.size).collect();
    // A running service goes on: the head is read after the checkpoint, so that it is never behind it.
    let kept: Option<Checkpoint> = reading.folder.checkpoint(&keys).map_err(broken)?;
    let witnessed = match &demands.policy {
        Some(policy) => {
            let text = reading.folder.witnessed().map_err(broken)?;
            let text = text.or_else(|| kept.as_ref().map(|kept| kept.text().as_str().to_owned())).unwrap_or_default();
            Some(witnessed::of_text(&text, policy, &keys)?)
        }
        None => None,
    };
    marks.extend(witnessed.iter().map(|state| AuditMark::new(WITNESSED_MARK, state.checkpoint())));
    let witnesses = witnessed.as_ref().map(WitnessVerdict::new);
    let head = reading.store.head().map_err(broken)?;
    let growth = {
        let sizes = older_sizes.into_iter();
        // The journal's own checkpoint is an older state only where the log has grown since.
        let kept = kept.iter().map(Checkpoint::size).filter(|size| *size < head.tree.size());
        Growth::since(sizes.chain(kept), head.tree.size())
    };
    marks.extend(kept.iter().map(|kept| AuditMark::new("the checkpoint outside the database", kept)));
    marks.push(AuditMark { name: "the journal's head".to_owned(), size: head.tree.size(), root: head.root });
    reading.store.check_structure().map_err(broken)?;
    let (seen, _) = audit::audit(&mut StoreSource::new(reading.store.as_ref()), marks, &mut |_| {}).map_err(broken)?;
    let read_now = seen.read();
    let begins = log_start(reading.store.as_ref()).map_err(broken)?.index();
    let root = to_digest(&head.root).to_string();
    Ok(CheckedLog { seen, root, keys, begins, changes, read_now, growth, witnesses })
}

/// The older states that the log must have grown from.
fn older(arguments: &ArgMatches, keys: &PublicKeys) -> Result<Vec<AuditMark>, Failure> {
    let states = older_states(arguments, keys)?;
    Ok(states.iter().map(|(name, state)| AuditMark::new(name, state)).collect())
}

/// The signed states of `--from`, each with the name of its file.
pub(super) fn older_states(arguments: &ArgMatches, keys: &PublicKeys) -> Result<Vec<(String, Checkpoint)>, Failure> {
    let mut states = Vec::new();
    for path in arguments.get_many::<std::ffi::OsString>("from").unwrap_or_default() {
        let text = public_keys::small_file(Path::new(path))?;
        let name = Path::new(path).display().to_string();
        let checkpoint = Checkpoint::open(&state_in(&text), keys);
        let checkpoint = checkpoint.map_err(|refused| {
            Failure::usage(
                format!("{name}: no state of this log is in it: {}", refused.reason()),
                "give --from a checkpoint, a receipt or an answer of this log, as it came",
            )
        })?;
        states.push((name, checkpoint));
    }
    Ok(states)
}

/// The signed state in a text: that of an answer, of a receipt, or the text itself.
pub(super) fn state_in(text: &str) -> String {
    let inner = serde_json::from_str::<serde_json::Value>(text).ok().and_then(|document| {
        let receipt = document.get("receipt").unwrap_or(&document);
        Some(receipt.get("checkpoint")?.as_str()?.to_owned())
    });
    inner.unwrap_or_else(|| text.to_owned())
}

fn broken(fault: JournalFault) -> Failure {
    Failure::journal(&fault)
}
