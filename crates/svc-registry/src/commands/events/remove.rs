//! `svc-registry events remove`: an endpoint and its secrets are deleted.

use clap::{ArgMatches, Command};
use svc_cli::{arguments::text, failure::Failure, output::format::Format};
use svc_core::journal::delivery::EndpointName;

use super::{
    place::{Place, given_name, name_argument, with_place},
    shown::{UnreadableView, changed},
};

pub(super) fn command() -> Command {
    with_place(Command::new("remove").about("Delete an endpoint with its secrets and its place").arg(name_argument()))
}

pub(super) fn run(arguments: &ArgMatches, format: Format) -> Result<String, Failure> {
    let place = Place::from_arguments(arguments)?;
    let given = text(arguments, "name").unwrap_or_default();
    let Some(name) = EndpointName::parse(given) else {
        // What cannot be a name may be how one that cannot be read is shown.
        let is_removed = place.remove_unreadable(given)?;
        return if is_removed { Ok(unreadable(given, format)) } else { given_name(arguments).map(|_| String::new()) };
    };
    let size = place.log()?.size;
    let store = place.store(&name)?;
    // One that cannot be read back is removed all the same.
    let endpoint = store.get(&name).ok().flatten().map(|stored| stored.endpoint);
    if !store.remove(&name).map_err(|fault| Failure::journal(&fault))? {
        return Err(place.unknown(&name));
    }
    let Some(endpoint) = endpoint else { return Ok(unreadable(name.as_str(), format)) };
    let words = format!("{name} is removed; it was at {} of {size} records", endpoint.cursor);
    Ok(changed(&endpoint, size, format, &words))
}

fn unreadable(name: &str, format: Format) -> String {
    match format {
        Format::Json => UnreadableView::new(name).to_json(),
        Format::Human | Format::Concise | Format::Sarif | Format::Junit | Format::Github => {
            format!("{name} is removed; it could not be read\n")
        }
    }
}
