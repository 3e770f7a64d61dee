//! The formats that each command has. A command that has one format alone takes no `--format`.

use clap::{Arg, ArgAction, ArgMatches, Command};
use svc_cli::{
    arguments::is_set,
    command_line::innermost,
    failure::Failure,
    output::format::{Format, Target},
};

/// A report in every format, which may also go to files.
const REPORT: &[Format] = &[Format::Human, Format::Concise, Format::Json, Format::Sarif, Format::Junit, Format::Github];

/// A scorecard speaks of answers, and SARIF points at places in files.
const SCORECARD: &[Format] = &[Format::Human, Format::Concise, Format::Json, Format::Junit, Format::Github];

/// A result in words, or as JSON.
const JSON: &[Format] = &[Format::Human, Format::Json];

/// Words alone.
const WORDS: &[Format] = &[Format::Human];

/// The command, with `--format` for each command below it that has several formats.
pub(crate) fn with_formats(command: Command, names: &mut Vec<String>) -> Command {
    if command.has_subcommands() {
        return command.mut_subcommands(|inner| {
            names.push(inner.get_name().to_owned());
            let inner = with_formats(inner, names);
            names.pop();
            inner
        });
    }
    let path: Vec<&str> = names.iter().map(String::as_str).collect();
    let formats = formats_for(&path, None);
    if formats == WORDS { command } else { command.arg(argument(&path, formats)) }
}

fn argument(names: &[&str], formats: &[Format]) -> Arg {
    let words: Vec<&str> = formats.iter().map(|format| format.word()).collect();
    let list = words.join(", ");
    let format = Arg::new("format").long("format").action(ArgAction::Append);
    if writes_files(names) {
        format.value_name("F[=FILE]").help(format!("The format: {list}; repeat it with =FILE to write more"))
    } else {
        format.value_name("FORMAT").help(format!("The format: {list}"))
    }
}

/// Refuses a format that the command does not have with these arguments.
pub(crate) fn require(matches: &ArgMatches, targets: &[Target]) -> Result<(), Failure> {
    let (names, arguments) = innermost(matches);
    if targets.iter().any(|target| target.file.is_some()) && !writes_files(&names) {
        let message = "this command makes no report that `--format F=FILE` could write";
        return Err(Failure::usage(message, "leave `=FILE` out, and redirect what it prints"));
    }
    let formats = formats_for(&names, Some(arguments));
    let wanted = targets.iter().map(|target| target.format).find(|format| !formats.contains(format));
    let Some(format) = wanted else { return Ok(()) };
    let message = format!("`svc {}` has no format `{}`", names.join(" "), format.word());
    let words: Vec<&str> = formats.iter().map(|format| format.word()).collect();
    Err(Failure::usage(message, format!("give one of: {}", words.join(", "))))
}

/// Whether a command reports what it found, so that the report may go to files. Others print a result.
fn writes_files(names: &[&str]) -> bool {
    names.last() == Some(&"submit") || [REPORT, SCORECARD].contains(&formats_for(names, None))
}

/// The formats of a command: with these arguments, or with any.
fn formats_for(names: &[&str], arguments: Option<&ArgMatches>) -> &'static [Format] {
    match names {
        ["lifecycle" | "explain" | "contract" | "schema"] | ["log", _] => JSON,
        ["verify", _] => SCORECARD,
        ["app", name] | [name] => of_app(name, arguments),
        // Without a command there is nothing but help.
        [] | [_, _, ..] => WORDS,
    }
}

fn of_app(name: &str, arguments: Option<&ArgMatches>) -> &'static [Format] {
    let has = |flag| arguments.is_some_and(|arguments| is_set(arguments, flag));
    match name {
        "files" | "inspect" | "plan" | "submit" => JSON,
        "init" | "export" | "publisher" | "completions" | "man" | "help" => WORDS,
        "preflight" if has("watch") => WORDS,
        "validate" if has("dry-run") => WORDS,
        _ => REPORT,
    }
}
