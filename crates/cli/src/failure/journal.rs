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
}
