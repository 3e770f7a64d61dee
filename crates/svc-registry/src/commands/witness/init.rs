//! `svc-registry witness init`: a new witness, with a key of its own.

use clap::{Arg, ArgMatches, Command};
use svc_cli::{
    arguments::{given_path, text},
    failure::Failure,
    output::escape::Safe,
};
use svc_journal::{origin::LogOrigin, witness::Witness, witness_key::WitnessKey};

use super::witness_folder::{refused, state_argument};

pub(super) fn command() -> Command {
    Command::new("init")
        .about("Make the folder of a new witness, with a key of its own, and print its public key")
        .arg(state_argument())
        .arg(Arg::new("name").long("name").value_name("NAME").required(true).help(
            "The name of the witness, which stands in its cosignatures: an address without its scheme, such as `witness.example/w1`",
        ))
        .after_help("Example\n  svc-registry witness init --state ./witness --name witness.example/w1")
}

pub(super) fn run(arguments: &ArgMatches) -> Result<String, Failure> {
    let folder = given_path(arguments, "state").unwrap_or_default();
    let name = text(arguments, "name").unwrap_or_default();
    if LogOrigin::parse(name).is_none() {
        return Err(Failure::usage(
            format!("`--name` {}", svc_journal::origin::FORM),
            "give an address without its scheme, such as witness.example/w1",
        ));
    }
    let key = WitnessKey::generate(name).map_err(|fault| refused(&fault))?;
    Witness::init(&key, &folder).map_err(|fault| refused(&fault))?;
    Ok(format!("witness in {}\npublic key {}\n", Safe(&folder.to_string_lossy()), key.public()))
}
