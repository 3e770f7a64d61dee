//! `svc-registry events pause`: nothing more is sent; the cursor stands.

use clap::{ArgMatches, Command};
use svc_cli::{failure::Failure, output::format::Format};
use svc_journal::endpoint::PauseReason;

use super::{
    place::{Place, given_name, name_argument, with_place},
    shown::changed,
};

pub(super) fn command() -> Command {
    with_place(Command::new("pause").about("Send nothing more to an endpoint; nothing is skipped").arg(name_argument()))
}

pub(super) fn run(arguments: &ArgMatches, format: Format) -> Result<String, Failure> {
    let name = given_name(arguments)?;
    let place = Place::from_arguments(arguments)?;
    let size = place.log()?.size;
    // One that is paused already stays so, for the reason that it was.
    let (endpoint, _) = place.change(&name, |endpoint, _| Ok(endpoint.pause(PauseReason::Operator)))?;
    let words = format!("{name} is {}, at {} of {size} records", endpoint.standing.as_str(), endpoint.cursor);
    Ok(changed(&endpoint, size, format, &words))
}
