//! `svc schema`: prints the JSON Schema of a document.

use clap::{Arg, ArgMatches, Command};
use svc_cli::{arguments::text, failure::Failure};
use svc_core::contract::contracts;

pub(crate) fn command() -> Command {
    let help = format!("One of: {}", names().join(", "));
    Command::new("schema")
        .about("Print a JSON Schema")
        .arg(Arg::new("name").value_name("NAME").required(true).help(help))
}

pub(crate) fn run(arguments: &ArgMatches) -> Result<String, Failure> {
    let name = text(arguments, "name").unwrap_or_default();
    let short = name.strip_prefix("svc-registry-").unwrap_or(name);
    match contracts::schema(short) {
        Some(schema) => Ok(String::from_utf8_lossy(&schema).into_owned()),
        None => {
            let one_of = format!("one of: {}", names().join(", "));
            Err(Failure::unknown(format!("there is no schema `{name}`"), name, &names(), one_of))
        }
    }
}

fn names() -> Vec<&'static str> {
    contracts::schema_sources().into_iter().map(|(name, _)| name).collect()
}
