//! `svc events remove`: an endpoint and its secrets are deleted.

use clap::{ArgMatches, Command};

use super::{
    place::{Place, given_name, name_argument, with_place},
    shown::changed,
};
use crate::{failure::Failure, output::format::Format};

pub(super) fn command() -> Command {
    with_place(Command::new("remove").about("Delete an endpoint with its secrets and its place").arg(name_argument()))
}

pub(super) fn run(arguments: &ArgMatches, format: Format) -> Result<String, Failure> {
    let name = given_name(arguments)?;
    let place = Place::of(arguments)?;
    let (size, _) = place.log()?;
    let (store, endpoint) = place.one(&name)?;
    if !store.remove(&name).map_err(|fault| Failure::journal(&fault))? {
        return Err(place.unknown(&name));
    }
    let words = format!("{name} is removed; it was at {} of {size} records", endpoint.cursor);
    Ok(changed(&endpoint, size, format, &words))
}
