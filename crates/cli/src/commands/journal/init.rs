//! `svc journal init`: begins a journal, or checks the one that is there.

use clap::{ArgMatches, Command};

use super::location::{location, with_location};
use crate::{failure::Failure, output::escape::Safe};

pub(super) fn command() -> Command {
    with_location(Command::new("init").about("Create the tables and the key of a journal, and stop").after_help(
        "`svc serve` does this when the journal is missing. Run it by hand where the role of the service may not create \
         tables, or to have the key before a second node starts.",
    ))
}

pub(super) fn run(arguments: &ArgMatches) -> Result<String, Failure> {
    let location = location(arguments)?;
    let journal = location.write().map_err(|fault| Failure::journal(&fault))?;
    let records = journal.checkpoint().map_or(0, |checkpoint| checkpoint.size());
    let key = journal.keys().as_slice().first().map(|key| key.as_str().to_owned()).unwrap_or_default();
    Ok(format!("journal of {records} records in {}\npublic key {key}\n", Safe(&journal.store().name())))
}
