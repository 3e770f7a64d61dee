//! `svc events list`: every endpoint, a line each.

use clap::{ArgMatches, Command};

use super::{
    place::{Place, with_place},
    shown::{EndpointView, Secret},
};
use crate::{failure::Failure, output::format::Format};

pub(super) fn command() -> Command {
    with_place(
        Command::new("list")
            .about("List the endpoints; `--format json` prints one line for each, and nothing for none"),
    )
}

pub(super) fn run(arguments: &ArgMatches, format: Format) -> Result<String, Failure> {
    let place = Place::of(arguments)?;
    let (size, _) = place.log()?;
    let all = place.all()?;
    let views = all.iter().map(|endpoint| EndpointView::new(endpoint, size, Secret::Hidden));
    Ok(match format {
        Format::Json => views.map(|view| view.to_json()).collect(),
        Format::Human | Format::Concise | Format::Sarif | Format::Junit | Format::Github if all.is_empty() => {
            "no endpoints\n".to_owned()
        }
        Format::Human | Format::Concise | Format::Sarif | Format::Junit | Format::Github => {
            views.map(|view| view.to_line()).collect()
        }
    })
}
