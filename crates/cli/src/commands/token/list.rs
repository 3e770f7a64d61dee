//! `svc token list`: the tokens of a file, without any secret.

use std::{fmt::Write as _, path::Path};

use clap::Command;
use svc_server::clock;

use super::token_file;
use crate::{failure::Failure, output::escape::Safe};

pub(super) fn command() -> Command {
    Command::new("list").about("List the tokens, without any secret").arg(token_file::argument())
}

pub(super) fn run(path: &Path) -> Result<String, Failure> {
    let mut text = String::new();
    for record in &token_file::read(path)?.tokens {
        let scopes: Vec<&str> = record.scopes.iter().map(|scope| scope.as_str()).collect();
        let end = record.expires.map_or_else(|| "never".to_owned(), clock::utc);
        let _ = writeln!(text, "{}  {}  ends {end}", Safe(&record.id), scopes.join(","));
    }
    Ok(text)
}
