//! `svc journal import`: fills an empty journal from exported files.

use clap::{ArgMatches, Command};
use svc_journal::transfer;

use super::{
    joining::{self, with_joining},
    location::{location, with_location},
};
use crate::{
    arguments::{self, given_path},
    failure::Failure,
};

pub(super) fn command() -> Command {
    let folder = arguments::path("folder", "DIR").required(true).help("A folder that `svc journal export` wrote");
    let import =
        Command::new("import").about("Fill an empty journal from exported files, checking every hash").arg(folder);
    with_location(with_joining(import.after_help(
        "The secret key is not among the files: copy journal.key, or run `svc journal rotate-key`. Files that were written \
         long ago hold too, so that a newer state of the log is asked for: --at-least, or --first-node if none is known.",
    )))
}

pub(super) fn run(arguments: &ArgMatches) -> Result<String, Failure> {
    let folder = given_path(arguments, "folder").unwrap_or_default();
    let seen = transfer::import(&folder, &location(arguments)?, &joining::given(arguments)?, &mut |_| {});
    let seen = seen.map_err(|fault| Failure::journal(&fault))?;
    Ok(format!("imported {} records, every hash checked\n", seen.records))
}
