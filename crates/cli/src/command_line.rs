//! From the arguments of a program to its matches: help that was asked for, and arguments that cannot be read.

use std::{
    ffi::OsString,
    io::{self, ErrorKind},
};

use clap::{ArgMatches, Command};
use svc_core::words::exit_code::ExitCode;

use crate::{
    failure::Failure,
    output::{
        escape::Safe,
        format::{self, Format, Target},
        stream,
    },
};

/// Why a program ends before any of its commands runs.
pub enum Ended {
    /// Help or a version was asked for.
    Helped,
    /// The arguments cannot be read, for people.
    Misread(String),
    /// The same, where another format than words was asked for.
    Refused(Failure, Target),
}

/// Reads the arguments of this process.
///
/// # Errors
/// When there is nothing to run.
pub fn parse(command: &Command) -> Result<ArgMatches, Ended> {
    let arguments = without_help_of_help(command, std::env::args_os());
    command.clone().try_get_matches_from(arguments).map_err(|error| ended(&error))
}

/// The names of the command that was given, and its own matches.
#[must_use]
pub fn innermost(matches: &ArgMatches) -> (Vec<&str>, &ArgMatches) {
    let (mut names, mut innermost) = (Vec::new(), matches);
    while let Some((name, arguments)) = innermost.subcommand() {
        names.push(name);
        innermost = arguments;
    }
    (names, innermost)
}

/// What `--version` prints at length.
#[must_use]
pub fn long_version(version: &str, commit: Option<&str>, rules: &str) -> String {
    format!("{version}\ncommit {}\nschema 1.0\nruleset {rules}", commit.unwrap_or("unknown"))
}

/// The arguments, in which `help --help` is `help`: the parser would look for a command of the name `--help`.
fn without_help_of_help(command: &Command, arguments: impl Iterator<Item = OsString>) -> Vec<OsString> {
    let mut arguments: Vec<OsString> = arguments.collect();
    let mut place = command;
    for at in 1..arguments.len() {
        let Some(word) = arguments.get(at).and_then(|word| word.to_str()) else { break };
        if word == "help" && place.has_subcommands() {
            let is_help = |word: &OsString| word == "--help" || word == "-h";
            let kept = arguments.iter().enumerate().filter(|(n, word)| *n <= at || !is_help(word));
            arguments = kept.map(|(_, word)| word.clone()).collect();
            break;
        }
        let Some(inner) = place.find_subcommand(word) else { break };
        place = inner;
    }
    arguments
}

/// The parser repeats arguments, so that they are escaped here.
fn ended(error: &clap::Error) -> Ended {
    let target = format::named_among(std::env::args_os().skip(1));
    if !error.use_stderr() {
        return match error.print() {
            Err(error) if error.kind() != ErrorKind::BrokenPipe => unprinted(&error, target),
            // A closed pipe while printing help is no failure.
            Ok(()) | Err(_) => Ended::Helped,
        };
    }
    let text = error.render().to_string();
    if target.format == Format::Human {
        return Ended::Misread(text.lines().map(|line| format!("{}\n", Safe(line))).collect());
    }
    let (message, help) = text.split_once("\n\n").unwrap_or((&text, "try --help"));
    Ended::Refused(Failure::usage(message.trim_start_matches("error: "), help.trim()), target)
}

fn unprinted(error: &io::Error, target: Target) -> Ended {
    Ended::Refused(Failure::stdout(error), target)
}

impl Ended {
    /// Prints what is left to print, with `refuse` for what is wanted in another format.
    pub fn exit(self, refuse: impl FnOnce(&Failure, Target) -> ExitCode) -> ExitCode {
        match self {
            Self::Helped => ExitCode::Valid,
            Self::Misread(text) => {
                stream::status(&text);
                ExitCode::Usage
            }
            Self::Refused(failure, target) => refuse(&failure, target),
        }
    }
}

/// The help of a program in groups, so that it reads by task and fits one screen.
#[must_use]
pub fn in_groups(command: Command, groups: &[(&str, &[&str])]) -> Command {
    let about = |name: &str| {
        let found = command.find_subcommand(name).and_then(Command::get_about);
        found.map(ToString::to_string).unwrap_or_default()
    };
    let wide = groups.iter().flat_map(|(_, names)| names.iter()).map(|name| name.len()).max().unwrap_or_default();
    let mut text = String::new();
    for (title, names) in groups {
        text += &format!("{title}:\n");
        for name in *names {
            text += &format!("  {name:wide$}  {}\n", about(name));
        }
        text.push('\n');
    }
    command.help_template(format!(
        "{{about}}\n\n{{usage-heading}} {{usage}}\n\n{text}Options:\n{{options}}{{after-help}}\n"
    ))
}
