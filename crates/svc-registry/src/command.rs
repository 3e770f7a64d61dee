//! The command line as a whole, and the path from arguments to an exit code.

use clap::{ArgMatches, Command};
use svc_cli::{
    command_line::{self, innermost},
    completions,
    failure::Failure,
    man,
    output::{
        format::{self, Format},
        stop, stream,
    },
    rules::rules,
};
use svc_core::words::exit_code::ExitCode;

use crate::commands::{events, journal, serve, token, witness};

pub(crate) fn run() -> ExitCode {
    let matches = match command_line::parse(&command()) {
        Ok(matches) => matches,
        Err(ended) => return ended.exit(|failure, target| stop::print(failure, target.format)),
    };
    let format = format::of_result(innermost(&matches).1);
    let ended = dispatch(&matches, format).and_then(|text| stream::result(text.as_bytes()));
    ended.map_or_else(|failure| stop::print(&failure, format), |()| ExitCode::Valid)
}

fn dispatch(matches: &ArgMatches, format: Format) -> Result<String, Failure> {
    match matches.subcommand() {
        Some(("serve", arguments)) => serve::run(arguments),
        Some(("token", arguments)) => token::run(arguments, format),
        Some(("journal", arguments)) => journal::run(arguments, format),
        Some(("events", arguments)) => events::run(arguments, format),
        Some(("witness", arguments)) => witness::run(arguments),
        Some(("completions", arguments)) => completions::run(arguments, command()),
        Some(("man", arguments)) => man::run(arguments, command()),
        Some(_) | None => Ok(command().render_help().to_string()),
    }
}

/// The groups of the help, each with its commands in the order in which they are needed.
const GROUPS: [(&str, &[&str]); 3] = [
    ("Registry", &["serve", "token"]),
    ("Log", &["journal", "events", "witness"]),
    ("Reference", &["completions", "man"]),
];

pub(crate) fn command() -> Command {
    let ruleset = rules().ruleset();
    let rules = format!("{} {}", ruleset.version, ruleset.digest);
    let version = command_line::long_version(env!("CARGO_PKG_VERSION"), option_env!("SVC_COMMIT"), &rules);
    let whole = Command::new("svc-registry")
        .about("Run the fail-closed registry of app packages. Every answer is no.")
        .version(env!("CARGO_PKG_VERSION"))
        .long_version(version)
        .subcommand(serve::command())
        .subcommand(token::command())
        .subcommand(journal::command())
        .subcommand(events::command())
        .subcommand(witness::command())
        .subcommand(completions::command())
        .subcommand(man::command())
        .after_help(
            "Start with `svc-registry serve --bind 127.0.0.1:8787`.\n\
             `svc` checks packages, and verifies registries and their logs from outside.",
        );
    command_line::in_groups(whole, &GROUPS)
}
