//! How a folder joins a shared log, or takes in exported files.

use svc_proof::{
    checkpoint::{Checkpoint, of_a_later_key},
    fault::{JournalFault, JournalFaultKind},
    public_key::PublicKeys,
};

use crate::{
    folder::DataFolder,
    location::{Backend, Location},
    remembered::RememberedState,
    timeline::Timeline,
};

/// What a folder goes by that has not seen a shared log before. Without its own memory it could not tell an older copy, on
/// which it would sign a second history.
#[derive(Clone, Debug, Default)]
pub enum Joining {
    /// By its own memory alone: without one it does not join.
    #[default]
    Remembering,
    /// By nothing: the operator says that there is no other node and never was.
    First,
    /// By what is known of the log: it must have grown from each state.
    AtLeast(KnownLog),
    /// By nothing, because it only looks, and signs nothing.
    Looking,
}

/// What is known of a log elsewhere: signed states, and in a data folder what webhooks and databases showed as well.
#[derive(Clone, Debug, Default)]
pub struct KnownLog {
    /// The texts of checkpoints, which are checked by the keys of the log.
    states: Vec<String>,
    /// States that webhook endpoints count in, which nobody signed.
    counted: Vec<RememberedState>,
    timelines: Vec<Timeline>,
}

impl KnownLog {
    /// A signed state, as its checkpoint has it.
    #[must_use]
    pub fn state(text: String) -> Self {
        Self { states: vec![text], ..Self::default() }
    }

    /// Everything that a data folder remembers.
    ///
    /// # Errors
    /// When a file is damaged.
    pub fn of_folder(folder: &DataFolder) -> Result<Self, JournalFault> {
        let embedded = Location { backend: Backend::Embedded, folder: folder.path().to_owned() };
        Ok(Self {
            states: folder.known_states()?,
            counted: embedded.remembered_by_endpoints()?,
            timelines: folder.timeline()?.into_iter().collect(),
        })
    }

    /// Whether nothing is known.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.states.is_empty() && self.counted.is_empty()
    }

    /// What is known here and there.
    #[must_use]
    pub fn and(mut self, other: Self) -> Self {
        self.states.extend(other.states);
        self.counted.extend(other.counted);
        self.timelines.extend(other.timelines);
        self
    }

    fn checked(&self, keys: &PublicKeys) -> Result<Vec<RememberedState>, JournalFault> {
        let signed = self.states.iter().map(|text| {
            let state = Checkpoint::open(text, keys).map_err(|refused| {
                of_a_later_key("the state that is known", text, keys, refused).unwrap_or_else(|| refused.into())
            })?;
            Ok(RememberedState::new("the state that is known", &state))
        });
        signed.chain(self.counted.iter().cloned().map(Ok)).collect()
    }
}

impl Joining {
    /// The states that a log must have grown from. None where none is asked for.
    ///
    /// # Errors
    /// When the folder may not join without one, or a text is no state of this log.
    pub(crate) fn known(&self, keys: &PublicKeys, records: u64) -> Result<Vec<RememberedState>, JournalFault> {
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
    pub(crate) fn given(&self, keys: &PublicKeys) -> Result<Vec<RememberedState>, JournalFault> {
        match self {
            Self::AtLeast(known) => known.checked(keys),
            Self::Remembering | Self::First | Self::Looking => Ok(Vec::new()),
        }
    }

    /// The timelines of the database that were given.
    pub(crate) fn timelines(&self) -> &[Timeline] {
        match self {
            Self::AtLeast(known) => &known.timelines,
            Self::Remembering | Self::First | Self::Looking => &[],
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
                let detail = "a state of the log was given, and there is no log here; `svc-registry journal import DIR --at-least CHECKPOINT` brings one";
                Err(JournalFault::new(JournalFaultKind::Rewound, detail))
            }
        }
    }
}

fn unremembered(detail: &str) -> JournalFault {
    JournalFault::new(JournalFaultKind::Unremembered, detail)
}
