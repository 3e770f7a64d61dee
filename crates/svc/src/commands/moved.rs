//! Commands that are in the other program, or have another name: each says which command to run.

use std::ffi::OsString;

use clap::{Arg, ArgMatches, Command, value_parser};
use svc_cli::{failure::Failure, output::escape::shell_word};

pub(crate) const NAMES: [&str; 5] = ["serve", "token", "journal", "events", "witness"];

/// What reads the log of somebody else, and so is a command of this program.
const OF_READERS: [&str; 4] = ["watch", "mirror", "check-receipt", "check-evidence"];

/// They take whatever is given, so that no flag is blamed in place of the command.
pub(crate) fn commands() -> [Command; 5] {
    NAMES.map(|name| {
        let rest = Arg::new("rest").num_args(0..).trailing_var_arg(true).allow_hyphen_values(true);
        Command::new(name)
            .hide(true)
            .disable_help_flag(true)
            .about("Moved to `svc-registry`")
            .arg(rest.value_parser(value_parser!(OsString)))
    })
}

pub(crate) fn refuse(name: &str, arguments: &ArgMatches) -> Failure {
    let given = arguments.get_many::<OsString>("rest").unwrap_or_default();
    let words: Vec<String> = given.map(|word| word.to_string_lossy().into_owned()).collect();
    let is_of_readers = match words.split_first() {
        Some((command, _)) if OF_READERS.contains(&command.as_str()) => true,
        Some((command, rest)) if command == "verify" => rest.first().is_some_and(|source| !source.starts_with('-')),
        Some(_) | None => false,
    };
    let now = if name == "journal" && is_of_readers { "svc log".to_owned() } else { format!("svc-registry {name}") };
    let line: String = words.iter().map(|word| format!(" {}", shell_word(word))).collect();
    Failure::usage(format!("`svc {name}` is now `{now}`"), format!("run `{now}{line}`"))
}
