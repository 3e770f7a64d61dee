//! `svc-registry events`: the endpoints that new records of the log are delivered to. They are the operator's: no route of the service
//! adds, changes or shows one. The commands work on the store that a running service reads.

mod add;
mod endpoint_fault;
mod list;
mod pause;
mod place;
mod remove;
mod resume;
mod rotate_secret;
mod shown;
mod skip;
mod status;
mod test;

use clap::{ArgMatches, Command};
use svc_cli::{failure::Failure, output::format::Format};

pub(crate) fn command() -> Command {
    Command::new("events")
        .about("Add, watch and change the endpoints of webhooks")
        .subcommand_required(true)
        .arg_required_else_help(true)
        .subcommand(add::command())
        .subcommand(list::command())
        .subcommand(status::command())
        .subcommand(test::command())
        .subcommand(pause::command())
        .subcommand(resume::command())
        .subcommand(skip::command())
        .subcommand(rotate_secret::command())
        .subcommand(remove::command())
}

pub(crate) fn run(matches: &ArgMatches, format: Format) -> Result<String, Failure> {
    let Some((name, arguments)) = matches.subcommand() else { return Ok(String::new()) };
    match name {
        "add" => add::run(arguments, format),
        "list" => list::run(arguments, format),
        "status" => status::run(arguments, format),
        "test" => test::run(arguments, format),
        "pause" => pause::run(arguments, format),
        "resume" => resume::run(arguments, format),
        "skip" => skip::run(arguments, format),
        "rotate-secret" => rotate_secret::run(arguments, format),
        _ => remove::run(arguments, format),
    }
}
