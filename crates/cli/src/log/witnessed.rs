//! The quorum of a policy, demanded for the state of a log.

use std::path::{Path, PathBuf};

use clap::ArgMatches;
use serde::Serialize;
use svc_archive::folder_files::FolderFiles;
use svc_core::{journal::timestamp::Timestamp, words::exit_code::ExitCode};
use svc_proof::{
    checkpoint::Checkpoint,
    cosignature::TimeWindow,
    fault::{JournalFault, JournalFaultKind},
    growth,
    policy::{Policy, Unwitnessed, Witnessed},
    public_key::PublicKeys,
    source::LogFiles,
    tiles::{CHECKPOINT, WITNESSED_CHECKPOINT},
};

use super::remote::{self, Remote};
use crate::{clock, failure::Failure, output::escape::Safe, public_keys, scope::Why};

/// How long ago the witnesses may have seen a log that has grown since.
pub const MAX_LAG_SECONDS: u64 = 600;

/// Who has seen the state of a log, as it is told.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub struct WitnessVerdict {
    cosigned: Vec<CosignedLine>,
    missing: Vec<String>,
    /// The size of the state that they have seen.
    records: u64,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct CosignedLine {
    time: String,
    witness: String,
}

impl WitnessVerdict {
    /// Why nobody has been shown to have seen the log.
    pub fn unseen(verdict: Option<&Self>) -> Option<Why> {
        match verdict {
            None => Some(Why::NoPolicyGiven),
            Some(verdict) => verdict.cosigned.is_empty().then_some(Why::NoWitnessNamed),
        }
    }

    pub fn new(witnessed: &Witnessed) -> Self {
        let seen = witnessed.seen();
        let line = |by: &svc_proof::policy::CosignedBy| CosignedLine {
            time: Timestamp::utc_seconds(by.cosignature.time()),
            witness: by.name.clone(),
        };
        Self {
            cosigned: seen.cosigned.iter().map(line).collect(),
            missing: seen.missing.clone(),
            records: witnessed.checkpoint().size(),
        }
    }

    /// One line: how many, of which state, since when, and who is missing.
    pub fn in_words(&self) -> String {
        let (cosigned, all) = (self.cosigned.len(), self.cosigned.len() + self.missing.len());
        let oldest = self.cosigned.iter().map(|line| line.time.as_str()).min();
        let when = oldest.map_or_else(String::new, |time| format!(", the first at {time}"));
        let missing: Vec<String> = self.missing.iter().map(|name| Safe(name).to_string()).collect();
        let missing = if missing.is_empty() { String::new() } else { format!("; missing: {}", missing.join(", ")) };
        format!("{cosigned} of {all} witnesses cosigned the state of {} records{when}{missing}\n", self.records)
    }

    pub const fn records(&self) -> u64 {
        self.records
    }
}

/// Where a witnessed state is looked for.
pub enum WitnessedPlace {
    /// A file that holds one.
    File(PathBuf),
    /// A log that can show that it has grown into one.
    Log(Box<dyn LogFiles>),
}

impl WitnessedPlace {
    pub fn given(text: &str, arguments: &ArgMatches) -> Result<Self, Failure> {
        if remote::is_address(text) {
            return Ok(Self::Log(Box::new(Remote::new(text, arguments)?)));
        }
        let path = Path::new(text);
        Ok(if path.is_dir() { Self::Log(Box::new(FolderFiles::new(path))) } else { Self::File(path.to_owned()) })
    }
}

/// The newest state of a log that the quorum has seen: the one that the log serves as such, else its newest.
pub fn of_log(files: &dyn LogFiles, policy: &Policy, keys: &PublicKeys) -> Result<Witnessed, Failure> {
    let served = match files.get(WITNESSED_CHECKPOINT) {
        Err(fault) if fault.kind == JournalFaultKind::Missing => files.get(CHECKPOINT),
        read => read,
    };
    let text = served.map_err(|fault| remote::stopped(&fault))?;
    of_text(&String::from_utf8_lossy(&text), policy, keys)
}

