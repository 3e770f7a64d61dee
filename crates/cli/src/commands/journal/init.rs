//! `svc journal init`: begins a journal, or checks the one that is there.

use clap::{ArgMatches, Command};

use super::location::{location, with_location};
use crate::{failure::Failure, output::escape::Safe};

pub(super) fn command() -> Command {
    with_location(Command::new("init").about("Begin a journal: make its tables and its key, and stop").after_help(
        "Done by `svc serve` when it is missing. Of use where the service's role may not make tables, and to have the key \
         before the second node starts.",
    ))
}

pub(super) fn run(arguments: &ArgMatches) -> Result<String, Failure> {
    let location = location(arguments)?;
    let journal = location.write().map_err(|fault| Failure::journal(&fault))?;
    let records = journal.checkpoint().map_or(0, |checkpoint| checkpoint.size());
    let key = journal.keys().as_slice().first().map(|key| key.as_str().to_owned()).unwrap_or_default();
    Ok(format!("journal of {records} records in {}\npublic key {key}\n", Safe(&journal.store().name())))
}
