//! `svc contract` and `svc schema`: print what the project generates.

use svc_core::{contract, suggest};

use crate::failure::Failure;

/// Which contracts there are.
pub(crate) fn names_of_contracts() -> String {
    let names: Vec<&str> = contract::CONTRACTS.iter().map(|contract| contract.name).collect();
    format!("One of: {}", names.join(", "))
}

/// Which schemas there are.
pub(crate) fn names_of_schemas() -> String {
    let names = schema_names();
    format!("One of: {}", names.join(", "))
}

/// The document of a contract.
pub(crate) fn contract(name: &str) -> Result<String, Failure> {
    let names: Vec<&str> = contract::CONTRACTS.iter().map(|contract| contract.name).collect();
    contract::find(name).map(|contract| (contract.render)()).map(text).ok_or_else(|| unknown("contract", name, &names))
}

/// A JSON Schema.
pub(crate) fn schema(name: &str) -> Result<String, Failure> {
    let short = name.strip_prefix("svc-registry-").unwrap_or(name);
    contract::schema(short).map(text).ok_or_else(|| unknown("schema", name, &schema_names()))
}

fn schema_names() -> Vec<&'static str> {
    contract::schema_sources().into_iter().map(|(name, _)| name).collect()
}

fn text(bytes: Vec<u8>) -> String {
    String::from_utf8_lossy(&bytes).into_owned()
}

fn unknown(what: &str, name: &str, names: &[&str]) -> Failure {
    let help = match suggest::closest(name, names) {
        Some(close) => format!("did you mean `{close}`?"),
        None => format!("one of: {}", names.join(", ")),
    };
    Failure::usage(format!("there is no {what} `{name}`"), help)
}
