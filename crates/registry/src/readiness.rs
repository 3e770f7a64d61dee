//! Whether the registry takes requests, and why not: what `/readyz` says.

use svc_proof::fault::JournalFaultKind;

/// Whether requests are welcome, and what is known of the journal.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Readiness {
    /// Why they are not; nothing when they are.
    pub unready: Option<UnreadyReason>,
    /// How many records of the journal were checked since the start, and how many there were then.
    pub journal_check: (u64, u64),
    /// The fault that closed the journal.
    pub journal_fault: Option<JournalFaultKind>,
    pub witnesses: Option<WitnessReadiness>,
}

/// What is said of the witnesses of a log.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct WitnessReadiness {
    /// How many have seen another log than this one.
    pub alarms: usize,
    /// How many cosigned the state that all are asked for.
    pub cosigned: usize,
    /// How many there are.
    pub of: usize,
    pub has_quorum: bool,
    /// The size of the newest state with a quorum.
    pub records: u64,
}

/// Why the service takes no requests.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum UnreadyReason {
    /// The guard withheld an answer.
    AnswerWithheld,
    /// The journal takes no records.
    Journal(JournalFaultKind),
    /// No quorum of witnesses has seen the log, and one is required.
    QuorumLacking,
    /// It is on its way out.
    Stopping,
}

impl UnreadyReason {
    /// The word that `/readyz` says. It stays.
    #[must_use]
    pub const fn code(self) -> &'static str {
        match self {
            Self::AnswerWithheld => "answer-withheld",
            Self::Journal(kind) => kind.code(),
            Self::QuorumLacking => "quorum-lacking",
            Self::Stopping => "stopping",
        }
    }

    /// Every word.
    pub fn codes() -> impl Iterator<Item = &'static str> {
        let journal = JournalFaultKind::ALL.iter().map(|kind| Self::Journal(*kind));
        [Self::AnswerWithheld].into_iter().chain(journal).chain([Self::QuorumLacking, Self::Stopping]).map(Self::code)
    }
}
