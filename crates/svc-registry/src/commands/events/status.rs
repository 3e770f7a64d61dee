//! `svc-registry events status`: everything about one endpoint but its secrets.

use clap::{ArgMatches, Command};
use svc_cli::{failure::Failure, output::format::Format};

use super::{
    place::{Place, given_name, name_argument, with_place},
    shown::{EndpointView, Secret, in_full},
};

pub(super) fn command() -> Command {
    with_place(
        Command::new("status").about("Show how far an endpoint is, and why it is not further").arg(name_argument()),
    )
}

pub(super) fn run(arguments: &ArgMatches, format: Format) -> Result<String, Failure> {
    let name = given_name(arguments)?;
    let place = Place::from_arguments(arguments)?;
    let size = place.log()?.size;
    let (_, endpoint) = place.one(&name)?;
    Ok(match format {
        Format::Json => EndpointView::new(&endpoint, size, Secret::Hidden).to_json(),
        Format::Human | Format::Concise | Format::Sarif | Format::Junit | Format::Github => in_full(&endpoint, size),
    })
}
