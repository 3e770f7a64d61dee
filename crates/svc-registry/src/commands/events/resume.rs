//! `svc-registry events resume`: an endpoint goes on at once, where it was or from another record.

use clap::{Arg, ArgMatches, Command, value_parser};
use svc_cli::{failure::Failure, output::format::Format};

use super::{
    place::{Place, check_from, given_name, name_argument, with_place},
    shown::changed,
};

pub(super) fn command() -> Command {
    let resume = Command::new("resume")
        .about("Go on with an endpoint at once, where it was or from another record")
        .arg(name_argument())
        .arg(
            Arg::new("from")
                .long("from")
                .value_name("N")
                .value_parser(value_parser!(u64)).allow_negative_numbers(true)
                .help("The number of the record to go on from; the open range is left"),
        )
        .after_help(
            "With --from before where it was, records are delivered again; with --from behind it, those between are not \
             delivered.",
        );
    with_place(resume)
}

pub(super) fn run(arguments: &ArgMatches, format: Format) -> Result<String, Failure> {
    let name = given_name(arguments)?;
    let place = Place::from_arguments(arguments)?;
    let log = place.log()?;
    let from = arguments.get_one::<u64>("from").copied();
    from.map_or(Ok(()), |from| check_from(from, &log))?;
    let (endpoint, ()) = place.change(&name, |endpoint, now| match from {
        Some(from) => endpoint.resume_from(from, log.counted.clone()).map_err(|fault| Failure::journal(&fault)),
        None => {
            endpoint.resume(now);
            Ok(())
        }
    })?;
    let words = format!("{name} is active, at {} of {} records", endpoint.cursor, log.size);
    Ok(changed(&endpoint, log.size, format, &words))
}
