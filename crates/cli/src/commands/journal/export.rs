//! `svc journal export`: writes the log as plain files.

use clap::{ArgMatches, Command};
use svc_journal::transfer;

use super::location::{open, with_location};
use crate::{
    arguments::{self, given_path},
    failure::Failure,
};

pub(super) fn command() -> Command {
    let folder = arguments::path("folder", "DIR").required(true).help("A new or empty folder");
    with_location(
        Command::new("export").about("Write the log as plain files: tiles, records and its checkpoint").arg(folder),
    )
}

pub(super) fn run(arguments: &ArgMatches) -> Result<String, Failure> {
    let folder = given_path(arguments, "folder").unwrap_or_default();
    let seen = transfer::export(&open(arguments)?, &folder, &mut |_| {});
    let seen = seen.map_err(|fault| Failure::journal(&fault))?;
    Ok(format!("exported {} records, every hash checked\n", seen.records))
}
