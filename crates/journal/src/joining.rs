//! How a folder joins a log that several nodes share.

use crate::{
    checkpoint::Checkpoint,
    fault::{JournalFault, JournalFaultKind},
    key::PublicKeys,
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
    /// By a signed state that the log must have grown from: the text of a checkpoint.
    AtLeast(String),
    /// By nothing, because it only looks, and signs nothing.
    Looking,
}

impl Joining {
    /// The state that a log must have grown from. Nothing where none is asked for.
    ///
    /// # Errors
    /// When the folder may not join without one, or the text is no state of this log.
    pub(crate) fn known(&self, keys: &PublicKeys, records: u64) -> Result<Option<Checkpoint>, JournalFault> {
        match self {
            Self::Remembering => Err(unremembered("this folder has not seen the log before")),
            Self::Looking => Ok(None),
            Self::First if records == 0 => Ok(None),
            Self::First => Err(unremembered(&format!(
                "the log has {records} records: it began elsewhere, and this folder is not that of its first node"
            ))),
            Self::AtLeast(_) => {
                let known = self.given(keys)?;
                if records > 0 && known.as_ref().is_some_and(|known| known.size() == 0) {
                    return Err(unremembered(
                        "a state without records says nothing of a log that has some: give a newer one",
                    ));
                }
                Ok(known)
            }
        }
    }

    /// The state that was given, for a folder that remembers the log itself: one without records adds nothing to that.
    ///
    /// # Errors
    /// When it is no state of this log.
    pub(crate) fn given(&self, keys: &PublicKeys) -> Result<Option<Checkpoint>, JournalFault> {
        match self {
            Self::AtLeast(text) => Checkpoint::open(text, keys).map(Some).map_err(JournalFault::from),
            Self::Remembering | Self::First | Self::Looking => Ok(None),
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
