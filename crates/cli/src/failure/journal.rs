//! A fault of the journal as a stop with an exit code.

use svc_core::exit_code::ExitCode;
use svc_journal::fault::{Fault, FaultKind};

use super::Failure;

impl Failure {
    /// A journal that cannot be used. What was changed or rewound is a broken chain.
    pub(crate) fn journal(fault: &Fault) -> Self {
        let exit = match fault.kind {
            FaultKind::Corrupt | FaultKind::Rewound => ExitCode::Digest,
            FaultKind::Busy | FaultKind::Unreachable => ExitCode::Registry,
            FaultKind::Unusable | FaultKind::WrongKey | FaultKind::Drift | FaultKind::Locked => ExitCode::Usage,
            FaultKind::Full | FaultKind::Missing | FaultKind::Storage => ExitCode::InputOutput,
        };
        Self { exit, message: fault.to_string(), help: Some(fault.kind.help().to_owned()) }
    }
}
