//! `svc-registry token`: makes, lists and revokes tokens. A token is shown once and never kept.

mod create;
mod list;
mod revoke;
mod token_file;

use clap::{ArgMatches, Command};
use svc_cli::{arguments::given_path, failure::Failure, output::format::Format};

pub(crate) fn command() -> Command {
    Command::new("token")
        .about("Create, list and revoke tokens for the hosted registry")
        .subcommand_required(true)
        .arg_required_else_help(true)
        .subcommand(create::command())
        .subcommand(list::command())
        .subcommand(revoke::command())
}

pub(crate) fn run(matches: &ArgMatches, format: Format) -> Result<String, Failure> {
    let Some((name, arguments)) = matches.subcommand() else { return Ok(String::new()) };
    let path = given_path(arguments, "file").unwrap_or_default();
    match name {
        "create" => create::run(arguments, &path),
        "revoke" => revoke::run(arguments, &path),
        _ => list::run(&path, format),
    }
}
