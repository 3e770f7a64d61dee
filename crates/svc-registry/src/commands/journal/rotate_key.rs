//! `svc-registry journal announce-key` and `svc-registry journal rotate-key`: the log gets its next key, with time for readers to follow.

use clap::{ArgMatches, Command};
use svc_cli::{
    arguments::{flag, is_set},
    failure::Failure,
};
use svc_journal::rotate::{self, Change};

use super::location::{location, with_location};

pub(super) fn announce_command() -> Command {
    with_location(Command::new("announce-key").about("Make and announce the next key of the log; the service must be stopped").after_help(
        "The key that signs now signs the next one. From the next start on both sign, so that whoever knows either reads the log. Other \
         nodes need the new journal.key.next. `svc-registry journal rotate-key` ends that: from then on the next key signs alone.",
    ))
}

pub(super) fn command() -> Command {
    with_location(
        Command::new("rotate-key")
            .about("Give the log the key that was announced; the service must be stopped")
            .arg(flag("at-once", "Use the next key now, without announcing it; it is made where there is none: for a key that somebody else has"))
            .arg(
                flag("next-is-lost", "Give the log a new key, as the secret half of the one that was announced is lost for good")
                    .conflicts_with("at-once"),
            )
            .after_help(
                "Receipts of the old key stay good: its public half stays in journal.pub. Where the old key is lost, the new one comes \
                 without its signature, and the log says so. Other nodes need the new journal.key, or the journal.key.next that was announced.",
            ),
    )
}

pub(super) fn announce(arguments: &ArgMatches) -> Result<String, Failure> {
    let announced = rotate::announce_key(&location(arguments)?).map_err(|fault| Failure::journal(&fault))?;
    let how = match (announced.was_known, announced.is_here) {
        (true, true) => "was announced before: it stays the next",
        (true, false) => {
            "was announced before: it stays the next, and its secret half, journal.key.next, is not in the data folder: bring it from \
             the node that announced it, or from a copy"
        }
        (false, _) => {
            "announced: publish journal.pub and journal.hand-overs, and copy journal.key.next to the other nodes"
        }
    };
    Ok(format!("next public key {}\n{how}\n", announced.public.as_str()))
}

pub(super) fn run(arguments: &ArgMatches) -> Result<String, Failure> {
    let change = match (is_set(arguments, "at-once"), is_set(arguments, "next-is-lost")) {
        (true, _) => Change::AtOnce,
        (_, true) => Change::NextIsLost,
        (false, false) => Change::Announced,
    };
    let rotated = rotate::rotate_key(&location(arguments)?, change).map_err(|fault| Failure::journal(&fault))?;
    let how = if rotated.handed_over {
        "signed by the old key: publish journal.pub and journal.hand-overs"
    } else {
        "changed without hand-over, as the key before it is lost: tell those who pinned it"
    };
    let note = if change == Change::AtOnce && rotated.was_made_before {
        "it is the key of journal.key.next, which was made before: if somebody may have that too, run this once more\n"
    } else {
        ""
    };
    let nodes = if rotated.is_shared { "copy journal.key to the other nodes, and start them again\n" } else { "" };
    Ok(format!("new public key {}\n{note}{nodes}{how}\n", rotated.public.as_str()))
}
