//! `svc log`: reads, watches and copies the logs of registries, and checks what they prove.

mod check_evidence;
mod check_receipt;
mod evidence_folder;
mod judge;
mod mirror;
mod quorum;
mod reader_state;
mod remote_log;
mod stop_flag;
mod stop_signal;
mod verify;
mod watch;
mod watch_lines;

use clap::{ArgMatches, Command};
use svc_cli::{failure::Failure, output::format::Format};

use crate::{output::show::CommandOutput, report::RunReport};

pub(crate) fn command() -> Command {
    Command::new("log")
        .about("Verify, watch and copy the log of a registry, and check receipts")
        .subcommand_required(true)
        .arg_required_else_help(true)
        .subcommand(verify::command())
        .subcommand(watch::command())
        .subcommand(mirror::command())
        .subcommand(check_receipt::command())
        .subcommand(check_evidence::command())
}

pub(crate) fn run(matches: &ArgMatches, format: Format) -> Result<CommandOutput, Failure> {
    let verdict = |text| CommandOutput::Told(RunReport::default(), text);
    match matches.subcommand() {
        Some(("verify", arguments)) => verify::run(arguments, format).map(verdict),
        Some(("watch", arguments)) => watch::run(arguments, format),
        Some(("mirror", arguments)) => mirror::run(arguments, format).map(verdict),
        Some(("check-receipt", arguments)) => check_receipt::run(arguments, format).map(verdict),
        Some((_, arguments)) => check_evidence::run(arguments, format),
        None => Ok(verdict(String::new())),
    }
}
