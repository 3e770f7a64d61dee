//! A fault of the journal as a stop with an exit code.

use svc_core::words::exit_code::ExitCode;
use svc_proof::fault::{JournalFault, JournalFaultKind};

use super::Failure;

impl Failure {
    /// A journal that cannot be used. What was changed or rewound is a broken chain.
    pub fn journal(fault: &JournalFault) -> Self {
        let exit = match fault.kind {
            JournalFaultKind::Corrupt | JournalFaultKind::Rewound => ExitCode::Digest,
            JournalFaultKind::OpenClaim => ExitCode::OpenClaim,
            JournalFaultKind::Busy | JournalFaultKind::Unreachable | JournalFaultKind::WrongPrimary => {
                ExitCode::Registry
            }
            JournalFaultKind::Unremembered
            | JournalFaultKind::Unusable
            | JournalFaultKind::WrongKey
            | JournalFaultKind::Drift
            | JournalFaultKind::UnreleasedForm
            | JournalFaultKind::Locked => ExitCode::Usage,
            JournalFaultKind::Full | JournalFaultKind::Missing | JournalFaultKind::Storage => ExitCode::InputOutput,
        };
        Self { exit, message: fault.to_string(), help: Some(fault.kind.help().to_owned()) }
    }

    /// What a log of somebody else, or a part of it, is refused for: with a way out for its reader, who does not run it.
    pub fn log(fault: &JournalFault) -> Self {
        let help = match fault.kind {
            JournalFaultKind::Corrupt => "the log does not hold: keep the files and this message, and ask its operator",
            JournalFaultKind::OpenClaim => "the log holds a yes: keep the files and this message, and ask its operator",
            JournalFaultKind::Rewound => {
                "the log shrank or was changed: keep both states, which are signed and prove it, and ask its operator"
            }
            JournalFaultKind::Missing => {
                "give a whole export or mirror of the log; the message names what is not there"
            }
            JournalFaultKind::WrongKey => {
                "give --public-key FILE with the keys of this log, from a source that you believe"
            }
            JournalFaultKind::Drift | JournalFaultKind::UnreleasedForm => {
                "use the version of svc that wrote it, or a newer one"
            }
            JournalFaultKind::Storage | JournalFaultKind::Full => {
                "check the disk and the permissions of what the message names, then run it again"
            }
            JournalFaultKind::Locked => "stop the other process, or give another folder",
            JournalFaultKind::Unusable => "correct the file that the message names, or give another",
            JournalFaultKind::Busy
            | JournalFaultKind::Unreachable
            | JournalFaultKind::Unremembered
            | JournalFaultKind::WrongPrimary => fault.kind.help(),
        };
        Self { help: Some(help.to_owned()), ..Self::journal(fault) }
    }
}
