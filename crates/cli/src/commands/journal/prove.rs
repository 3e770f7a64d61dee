//! `svc journal prove`: the receipt of a record, from the log.

use clap::{Arg, ArgMatches, Command, value_parser};
use svc_journal::transfer;
use svc_json::canonical;

use super::location::{open, with_location};
use crate::failure::Failure;

pub(super) fn command() -> Command {
    let place = Arg::new("place").value_name("N").required(true).value_parser(value_parser!(u64));
    with_location(
        Command::new("prove")
            .about("Print the receipt of a record")
            .arg(place.help("The number of the record, from 0")),
    )
}

pub(super) fn run(arguments: &ArgMatches) -> Result<String, Failure> {
    let place = arguments.get_one::<u64>("place").copied().unwrap_or_default();
    let receipt = transfer::prove(&open(arguments)?, place).map_err(|fault| Failure::journal(&fault))?;
    Ok(String::from_utf8_lossy(&canonical::to_pretty(&receipt)).into_owned())
}
