//! The command line as a whole, and the way from arguments to an exit code.

use std::{ffi::OsString, io::ErrorKind};

use clap::{Arg, ArgAction, ArgMatches, Command};
use svc_core::{exit_code::ExitCode, rules::ruleset};

use crate::{
    arguments::{self, text},
    commands::{app, contract, explain, journal, lifecycle, serve, shell, token, verify},
    failure::Failure,
    files::read::Input,
    output::{
        escape::Safe,
        format::{self, Format, Target},
        show::{self, Done, Manner},
        stream::{self, Color},
    },
    report::Report,
};

/// Runs the command line of this process.
pub(crate) fn run() -> ExitCode {
    let matches = match command().try_get_matches() {
        Ok(matches) => matches,
        Err(error) => return usage(&error),
    };
    let given = matches.get_many::<String>("format").unwrap_or_default().map(String::as_str);
    let targets = match format::targets(given) {
        Ok(targets) => targets,
        Err(failure) => return show::failure(&failure, &[Target { format: Format::Human, file: None }]),
    };
    let color = match text(&matches, "color") {
        Some("always") => Color::Always,
        Some("never") => Color::Never,
        _ => Color::Auto,
    };
    let manner = Manner { color, quiet: arguments::is_set(&matches, "quiet") };
    let ended = dispatch(&matches, &targets, manner).and_then(|done| show::done(done, &targets, manner));
    ended.unwrap_or_else(|failure| show::failure(&failure, &targets))
}

/// Help that was asked for, or arguments that cannot be read. The parser repeats those, so that they are escaped here.
fn usage(error: &clap::Error) -> ExitCode {
    let target = format::named_among(std::env::args_os().skip(1));
    if !error.use_stderr() {
        return match error.print() {
            Err(error) if error.kind() != ErrorKind::BrokenPipe => show::failure(&Failure::stdout(&error), &[target]),
            // A closed pipe while printing help is no failure.
            Ok(()) | Err(_) => ExitCode::Valid,
        };
    }
    let text = error.render().to_string();
    if target.format == Format::Human {
        stream::status(&text.lines().map(|line| format!("{}\n", Safe(line))).collect::<String>());
        return ExitCode::Usage;
    }
    let (message, help) = text.split_once("\n\n").unwrap_or((&text, "try --help"));
    show::failure(&Failure::usage(message.trim_start_matches("error: "), help.trim()), &[target])
}

fn dispatch(matches: &ArgMatches, targets: &[Target], manner: Manner) -> Result<Done, Failure> {
    let format = format::of_terminal(targets);
    match matches.subcommand() {
        Some(("app", arguments)) => app::run(arguments),
        Some(("lifecycle", arguments)) => match arguments.get_one::<OsString>("entry") {
            Some(entry) => {
                let (report, text) = lifecycle::run(&Input::from_argument(entry.clone()), format)?;
                Ok(Done::Text(report, text))
            }
            None => plain(lifecycle::catalog()),
        },
        Some(("contract", arguments)) => plain(contract::contract(text(arguments, "name").unwrap_or_default())?),
        Some(("schema", arguments)) => plain(contract::schema(text(arguments, "name").unwrap_or_default())?),
        Some(("explain", arguments)) => explain::run(text(arguments, "topic"), format).and_then(plain),
        Some(("serve", arguments)) => plain(serve::run(arguments)?),
        Some(("token", arguments)) => plain(token::run(arguments)?),
        Some(("verify", arguments)) => verify::run(arguments, targets, manner),
        Some(("journal", arguments)) => journal::run(arguments, format),
        Some(("completions", arguments)) => {
            plain(shell::completions(text(arguments, "shell").unwrap_or_default(), command())?)
        }
        Some(("man", arguments)) => {
            let folder = arguments::given_path(arguments, "folder");
            plain(shell::man(folder.as_deref(), command())?)
        }
        Some(_) | None => plain(command().render_help().to_string()),
    }
}

fn plain(text: String) -> Result<Done, Failure> {
    Ok(Done::Text(Report::default(), text))
}

/// The whole command line.
pub(crate) fn command() -> Command {
    Command::new("svc")
        .about("Check an app package and prepare its registry hand-off bundle. Nothing is published.")
        .version(env!("CARGO_PKG_VERSION"))
        .long_version(version())
        .subcommand(app::command())
        .subcommand(serve::command())
        .subcommand(token::command())
        .subcommand(verify::command())
        .subcommand(journal::command())
        .subcommand(
            Command::new("lifecycle")
                .about("Tell the stage of a manifest, submission, index or entry; without a file, list the stages")
                .arg(arguments::path("entry", "FILE").help("The document, or - for standard input")),
        )
        .subcommand(
            named("explain", "topic", "Tell what a rule, gate, stage, problem or exit code means")
                .mut_arg("topic", |topic| topic.required(false).help("A code or word; without one, list everything")),
        )
        .subcommand(
            named("contract", "name", "Print a generated contract")
                .mut_arg("name", |name| name.help(contract::names_of_contracts())),
        )
        .subcommand(
            named("schema", "name", "Print a JSON Schema")
                .mut_arg("name", |name| name.help(contract::names_of_schemas())),
        )
        .subcommand(
            named("completions", "shell", "Print a completion script for a shell")
                .mut_arg("shell", |shell| shell.help("One of: bash, elvish, fish, powershell, zsh")),
        )
        .subcommand(
            Command::new("man")
                .about("Print the man page, or write one for every command into a folder")
                .arg(arguments::path("folder", "DIR")),
        )
        .arg(
            Arg::new("format")
                .long("format")
                .value_name("F[=FILE]")
                .action(ArgAction::Append)
                .global(true)
                .help("How to report: human, concise, json, sarif, junit or github; may be repeated with files"),
        )
        .arg(
            Arg::new("quiet")
                .short('q')
                .long("quiet")
                .action(ArgAction::SetTrue)
                .global(true)
                .help("Print errors only; the exit code says the rest"),
        )
        .arg(arguments::choice("color", &["auto", "always", "never"]).global(true).help("When to colour"))
        .after_help(
            "Start with\n  svc app init weather-board\n  cd weather-board && svc app preflight\n\n\
             `svc app --help` lists the thirteen steps, `svc explain outcome` says why nothing is ever accepted.",
        )
}

fn version() -> String {
    let ruleset = ruleset::RulesetRef::own();
    let commit = option_env!("SVC_COMMIT").unwrap_or("unknown");
    format!(
        "{}\ncommit {commit}\nschema 1.0\nruleset {} {}",
        env!("CARGO_PKG_VERSION"),
        ruleset.version,
        ruleset.digest
    )
}

fn named(name: &'static str, argument: &'static str, about: &'static str) -> Command {
    Command::new(name).about(about).arg(Arg::new(argument).value_name(argument.to_uppercase()).required(true))
}
