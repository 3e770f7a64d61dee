//! The witnesses that must have seen the state of a log that is read round by round.
//!
//! A registry serves the newest state that they have seen beside its newest, which under load they are always a moment behind.
//! It is asked for first: an honest log can only have grown from it when its newest state is asked for after.

use svc_cli::{failure::Failure, log::witnessed};
use svc_core::words::exit_code::ExitCode;
use svc_proof::{
    checkpoint::Checkpoint,
    fault::{JournalFault, JournalFaultKind},
    policy::{Policy, Unwitnessed, Witnessed},
    public_key::PublicKeys,
    source::LogFiles as _,
    tiles::WITNESSED_CHECKPOINT,
};

use super::{judge::RoundEnd, remote_log::RemoteLog};

/// The state that a log serves as the newest one that its witnesses have seen, as it came; none when it serves none.
pub(super) fn served(log: &RemoteLog<'_>) -> Result<Option<String>, RoundEnd> {
    match log.get(WITNESSED_CHECKPOINT) {
        Ok(bytes) => Ok(Some(String::from_utf8(bytes).unwrap_or_default())),
        Err(fault) if fault.kind == JournalFaultKind::Missing => Ok(None),
        Err(fault) => Err(RoundEnd::Unread(fault)),
    }
}

/// The state, when the quorum of a policy has seen it.
pub(super) fn demand(policy: &Policy, state: &str, keys: &PublicKeys) -> Result<Witnessed, RoundEnd> {
    policy.check(state, keys, witnessed::until_now()).map_err(|refused| ended(&refused))
}

/// The same for how far the witnesses are behind the newest state.
pub(super) fn expect_recent(witnessed: &Witnessed, newest: &Checkpoint) -> Result<(), RoundEnd> {
    witnessed::expect_recent(witnessed, newest.size())
        .map_err(|detail| RoundEnd::Unwitnessed(JournalFault::new(JournalFaultKind::Busy, detail)))
}

fn ended(refused: &Unwitnessed) -> RoundEnd {
    let fault = |kind| JournalFault::new(kind, format!("{}: {refused}", refused.code()));
    match refused {
        Unwitnessed::NoQuorum { .. } => RoundEnd::Unwitnessed(fault(JournalFaultKind::Busy)),
        Unwitnessed::Checkpoint(_) | Unwitnessed::BadCosignature { .. } => {
            RoundEnd::Unread(fault(JournalFaultKind::Corrupt))
        }
        Unwitnessed::UnnamedLog => RoundEnd::Failed(Failure::usage(
            fault(JournalFaultKind::Unusable).detail,
            "give the policy of this log, or the public keys of the log that the policy names",
        )),
    }
}

pub(super) fn lacking(fault: &JournalFault) -> Failure {
    Failure {
        exit: ExitCode::Digest,
        message: fault.detail.clone(),
        help: Some("ask the witnesses what they saw of this log, and the operator whether they are reached".to_owned()),
    }
}
