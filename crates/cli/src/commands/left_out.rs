//! What stands for the commands of the feature `server` in a build without it: they are known, and say how to get them.

use clap::{Arg, ArgMatches, Command};

use crate::{
    failure::Failure,
    output::{format::Target, show::CommandOutput, stream::TerminalStyle},
};

pub(crate) const NAMES: [&str; 6] = ["serve", "token", "verify", "journal", "events", "witness"];

/// They take whatever is given, so that no flag is blamed in place of the build.
pub(crate) fn commands() -> [Command; 6] {
    NAMES.map(left_out)
}

/// The command of `svc app` that is left out.
pub(crate) fn submit() -> Command {
    left_out("submit")
}

fn left_out(name: &'static str) -> Command {
    let rest = Arg::new("rest").num_args(0..).trailing_var_arg(true).allow_hyphen_values(true).hide(true);
    Command::new(name)
        .about("Not part of this build: it comes with the feature `server`")
        .disable_help_flag(true)
        .arg(rest)
}

pub(crate) fn run(name: &str, _: &ArgMatches, _: &[Target], _: TerminalStyle) -> Result<CommandOutput, Failure> {
    refuse(name)
}

pub(crate) fn refuse(name: &str) -> Result<CommandOutput, Failure> {
    Err(Failure::usage(
        format!("`{name}` is not part of this build"),
        "build with the feature `server`, which `cargo build -p svc` does unless it is told not to",
    ))
}
