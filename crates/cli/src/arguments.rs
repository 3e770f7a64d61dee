//! Arguments that several commands share.

use std::sync::Arc;
use std::{ffi::OsString, path::PathBuf};

use clap::{Arg, ArgAction, ArgMatches, builder::PossibleValuesParser, value_parser};
use svc_core::{
    artifact::head::Visibility,
    manifest,
    words::{kind::ArtifactSpec, rule::Rule},
};

use crate::rules::rules;
use crate::{
    failure::Failure,
    files::{read::Input, write::Output},
    named::Named,
    report::Deny,
};

pub(crate) fn input() -> Arg {
    path("input", "FILE|DIR").required(true).help("The document, a folder that holds it, or - for standard input")
}

pub(crate) fn inputs() -> Arg {
    input().num_args(1..)
}

/// A package, by its manifest or its folder.
pub(crate) fn package() -> Arg {
    path("package", "MANIFEST|DIR").help("The manifest or its folder [default: the current folder]")
}

/// The manifest of the package that was given. What bears the manifest's name is the manifest, also when it is a link to a
/// folder, which is then refused.
pub(crate) fn given_manifest(arguments: &ArgMatches) -> Input {
    manifest_of(given_path(arguments, "package").unwrap_or_else(|| PathBuf::from(".")))
}

fn manifest_of(given: PathBuf) -> Input {
    let is_folder = given.is_dir() && given.file_name().is_none_or(|name| name != manifest::FILE_NAME);
    Input::from_argument(if is_folder { given.join(manifest::FILE_NAME) } else { given })
}

/// Packages, each by its manifest or its folder.
pub(crate) fn packages() -> Arg {
    package()
        .num_args(0..)
        .help("The manifest or its folder; of several, one index is made [default: the current folder]")
}

/// The manifests of the packages that were given.
pub(crate) fn given_manifests(arguments: &ArgMatches) -> Vec<Input> {
    let given = arguments.get_many::<OsString>("package").unwrap_or_default();
    let mut given: Vec<PathBuf> = given.map(PathBuf::from).collect();
    if given.is_empty() {
        given.push(PathBuf::from("."));
    }
    given.into_iter().map(manifest_of).collect()
}

/// The artifact of a kind in each place that was given: a file, or a folder that holds it.
pub(crate) fn given_artifacts(arguments: &ArgMatches, spec: &ArtifactSpec) -> Result<Vec<Input>, Failure> {
    given_inputs(arguments).into_iter().map(|input| Named::resolve(input)?.artifact(spec)).collect()
}

pub(crate) fn given_inputs(arguments: &ArgMatches) -> Vec<Input> {
    let given = arguments.get_many::<OsString>("input").unwrap_or_default();
    given.map(|argument| Input::from_argument(argument.clone())).collect()
}

pub(crate) fn out(spec: &ArtifactSpec) -> Arg {
    let help = format!("The file to write, or - for standard output [default: {}]", spec.file);
    path("out", "FILE").long("out").help(help)
}

pub(crate) fn given_out(arguments: &ArgMatches, spec: &ArtifactSpec) -> Output {
    let given = arguments.get_one::<OsString>("out").cloned();
    Output::from_argument(given.unwrap_or_else(|| spec.file.into()))
}

pub(crate) fn owner() -> [Arg; 3] {
    [
        Arg::new("owner-id")
            .long("owner-id")
            .value_name("ID")
            .help("The account that submits the package [default: the publisher]"),
        Arg::new("owner-name").long("owner-name").value_name("NAME").help("The name of that account, for people"),
        choice("visibility", Visibility::WORDS).help("Who could see a listing, if there were one [default: private]"),
    ]
}

pub(crate) fn given_visibility(arguments: &ArgMatches) -> Option<Visibility> {
    text(arguments, "visibility").and_then(Visibility::parse)
}

pub(crate) fn deny() -> [Arg; 3] {
    [
        flag("deny-warnings", "Fail on warnings, and write nothing"),
        flag("deny-blockers", "Fail on blockers that the author can clear, and write nothing"),
        Arg::new("deny")
            .long("deny")
            .value_name("CODE")
            .action(ArgAction::Append)
            .help("Fail on findings of this rule, such as SVC-F010; may be repeated"),
    ]
}

/// What was denied. Rules can only be raised this way, never lowered.
pub(crate) fn given_deny(arguments: &ArgMatches) -> Result<Deny, Failure> {
    let codes = arguments.get_many::<String>("deny").unwrap_or_default();
    let rules = codes.map(|code| denied_rule(code)).collect::<Result<_, _>>()?;
    Ok(Deny {
        blockers: is_set(arguments, "deny-blockers"),
        warnings: is_set(arguments, "deny-warnings"),
        rules,
        changes: Vec::new(),
    })
}

/// The rule of a code that is denied.
pub(crate) fn denied_rule(code: &str) -> Result<Arc<Rule>, Failure> {
    rules().find(code).cloned().ok_or_else(|| unknown_rule(code))
}

fn unknown_rule(code: &str) -> Failure {
    let codes: Vec<&str> = rules().all().map(|rule| rule.code.as_ref()).collect();
    Failure::unknown(
        format!("only the code of a rule can be denied, and there is no rule `{code}`"),
        &code.to_uppercase(),
        &codes,
        "`svc explain` lists the rules".to_owned(),
    )
}

pub(crate) fn flag(id: &'static str, help: &'static str) -> Arg {
    Arg::new(id).long(id).action(ArgAction::SetTrue).help(help)
}

pub(crate) fn is_set(arguments: &ArgMatches, id: &str) -> bool {
    matches!(arguments.try_get_one::<bool>(id), Ok(Some(true)))
}

pub(crate) fn path(id: &'static str, name: &'static str) -> Arg {
    Arg::new(id).value_name(name).value_parser(value_parser!(OsString))
}

pub(crate) fn given_path(arguments: &ArgMatches, id: &str) -> Option<PathBuf> {
    arguments.try_get_one::<OsString>(id).ok().flatten().map(PathBuf::from)
}

pub(crate) fn choice(id: &'static str, words: &'static [&'static str]) -> Arg {
    Arg::new(id).long(id).value_parser(PossibleValuesParser::new(words))
}

/// The texts of an option that may be repeated, in order.
pub(crate) fn texts<'m>(arguments: &'m ArgMatches, id: &str) -> Vec<&'m str> {
    let given = arguments.try_get_many::<String>(id).ok().flatten();
    given.into_iter().flatten().map(String::as_str).collect()
}

pub(crate) fn text<'m>(arguments: &'m ArgMatches, id: &str) -> Option<&'m str> {
    arguments.try_get_one::<String>(id).ok().flatten().map(String::as_str)
}
