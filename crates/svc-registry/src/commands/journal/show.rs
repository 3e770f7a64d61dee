//! `svc-registry journal show`: one record as it is kept.

use clap::{Arg, ArgMatches, Command, value_parser};
use svc_cli::failure::Failure;
use svc_core::{journal::record::Record, words::exit_code::ExitCode};
use svc_journal::store::{Store, log_start};
use svc_json::canonical;
use svc_proof::fault::{JournalFault, JournalFaultKind};

use super::location::{open, with_location};

pub(super) fn command() -> Command {
    let place =
        Arg::new("place").value_name("N").required(true).value_parser(value_parser!(u64)).allow_negative_numbers(true);
    with_location(Command::new("show").about("Print one record").arg(place.help("The number of the record, from 0")))
}

pub(super) fn run(arguments: &ArgMatches) -> Result<String, Failure> {
    let place = arguments.get_one::<u64>("place").copied().unwrap_or_default();
    let reading = open(arguments)?;
    require_record(reading.store.as_ref(), place)?;
    let record = one(reading.store.as_ref(), place).map_err(|fault| Failure::journal(&fault))?;
    Ok(String::from_utf8_lossy(&canonical::to_pretty(&record)).into_owned())
}

/// Refuses the number of a record that the log does not have, or has pruned. The journal is there, only the record is not.
pub(super) fn require_record(store: &dyn Store, place: u64) -> Result<(), Failure> {
    let size = store.head().map_err(|fault| Failure::journal(&fault))?.tree.size();
    let begins = log_start(store).map_err(|fault| Failure::journal(&fault))?.index();
    if place < begins.min(size) {
        let message = format!("record {place} was pruned; the log begins at {begins}");
        let help =
            "`svc-registry journal list` lists the records that are left; an export from before the prune has this one";
        return Err(Failure { exit: ExitCode::InputOutput, message, help: Some(help.to_owned()) });
    }
    if place < size {
        return Ok(());
    }
    let help = match size {
        0 => "the log is empty: hand a bundle over with `svc app submit` first".to_owned(),
        size => format!("give a number from 0 to {}; `svc-registry journal list` lists the records", size - 1),
    };
    let message = format!("there is no record {place}: the log has {size} records");
    Err(Failure { exit: ExitCode::InputOutput, message, help: Some(help) })
}

fn one(store: &dyn Store, place: u64) -> Result<Record, JournalFault> {
    let missing = || JournalFault::new(JournalFaultKind::Missing, format!("there is no record {place}"));
    store.rows(place, 1)?.into_iter().next().ok_or_else(missing)?.read(&log_start(store)?)
}
