//! The log's keys at the command line: which one is believed, and how a log begins or gets a new one.

use std::path::Path;

use clap::{Arg, ArgMatches, Command};
use svc_core::exit_code::ExitCode;
use svc_journal::{
    fault::{JournalFault, JournalFaultKind},
    folder::DataFolder,
    key::{LogKey, PublicKeys},
    store::Access,
    transfer,
};

use super::place::{location, with_place};
use crate::{
    arguments::{self, given_path},
    failure::Failure,
    files::read::{Input, read_bounded},
    output::escape::Safe,
};

/// The most bytes of a key file or a checkpoint.
const MOST_BYTES: u64 = 16 * 1024 * 1024;

/// Which key is believed.
pub(super) fn argument() -> Arg {
    arguments::path("public-key", "FILE")
        .long("public-key")
        .help("The log's public keys, from a place that you believe")
}

/// The keys that were given, else those beside the log.
pub(super) fn given(arguments: &ArgMatches, beside: Option<&Path>) -> Result<PublicKeys, Failure> {
    let given = given_path(arguments, "public-key");
    let Some(path) = given.as_deref().or(beside) else {
        return Err(Failure::usage("there is no public key to check with", "give --public-key FILE"));
    };
    PublicKeys::parse(&small_file(path)?).map_err(|fault| Failure::journal(&fault))
}

/// A small text file.
pub(super) fn small_file(path: &Path) -> Result<String, Failure> {
    let bytes = read_bounded(&Input::from_argument(path), MOST_BYTES);
    let bytes = bytes.map_err(|error| Failure::reading(&path.to_string_lossy(), &error))?;
    String::from_utf8(bytes).map_err(|_| Failure {
        exit: ExitCode::InputOutput,
        message: format!("{} is not text", path.to_string_lossy()),
        help: None,
    })
}

pub(super) fn init_command() -> Command {
    with_place(Command::new("init").about("Begin a journal: make its tables and its key, and stop").after_help(
        "Done by `svc serve` when it is missing. Of use where the service's role may not make tables, and to have the key \
         before the second node starts.",
    ))
}

/// Begins a journal, or checks the one that is there.
pub(super) fn init(arguments: &ArgMatches) -> Result<String, Failure> {
    let location = location(arguments)?;
    let journal = location.write().map_err(|fault| Failure::journal(&fault))?;
    let records = journal.checkpoint().map_or(0, |checkpoint| checkpoint.size());
    let key = journal.keys().as_slice().first().map(|key| key.as_str().to_owned()).unwrap_or_default();
    Ok(format!("journal of {records} records in {}\npublic key {key}\n", Safe(&journal.store().name())))
}

pub(super) fn rotate_command() -> Command {
    with_place(Command::new("rotate-key").about("Give the log a new key; the service must be stopped").after_help(
        "Receipts of the old key stay good: its public half stays in journal.pub. Other nodes need the new journal.key.",
    ))
}

/// Gives the log a new key.
pub(super) fn rotate(arguments: &ArgMatches) -> Result<String, Failure> {
    let location = location(arguments)?;
    let rotated = (|| -> Result<LogKey, JournalFault> {
        let folder = DataFolder::at(&location.folder);
        // The whole log is checked first, with the old key unless that is lost.
        if folder.key()?.is_some() {
            drop(location.write()?);
        } else {
            location.check_without_key()?;
        }
        let locked = folder.lock()?;
        let store = location.store(Access::Write)?;
        let known =
            store.keys()?.ok_or_else(|| JournalFault::new(JournalFaultKind::Missing, "the journal has not begun"))?;
        let key = LogKey::generate_for(known.origin())?;
        let keys = known.with_newer(key.public().clone())?;
        // The store first: a key that only the folder knew would not be the log's.
        store.add_key(known.as_slice().len() + 1, key.public())?;
        let added = store.keys()?.is_some_and(|keys| keys.as_slice().first() == Some(key.public()));
        if !added {
            return Err(JournalFault::new(
                JournalFaultKind::WrongKey,
                "somebody else gave the log a key at the same time",
            ));
        }
        locked.keep_key(&key, &keys)?;
        let head = store.head()?;
        let checkpoint = svc_journal::checkpoint::Checkpoint::sign(&key, head.tree.size(), &head.root)?;
        locked.keep_checkpoint(&checkpoint)?;
        Ok(key)
    })();
    let key = rotated.map_err(|fault| Failure::journal(&fault))?;
    Ok(format!("new public key {}\n", key.public().as_str()))
}

/// The receipt of a record that is on record.
pub(super) fn receipt_of(
    reading: &svc_journal::open::LogReader,
    place: u64,
) -> Result<svc_core::journal::receipt::Receipt, Failure> {
    transfer::prove(reading, place).map_err(|fault| Failure::journal(&fault))
}
