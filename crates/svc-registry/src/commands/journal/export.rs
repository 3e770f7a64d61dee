//! `svc-registry journal export`: writes the log as plain files.

use clap::{ArgMatches, Command};
use svc_cli::{
    arguments::{self, given_path},
    failure::Failure,
    log::archive,
};
use svc_journal::export;

use super::location::{open, with_location};

pub(super) fn command() -> Command {
    let folder = arguments::path("folder", "DIR")
        .required(true)
        .help("A new or empty folder, or one that this log was exported to before");
    with_location(
        Command::new("export").about("Write the log as plain files: tiles, records and its checkpoint").arg(folder).after_help(
            "Into a folder that the log was exported to before, only what is new is written; the log must have grown from the state \
             that is there. Records that the log has pruned since stay in the folder, and are checked against the log's hashes. A \
             folder of another log or another history is refused and left as it is.",
        ),
    )
}

pub(super) fn run(arguments: &ArgMatches) -> Result<String, Failure> {
    let folder = given_path(arguments, "folder").unwrap_or_default();
    let exported = export::export(&open(arguments)?, &folder, &mut |_| {});
    let exported = exported.map_err(|fault| Failure::journal(&fault))?;
    let begins = archive::beginning(exported.begins, exported.kept_from, &exported.lost);
    let (records, new, written, removed) = (exported.records, exported.new, exported.written, exported.removed);
    Ok(if records == new {
        format!("exported {records} records, every hash checked\n{begins}")
    } else {
        format!(
            "exported {new} new records of {records}, every new hash checked; {written} files written, {removed} removed\n{begins}"
        )
    })
}
