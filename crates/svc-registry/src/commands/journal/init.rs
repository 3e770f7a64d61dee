//! `svc-registry journal init`: begins a journal, or checks the one that is there.

use clap::{Arg, ArgMatches, Command};
use svc_cli::{failure::Failure, output::escape::Safe};

use super::{
    joining::{self, with_joining},
    location::{location_to_begin, with_location},
};

pub(super) fn command() -> Command {
    let init = with_joining(Command::new("init").about("Create the tables and the key of a journal, and stop").after_help(
        "`svc-registry serve` does this when the journal is missing. Run it by hand where the role of the service may not create \
         tables, or to have the key before a second node starts. A log in PostgreSQL is begun with --first-node, and every \
         other node joins it with --at-least.",
    ));
    let origin = Arg::new("origin").long("origin").value_name("NAME").help(
        "The name of a log that begins, which never changes: its address without the scheme, such as \
         registry.example/journal [default: a random name] [env: SVC_JOURNAL_ORIGIN]",
    );
    with_location(init.arg(origin))
}

pub(super) fn run(arguments: &ArgMatches) -> Result<String, Failure> {
    let (location, origin) = location_to_begin(arguments)?;
    let journal = location.write_named(&joining::given(arguments)?, origin.as_ref());
    let journal = journal.map_err(|fault| Failure::journal(&fault))?;
    let records = journal.checkpoint().size();
    let key = journal.keys().as_slice().first().map(|key| key.as_str().to_owned()).unwrap_or_default();
    Ok(format!("journal of {records} records in {}\npublic key {key}\n", Safe(&journal.store().name())))
}
