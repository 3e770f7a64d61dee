//! How a folder joins a shared log, or takes in exported files: against states that are known, or as the first.

use std::path::Path;

use clap::{Arg, ArgAction, ArgMatches, Command};
use svc_archive::regular_file;
use svc_cli::{
    arguments::{flag, is_set, texts},
    failure::Failure,
    log::{
        remote::{self, Remote, is_address},
        verdict,
    },
    output::{escape::Safe, stream},
    registry_client,
};
use svc_journal::{
    folder::DataFolder,
    joining::{Joining, KnownLog},
};
use svc_proof::{
    fault::{JournalFault, JournalFaultKind},
    source::LogFiles as _,
    tiles,
};

/// A checkpoint with its signatures is far smaller.
const MAX_CHECKPOINT_BYTES: u64 = 64 * 1024;

pub(super) fn with_joining(command: Command) -> Command {
    let at_least = Arg::new("at-least").long("at-least").value_name("CHECKPOINT").action(ArgAction::Append).help(
        "A signed state that the log must have grown from: the file of a checkpoint, a receipt or an answer, a data folder \
         with all that it remembers, or the address of a registry. May be repeated: each state is checked, and an address that does not answer is skipped if another one gives a state",
    );
    let first = flag("first-node", "There is no other node, and never was: go by nothing").conflicts_with("at-least");
    command.arg(at_least).arg(first).args(registry_client::arguments("read"))
}

pub(super) fn given(arguments: &ArgMatches) -> Result<Joining, Failure> {
    let places = texts(arguments, "at-least");
    if places.is_empty() {
        return Ok(if is_set(arguments, "first-node") { Joining::First } else { Joining::Remembering });
    }
    let (mut known, mut silent) = (KnownLog::default(), Vec::new());
    for place in places {
        if Path::new(place).is_dir() {
            known = known.and(known_by_folder(place)?);
            continue;
        }
        let text = if is_address(place) {
            match Remote::new(place, arguments)?.get(tiles::CHECKPOINT) {
                Ok(bytes) => String::from_utf8(bytes)
                    .map_err(|_| Failure::usage("`--at-least`: the checkpoint must be text", "give another address"))?,
                // Whoever keeps it from answering gains nothing: without a state with records no new folder joins.
                Err(fault) if gives_none(fault.kind) => {
                    silent.push((place, fault));
                    continue;
                }
                Err(fault) => return Err(no_state(&fault)),
            }
        } else {
            regular_file::read_text(place.as_ref(), MAX_CHECKPOINT_BYTES).map_err(|error| {
                let message = format!("`--at-least`: {place} cannot be read: {error}");
                Failure::usage(message, "give a file with a checkpoint, or the address of a registry")
            })?
        };
        known = known.and(KnownLog::state(state_of(&text, place)?));
    }
    for (place, fault) in silent {
        if known.is_empty() {
            return Err(no_state(&fault));
        }
        let why = fault.to_string();
        stream::status(&format!("note: `--at-least {}` gives no state and is skipped: {}\n", Safe(place), Safe(&why)));
    }
    Ok(Joining::AtLeast(known))
}

/// What a data folder remembers: also the last second, which its `journal.checkpoint` may lack, what its webhook endpoints
/// count in, and the timeline of its database.
fn known_by_folder(place: &str) -> Result<KnownLog, Failure> {
    let known = KnownLog::of_folder(&DataFolder::at(place.as_ref())).map_err(|fault| Failure::journal(&fault))?;
    if known.is_empty() {
        let message = format!("`--at-least`: the folder {} remembers no state of a log", Safe(place));
        return Err(Failure::usage(
            message,
            "give a data folder with its journal.pub, or the file of a checkpoint, such as `checkpoint` in an exported log",
        ));
    }
    Ok(known)
}

/// The checkpoint in what a place gives. Whose it is, is looked at next to the log.
fn state_of(text: &str, place: &str) -> Result<String, Failure> {
    let checkpoint = verdict::state_in(text);
    if !checkpoint.contains("\n\n") {
        let message = format!("`--at-least`: what {} gives is no checkpoint", Safe(place));
        return Err(Failure::usage(message, "give a checkpoint, a receipt or an answer, or the address of a registry"));
    }
    Ok(checkpoint)
}

/// Whether nobody at an address gives a state. A node that asks to come back later is there, and may be closed because the log
/// was set back.
const fn gives_none(kind: JournalFaultKind) -> bool {
    match kind {
        JournalFaultKind::Missing | JournalFaultKind::Unreachable | JournalFaultKind::Unusable => true,
        JournalFaultKind::Busy
        | JournalFaultKind::Corrupt
        | JournalFaultKind::Drift
        | JournalFaultKind::Full
        | JournalFaultKind::Locked
        | JournalFaultKind::OpenClaim
        | JournalFaultKind::Rewound
        | JournalFaultKind::Storage
        | JournalFaultKind::UnreleasedForm
        | JournalFaultKind::Unremembered
        | JournalFaultKind::WrongKey
        | JournalFaultKind::WrongPrimary => false,
    }
}

fn no_state(fault: &JournalFault) -> Failure {
    let help = "give the address of a node or a registry that answers, or the file of a checkpoint";
    Failure { help: Some(help.to_owned()), ..remote::stopped(fault) }
}
