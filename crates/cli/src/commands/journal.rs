//! `svc journal`: reads, checks, proves and moves the log of every no.

mod before;
mod check_evidence;
mod check_receipt;
mod content_coding;
mod csv;
mod evidence_folder;
mod export;
mod forget;
mod import;
mod init;
mod joining;
mod judge;
mod list;
pub(super) mod location;
mod log_progress;
mod mirror;
mod prove;
mod prune;
mod quorum;
mod reader_state;
mod remote;
mod remote_log;
mod replay;
mod rotate_key;
mod show;
mod stop_flag;
mod verify;
mod watch;
mod watch_lines;
mod witnessed;

use clap::{ArgMatches, Command};

use crate::{
    failure::Failure,
    output::{format::Format, show::CommandOutput},
    report::RunReport,
};

pub(crate) fn command() -> Command {
    Command::new("journal")
        .about("Read, check and prove the log of every answer")
        .subcommand_required(true)
        .arg_required_else_help(true)
        .subcommand(list::command())
        .subcommand(show::command())
        .subcommand(verify::command())
        .subcommand(watch::command())
        .subcommand(check_evidence::command())
        .subcommand(mirror::command())
        .subcommand(replay::command())
        .subcommand(prove::command())
        .subcommand(check_receipt::command())
        .subcommand(export::command())
        .subcommand(import::command())
        .subcommand(forget::command())
        .subcommand(prune::command())
        .subcommand(init::command())
        .subcommand(rotate_key::announce_command())
        .subcommand(rotate_key::command())
}

pub(crate) fn run(matches: &ArgMatches, format: Format) -> Result<CommandOutput, Failure> {
    let Some((name, arguments)) = matches.subcommand() else { return plain(String::new()) };
    match name {
        "list" => plain(list::run(arguments, format)?),
        "show" => plain(show::run(arguments)?),
        "verify" => plain(verify::run(arguments, format)?),
        "watch" => watch::run(arguments, format),
        "check-evidence" => check_evidence::run(arguments, format),
        "mirror" => plain(mirror::run(arguments, format)?),
        "replay" => replay::run(arguments, format),
        "prove" => plain(prove::run(arguments)?),
        "check-receipt" => plain(check_receipt::run(arguments, format)?),
        "export" => plain(export::run(arguments)?),
        "import" => plain(import::run(arguments)?),
        "forget" => plain(forget::run(arguments)?),
        "prune" => plain(prune::run(arguments)?),
        "init" => plain(init::run(arguments)?),
        "announce-key" => plain(rotate_key::announce(arguments)?),
        _ => plain(rotate_key::run(arguments)?),
    }
}

fn plain(text: String) -> Result<CommandOutput, Failure> {
    Ok(CommandOutput::Text(RunReport::default(), text))
}
