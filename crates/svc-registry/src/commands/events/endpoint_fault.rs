//! What can be wrong with what `svc-registry events` is told, each with a name that stays and a way out.

use svc_cli::failure::Failure;
use svc_core::words::exit_code::ExitCode;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum EndpointFault {
    /// The address is none that deliveries are sent to.
    Address,
    /// There is one of this name already.
    Exists,
    /// The index is none that can be delivered from.
    From,
    /// The name has another form.
    Name,
    /// No range is open.
    NotOpen,
    /// The receiver did not take the trial.
    NotTaken,
    /// Two secrets sign already.
    Rotating,
    /// There is none of this name.
    Unknown,
}

impl EndpointFault {
    pub(super) const fn code(self) -> &'static str {
        match self {
            Self::Address => "events-address",
            Self::Exists => "events-endpoint-exists",
            Self::From => "events-from",
            Self::Name => "events-name",
            Self::NotOpen => "events-not-open",
            Self::NotTaken => "events-not-taken",
            Self::Rotating => "events-rotating",
            Self::Unknown => "events-unknown-endpoint",
        }
    }

    pub(super) fn failure(self, message: impl std::fmt::Display, help: impl Into<String>) -> Failure {
        let exit = if self == Self::NotTaken { ExitCode::Registry } else { ExitCode::Usage };
        Failure { exit, message: format!("{}: {message}", self.code()), help: Some(help.into()) }
    }
}
