//! The folder of a witness, as it is named on the command line.

use clap::Arg;
use svc_cli::{arguments, failure::Failure};
use svc_proof::fault::{JournalFault, JournalFaultKind};

pub(super) fn state_argument() -> Arg {
    arguments::path("state", "DIR")
        .long("state")
        .required(true)
        .help("The folder of the witness: its key, and what it saw of each log")
}

/// A fault of the folder or the key, with a way out for whoever runs a witness.
pub(super) fn refused(fault: &JournalFault) -> Failure {
    let help = match fault.kind {
        JournalFaultKind::Missing => {
            "give the folder that `svc-registry witness init` made; a lost one must not be made again with the same key"
        }
        JournalFaultKind::WrongKey => "give the key that the folder was made for, with mode 600",
        JournalFaultKind::Corrupt => {
            "restore the folder as it was last; a witness that has forgotten what it saw needs a new key"
        }
        JournalFaultKind::Locked => "stop the other process, or give another folder",
        JournalFaultKind::Busy
        | JournalFaultKind::Drift
        | JournalFaultKind::Full
        | JournalFaultKind::OpenClaim
        | JournalFaultKind::Rewound
        | JournalFaultKind::Storage
        | JournalFaultKind::Unreachable
        | JournalFaultKind::Unremembered
        | JournalFaultKind::UnreleasedForm
        | JournalFaultKind::Unusable
        | JournalFaultKind::WrongPrimary => "check the folder, its permissions and the disk",
    };
    Failure { help: Some(help.to_owned()), ..Failure::journal(fault) }
}
