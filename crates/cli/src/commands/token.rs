//! `svc token`: makes, lists and revokes tokens. A token is shown once and never kept.

use std::{fmt::Write as _, io, path::Path};

use clap::{Arg, ArgAction, ArgMatches, Command, builder::PossibleValuesParser, value_parser};
use svc_core::{canonical_json, exit_code::ExitCode};
use svc_server::{
    auth::tokens::{self, Scope, TokenFile},
    clock,
};

use crate::{
    arguments::{self, text},
    failure::Failure,
    files::write::write_atomic,
    output::escape::Safe,
};

/// The command's part of the command line.
pub(crate) fn command() -> Command {
    let file = || arguments::path("file", "FILE").long("file").required(true).help("The token file");
    let id = || Arg::new("id").required(true).value_name("ID").help("The token's name for people and logs");
    let words: Vec<&str> = Scope::ALL.iter().map(|scope| scope.as_str()).collect();
    Command::new("token")
        .about("Make, list and revoke tokens for the hosted registry")
        .subcommand_required(true)
        .arg_required_else_help(true)
        .subcommand(
            Command::new("create")
                .about("Make a token and print it, once")
                .arg(id())
                .arg(file())
                .arg(
                    Arg::new("scope")
                        .long("scope")
                        .action(ArgAction::Append)
                        .value_parser(PossibleValuesParser::new(words))
                        .help("What it allows; may be repeated [default: preflight, read]"),
                )
                .arg(
                    Arg::new("days")
                        .long("days")
                        .value_name("N")
                        .value_parser(value_parser!(u32).range(1..))
                        .help("After how many days it ends [default: 90]"),
                ),
        )
        .subcommand(Command::new("list").about("List the tokens, without any secret").arg(file()))
        .subcommand(Command::new("revoke").about("Take a token back; a running service notices").arg(id()).arg(file()))
}

/// Runs the command.
pub(crate) fn run(matches: &ArgMatches) -> Result<String, Failure> {
    let Some((name, arguments)) = matches.subcommand() else { return Ok(String::new()) };
    let path = arguments::given_path(arguments, "file").unwrap_or_default();
    match name {
        "create" => create(arguments, &path),
        "revoke" => revoke(text(arguments, "id").unwrap_or_default(), &path),
        _ => Ok(list(&read(&path)?)),
    }
}

fn create(arguments: &ArgMatches, path: &Path) -> Result<String, Failure> {
    let mut file = if path.exists() { read(path)? } else { TokenFile::default() };
    let id = text(arguments, "id").unwrap_or_default();
    let plain = |character: char| character.is_ascii_alphanumeric() || "-_.".contains(character);
    if id.is_empty() || id.len() > 64 || !id.chars().all(plain) {
        return Err(Failure::usage(
            "the token's name cannot be used",
            "use letters, digits, dots and hyphens, 64 at most",
        ));
    }
    if file.tokens.iter().any(|record| record.id == id) {
        return Err(Failure::usage(format!("there is a token `{id}` already"), "revoke it first, or use another name"));
    }
    let given: Vec<&String> = arguments.get_many("scope").unwrap_or_default().collect();
    let named = |scope: &&Scope| given.iter().any(|word| word.as_str() == scope.as_str());
    let mut scopes: Vec<Scope> = Scope::ALL.iter().filter(named).copied().collect();
    if scopes.is_empty() {
        scopes = vec![Scope::Preflight, Scope::Read];
    }
    let days = u64::from(arguments.get_one::<u32>("days").copied().unwrap_or(90));
    let made = tokens::create(id.to_owned(), scopes, Some(days * 24 * 60 * 60));
    let (secret, record) = made.map_err(|error| failed(path, &error))?;
    file.tokens.push(record);
    write(path, &file)?;
    Ok(format!("{secret}\n"))
}

fn revoke(id: &str, path: &Path) -> Result<String, Failure> {
    let mut file = read(path)?;
    let before = file.tokens.len();
    file.tokens.retain(|record| record.id != id);
    if file.tokens.len() == before {
        return Err(Failure::usage(format!("there is no token `{id}`"), "`svc token list` shows them"));
    }
    write(path, &file)?;
    Ok(format!("revoked   {id}\n"))
}

fn list(file: &TokenFile) -> String {
    let mut text = String::new();
    for record in &file.tokens {
        let scopes: Vec<&str> = record.scopes.iter().map(|scope| scope.as_str()).collect();
        let end = record.expires.map_or_else(|| "never".to_owned(), clock::utc);
        let _ = writeln!(text, "{}  {}  ends {end}", Safe(&record.id), scopes.join(","));
    }
    text
}

fn read(path: &Path) -> Result<TokenFile, Failure> {
    TokenFile::read(path).map_err(|error| failed(path, &error))
}

fn write(path: &Path, file: &TokenFile) -> Result<(), Failure> {
    let written = write_atomic(path, &canonical_json::to_pretty(file));
    written.map(|_| ()).map_err(|error| Failure::writing(&path.to_string_lossy(), &error))
}

fn failed(path: &Path, error: &io::Error) -> Failure {
    let message = format!("{}: {error}", path.to_string_lossy());
    Failure { exit: ExitCode::InputOutput, message, help: None }
}
