//! The client of a registry, as flags and the environment describe it: its token, and whose certificates it believes.

use std::{io::ErrorKind, path::Path};

use clap::{Arg, ArgMatches};
use svc_archive::regular_file;
use svc_client::{
    address::Address,
    client::{BearerToken, Client, Timeouts},
};
use svc_core::words::exit_code::ExitCode;

use crate::{
    arguments::{given_path, path},
    failure::Failure,
    files::{read::Input, user_file::read_bounded},
    output::{escape::Safe, stream},
};

const TOKEN: &str = "SVC_TOKEN";

/// The most that is read of a token or certificate file.
const SECRET_BYTES: u64 = 4 * 1024;
const CERTIFICATE_BYTES: u64 = 1024 * 1024;

pub fn arguments(scopes: &str) -> [Arg; 2] {
    let token = format!("A file with the token, which must have the scope {scopes} [env: SVC_TOKEN]");
    [
        path("token-file", "FILE").long("token-file").help(token),
        path("ca-certificate", "FILE")
            .long("ca-certificate")
            .help("A file with certificates, in PEM, to accept in addition to those of the system"),
    ]
}

pub fn connect(address: Address, arguments: &ArgMatches) -> Result<Client, Failure> {
    let token = given_token(arguments)?;
    let authority = match given_path(arguments, "ca-certificate") {
        Some(path) => Some(read(&path, CERTIFICATE_BYTES)?),
        None => None,
    };
    Client::new(address, token, authority.as_deref(), Timeouts::default()).map_err(|error| {
        Failure::usage(error, "give --ca-certificate FILE with the certificates of the registry, in PEM")
    })
}

fn given_token(arguments: &ArgMatches) -> Result<Option<BearerToken>, Failure> {
    let text = match given_path(arguments, "token-file") {
        Some(path) => {
            let bytes = read(&path, SECRET_BYTES)?;
            if let Some(told) = regular_file::shown_to_everybody(&path) {
                stream::status(&format!("warning: {}\n", Safe(&told)));
            }
            String::from_utf8_lossy(&bytes).into_owned()
        }
        None => match std::env::var_os(TOKEN) {
            Some(text) if !text.is_empty() => text.to_string_lossy().into_owned(),
            Some(_) | None => return Ok(None),
        },
    };
    let wrong = || {
        Failure::usage(
            "the token of --token-file or SVC_TOKEN must be one line of visible ASCII characters",
            "give the line that `svc-registry token create` printed",
        )
    };
    BearerToken::parse(&text).map(Some).ok_or_else(wrong)
}

fn read(path: &Path, most: u64) -> Result<Vec<u8>, Failure> {
    match regular_file::refuse_world_writable(path) {
        Err(error) if error.kind() == ErrorKind::PermissionDenied => return Err(not_guarded(path, &error)),
        // Whatever else is wrong with it shows when it is read.
        Ok(()) | Err(_) => {}
    }
    let bytes = read_bounded(&Input::Path(path.to_owned()), most);
    bytes.map_err(|error| Failure::reading(&path.to_string_lossy(), &error))
}

fn not_guarded(path: &Path, error: &std::io::Error) -> Failure {
    Failure {
        exit: ExitCode::InputOutput,
        message: format!("{}: {error}", path.to_string_lossy()),
        help: Some("a file that anyone can change can hold anyone's token or certificate".to_owned()),
    }
}