pub fn of_text(text: &str, policy: &Policy, keys: &PublicKeys) -> Result<Witnessed, Failure> {
    policy.check(text, keys, until_now()).map_err(|refused| unwitnessed(&refused))
}

/// When a cosignature that is read now counts.
pub fn until_now() -> TimeWindow {
    TimeWindow::until(clock::seconds_now())
}

/// Demands the quorum for one state: by its own cosignatures, or by those of a later state that it has grown into.
pub fn of_state(
    (text, state): (&str, &Checkpoint),
    policy: &Policy,
    keys: &PublicKeys,
    place: Option<&WitnessedPlace>,
) -> Result<Witnessed, Failure> {
    // A place that was given is always looked at: nothing that was asked for is passed over.
    let Some(place) = place else {
        return policy.check(text, keys, until_now()).map_err(|refused| unwitnessed(&refused));
    };
    match place {
        WitnessedPlace::File(path) => {
            let witnessed = of_text(&public_keys::small_file(path)?, policy, keys)?;
            let other = witnessed.checkpoint();
            if (other.size(), other.root()) == (state.size(), state.root()) {
                return Ok(witnessed);
            }
            Err(Failure::usage(
                format!(
                    "the checkpoint is of {} records and the proof of {}: a file alone cannot show that one grew into the other",
                    other.size(),
                    state.size()
                ),
                "give --checkpoint the address of the registry, or a folder that `svc-registry journal export` wrote",
            ))
        }
        WitnessedPlace::Log(files) => {
            let witnessed = of_log(files.as_ref(), policy, keys)?;
            let seen = witnessed.checkpoint().size();
            if seen < state.size() {
                return Err(lacking(format!(
                    "quorum-lacking: the witnesses have seen the log up to {seen} records, and the proof is of a state of {}",
                    state.size()
                )));
            }
            growth::check(files.as_ref(), (state.size(), state.root()), witnessed.checkpoint())
                .map_err(|fault| remote::stopped(&fault))?;
            Ok(witnessed)
        }
    }
}

/// A log may be a moment ahead of its witnesses, and not for long: else it shows them something else, or they are gone.
pub fn expect_recent(witnessed: &Witnessed, newest: u64) -> Result<(), String> {
    let (seen, time) = (witnessed.checkpoint().size(), witnessed.seen().oldest().unwrap_or_default());
    // A log without records is the beginning of every log: who has seen that has seen nothing.
    let is_recent = seen > 0 && clock::seconds_now().saturating_sub(time) <= MAX_LAG_SECONDS;
    if seen >= newest || is_recent {
        return Ok(());
    }
    let time = Timestamp::utc_seconds(time);
    Err(format!("quorum-lacking: the witnesses have seen the log up to {seen} records, at {time}, and it has {newest}"))
}

/// The keys of the log that a policy names, where it names one log alone.
pub fn keys_of(policy: Option<&Policy>) -> Option<PublicKeys> {
    policy.and_then(Policy::only_log_keys)
}

fn unwitnessed(refused: &Unwitnessed) -> Failure {
    match refused {
        Unwitnessed::Checkpoint(error) => Failure::log(&JournalFault::from(*error)),
        Unwitnessed::UnnamedLog => Failure::usage(
            format!("{}: {refused}", refused.code()),
            "add a `log` line with the key of this log to the policy, or give the policy of this log",
        ),
        Unwitnessed::BadCosignature { .. } | Unwitnessed::NoQuorum { .. } => {
            lacking(format!("{}: {refused}", refused.code()))
        }
    }
}

pub fn lacking(message: String) -> Failure {
    let help = "wait a moment and try again; if it stays, ask the operator and the witnesses: the log may show others another history";
    Failure { exit: ExitCode::Digest, message, help: Some(help.to_owned()) }
}
