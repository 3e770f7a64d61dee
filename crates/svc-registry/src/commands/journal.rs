//! `svc-registry journal`: reads, checks, proves and moves the log of every answer.

mod before;
mod csv;
mod export;
mod forget;
mod import;
mod init;
mod joining;
mod list;
pub(super) mod location;
mod prove;
mod prune;
mod replay;
mod rotate_key;
mod show;
mod verify;

use clap::{ArgMatches, Command};
use svc_cli::{failure::Failure, output::format::Format};

pub(crate) fn command() -> Command {
    Command::new("journal")
        .about("Read, check and prove the log of every answer")
        .subcommand_required(true)
        .arg_required_else_help(true)
        .subcommand(list::command())
        .subcommand(show::command())
        .subcommand(verify::command())
        .subcommand(replay::command())
        .subcommand(prove::command())
        .subcommand(export::command())
        .subcommand(import::command())
        .subcommand(forget::command())
        .subcommand(prune::command())
        .subcommand(init::command())
        .subcommand(rotate_key::announce_command())
        .subcommand(rotate_key::command())
}

pub(crate) fn run(matches: &ArgMatches, format: Format) -> Result<String, Failure> {
    let Some((name, arguments)) = matches.subcommand() else { return Ok(String::new()) };
    match name {
        "list" => list::run(arguments, format),
        "show" => show::run(arguments),
        "verify" => verify::run(arguments, format),
        "replay" => replay::run(arguments, format),
        "prove" => prove::run(arguments),
        "export" => export::run(arguments),
        "import" => import::run(arguments),
        "forget" => forget::run(arguments),
        "prune" => prune::run(arguments),
        "init" => init::run(arguments),
        "announce-key" => rotate_key::announce(arguments),
        _ => rotate_key::run(arguments),
    }
}
