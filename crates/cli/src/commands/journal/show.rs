//! `svc journal show`: one record as it is kept.

use clap::{Arg, ArgMatches, Command, value_parser};
use svc_core::journal::record::Record;
use svc_journal::{
    fault::{JournalFault, JournalFaultKind},
    store::{Store, log_start},
};
use svc_json::canonical;

use super::location::{open, with_location};
use crate::failure::Failure;

pub(super) fn command() -> Command {
    let place =
        Arg::new("place").value_name("N").required(true).value_parser(value_parser!(u64)).allow_negative_numbers(true);
    with_location(Command::new("show").about("Print one record").arg(place.help("The number of the record, from 0")))
}

pub(super) fn run(arguments: &ArgMatches) -> Result<String, Failure> {
    let place = arguments.get_one::<u64>("place").copied().unwrap_or_default();
    let record = open(arguments).and_then(|reading| one(reading.store.as_ref(), place))?;
    Ok(String::from_utf8_lossy(&canonical::to_pretty(&record)).into_owned())
}

fn one(store: &dyn Store, place: u64) -> Result<Record, Failure> {
    let missing = || JournalFault::new(JournalFaultKind::Missing, format!("there is no record {place}"));
    let row = store.rows(place, 1).and_then(|rows| rows.into_iter().next().ok_or_else(missing));
    row.and_then(|row| row.read(&log_start(store)?)).map_err(|fault| Failure::journal(&fault))
}
