//! `svc-registry events list`: every endpoint, a line each.

use clap::{ArgMatches, Command};
use svc_cli::{failure::Failure, output::format::Format};
use svc_journal::endpoint_store::EndpointList;

use super::{
    place::{Place, with_place},
    shown::{EndpointView, Secret, UnreadableView},
};

pub(super) fn command() -> Command {
    with_place(
        Command::new("list")
            .about("List the endpoints; `--format json` prints one line for each, and nothing for none"),
    )
}

pub(super) fn run(arguments: &ArgMatches, format: Format) -> Result<String, Failure> {
    let place = Place::from_arguments(arguments)?;
    let size = place.log()?.size;
    let EndpointList { readable, unreadable } = place.all()?;
    let views = readable.iter().map(|stored| EndpointView::new(&stored.endpoint, size, Secret::Hidden));
    let unreadable = unreadable.iter().map(|name| UnreadableView::new(name));
    let lines: String = match format {
        Format::Json => views.map(|view| view.to_json()).chain(unreadable.map(|view| view.to_json())).collect(),
        Format::Human | Format::Concise | Format::Sarif | Format::Junit | Format::Github => {
            views.map(|view| view.to_line()).chain(unreadable.map(|view| view.to_line())).collect()
        }
    };
    Ok(if lines.is_empty() && format != Format::Json { "no endpoints\n".to_owned() } else { lines })
}
