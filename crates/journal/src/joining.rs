//! How a folder joins a log that several nodes share.

use svc_proof::{
    checkpoint::Checkpoint,
    fault::{JournalFault, JournalFaultKind},
    public_key::PublicKeys,
};

/// What a folder goes by that has not seen a shared log before. Without its own memory it could not tell an older copy, on
/// which it would sign a second history.
#[derive(Clone, Debug, Default)]
pub enum Joining {
    /// By its own memory alone: without one it does not join.
    #[default]
    Remembering,
    /// By nothing: whoever runs it says that there is no other node and never was.
    First,
    /// By signed states that the log must have grown from, each of them: the texts of checkpoints.
    AtLeast(Vec<String>),
    /// By nothing, because it only looks, and signs nothing.
    Looking,
}

impl Joining {
    /// The states that a log must have grown from. None where none is asked for.
    ///
    /// # Errors
    /// When the folder may not join without one, or a text is no state of this log.
    pub(crate) fn known(&self, keys: &PublicKeys, records: u64) -> Result<Vec<Checkpoint>, JournalFault> {
        match self {
            Self::Remembering => Err(unremembered("this folder has not seen the log before")),
            Self::Looking => Ok(Vec::new()),
            Self::First if records == 0 => Ok(Vec::new()),
            Self::First => Err(unremembered(&format!(
                "the log has {records} records: it began elsewhere, and this folder is not that of its first node"
            ))),
            Self::AtLeast(_) => {
                let known = self.given(keys)?;
                if records > 0 && known.iter().all(|known| known.size() == 0) {
                    return Err(unremembered(&format!(
                        "a state without records does not show that a log of {records} records is the newest"
                    )));
                }
                Ok(known)
            }
        }
    }

    /// The states that were given, for a folder that remembers the log itself: those without records add nothing to that.
    ///
    /// # Errors
    /// When one is no state of this log.
    pub(crate) fn given(&self, keys: &PublicKeys) -> Result<Vec<Checkpoint>, JournalFault> {
        match self {
            Self::AtLeast(texts) => texts.iter().map(|text| Ok(Checkpoint::open(text, keys)?)).collect(),
            Self::Remembering | Self::First | Self::Looking => Ok(Vec::new()),
        }
    }

    /// Whether a log may begin where there is none.
    ///
    /// # Errors
    /// When nobody said that this is the first node, or a state of the log is known already.
    pub(crate) fn may_begin(&self) -> Result<(), JournalFault> {
        match self {
            Self::Remembering => Err(unremembered("the database holds no log, and nobody said that it begins now")),
            Self::First | Self::Looking => Ok(()),
            Self::AtLeast(_) => {
                let detail = "a state of the log was given, and there is no log here; `svc journal import DIR --at-least CHECKPOINT` brings one";
                Err(JournalFault::new(JournalFaultKind::Rewound, detail))
            }
        }
    }
}

fn unremembered(detail: &str) -> JournalFault {
    JournalFault::new(JournalFaultKind::Unremembered, detail)
}
