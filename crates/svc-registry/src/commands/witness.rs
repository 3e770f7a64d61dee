//! `svc-registry witness`: the other side of a log, for two operators who witness each other.

mod init;
mod serve;
mod witness_folder;

use clap::{ArgMatches, Command};
use svc_cli::failure::Failure;

pub(crate) fn command() -> Command {
    Command::new("witness")
        .about("Cosign the newest states of logs of others, when they have grown")
        .subcommand_required(true)
        .arg_required_else_help(true)
        .subcommand(init::command())
        .subcommand(serve::command())
}

pub(crate) fn run(matches: &ArgMatches) -> Result<String, Failure> {
    let Some((name, arguments)) = matches.subcommand() else { return Ok(String::new()) };
    match name {
        "init" => init::run(arguments),
        _ => serve::run(arguments),
    }
}
