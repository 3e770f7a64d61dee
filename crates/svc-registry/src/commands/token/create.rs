//! `svc-registry token create`: makes a token and prints it, once.

use std::path::Path;

use clap::{Arg, ArgAction, ArgMatches, Command, builder::PossibleValuesParser, value_parser};
use svc_cli::{arguments::text, failure::Failure, output::secret::print_once};
use svc_registry_api::scope::TokenScope;
use svc_server::auth::tokens::{self, TokenFile};

use super::token_file;

pub(super) fn command() -> Command {
    let words: Vec<&str> = TokenScope::ALL.iter().map(|scope| scope.as_str()).collect();
    Command::new("create")
        .about("Create a token and print it, once")
        .arg(token_file::id_argument())
        .arg(token_file::argument())
        .arg(
            Arg::new("scope")
                .long("scope")
                .action(ArgAction::Append)
                .value_parser(PossibleValuesParser::new(words))
                .help("What the token allows; may be repeated [default: preflight, read]"),
        )
        .arg(
            Arg::new("days")
                .long("days")
                .value_name("N")
                .value_parser(value_parser!(u32).range(1..))
                .allow_negative_numbers(true)
                .help("After how many days the token ends, 1 or more [default: 90]"),
        )
}

pub(super) fn run(arguments: &ArgMatches, path: &Path) -> Result<String, Failure> {
    let mut file = if path.exists() { token_file::read(path)? } else { TokenFile::default() };
    let id = text(arguments, "id").unwrap_or_default();
    if !tokens::is_name(id) {
        return Err(Failure::usage(format!("`ID` must be {}", tokens::NAME_FORM), "give another name, such as `ci`"));
    }
    if file.tokens.iter().any(|record| record.id == id) {
        return Err(Failure::usage(
            format!("`ID` must be new, and there is a token `{id}` already"),
            "revoke it first, or give another name",
        ));
    }
    let given: Vec<&String> = arguments.get_many("scope").unwrap_or_default().collect();
    let named = |scope: &&TokenScope| given.iter().any(|word| word.as_str() == scope.as_str());
    let mut scopes: Vec<TokenScope> = TokenScope::ALL.iter().filter(named).copied().collect();
    if scopes.is_empty() {
        scopes = vec![TokenScope::Preflight, TokenScope::Read];
    }
    let days = u64::from(arguments.get_one::<u32>("days").copied().unwrap_or(90));
    let made = tokens::create(id.to_owned(), scopes, Some(days * 24 * 60 * 60));
    let (secret, record) = made.map_err(|error| token_file::failed(path, &error))?;
    file.tokens.push(record);
    print_once(&format!("{secret}\n"), || token_file::write(path, &file))
}
