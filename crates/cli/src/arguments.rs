//! Arguments that several commands share.

use std::{ffi::OsString, path::PathBuf};

use clap::{Arg, ArgAction, ArgMatches, builder::PossibleValuesParser, value_parser};

use crate::files::read::Input;

pub fn input() -> Arg {
    path("input", "FILE|DIR").required(true).help("The document, a folder that holds it, or - for standard input")
}

pub fn inputs() -> Arg {
    input().num_args(1..)
}

pub fn given_inputs(arguments: &ArgMatches) -> Vec<Input> {
    let given = arguments.get_many::<OsString>("input").unwrap_or_default();
    given.map(|argument| Input::from_argument(argument.clone())).collect()
}

pub fn flag(id: &'static str, help: &'static str) -> Arg {
    Arg::new(id).long(id).action(ArgAction::SetTrue).help(help)
}

pub fn is_set(arguments: &ArgMatches, id: &str) -> bool {
    matches!(arguments.try_get_one::<bool>(id), Ok(Some(true)))
}

pub fn path(id: &'static str, name: &'static str) -> Arg {
    Arg::new(id).value_name(name).value_parser(value_parser!(OsString))
}

pub fn given_path(arguments: &ArgMatches, id: &str) -> Option<PathBuf> {
    arguments.try_get_one::<OsString>(id).ok().flatten().map(PathBuf::from)
}

pub fn choice(id: &'static str, words: &'static [&'static str]) -> Arg {
    Arg::new(id).long(id).value_parser(PossibleValuesParser::new(words))
}

/// The texts of an option that may be repeated, in order.
pub fn texts<'m>(arguments: &'m ArgMatches, id: &str) -> Vec<&'m str> {
    let given = arguments.try_get_many::<String>(id).ok().flatten();
    given.into_iter().flatten().map(String::as_str).collect()
}

pub fn text<'m>(arguments: &'m ArgMatches, id: &str) -> Option<&'m str> {
    arguments.try_get_one::<String>(id).ok().flatten().map(String::as_str)
}
