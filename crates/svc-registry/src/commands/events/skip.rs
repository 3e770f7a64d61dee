//! `svc-registry events skip`: gives up the range that is open, and nothing else.

use clap::{ArgMatches, Command};
use svc_cli::{failure::Failure, output::format::Format};
use svc_journal::endpoint::Standing;

use super::{
    endpoint_fault::EndpointFault,
    place::{Place, given_name, name_argument, with_place},
    shown::changed,
};

pub(super) fn command() -> Command {
    let skip = Command::new("skip")
        .about("Give up the records that an endpoint does not take, and stand behind them")
        .arg(name_argument())
        .after_help("The records stay in the log: `svc-registry journal show` and `svc-registry events resume --from` reach them.");
    with_place(skip)
}

pub(super) fn run(arguments: &ArgMatches, format: Format) -> Result<String, Failure> {
    let name = given_name(arguments)?;
    let place = Place::from_arguments(arguments)?;
    let size = place.log()?.size;
    let (endpoint, range) = place.change(&name, |endpoint, _| {
        endpoint.skip().ok_or_else(|| {
            EndpointFault::NotOpen.failure(
                format!("the endpoint `{name}` has no open range, so there is nothing to skip"),
                "`svc-registry events resume NAME --from N` goes on from another record",
            )
        })
    })?;
    let after = match endpoint.standing {
        Standing::Active => "",
        Standing::Paused(_) | Standing::Disabled => "; `svc-registry events resume` goes on",
    };
    let words = format!("{name} skipped records {} to {}{after}", range.start, range.end.saturating_sub(1));
    Ok(changed(&endpoint, size, format, &words))
}
