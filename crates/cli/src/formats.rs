//! The formats that each command has on the terminal. A command that cannot print a format refuses it before it does
//! anything.

use clap::ArgMatches;

use crate::{
    arguments::{is_set, text},
    failure::Failure,
    output::format::{Format, Target},
};

/// A report in every format.
const REPORT: &[Format] = &[Format::Human, Format::Concise, Format::Json, Format::Sarif, Format::Junit, Format::Github];

/// A result in words, or as JSON.
const JSON: &[Format] = &[Format::Human, Format::Json];

/// Words alone.
const WORDS: &[Format] = &[Format::Human];

/// Refuses a format that the command does not have: of the terminal, and for what cannot be repeated also of files.
pub(crate) fn require(matches: &ArgMatches, targets: &[Target]) -> Result<(), Failure> {
    let mut names = Vec::new();
    let mut innermost = matches;
    while let Some((name, arguments)) = innermost.subcommand() {
        names.push(name);
        innermost = arguments;
    }
    let formats = formats_for(&names, innermost);
    let is_submit = names.last() == Some(&"submit");
    let mut wanted = targets.iter().filter(|target| target.file.is_none() || is_submit).map(|target| target.format);
    let Some(format) = wanted.find(|format| !formats.contains(format)) else { return Ok(()) };
    let message = format!("`svc {}` has no format `{}`", names.join(" "), format.word());
    let words: Vec<&str> = formats.iter().map(|format| format.word()).collect();
    Err(Failure::usage(message, format!("give one of: {}", words.join(", "))))
}

fn formats_for(names: &[&str], arguments: &ArgMatches) -> &'static [Format] {
    match names {
        // They say for themselves that this build does not have them.
        #[cfg(not(feature = "server"))]
        [name, ..] if crate::commands::left_out::NAMES.contains(name) => REPORT,
        ["app", name] => of_app(name, arguments),
        ["lifecycle" | "explain" | "contract" | "schema"] | ["token", "list"] | ["events", _] => JSON,
        ["journal", name] => of_journal(name, arguments),
        ["completions" | "man" | "serve"] | ["token" | "witness", _] => WORDS,
        ["verify", _] => REPORT,
        [name] => of_app(name, arguments),
        // Without a command there is nothing but help.
        [] | [_, _, ..] => WORDS,
    }
}

fn of_app(name: &str, arguments: &ArgMatches) -> &'static [Format] {
    match name {
        "files" | "inspect" | "plan" | "submit" => JSON,
        "init" | "export" | "publisher" => WORDS,
        "preflight" if is_set(arguments, "watch") => WORDS,
        "validate" if is_set(arguments, "dry-run") => WORDS,
        _ => REPORT,
    }
}

fn of_journal(name: &str, arguments: &ArgMatches) -> &'static [Format] {
    match name {
        "list" if is_set(arguments, "csv") => WORDS,
        "prove" if text(arguments, "as") == Some("tlog-proof") => WORDS,
        "list" | "show" | "verify" | "watch" | "check-evidence" | "mirror" | "replay" | "prove" | "check-receipt" => {
            JSON
        }
        _ => WORDS,
    }
}
