//! The verdict on a whole log, from its first record to its last.

use std::path::Path;

use clap::{Arg, ArgAction, ArgMatches};
use serde::Serialize;
use svc_core::diagnostics::{RunScope, ScopePart};
use svc_json::printable;
use svc_proof::{
    audit::{AuditMark, AuditSummary},
    checkpoint::Checkpoint,
    fault::{JournalFault, JournalFaultKind},
    hand_over::KeyChange,
    policy::Policy,
    public_key::PublicKeys,
};

use super::witnessed::{self, WitnessVerdict};
use crate::{
    arguments::{self, flag, given_path, is_set},
    failure::Failure,
    output::format::Format,
    policy_file, public_keys,
    scope::{Scope, Why},
};

pub const WITNESSED_MARK: &str = "the state that the witnesses cosigned";

pub fn from_argument() -> Arg {
    arguments::path("from", "FILE")
        .long("from")
        .action(ArgAction::Append)
        .help("An older checkpoint or receipt; the log must have grown from its state; may be repeated")
}

pub fn hand_overs_argument() -> Arg {
    flag("require-hand-overs", "Refuse a log that has a key which the key before did not sign")
}

/// Where the keys came from, which decides what a log that holds shows.
#[derive(Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum KeySource {
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
    pub const fn unpinned(self) -> Option<Why> {
        match self {
            Self::Given | Self::Policy => None,
            Self::DataFolder | Self::Export => Some(Why::KeysOfTheLog),
        }
    }
}

/// What the arguments demand of a log.
pub struct Demands {
    /// The keys that the policy names, where they are the ones to check with.
    pub keys: Option<PublicKeys>,
    pub policy: Option<Policy>,
}

impl Demands {
    /// Reads them from `--policy` and `--public-key`.
    ///
    /// # Errors
    /// When the policy cannot be used.
    pub fn given(arguments: &ArgMatches) -> Result<Self, Failure> {
        let policy = policy_file::given(arguments)?;
        let is_given = given_path(arguments, "public-key").is_some();
        let keys = if is_given { None } else { witnessed::keys_of(policy.as_ref()) };
        Ok(Self { keys, policy })
    }

    /// The keys of the policy, else those of `--public-key`, else those beside the log.
    ///
    /// # Errors
    /// When there are none, or they cannot be used.
    pub fn keys(&self, arguments: &ArgMatches, beside: Option<&Path>) -> Result<PublicKeys, Failure> {
        self.keys.clone().map_or_else(|| public_keys::given(arguments, beside), Ok)
    }

    fn key_source(&self, beside: KeySource, arguments: &ArgMatches) -> KeySource {
        if given_path(arguments, "public-key").is_some() {
            KeySource::Given
        } else if self.keys.is_some() {
            KeySource::Policy
        } else {
            beside
        }
    }
}

pub struct CheckedLog {
    pub seen: AuditSummary,
    pub root: String,
    pub keys: PublicKeys,
    pub read_now: u64,
    pub begins: u64,
    pub growth: Growth,
    pub changes: Vec<KeyChange>,
    pub witnesses: Option<WitnessVerdict>,
}

/// The verdict on a log that holds, in the format that was asked for.
///
/// # Errors
/// When a key came without hand-over and `--require-hand-overs` is given.
pub fn of_log(
    checked: CheckedLog,
    demands: &Demands,
    beside: KeySource,
    arguments: &ArgMatches,
    format: Format,
) -> Result<String, Failure> {
    let CheckedLog { seen, root, keys, begins, changes, read_now, growth, witnesses } = checked;
    let key_source = demands.key_source(beside, arguments);
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

pub fn unread_records(seen: &AuditSummary, read_now: u64) -> Option<Why> {
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

/// What a comparison with older states shows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Growth {
    Shown,
    /// Each state that was known is the one that the log has now.
    SameState,
    NoOlderState,
}

impl Growth {
    /// By the sizes of the states that were known before, and that of the log.
    pub fn since(known: impl IntoIterator<Item = u64>, size: u64) -> Self {
        let mut growth = Self::NoOlderState;
        for known in known {
            if 0 < known && known < size {
                return Self::Shown;
            }
            growth = Self::SameState;
        }
        growth
    }

    pub fn unseen(self) -> Option<Why> {
        match self {
            Self::Shown => None,
            Self::SameState => Some(Why::SameState),
            Self::NoOlderState => Some(Why::NoOlderState),
        }
    }
}

/// The keys that nobody handed the log over to.
pub fn without_hand_over(changes: &[KeyChange], arguments: &ArgMatches) -> Result<Vec<String>, Failure> {
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

/// The older states that the log must have grown from.
///
/// # Errors
/// When one is no state of this log.
pub fn older(arguments: &ArgMatches, keys: &PublicKeys) -> Result<Vec<AuditMark>, Failure> {
    let states = older_states(arguments, keys)?;
    Ok(states.iter().map(|(name, state)| AuditMark::new(name, state)).collect())
}

/// The signed states of `--from`, each with the name of its file.
pub fn older_states(arguments: &ArgMatches, keys: &PublicKeys) -> Result<Vec<(String, Checkpoint)>, Failure> {
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
pub fn state_in(text: &str) -> String {
    let inner = serde_json::from_str::<serde_json::Value>(text).ok().and_then(|document| {
        let receipt = document.get("receipt").unwrap_or(&document);
        Some(receipt.get("checkpoint")?.as_str()?.to_owned())
    });
    inner.unwrap_or_else(|| text.to_owned())
}

fn broken(fault: JournalFault) -> Failure {
    Failure::log(&fault)
}
