//! The command line as a whole, and the path from arguments to an exit code.

use clap::{Arg, ArgAction, ArgMatches, Command};
use svc_cli::{
    arguments::{self, text},
    command_line::{self, innermost},
    completions,
    failure::Failure,
    man,
    output::{
        format::{self, Format, Target},
        stream::{Color, TerminalStyle},
    },
    rules::rules,
};
use svc_core::words::exit_code::ExitCode;

use crate::{
    commands::{app, contract, explain, lifecycle, log, moved, schema, verify},
    formats,
    output::show::{self, CommandOutput},
    output_paths,
    report::RunReport,
    settings::Settings,
};

pub(crate) fn run() -> ExitCode {
    let matches = match command_line::parse(&command()) {
        Ok(matches) => matches,
        Err(ended) => return ended.exit(|failure, target| show::failure(failure, &[target])),
    };
    if let Some((name, _)) = matches.subcommand()
        && moved::NAMES.contains(&name)
    {
        return show::failure(&moved::refuse(name), &[format::named_among(std::env::args_os())]);
    }
    let mut targets = match format::targets(arguments::texts(innermost(&matches).1, "format").into_iter()) {
        Ok(targets) => targets,
        Err(failure) => return show::failure(&failure, &[Target { format: Format::Human, file: None }]),
    };
    if let Err(failure) = formats::require(&matches, &targets) {
        targets.retain(|target| target.file.is_none());
        return show::failure(&failure, &targets);
    }
    let settings = match matches.subcommand().map(|(name, arguments)| app::settings(name, arguments)).transpose() {
        Ok(settings) => settings.flatten(),
        Err(failure) => return show::failure(&failure, &targets),
    };
    // The command line wins over what the settings ask for.
    let has_format = !arguments::texts(innermost(&matches).1, "format").is_empty();
    let wished = settings.as_ref().filter(|wished| !has_format && !wished.targets.is_empty());
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
        // The reports have no place, so that nothing is written there, also about this.
        targets.retain(|target| target.file.is_none());
        return show::failure(&failure, &targets);
    }
    let ended = ended.and_then(|output| show::output(output, &targets, style));
    ended.unwrap_or_else(|failure| show::failure(&failure, &targets))
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
        Some(("verify", arguments)) => verify::run(arguments, targets, style),
        Some(("log", arguments)) => log::run(arguments, format),
        Some(("lifecycle", arguments)) => lifecycle::run(arguments, format),
        Some(("explain", arguments)) => explain::run(arguments, format).map(plain),
        Some(("contract", arguments)) => contract::run(arguments).map(plain),
        Some(("schema", arguments)) => schema::run(arguments).map(plain),
        Some(("completions", arguments)) => completions::run(arguments, own_commands()).map(plain),
        Some(("man", arguments)) => man::run(arguments, own_commands()).map(plain),
        Some(_) | None => Ok(plain(command().render_help().to_string())),
    }
}

fn plain(text: String) -> CommandOutput {
    CommandOutput::Text(RunReport::default(), text)
}

/// The groups of the help, each with its commands in the order in which they are needed.
const GROUPS: [(&str, &[&str]); 4] = [
    ("Packages", &["init", "check", "preflight", "validate", "files", "app"]),
    ("Reviewing", &["inspect", "plan", "diff", "report", "export", "lifecycle"]),
    ("Registries", &["submit", "verify", "log"]),
    ("Reference", &["explain", "contract", "schema", "completions", "man"]),
];

/// The command line with the old forms, which answer where the commands are now.
fn command() -> Command {
    own_commands().subcommands(moved::commands())
}

fn own_commands() -> Command {
    let whole = Command::new("svc")
        .about("Check an app package and prepare its handoff bundle. Nothing is published.")
        .version(env!("CARGO_PKG_VERSION"))
        .long_version(version())
        .subcommands(app::short_commands())
        .subcommand(app::command())
        .subcommand(verify::command())
        .subcommand(log::command())
        .subcommand(lifecycle::command())
        .subcommand(explain::command())
        .subcommand(contract::command())
        .subcommand(schema::command())
        .subcommand(completions::command())
        .subcommand(man::command())
        .arg(
            Arg::new("quiet")
                .short('q')
                .long("quiet")
                .action(ArgAction::SetTrue)
                .global(true)
                .help("Print errors only; the exit code still gives the result"),
        )
        .arg(arguments::choice("color", &["auto", "always", "never"]).global(true).help("Whether to use colours"))
        .after_help(
            "Start with `svc init weather-board`, then `cd weather-board && svc preflight`.\n\
             `svc app --help` lists the thirteen steps; `svc explain outcome` says why nothing is ever accepted.",
        );
    command_line::in_groups(formats::with_formats(whole, &mut Vec::new()), &GROUPS)
}

fn version() -> String {
    let ruleset = rules().ruleset();
    let rules = format!("{} {}", ruleset.version, ruleset.digest);
    command_line::long_version(env!("CARGO_PKG_VERSION"), option_env!("SVC_COMMIT"), &rules)
}
