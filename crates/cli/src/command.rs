//! The command line, made from the table of artifacts, and the way from arguments to an exit code.

use std::{ffi::OsString, path::PathBuf};

use clap::{Arg, ArgAction, ArgMatches, Command, builder::PossibleValuesParser, value_parser};
use svc_core::{
    artifact::{
        head::Visibility,
        index::{Scope, ScopeType},
        table::{self, ArtifactSpec, Source},
    },
    exit_code::ExitCode,
    ident::OwnerId,
    rules::ruleset,
};

use crate::{
    app::{
        check,
        make::{self, MakeOptions},
        pack::{self, PackOptions},
        validate, verify,
    },
    contract, explain,
    failure::Failure,
    files::{read::Input, write::Output},
    lifecycle,
    output::{
        human, json,
        stream::{self, Color},
    },
    report::{Deny, Report},
};

/// How a report is put into words.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Format {
    Human,
    Json,
}

/// Runs the command line of this process.
pub(crate) fn run() -> ExitCode {
    let matches = match command().try_get_matches() {
        Ok(matches) => matches,
        Err(error) => return usage(&error),
    };
    let format = if text(&matches, "format") == Some("json") { Format::Json } else { Format::Human };
    let color = match text(&matches, "color") {
        Some("always") => Color::Always,
        Some("never") => Color::Never,
        _ => Color::Auto,
    };
    let ended = dispatch(&matches, format).and_then(|done| show(done, format, color));
    ended.unwrap_or_else(|failure| {
        match format {
            Format::Human => stream::status(&human::failure(&failure)),
            Format::Json => {
                // The failure may be that standard output is gone; then there is nobody left to tell.
                let _ = stream::result(&json::render_failure(&failure));
            }
        }
        failure.exit
    })
}

/// What a command hands over to be shown.
enum Done {
    Report(Report),
    Text(Report, String),
}

fn usage(error: &clap::Error) -> ExitCode {
    let wants_output = !error.use_stderr();
    // A closed pipe while printing help is no failure.
    let _ = error.print();
    if wants_output { ExitCode::Valid } else { ExitCode::Usage }
}

fn show(done: Done, format: Format, color: Color) -> Result<ExitCode, Failure> {
    let (report, text) = match done {
        Done::Report(report) => (report, None),
        Done::Text(report, text) => (report, Some(text)),
    };
    let code = report.exit_code();
    if format == Format::Human {
        stream::status(&human::findings(&report, color.on_stderr()));
    }
    if let Some(text) = text.filter(|text| !text.is_empty()) {
        stream::result(text.as_bytes())?;
        return Ok(code);
    }
    let words = match format {
        Format::Human => human::result(&report).into_bytes(),
        Format::Json => json::render(&report),
    };
    match &report.payload {
        Some(payload) => {
            stream::status(&String::from_utf8_lossy(&words));
            stream::result(payload)?;
        }
        None => stream::result(&words)?,
    }
    Ok(code)
}

fn dispatch(matches: &ArgMatches, format: Format) -> Result<Done, Failure> {
    match matches.subcommand() {
        Some(("app", app)) => dispatch_app(app).map(Done::Report),
        Some(("lifecycle", arguments)) => match arguments.get_one::<OsString>("entry") {
            Some(entry) => lifecycle::run(&Input::from_argument(entry.clone()), format)
                .map(|(report, text)| Done::Text(report, text)),
            None => Ok(Done::Text(Report::default(), lifecycle::catalog())),
        },
        Some(("contract", arguments)) => printed(contract::contract(text(arguments, "name").unwrap_or_default())),
        Some(("schema", arguments)) => printed(contract::schema(text(arguments, "name").unwrap_or_default())),
        Some(("explain", arguments)) => {
            let topic = text(arguments, "topic").unwrap_or_default();
            Ok(Done::Text(Report::default(), explain::run(topic)?))
        }
        Some(_) | None => Ok(Done::Text(Report::default(), command().render_help().to_string())),
    }
}

