//! Commands that are in the other program, or have another name: each says which command to run.

use std::ffi::OsString;

use clap::{Arg, Command, value_parser};
use svc_cli::{failure::Failure, output::escape::shell_word};

pub(crate) const NAMES: [&str; 5] = ["serve", "token", "journal", "events", "witness"];

/// What reads the log of somebody else, and so is a command of this program.
const OF_READERS: [&str; 4] = ["watch", "mirror", "check-receipt", "check-evidence"];

/// The options of the old verification of a log that take no value.
const WITHOUT_VALUE: [&str; 3] = ["-q", "--quiet", "--require-hand-overs"];

/// They take whatever is given, so that no flag is blamed in place of the command.
pub(crate) fn commands() -> [Command; 5] {
    NAMES.map(|name| {
        let rest = Arg::new("rest").num_args(0..).trailing_var_arg(true).allow_hyphen_values(true);
        Command::new(name)
            .hide(true)
            .disable_help_flag(true)
            .about("Moved to `svc-registry`")
            .override_help(format!("`svc {name}` is now `svc-registry {name}`: see `svc-registry {name} --help`.\n"))
            .arg(rest.value_parser(value_parser!(OsString)))
    })
}

pub(crate) fn refuse(name: &str) -> Failure {
    // As they were typed: the parser takes out `--`, and the options that all commands have.
    let mut before: Vec<OsString> = std::env::args_os().skip(1).collect();
    let after = before.iter().position(|word| word == name).map(|at| before.split_off(at)).unwrap_or_default();
    let given = after.get(1..).unwrap_or_default();
    let is_of_readers = match given.split_first() {
        Some((command, _)) if OF_READERS.iter().any(|name| command == name) => true,
        Some((command, rest)) => command == "verify" && has_source(rest),
        None => false,
    };
    let (program, command) = if name == "journal" && is_of_readers { ("svc", "log") } else { ("svc-registry", name) };
    // Its options that all commands have stand where they stood; the other program has none.
    let words = if program == "svc" { [before, given.to_vec()].concat() } else { without_common(given) };
    let line: String = words.iter().map(|word| format!(" {}", shell_word(word))).collect();
    Failure::usage(format!("`svc {name}` is now `{program} {command}`"), format!("run `{program} {command}{line}`"))
}

/// Whether a log to verify is named: a word that is no option, and no value of one.
fn has_source(given: &[OsString]) -> bool {
    let mut words = given.iter().map(|word| word.to_string_lossy());
    while let Some(word) = words.next() {
        match word.as_ref() {
            "--" => return words.next().is_some(),
            option if WITHOUT_VALUE.contains(&option) || (option.starts_with("--") && option.contains('=')) => {}
            option if option.starts_with('-') => drop(words.next()),
            _ => return true,
        }
    }
    false
}

/// Without `--quiet` and `--color`.
fn without_common(given: &[OsString]) -> Vec<OsString> {
    let mut words = given.iter();
    let mut left = Vec::new();
    while let Some(word) = words.next() {
        match word.to_string_lossy().as_ref() {
            "-q" | "--quiet" => {}
            "--color" => drop(words.next()),
            option if option.starts_with("--color=") => {}
            _ => left.push(word.clone()),
        }
    }
    left
}
