//! The commands of the feature `server`: what serves, guards, verifies or proves, and so needs the network or a database.

use clap::{ArgMatches, Command};

use super::{events, journal, serve, token, verify, witness};
use crate::{
    failure::Failure,
    output::{
        format::{self, Target},
        show::CommandOutput,
        stream::TerminalStyle,
    },
    report::RunReport,
};

pub(crate) const NAMES: [&str; 6] = ["serve", "token", "verify", "journal", "events", "witness"];

pub(crate) fn commands() -> [Command; 6] {
    [serve::command(), token::command(), verify::command(), journal::command(), events::command(), witness::command()]
}

pub(crate) fn run(
    name: &str,
    arguments: &ArgMatches,
    targets: &[Target],
    style: TerminalStyle,
) -> Result<CommandOutput, Failure> {
    let plain = |text| CommandOutput::Text(RunReport::default(), text);
    match name {
        "serve" => serve::run(arguments).map(plain),
        "token" => token::run(arguments, format::of_terminal(targets)).map(plain),
        "verify" => verify::run(arguments, targets, style),
        "events" => events::run(arguments, format::of_terminal(targets)).map(plain),
        "witness" => witness::run(arguments).map(plain),
        _ => journal::run(arguments, format::of_terminal(targets)),
    }
}