fn printed(bytes: Result<Vec<u8>, Failure>) -> Result<Done, Failure> {
    Ok(Done::Text(Report::default(), String::from_utf8_lossy(&bytes?).into_owned()))
}

fn dispatch_app(matches: &ArgMatches) -> Result<Report, Failure> {
    let Some((name, arguments)) = matches.subcommand() else { return Ok(Report::default()) };
    if name == "validate" {
        return validate::run(&inputs(arguments), deny(arguments));
    }
    if name == "verify" {
        let path = |id| arguments.get_one::<PathBuf>(id).map(PathBuf::as_path);
        return verify::run(path("folder").unwrap_or_else(|| std::path::Path::new(".")), path("package"));
    }
    if let Some(spec) = table::ALL.iter().find(|spec| spec.make.name == name) {
        return dispatch_make(spec, arguments);
    }
    let checks = |spec: &&&ArtifactSpec| spec.check.is_some_and(|check| check.name == name);
    match (table::ALL.iter().find(checks), inputs(arguments).first()) {
        (Some(spec), Some(input)) => check::run(spec, input, deny(arguments)),
        (Some(_), None) | (None, _) => Ok(Report::default()),
    }
}

fn dispatch_make(spec: &'static ArtifactSpec, arguments: &ArgMatches) -> Result<Report, Failure> {
    let out = arguments.get_one::<OsString>("out").cloned().unwrap_or_else(|| spec.file.into());
    let out = Output::from_argument(out);
    let inputs = inputs(arguments);
    match (spec.source, inputs.first()) {
        (Source::Package, Some(manifest)) => pack::run(&PackOptions {
            manifest: manifest.clone(),
            owner_id: text(arguments, "owner-id").map(str::to_owned),
            owner_name: text(arguments, "owner-name").map(str::to_owned),
            visibility: text(arguments, "visibility").and_then(Visibility::parse).unwrap_or(Visibility::Private),
            out,
            deny: deny(arguments),
        }),
        (Source::Submissions, _) => {
            let scope = text(arguments, "scope").map(scope).transpose()?;
            make::run(spec, &MakeOptions { inputs, out, scope })
        }
        (Source::Artifact { .. } | Source::Package, _) => make::run(spec, &MakeOptions { inputs, out, scope: None }),
    }
}

fn inputs(arguments: &ArgMatches) -> Vec<Input> {
    let given = arguments.get_many::<OsString>("input").unwrap_or_default();
    given.map(|argument| Input::from_argument(argument.clone())).collect()
}

fn deny(arguments: &ArgMatches) -> Deny {
    let flag = |id| matches!(arguments.try_get_one::<bool>(id), Ok(Some(true)));
    Deny { blockers: flag("deny-blockers"), warnings: flag("deny-warnings") }
}

fn text<'m>(arguments: &'m ArgMatches, id: &str) -> Option<&'m str> {
    arguments.try_get_one::<String>(id).ok().flatten().map(String::as_str)
}

