//! `svc events rotate-secret`: another secret, printed once. For a day both sign.

use clap::{ArgMatches, Command};
use svc_journal::webhook_secret::WebhookSecret;

use super::{
    place::{Place, given_name, name_argument, with_place},
    shown::{EndpointView, Secret},
};
use crate::{
    arguments::{flag, is_set},
    failure::Failure,
    output::format::Format,
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
    let place = Place::of(arguments)?;
    let (size, _) = place.log()?;
    let secret = WebhookSecret::generate().map_err(|fault| Failure::journal(&fault))?;
    let at_once = is_set(arguments, "at-once");
    let (endpoint, ()) = place.change(&name, |endpoint, now| {
        endpoint.rotate(secret.clone(), (!at_once).then(|| now.saturating_add(OVERLAP_MILLIS)));
        Ok(())
    })?;
    Ok(match format {
        Format::Json => EndpointView::new(&endpoint, size, Secret::Once).to_json(),
        Format::Human | Format::Concise | Format::Sarif | Format::Junit | Format::Github => {
            format!("{}\n", endpoint.secret.reveal())
        }
    })
}
