//! Arguments about packages and artifacts.

use std::{ffi::OsString, path::PathBuf, sync::Arc};

use clap::{Arg, ArgAction, ArgMatches};
use svc_cli::{
    arguments::{choice, flag, given_inputs, given_path, is_set, path, text},
    failure::Failure,
    files::{read::Input, write::Output},
    rules::rules,
};
use svc_core::{
    artifact::head::Visibility,
    manifest,
    words::{kind::ArtifactSpec, rule::Rule},
};

use crate::{named::Named, report::Deny};

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