fn scope(text: &str) -> Result<Scope, Failure> {
    let parsed = text
        .split_once(':')
        .and_then(|(kind, id)| Some(Scope { r#type: ScopeType::parse(kind)?, id: OwnerId::parse(id)? }));
    parsed.ok_or_else(|| Failure::usage("the value of --scope cannot be used", "give `user:ID` or `space:ID`"))
}

/// The whole command line.
pub(crate) fn command() -> Command {
    Command::new("svc")
        .about("Check an app package and prepare its registry hand-off bundle. Nothing is published.")
        .version(version())
        .subcommand(app_command())
        .subcommand(
            Command::new("lifecycle")
                .about("Tell the stage of a manifest, submission, index or entry; without a file, list the stages")
                .arg(path_argument("entry", "FILE").help("The document, or - for standard input")),
        )
        .subcommand(named("contract", "name", "Print a generated contract"))
        .subcommand(named("schema", "name", "Print a JSON Schema"))
        .subcommand(named("explain", "topic", "Tell what a rule, gate, stage, problem or exit code means"))
        .arg(choice("format", &["human", "json"]).global(true).help("How to report"))
        .arg(choice("color", &["auto", "always", "never"]).global(true).help("When to colour"))
        .after_help(
            "Start with\n  svc app pack svc-app.json --owner-id ID --owner-name NAME --visibility unlisted\n\
             `svc app --help` lists all thirteen steps, `svc explain outcome` says why nothing is ever accepted.",
        )
}

fn version() -> String {
    let ruleset = ruleset::RulesetRef::own();
    format!("{}\nschema 1.0\nruleset {} {}", env!("CARGO_PKG_VERSION"), ruleset.version, ruleset.digest)
}

fn app_command() -> Command {
    let mut steps: Vec<(u8, Command)> = table::ALL.iter().map(|spec| (spec.make.order, make_command(spec))).collect();
    steps.extend(table::ALL.iter().filter_map(|spec| {
        let check = spec.check?;
        let command = Command::new(check.name).about(check.about).arg(input(1)).arg(deny_flag("deny-warnings"));
        Some((check.order, command))
    }));
    steps.sort_by_key(|(order, _)| *order);
    Command::new("app")
        .about("Check packages and make artifacts")
        .subcommand_required(true)
        .arg_required_else_help(true)
        .subcommands(steps.into_iter().map(|(order, command)| command.display_order(usize::from(order))))
        .subcommand(
            Command::new("validate")
                .about("Check manifests and artifacts of any kind")
                .display_order(20)
                .arg(input(usize::MAX))
                .arg(deny_flag("deny-warnings"))
                .arg(deny_flag("deny-blockers")),
        )
        .subcommand(
            Command::new("verify")
                .about("Check the whole chain of a bundle, and with --package the files behind it")
                .display_order(21)
                .arg(path_argument("folder", "DIR").required(true).value_parser(value_parser!(PathBuf)))
                .arg(path_argument("package", "DIR").long("package").value_parser(value_parser!(PathBuf))),
        )
}

fn make_command(spec: &'static ArtifactSpec) -> Command {
    let out = path_argument("out", "FILE")
        .long("out")
        .help(format!("Where to write, - for standard output [default: {}]", spec.file));
    let command = Command::new(spec.make.name).about(spec.make.about).arg(out);
    match spec.source {
        Source::Package => command
            .arg(input(1).value_name("MANIFEST"))
            .arg(
                Arg::new("owner-id")
                    .long("owner-id")
                    .value_name("ID")
                    .help("The account that submits [default: the publisher]"),
            )
            .arg(Arg::new("owner-name").long("owner-name").value_name("NAME").help("Its name for people"))
            .arg(
                choice("visibility", Visibility::WORDS)
                    .default_value(Visibility::Private.as_str())
                    .help("Who may see a listing one day"),
            )
            .arg(deny_flag("deny-warnings"))
            .arg(deny_flag("deny-blockers")),
        Source::Submissions => command.arg(input(usize::MAX)).arg(
            Arg::new("scope")
                .long("scope")
                .value_name("user:ID|space:ID")
                .help("Whose collection [default: the owner's]"),
        ),
        Source::Artifact { .. } => command.arg(input(1)),
    }
}

fn input(most: usize) -> Arg {
    let input = path_argument("input", "FILE").required(true).help("The document, or - for standard input");
    if most > 1 { input.num_args(1..) } else { input }
}

fn path_argument(id: &'static str, name: &'static str) -> Arg {
    Arg::new(id).value_name(name).value_parser(value_parser!(OsString))
}

fn choice(id: &'static str, words: &'static [&'static str]) -> Arg {
    Arg::new(id).long(id).value_parser(PossibleValuesParser::new(words))
}

fn deny_flag(id: &'static str) -> Arg {
    let help = if id == "deny-warnings" { "Warnings fail the run" } else { "Author blockers fail the run" };
    Arg::new(id).long(id).action(ArgAction::SetTrue).help(help)
}

fn named(name: &'static str, argument: &'static str, about: &'static str) -> Command {
    Command::new(name).about(about).arg(Arg::new(argument).required(true))
}
