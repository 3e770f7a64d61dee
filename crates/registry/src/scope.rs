//! What a token may allow, and why one does not. A token never changes a decision.

use serde::{Deserialize, Serialize};

/// What a token allows.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum TokenScope {
    /// Posting artifacts.
    Preflight,
    /// Reading documents.
    Read,
    /// Marking requests as probes of the verifier.
    Probe,
    /// Reading the metrics.
    Metrics,
    /// Everything.
    Admin,
}

/// Why a request may not do what it asks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AuthError {
    /// No token, or none that is known and current. The two look the same from outside.
    Unauthenticated,
    /// A token that does not allow this.
    TokenScope(TokenScope),
}

impl TokenScope {
    pub const ALL: &'static [Self] = &[Self::Preflight, Self::Read, Self::Probe, Self::Metrics, Self::Admin];

    /// The word in files and messages.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Preflight => "preflight",
            Self::Read => "read",
            Self::Probe => "probe",
            Self::Metrics => "metrics",
            Self::Admin => "admin",
        }
    }
}
