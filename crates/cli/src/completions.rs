//! The command `completions`: a script that completes commands and flags in a shell.

use clap::{Arg, ArgMatches, Command, ValueEnum as _};
use clap_complete::Shell;

use crate::{arguments::text, failure::Failure};

pub fn command() -> Command {
    Command::new("completions").about("Print a completion script for a shell").arg(
        Arg::new("shell").value_name("SHELL").required(true).help("The shell: bash, elvish, fish, powershell or zsh"),
    )
}

pub fn run(arguments: &ArgMatches, mut whole: Command) -> Result<String, Failure> {
    let name = text(arguments, "shell").unwrap_or_default();
    let shell = Shell::from_str(name, true).map_err(|_| {
        Failure::usage(
            format!("there are no completions for `{name}`"),
            "give one of: bash, elvish, fish, powershell, zsh",
        )
    })?;
    let mut script = Vec::new();
    let name = whole.get_name().to_owned();
    clap_complete::generate(shell, &mut whole, name, &mut script);
    Ok(String::from_utf8_lossy(&script).into_owned())
}
