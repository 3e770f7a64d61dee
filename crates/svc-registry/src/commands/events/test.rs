//! `svc-registry events test`: one delivery without records, sent from here as the service would.

use clap::{ArgMatches, Command};
use serde::Serialize;
use svc_cli::{failure::Failure, output::format::Format};
use svc_client::{
    receiver_url::ReceiverUrl,
    webhook_client::{Acknowledgement, WebhookClient},
};
use svc_core::journal::{delivery::TestDelivery, timestamp::Timestamp};
use svc_json::canonical;
use svc_server::events::signature::WebhookMessage;

use super::{
    endpoint_fault::EndpointFault,
    place::{Place, given_name, name_argument, with_allowed},
};

#[derive(Serialize)]
struct Taken<'t> {
    id: &'t str,
    name: &'t str,
    status: u16,
}

pub(super) fn command() -> Command {
    let test = Command::new("test")
        .about("Send a signed delivery of type registry.test, without records, and tell the answer")
        .arg(name_argument())
        .after_help("It is sent by this command, also to an endpoint that is paused, and changes nothing.");
    with_allowed(test)
}

pub(super) fn run(arguments: &ArgMatches, format: Format) -> Result<String, Failure> {
    let name = given_name(arguments)?;
    let place = Place::from_arguments(arguments)?;
    let (store, endpoint) = place.one(&name)?;
    let now = store.now().map_err(|fault| Failure::journal(&fault))?;
    let url = ReceiverUrl::parse(&endpoint.url);
    let url = url.map_err(|error| EndpointFault::Address.failure(error.message, error.help))?;
    let body = TestDelivery::new(name.clone(), Timestamp::from_millis(now)).to_bytes();
    let id = format!("msg_{}_test-{now}", endpoint.id);
    let message = WebhookMessage { id: id.clone(), timestamp: now / 1000, body };
    let client = WebhookClient::new(place.allowed(arguments)?);
    let sent = client.post(&url, &message.headers(&endpoint.secrets(now)), &message.body, &|| false);
    let not_taken = |why: String| {
        let help = "check the receiver, its certificate and `events-allow`; docs/guides/events.md says what a receiver answers";
        EndpointFault::NotTaken.failure(format!("the endpoint `{name}` did not take the trial: {why}"), help)
    };
    match sent {
        Ok(Acknowledgement { status: status @ 200..=299, .. }) => Ok(match format {
            Format::Json => {
                let taken = Taken { id: &id, name: name.as_str(), status };
                String::from_utf8_lossy(&canonical::to_bytes(&taken)).into_owned() + "\n"
            }
            Format::Human | Format::Concise | Format::Sarif | Format::Junit | Format::Github => {
                format!("{name} answered {status} to {id}\n")
            }
        }),
        Ok(Acknowledgement { status, .. }) => Err(not_taken(format!("it answered {status}"))),
        Err(failure) => Err(not_taken(failure.to_string())),
    }
}
