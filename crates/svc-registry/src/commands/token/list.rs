//! `svc-registry token list`: the tokens of a file, without any secret.

use std::{fmt::Write as _, path::Path};

use clap::Command;
use serde::Serialize;
use svc_cli::{
    failure::Failure,
    output::{
        escape::Safe,
        format::{self, Format},
    },
};
use svc_core::journal::timestamp::Timestamp;
use svc_json::printable;

use super::token_file;

pub(super) fn command() -> Command {
    Command::new("list")
        .about("List the tokens, without any secret")
        .arg(token_file::argument())
        .arg(format::of_result_argument())
}

/// A token, as programs read it.
#[derive(Serialize)]
struct ListedToken<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    expires: Option<String>,
    id: &'a str,
    scopes: Vec<&'static str>,
}

pub(super) fn run(path: &Path, format: Format) -> Result<String, Failure> {
    let mut text = String::new();
    if format == Format::Json {
        let file = token_file::read(path)?;
        let listed: Vec<ListedToken<'_>> = file
            .tokens
            .iter()
            .map(|record| ListedToken {
                expires: record.expires.map(Timestamp::utc_seconds),
                id: &record.id,
                scopes: record.scopes.iter().map(|scope| scope.as_str()).collect(),
            })
            .collect();
        return Ok(String::from_utf8_lossy(&printable::pretty(&listed)).into_owned());
    }
    for record in &token_file::read(path)?.tokens {
        let scopes: Vec<&str> = record.scopes.iter().map(|scope| scope.as_str()).collect();
        let end = record.expires.map_or_else(|| "never".to_owned(), Timestamp::utc_seconds);
        let _ = writeln!(text, "{}  {}  ends {end}", Safe(&record.id), scopes.join(","));
    }
    Ok(text)
}
