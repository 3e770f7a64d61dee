//! `svc verify`: whether the project and a registry are closed as declared.

mod criteria;
mod hosted;
mod local;

use clap::{ArgMatches, Command};
use svc_cli::{
    failure::Failure,
    output::{
        format::{self, Format, Target},
        stream::TerminalStyle,
    },
};

use crate::output::show::CommandOutput;

pub(crate) fn command() -> Command {
    Command::new("verify")
        .about("Verify that the contracts or a running registry are closed")
        .subcommand_required(true)
        .arg_required_else_help(true)
        .subcommand(local::command())
        .subcommand(hosted::command())
}

pub(crate) fn run(matches: &ArgMatches, targets: &[Target], style: TerminalStyle) -> Result<CommandOutput, Failure> {
    let tell = format::of_terminal(targets) == Format::Human && !style.quiet;
    match matches.subcommand() {
        Some(("hosted", arguments)) => hosted::run(arguments, tell),
        Some((_, arguments)) => local::run(arguments, tell),
        None => Err(Failure::usage(
            "`svc verify` must be told what to verify",
            "run `svc verify local` or `svc verify hosted`",
        )),
    }
}
