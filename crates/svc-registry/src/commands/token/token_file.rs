//! The file that a service reads its tokens from.

use std::{io, path::Path};

use clap::Arg;
use svc_cli::{arguments, failure::Failure, files::write::write_atomic};
use svc_core::words::exit_code::ExitCode;
use svc_json::canonical;
use svc_server::auth::tokens::TokenFile;

pub(super) fn argument() -> Arg {
    arguments::path("file", "FILE").long("file").required(true).help("The token file of the service")
}

pub(super) fn id_argument() -> Arg {
    Arg::new("id").required(true).value_name("ID").help("The name of the token, for people and logs")
}

pub(super) fn read(path: &Path) -> Result<TokenFile, Failure> {
    TokenFile::read(path).map_err(|error| failed(path, &error))
}

pub(super) fn write(path: &Path, file: &TokenFile) -> Result<(), Failure> {
    let written = write_atomic(path, &canonical::to_pretty(file));
    written.map(|_| ()).map_err(|error| Failure::writing(&path.to_string_lossy(), &error))
}

pub(super) fn failed(path: &Path, error: &io::Error) -> Failure {
    let message = format!("{}: {error}", path.to_string_lossy());
    let help = "check the path; a token file is written by `svc-registry token create`".to_owned();
    Failure { exit: ExitCode::InputOutput, message, help: Some(help) }
}
