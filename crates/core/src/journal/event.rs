//! What a record tells whoever follows the log: one type of event for each, by one table.
//!
//! The log is the outbox. A record that was committed is the event, its index the id; nothing else is kept or sent.

use crate::{
    journal::record::{Record, Refusal},
    wire_enum,
    words::problem_code::ProblemCode,
};

wire_enum! {
    /// The type of an event. Each is a no.
    pub enum EventType("event-type", B006) {
        /// An evaluation was completed, and the answer was no.
        Denied = "registry.decision.denied",
        /// A digest of the artifact did not recompute.
        DigestMismatch = "registry.digest.mismatch",
        /// The artifact made an open claim.
        PostureViolation = "registry.posture.violation",
        /// The artifact was refused for any other reason.
        Rejected = "registry.artifact.rejected",
    }
}

impl EventType {
    /// The type of a record. A problem that only a later version knows is a rejection.
    #[must_use]
    pub fn of(record: &Record) -> Self {
        match (record.outcome(), record.problem().and_then(|code| code.known())) {
            (Refusal::Denied, _) => Self::Denied,
            (Refusal::Refused, problem) => problem.map_or(Self::Rejected, Self::of_problem),
        }
    }

    /// The type of a refusal with this problem.
    #[must_use]
    pub const fn of_problem(problem: ProblemCode) -> Self {
        if matches!(problem, ProblemCode::DigestMismatch) {
            Self::DigestMismatch
        } else if matches!(problem, ProblemCode::PostureViolation) {
            Self::PostureViolation
        } else {
            Self::Rejected
        }
    }

    /// What it tells, in a sentence.
    #[must_use]
    pub const fn about(self) -> &'static str {
        match self {
            Self::Denied => "An evaluation was completed, and the answer was no.",
            Self::DigestMismatch => "An artifact was refused, because a digest does not recompute.",
            Self::PostureViolation => "An artifact was refused, because it claims what only a registry could say.",
            Self::Rejected => "An artifact was refused for another reason, which the problem of the record names.",
        }
    }
}
