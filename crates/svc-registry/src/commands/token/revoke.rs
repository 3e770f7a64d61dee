//! `svc-registry token revoke`: takes a token back.

use std::path::Path;

use clap::{ArgMatches, Command};
use svc_cli::{arguments::text, failure::Failure};

use super::token_file;

pub(super) fn command() -> Command {
    Command::new("revoke")
        .about("Revoke a token; a running service notices within a second")
        .arg(token_file::id_argument())
        .arg(token_file::argument())
}

pub(super) fn run(arguments: &ArgMatches, path: &Path) -> Result<String, Failure> {
    let id = text(arguments, "id").unwrap_or_default();
    let mut file = token_file::read(path)?;
    let before = file.tokens.len();
    file.tokens.retain(|record| record.id != id);
    if file.tokens.len() == before {
        return Err(Failure::usage(
            format!("`ID` must be a token of the file, and there is no token `{id}`"),
            "`svc-registry token list` shows their names",
        ));
    }
    token_file::write(path, &file)?;
    Ok(format!("revoked   {id}\n"))
}
