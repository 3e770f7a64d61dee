//! A policy that was given: who must have seen the state of a log.

use std::path::Path;

use clap::{Arg, ArgMatches};
use svc_proof::policy::{MAX_BYTES, Policy};

use crate::{
    arguments::{self, given_path},
    failure::Failure,
    files::{read::Input, user_file::read_bounded},
    output::escape::Safe,
};

pub fn argument() -> Arg {
    arguments::path("policy", "FILE")
        .long("policy")
        .help("A C2SP tlog-policy: its witnesses must have cosigned the state of the log, as its quorum demands")
}

/// The policy of `--policy`, where one was given.
pub fn given(arguments: &ArgMatches) -> Result<Option<Policy>, Failure> {
    given_path(arguments, "policy").map(|path| read(&path)).transpose()
}

pub fn read(path: &Path) -> Result<Policy, Failure> {
    let label = path.to_string_lossy();
    let bytes = read_bounded(&Input::Path(path.to_owned()), MAX_BYTES as u64);
    let bytes = bytes.map_err(|error| Failure::reading(&label, &error))?;
    Policy::parse(&bytes).map_err(|error| {
        Failure::usage(format!("{}: {error}", Safe(&label)), "correct the line; docs/reference/journal.md has the form")
    })
}
