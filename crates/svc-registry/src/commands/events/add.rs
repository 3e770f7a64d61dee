//! `svc-registry events add`: an endpoint, and its secret, once.

use clap::{Arg, ArgAction, ArgMatches, Command, builder::PossibleValuesParser, value_parser};
use svc_cli::{
    arguments::text,
    failure::Failure,
    output::{format::Format, secret::print_once},
};
use svc_client::receiver_url::ReceiverUrl;
use svc_core::journal::{
    delivery::{EndpointName, MOST_RECORDS},
    event::EventType,
};
use svc_journal::endpoint::{EventEndpoint, NewEndpoint};
use svc_proof::fault::JournalFault;

use super::{
    endpoint_fault::EndpointFault,
    place::{Place, check_from, given_name, name_argument, with_allowed},
    shown::with_secret,
};

const DEFAULT_BATCH: u32 = 64;

pub(super) fn command() -> Command {
    let add = Command::new("add")
        .about("Add an endpoint, and print its secret, once")
        .arg(name_argument())
        .arg(Arg::new("url").value_name("URL").required(true).help("Where deliveries are sent: https://HOST/PATH"))
        .arg(
            Arg::new("type")
                .long("type")
                .value_name("TYPE")
                .action(ArgAction::Append)
                .value_parser(PossibleValuesParser::new(EventType::WORDS))
                .help("Deliver records of this type alone, and no probes; may be repeated [default: every record]"),
        )
        .arg(
            Arg::new("batch")
                .long("batch")
                .value_name("N")
                .value_parser(value_parser!(u32).range(1..=MOST_RECORDS as i64)).allow_negative_numbers(true)
                .help("The most records of one delivery, 1 to 256 [default: 64]"),
        )
        .arg(
            Arg::new("from")
                .long("from")
                .value_name("N")
                .value_parser(value_parser!(u64)).allow_negative_numbers(true)
                .help("The number of the first record to deliver [default: the next that is recorded]"),
        )
        .after_help(
            "A running service sees the endpoint within two seconds. Who has the secret can check that a delivery is the \
             service's; it is not shown again.\n\nExample\n  svc-registry events add audit https://hooks.example/svc",
        );
    with_allowed(add)
}

pub(super) fn run(arguments: &ArgMatches, format: Format) -> Result<String, Failure> {
    let name = given_name(arguments)?;
    let place = Place::from_arguments(arguments)?;
    let url = text(arguments, "url").unwrap_or_default().to_owned();
    let allowed = place.allowed(arguments)?;
    let checked = ReceiverUrl::parse(&url).and_then(|parsed| allowed.check_written(&parsed));
    checked.map_err(|error| EndpointFault::Address.failure(error.message, error.help))?;
    let given: Vec<&String> = arguments.get_many("type").unwrap_or_default().collect();
    let types = EventType::ALL.iter().copied().filter(|each| given.iter().any(|word| *word == each.as_str())).collect();
    let batch = arguments.get_one::<u32>("batch").copied().unwrap_or(DEFAULT_BATCH);
    let log = place.log()?;
    let from = arguments.get_one::<u64>("from").copied().unwrap_or(log.size);
    check_from(from, &log)?;
    if place.has(&name)? {
        return Err(exists(&name));
    }
    let failed = |fault: JournalFault| Failure::journal(&fault);
    let new = NewEndpoint { name: name.clone(), url, types, batch, from, counted: log.counted };
    let mut endpoint = EventEndpoint::new(new, 0).map_err(failed)?;
    print_once(&with_secret(&endpoint, log.size, format), || {
        let store = place.store_to_add()?;
        endpoint.added = store.now().map_err(failed)?;
        if store.insert(&endpoint).map_err(failed)? { Ok(()) } else { Err(exists(&name)) }
    })
}

fn exists(name: &EndpointName) -> Failure {
    EndpointFault::Exists.failure(
        format!("there is an endpoint `{name}` already"),
        "give another name, or `svc-registry events remove` it first",
    )
}
