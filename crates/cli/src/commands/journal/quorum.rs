//! `--policy FILE`: the witnesses that must have seen the newest state of a log that is read.

use clap::{Arg, ArgMatches};
use svc_core::words::exit_code::ExitCode;
use svc_journal::{
    fault::{JournalFault, JournalFaultKind},
    key::PublicKeys,
    policy::{Policy, Unwitnessed},
};

use super::{heard::Heard, judge::RoundEnd};
use crate::{
    arguments::{self, given_path},
    failure::Failure,
    public_keys,
};

pub(super) fn argument() -> Arg {
    arguments::path("policy", "FILE")
        .long("policy")
        .help("A C2SP tlog-policy: the witnesses that must have cosigned the newest state")
}

pub(super) fn given(arguments: &ArgMatches) -> Result<Option<Policy>, Failure> {
    let Some(path) = given_path(arguments, "policy") else { return Ok(None) };
    let policy = Policy::parse(public_keys::small_file(&path)?.as_bytes());
    policy.map(Some).map_err(|error| {
        Failure::usage(format!("{}: {error}", path.display()), "give a file in the form of C2SP tlog-policy")
    })
}

/// Refuses a state that the quorum of the policy has not seen.
pub(super) fn check(policy: &Policy, heard: &Heard<'_>, keys: &PublicKeys) -> Result<(), RoundEnd> {
    let text = String::from_utf8(heard.checkpoint().unwrap_or_default()).unwrap_or_default();
    let refused = match policy.check(&text, keys) {
        Ok(_) => return Ok(()),
        Err(refused) => refused,
    };
    let fault = |kind| JournalFault::new(kind, format!("{}: {refused}", refused.code()));
    Err(match refused {
        Unwitnessed::NoQuorum { .. } => RoundEnd::Unwitnessed(fault(JournalFaultKind::Busy)),
        Unwitnessed::Checkpoint(_) | Unwitnessed::BadCosignature { .. } => {
            RoundEnd::Unread(fault(JournalFaultKind::Corrupt))
        }
        Unwitnessed::UnnamedLog => RoundEnd::Failed(Failure::usage(
            fault(JournalFaultKind::Unusable).detail,
            "give the policy of this log, or the public keys of the log that the policy names",
        )),
    })
}

pub(super) fn lacking(fault: &JournalFault) -> Failure {
    Failure {
        exit: ExitCode::Digest,
        message: fault.detail.clone(),
        help: Some("ask the witnesses what they saw of this log, and the operator whether they are reached".to_owned()),
    }
}
