//! `svc journal rotate-key`: gives the log a new key.

use clap::{ArgMatches, Command};
use svc_journal::rotate;

use super::location::{location, with_location};
use crate::failure::Failure;

pub(super) fn command() -> Command {
    with_location(Command::new("rotate-key").about("Give the log a new key; the service must be stopped").after_help(
        "The old key signs the new one, so that readers who pinned the old one follow; a key that is lost cannot, and the log says so. \
         Receipts of the old key stay good: its public half stays in journal.pub. Other nodes need the new journal.key.",
    ))
}

pub(super) fn run(arguments: &ArgMatches) -> Result<String, Failure> {
    let rotated = rotate::rotate_key(&location(arguments)?).map_err(|fault| Failure::journal(&fault))?;
    let how = if rotated.handed_over {
        "signed by the old key: publish journal.pub and journal.hand-overs"
    } else {
        "changed without hand-over, as the old key is lost: tell those who pinned it"
    };
    Ok(format!("new public key {}\n{how}\n", rotated.public.as_str()))
}
