//! The commands below `svc app`: one file a family, each with its part of the command line.

mod bundle_folder;
mod collection;
pub(crate) mod diff;
pub(crate) mod export;
pub(crate) mod files;
pub(crate) mod init;
pub(crate) mod inspect;
pub(crate) mod pack;
pub(crate) mod plan;
pub(crate) mod preflight;
pub(crate) mod publisher;
pub(crate) mod registry_make;
pub(crate) mod registry_validate;
pub(crate) mod report;
pub(crate) mod submit;
pub(crate) mod validate;
pub(crate) mod verify;

use clap::{ArgMatches, Command};
use svc_cli::{arguments::is_set, failure::Failure, output::format::Format};
use svc_core::words::kind::{self, Source};

use crate::{output::show::CommandOutput, report::RunReport, settings::Settings};

/// The command line below `svc app`.
pub(crate) fn command() -> Command {
    let mut steps: Vec<(u8, Command)> = Vec::new();
    for spec in kind::ALL {
        let make = match spec.source {
            Source::Package => pack::command(spec),
            Source::Submissions | Source::Artifact { .. } => registry_make::command(spec),
        };
        steps.push((spec.make.order, make));
        steps.extend(spec.check.map(|check| (check.order, registry_validate::command(check))));
    }
    steps.sort_by_key(|(order, _)| *order);
    let steps = steps.into_iter().map(|(order, command)| command.display_order(100 + usize::from(order)));
    Command::new("app")
        .about("Check packages and make artifacts")
        .subcommand_required(true)
        .arg_required_else_help(true)
        .subcommands(whole().into_iter().enumerate().map(|(order, command)| command.display_order(order)))
        .subcommands(steps)
        .after_help("The last thirteen are the single steps, in order; `svc app preflight` runs all of them.")
}

/// The commands about whole packages and bundles.
fn whole() -> Vec<Command> {
    vec![
        init::command(),
        preflight::check_command(),
        preflight::command(),
        validate::command(),
        verify::command(),
        files::command(),
        inspect::command(),
        plan::command(),
        diff::command(),
        report::command(),
        export::command(),
        publisher::command(),
        submit::command(),
    ]
}

/// Those that are understood without `app` too. `verify` is another command there.
pub(crate) fn short_commands() -> impl Iterator<Item = Command> {
    whole().into_iter().filter(|command| is_short(command.get_name()))
}

pub(crate) fn is_short(name: &str) -> bool {
    ["init", "check", "preflight", "validate", "files", "inspect", "plan", "diff", "report", "export", "submit"]
        .contains(&name)
}

pub(crate) fn run(matches: &ArgMatches, format: Format, settings: Option<&Settings>) -> Result<CommandOutput, Failure> {
    let Some((name, arguments)) = matches.subcommand() else { return Ok(CommandOutput::Report(RunReport::default())) };
    run_named(name, arguments, format, settings)
}

/// The settings of a command that has any.
pub(crate) fn settings(name: &str, arguments: &ArgMatches) -> Result<Option<Settings>, Failure> {
    match (name, arguments.subcommand()) {
        ("app", Some((name, arguments))) => settings(name, arguments),
        ("check" | "preflight", _) => preflight::settings(arguments),
        _ => Ok(None),
    }
}

/// Runs the command of a name.
pub(crate) fn run_named(
    name: &str,
    arguments: &ArgMatches,
    format: Format,
    settings: Option<&Settings>,
) -> Result<CommandOutput, Failure> {
    match name {
        "init" => {
            // A draft that was asked for is the result; what was written is only told.
            let shown = if is_set(arguments, "dry-run") { CommandOutput::Text } else { CommandOutput::Told };
            return init::run(arguments).map(|text| shown(RunReport::default(), text));
        }
        "check" => return preflight::check(arguments, settings).map(CommandOutput::Report),
        "submit" => return submit::run(arguments, format),
        "export" => return export::run(arguments),
        "diff" => return diff::run(arguments),
        "preflight" => return preflight::run(arguments, settings).map(CommandOutput::Report),
        "validate" => return validate::run(arguments),
        "verify" => return verify::run(arguments).map(CommandOutput::Report),
        "files" => return files::run(arguments, format),
        "inspect" => return inspect::run(arguments, format),
        "plan" => return plan::run(arguments, format),
        "report" => return report::run(arguments).map(CommandOutput::Report),
        "publisher" => return publisher::run(arguments),
        _ => {}
    }
    let report = match kind::ALL.iter().find(|spec| spec.make.name == name) {
        Some(spec) => match spec.source {
            Source::Package => pack::run(spec, arguments),
            Source::Submissions | Source::Artifact { .. } => registry_make::run(spec, arguments),
        },
        None => registry_validate::run(name, arguments),
    };
    report.map(CommandOutput::Report)
}
