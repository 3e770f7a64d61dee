//! Which public keys of a log are believed: those that were given, else those beside the log.

use std::{ffi::OsString, path::Path};

use clap::{Arg, ArgMatches};
use svc_core::words::exit_code::ExitCode;
use svc_proof::{hand_over::HandOverNotes, public_key::PublicKeys};

use crate::{
    arguments::{self, given_path},
    failure::Failure,
    files::{read::Input, user_file::read_bounded},
};

/// The most bytes of a key file or a checkpoint.
const MAX_BYTES: u64 = 16 * 1024 * 1024;

pub fn argument() -> Arg {
    arguments::path("public-key", "FILE")
        .long("public-key")
        .help("A file with the public keys of the log, from a source that you believe")
}

/// The keys that were given, else those beside the log.
pub fn given(arguments: &ArgMatches, beside: Option<&Path>) -> Result<PublicKeys, Failure> {
    let given = given_path(arguments, "public-key");
    let Some(path) = given.as_deref().or(beside) else {
        return Err(Failure::usage(
            "the log must be checked with a public key, and none was given",
            "give --public-key FILE, with the keys that the operator publishes",
        ));
    };
    read(path)
}

/// The keys of each file that was given, where the argument may be given once for each log.
pub fn all_given(arguments: &ArgMatches) -> Result<Vec<PublicKeys>, Failure> {
    let files = arguments.get_many::<OsString>("public-key").unwrap_or_default();
    files.map(|file| read(Path::new(file))).collect()
}

/// A file with notes from key to key.
pub fn hand_overs_argument() -> Arg {
    arguments::path("hand-overs", "FILE").long("hand-overs").help(
        "A file with the notes that hand the log over from key to key, for a receipt of a newer key than those given",
    )
}

/// These keys, and those that the notes of `--hand-overs` lead to from them.
pub fn followed(arguments: &ArgMatches, keys: PublicKeys) -> Result<PublicKeys, Failure> {
    let Some(path) = given_path(arguments, "hand-overs") else { return Ok(keys) };
    let notes = HandOverNotes::parse(&small_file(&path)?);
    notes.and_then(|notes| notes.extend(&keys)).map_err(|fault| Failure::log(&fault))
}

fn read(path: &Path) -> Result<PublicKeys, Failure> {
    PublicKeys::parse(&small_file(path)?).map_err(|fault| Failure::log(&fault))
}

pub fn small_file(path: &Path) -> Result<String, Failure> {
    let bytes = read_bounded(&Input::from_argument(path), MAX_BYTES);
    let bytes = bytes.map_err(|error| Failure::reading(&path.to_string_lossy(), &error))?;
    String::from_utf8(bytes).map_err(|_| Failure {
        exit: ExitCode::InputOutput,
        message: format!("{} must be text in UTF-8", path.to_string_lossy()),
        help: Some("check that this is the right file".to_owned()),
    })
}
