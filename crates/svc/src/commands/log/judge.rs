//! What a fault means that ended the reading of a served log: that the log lies, that it could not be read, or neither.

use svc_cli::{failure::Failure, log::remote};
use svc_proof::{
    checkpoint::Checkpoint,
    evidence::LogEvidence,
    fault::{JournalFault, JournalFaultKind},
    hand_over::HandOverNotes,
    public_key::PublicKeys,
    source::hand_overs_of,
    suspicion::Suspicion,
    tiles,
};

use super::remote_log::{RemoteLog, Repeated};

/// Why a round did not read the log to its end.
pub(super) enum RoundEnd {
    /// It tells nothing about the log.
    Unread(JournalFault),
    /// The log holds, and too few witnesses of the policy saw its newest state.
    Unwitnessed(JournalFault),
    /// The log contradicts itself.
    Found(Box<LogEvidence>, JournalFault, Vec<String>),
    Failed(Failure),
}

impl From<Failure> for RoundEnd {
    fn from(failure: Failure) -> Self {
        Self::Failed(failure)
    }
}

/// What a round knew when it ended.
pub(super) struct Seen<'k> {
    pub(super) given: &'k PublicKeys,
    pub(super) keys: PublicKeys,
    pub(super) notes: HandOverNotes,
    /// The signed states that the log must have grown from.
    pub(super) known: Vec<Checkpoint>,
}

impl<'k> Seen<'k> {
    pub(super) fn new(given: &'k PublicKeys) -> Self {
        Self { given, keys: given.clone(), notes: HandOverNotes::default(), known: Vec::new() }
    }

    /// Adds the notes that the log serves to those that are known, and follows them to its newest key.
    pub(super) fn extend_keys(&mut self, known: HandOverNotes, log: &RemoteLog<'_>) -> Result<(), JournalFault> {
        self.notes = known.clone();
        self.notes = known.with(&hand_overs_of(log)?);
        self.keys = self.notes.extend(self.given)?;
        Ok(())
    }

    /// What a fault is: evidence, a log that could not be read, or an end.
    pub(super) fn judge(&self, log: &RemoteLog<'_>, fault: JournalFault) -> RoundEnd {
        let is_no_log = matches!(fault.kind, JournalFaultKind::Missing | JournalFaultKind::Unusable)
            && log.last_path().as_deref().is_none_or(|path| path == tiles::CHECKPOINT || path == tiles::HAND_OVERS);
        if is_no_log || matches!(fault.kind, JournalFaultKind::Busy | JournalFaultKind::Unreachable) {
            // A log that is not served any more may come back; one that never was there is not what was meant.
            let is_waited_for = !is_no_log || !self.known.is_empty();
            return if is_waited_for { RoundEnd::Unread(fault) } else { RoundEnd::Failed(remote::stopped(&fault)) };
        }
        let (served, last, bundles) = (log.checkpoint(), log.last(), log.bundles());
        let suspicion = Suspicion {
            files: &Repeated(log),
            keys: &self.keys,
            hand_overs: &self.notes,
            known: &self.known,
            served: served.as_deref(),
            bundles: &bundles,
            last: last.as_deref(),
        };
        match suspicion.evidence(&fault) {
            Some(evidence) => RoundEnd::Found(Box::new(evidence), fault, log.paths()),
            None => RoundEnd::Failed(remote::stopped(&fault)),
        }
    }
}
