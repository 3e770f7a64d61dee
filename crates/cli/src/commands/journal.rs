//! `svc journal`: reads, checks, proves and moves the log of every no.

mod csv;
mod keys;
mod list;
mod place;
mod receipt;
mod remote;
mod replay;
mod transfer;
mod verify;

use clap::{ArgMatches, Command};

use crate::{
    failure::Failure,
    output::{format::Format, show::Done},
    report::Report,
};

/// The command's part of the command line.
pub(crate) fn command() -> Command {
    Command::new("journal")
        .about("Read, check and prove the record of every answer")
        .subcommand_required(true)
        .arg_required_else_help(true)
        .subcommand(list::command())
        .subcommand(list::show_command())
        .subcommand(verify::command())
        .subcommand(replay::command())
        .subcommand(receipt::prove_command())
        .subcommand(receipt::check_command())
        .subcommand(transfer::export_command())
        .subcommand(transfer::import_command())
        .subcommand(keys::init_command())
        .subcommand(keys::rotate_command())
}

/// Runs the command.
pub(crate) fn run(matches: &ArgMatches, format: Format) -> Result<Done, Failure> {
    let Some((name, arguments)) = matches.subcommand() else { return plain(String::new()) };
    match name {
        "list" => plain(list::run(arguments, format)?),
        "show" => plain(list::show(arguments)?),
        "verify" => plain(verify::run(arguments, format)?),
        "replay" => replay::run(arguments, format),
        "prove" => plain(receipt::prove(arguments)?),
        "check-receipt" => plain(receipt::check(arguments, format)?),
        "export" => plain(transfer::export(arguments)?),
        "import" => plain(transfer::import(arguments)?),
        "init" => plain(keys::init(arguments)?),
        _ => plain(keys::rotate(arguments)?),
    }
}

fn plain(text: String) -> Result<Done, Failure> {
    Ok(Done::Text(Report::default(), text))
}
