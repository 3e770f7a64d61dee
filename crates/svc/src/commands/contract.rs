//! `svc contract`: prints a document that the project generates from its tables.

use clap::{Arg, ArgMatches, Command};
use svc_cli::{arguments::text, failure::Failure};
use svc_core::contract::contracts;

use svc_cli::rules::rules;
pub(crate) fn command() -> Command {
    let help = format!("One of: {}", names().join(", "));
    Command::new("contract")
        .about("Print a generated contract")
        .arg(Arg::new("name").value_name("NAME").required(true).help(help))
}

pub(crate) fn run(arguments: &ArgMatches) -> Result<String, Failure> {
    let name = text(arguments, "name").unwrap_or_default();
    match contracts::find(name) {
        Some(contract) => Ok(String::from_utf8_lossy(&(contract.render)(rules())).into_owned()),
        None => {
            let one_of = format!("one of: {}", names().join(", "));
            Err(Failure::unknown(format!("there is no contract `{name}`"), name, &names(), one_of))
        }
    }
}

fn names() -> Vec<&'static str> {
    contracts::CONTRACTS.iter().map(|contract| contract.name).collect()
}
