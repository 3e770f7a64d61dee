//! `svc-registry events rotate-secret`: another secret, printed once. For a day both sign.

use clap::{ArgMatches, Command};
use svc_cli::{
    arguments::{flag, is_set},
    failure::Failure,
    output::{format::Format, secret::print_once},
};
use svc_core::journal::timestamp::Timestamp;
use svc_journal::{endpoint::EventEndpoint, webhook_secret::WebhookSecret};

use super::{
    endpoint_fault::EndpointFault,
    place::{Place, given_name, name_argument, with_place},
    shown::with_secret,
};

/// How long the secret before signs as well.
const OVERLAP_MILLIS: u64 = 24 * 60 * 60 * 1000;

pub(super) fn command() -> Command {
    let rotate = Command::new("rotate-secret")
        .about("Make another secret, and print it, once; the one before signs as well for 24 hours")
        .arg(name_argument())
        .arg(flag("at-once", "Sign with the new secret alone from now on: when the one before is known to others"));
    with_place(rotate)
}

pub(super) fn run(arguments: &ArgMatches, format: Format) -> Result<String, Failure> {
    let name = given_name(arguments)?;
    let place = Place::from_arguments(arguments)?;
    let size = place.log()?.size;
    let secret = WebhookSecret::generate().map_err(|fault| Failure::journal(&fault))?;
    let at_once = is_set(arguments, "at-once");
    let (store, mut rotated) = place.one(&name)?;
    let now = store.now().map_err(|fault| Failure::journal(&fault))?;
    let until = (!at_once).then(|| now.saturating_add(OVERLAP_MILLIS));
    refuse_third(&rotated, now, at_once)?;
    rotated.rotate(secret.clone(), until);
    print_once(&with_secret(&rotated, size, format), || {
        place.change(&name, |endpoint, now| {
            refuse_third(endpoint, now, at_once)?;
            endpoint.rotate(secret.clone(), until);
            Ok(())
        })?;
        Ok(())
    })
}

/// Two secrets sign at most: a third would end the first before the time that was promised for it.
fn refuse_third(endpoint: &EventEndpoint, now: u64, at_once: bool) -> Result<(), Failure> {
    let Some(previous) = endpoint.previous.as_ref().filter(|previous| now < previous.until && !at_once) else {
        return Ok(());
    };
    let until = Timestamp::from_millis(previous.until);
    Err(EndpointFault::Rotating.failure(
        format!("the secret before the present one of `{}` signs until {until}", endpoint.name),
        "rotate again after that; or with --at-once, which ends both now",
    ))
}
