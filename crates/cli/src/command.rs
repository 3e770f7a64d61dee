//! The command line as a whole, and the way from arguments to an exit code.

use std::{ffi::OsString, io::ErrorKind};

use clap::{Arg, ArgAction, ArgMatches, Command};
use svc_core::words::exit_code::ExitCode;

#[cfg(not(feature = "server"))]
use crate::commands::left_out as server;
#[cfg(feature = "server")]
use crate::commands::server;
use crate::rules::rules;
use crate::{
    arguments::{self, text},
    commands::{app, completions, contract, explain, lifecycle, man, schema},
    failure::Failure,
    formats,
    output::{
        escape::Safe,
        format::{self, Format, Target},
        show::{self, CommandOutput},
        stream::{self, Color, TerminalStyle},
    },
    output_paths,
    report::RunReport,
    settings::Settings,
};

pub(crate) fn run() -> ExitCode {
    let matches = match command().try_get_matches_from(without_help_of_help(std::env::args_os())) {
        Ok(matches) => matches,
        Err(error) => return usage(&error),
    };
    let given = matches.get_many::<String>("format").unwrap_or_default().map(String::as_str);
    let mut targets = match format::targets(given) {
        Ok(targets) => targets,
        Err(failure) => return show::failure(&failure, &[Target { format: Format::Human, file: None }]),
    };
    if targets.iter().any(|target| target.file.is_some()) && !makes_report(&matches) {
        let message = "this command makes no report that `--format F=FILE` could write";
        let failure = Failure::usage(message, "leave `=FILE` out, and redirect what it prints");
        return show::failure(&failure, &[Target { format: Format::Human, file: None }]);
    }
    if let Err(failure) = formats::require(&matches, &targets) {
        return show::failure(&failure, &targets);
    }
    let settings = match matches.subcommand().map(|(name, arguments)| app::settings(name, arguments)).transpose() {
        Ok(settings) => settings.flatten(),
        Err(failure) => return show::failure(&failure, &targets),
    };
    // What is given on the command line stands before what the settings ask for.
    let wished = settings.as_ref().filter(|wished| !matches.contains_id("format") && !wished.targets.is_empty());
    if let Some(wished) = wished {
        targets.clone_from(&wished.targets);
    }
    if let Err(failure) = output_paths::require(&matches, &targets, settings.as_ref()) {
        targets.retain(|target| target.file.is_none());
        return show::failure(&failure, &targets);
    }
    let color = match text(&matches, "color") {
        Some("always") => Color::Always,
        Some("never") => Color::Never,
        _ => Color::Auto,
    };
    let style = TerminalStyle { color, quiet: arguments::is_set(&matches, "quiet") };
    let ended = dispatch(&matches, &targets, style, settings.as_ref());
    if let Err(failure) = wished.map_or(Ok(()), Settings::create_reports_folder) {
        // Where the reports should go is not theirs, so that nothing is written there, also about this.
        targets.retain(|target| target.file.is_none());
        return show::failure(&failure, &targets);
    }
    let ended = ended.and_then(|output| show::output(output, &targets, style));
    ended.unwrap_or_else(|failure| show::failure(&failure, &targets))
}

/// The arguments, in which `help --help` is `help`: the parser would look for a command of the name `--help`.
fn without_help_of_help(arguments: impl Iterator<Item = OsString>) -> Vec<OsString> {
    let mut arguments: Vec<OsString> = arguments.collect();
    let mut place = command();
    for at in 1..arguments.len() {
        let Some(word) = arguments.get(at).and_then(|word| word.to_str()) else { break };
        if word == "help" && place.has_subcommands() {
            let is_help = |word: &OsString| word == "--help" || word == "-h";
            arguments = arguments
                .iter()
                .enumerate()
                .filter(|(n, word)| *n <= at || !is_help(word))
                .map(|(_, word)| word.clone())
                .collect();
            break;
        }
        let Some(inner) = place.find_subcommand(word).cloned() else { break };
        place = inner;
    }
    arguments
}

/// Whether a command looks at something and reports what it found. Others print a result, of which nothing is valid or not.
fn makes_report(matches: &ArgMatches) -> bool {
    let names = matches.subcommand().map(|(name, arguments)| (name, arguments.subcommand_name().unwrap_or_default()));
    match names {
        Some(("journal", name)) => ["watch", "check-evidence", "replay"].contains(&name),
        Some((name, _)) => app::is_short(name) || ["app", "lifecycle", "verify"].contains(&name),
        None => false,
    }
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

fn dispatch(
    matches: &ArgMatches,
    targets: &[Target],
    style: TerminalStyle,
    settings: Option<&Settings>,
) -> Result<CommandOutput, Failure> {
    let format = format::of_terminal(targets);
    match matches.subcommand() {
        Some(("app", arguments)) => app::run(arguments, format, settings),
        Some((name, arguments)) if app::is_short(name) => app::run_named(name, arguments, format, settings),
        Some((name, arguments)) if server::NAMES.contains(&name) => server::run(name, arguments, targets, style),
        Some(("lifecycle", arguments)) => lifecycle::run(arguments, format),
        Some(("explain", arguments)) => explain::run(arguments, format).map(plain),
        Some(("contract", arguments)) => contract::run(arguments).map(plain),
        Some(("schema", arguments)) => schema::run(arguments).map(plain),
        Some(("completions", arguments)) => completions::run(arguments, command()).map(plain),
        Some(("man", arguments)) => man::run(arguments, command()).map(plain),
        Some(_) | None => Ok(plain(command().render_help().to_string())),
    }
}

fn plain(text: String) -> CommandOutput {
    CommandOutput::Text(RunReport::default(), text)
}

pub(crate) fn command() -> Command {
    Command::new("svc")
        .about("Check an app package and prepare its registry hand-off bundle. Nothing is published.")
        .version(env!("CARGO_PKG_VERSION"))
        .long_version(version())
        .subcommand(app::command())
        .subcommands(app::short_commands().map(|command| command.hide(true)))
        .subcommands(server::commands())
        .subcommand(lifecycle::command())
        .subcommand(explain::command())
        .subcommand(contract::command())
        .subcommand(schema::command())
        .subcommand(completions::command())
        .subcommand(man::command())
        .arg(
            Arg::new("format")
                .long("format")
                .value_name("F[=FILE]")
                .action(ArgAction::Append)
                .global(true)
                .help("The format of the report: human, concise, json, sarif, junit or github; repeat it with =FILE to write more"),
        )
        .arg(
            Arg::new("quiet")
                .short('q')
                .long("quiet")
                .action(ArgAction::SetTrue)
                .global(true)
                .help("Print errors only; the exit code still tells the result"),
        )
        .arg(arguments::choice("color", &["auto", "always", "never"]).global(true).help("Whether to use colours"))
        .after_help(
            "Start with\n  svc init weather-board\n  cd weather-board && svc preflight\n\n\
             init, check, preflight, validate, files, inspect, plan, diff, report, export and submit need no `app`.\n\
             `svc app --help` lists the thirteen steps, `svc explain outcome` says why nothing is ever accepted.",
        )
}

fn version() -> String {
    let ruleset = rules().ruleset();
    let commit = option_env!("SVC_COMMIT").unwrap_or("unknown");
    format!(
        "{}\ncommit {commit}\nschema 1.0\nruleset {} {}",
        env!("CARGO_PKG_VERSION"),
        ruleset.version,
        ruleset.digest
    )
}
