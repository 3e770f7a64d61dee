//! The commands of the feature `server`: what serves, guards, verifies or proves, and so needs the network or a database.

use clap::{ArgMatches, Command};

use super::{journal, serve, token, verify};
use crate::{
    failure::Failure,
    output::{
        format::{self, Target},
        show::CommandOutput,
        stream::TerminalStyle,
    },
    report::RunReport,
};

pub(crate) const NAMES: [&str; 4] = ["serve", "token", "verify", "journal"];

pub(crate) fn commands() -> [Command; 4] {
    [serve::command(), token::command(), verify::command(), journal::command()]
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
        "token" => token::run(arguments).map(plain),
        "verify" => verify::run(arguments, targets, style),
        _ => journal::run(arguments, format::of_terminal(targets)),
    }
}
