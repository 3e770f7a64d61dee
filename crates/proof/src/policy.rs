//! Policies (C2SP tlog-policy): which logs are meant, which witnesses there are, and which of them must have seen a state.
//!
//! [`Witnessed`] is a state that a policy was found to hold for; nothing but [`Policy::check`] makes one.

mod parse;

use std::fmt;

use crate::{
    checkpoint::{Checkpoint, CheckpointError},
    cosignature::{Cosignature, CosignatureLine, TimeWindow},
    note,
    public_key::{PublicKey, PublicKeys},
    witness_public_key::WitnessPublicKey,
};

pub use parse::{MAX_BYTES, PolicyError, PolicyErrorCode};

/// A policy that was read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Policy {
    logs: Vec<PolicyLog>,
    witnesses: Vec<PolicyWitness>,
    groups: Vec<WitnessGroup>,
    quorum: Option<GroupMember>,
}

/// A log that a policy names.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PolicyLog {
    pub key: PublicKey,
    pub url: Option<String>,
}

/// A witness that a policy names.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PolicyWitness {
    /// What the policy calls it. Its key has a name of its own.
    pub name: String,
    pub key: WitnessPublicKey,
    /// Where it takes checkpoints.
    pub url: Option<String>,
}

/// Some of several: at least `threshold` of the members.
#[derive(Clone, Debug, PartialEq, Eq)]
struct WitnessGroup {
    threshold: usize,
    members: Vec<GroupMember>,
}

/// A witness or a group, by its place in the file. A group has only members that stand before it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum GroupMember {
    Witness(usize),
    Group(usize),
}

/// A state of a log that the policy's quorum has seen.
#[derive(Clone, Debug, PartialEq)]
pub struct Witnessed {
    checkpoint: Checkpoint,
    seen: SeenBy,
}

/// Who of a policy's witnesses cosigned a state.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SeenBy {
    /// In the order of the policy.
    pub cosigned: Vec<CosignedBy>,
    /// The names of those that did not, in the order of the policy.
    pub missing: Vec<String>,
    /// Those of the missing ones that cosigned at a time that does not count.
    pub misdated: Vec<CosignedBy>,
}

/// A witness that cosigned a state.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CosignedBy {
    /// What the policy calls it.
    pub name: String,
    pub cosignature: Cosignature,
}

/// Why a text is not a state that a policy holds for.
#[derive(Clone, Debug, PartialEq)]
pub enum Unwitnessed {
    /// It is not a checkpoint of the log.
    Checkpoint(CheckpointError),
    /// The policy names logs, and none with one of these keys.
    UnnamedLog,
    /// A line names this witness's key, and that key did not sign it.
    BadCosignature { witness: String },
    /// Too few have seen it. The state itself is the log's.
    NoQuorum { checkpoint: Box<Checkpoint>, seen: SeenBy },
}

/// [`Unwitnessed`] without its details.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum UnwitnessedReason {
    UnnamedLog,
    Checkpoint,
    BadCosignature,
    NoQuorum,
}

impl Policy {
    #[must_use]
    pub fn logs(&self) -> &[PolicyLog] {
        &self.logs
    }

    #[must_use]
    pub fn witnesses(&self) -> &[PolicyWitness] {
        &self.witnesses
    }

    /// Whether nobody has to have seen a state.
    #[must_use]
    pub const fn asks_for_nobody(&self) -> bool {
        self.quorum.is_none()
    }

    /// Whether the quorum would be met if these witnesses cosigned, and no others.
    #[must_use]
    pub fn can_be_met_by(&self, has_cosigned: impl Fn(&PolicyWitness) -> bool) -> bool {
        self.is_met_by(&self.witnesses.iter().map(has_cosigned).collect::<Vec<bool>>())
    }

    /// The keys that the policy has for the log of this name, as they stand in it. None when it names no such log.
    #[must_use]
    pub fn log_keys(&self, origin: &str) -> Option<PublicKeys> {
        let keys = self.logs.iter().filter(|log| log.key.origin() == origin);
        let file: String = keys.map(|log| format!("{}\n", log.key.as_str())).collect();
        PublicKeys::parse(&file).ok()
    }

    /// The keys of the one log that the policy names. None when it names several, or none.
    #[must_use]
    pub fn only_log_keys(&self) -> Option<PublicKeys> {
        let origin = self.logs.first()?.key.origin();
        let is_only = self.logs.iter().all(|log| log.key.origin() == origin);
        if is_only { self.log_keys(origin) } else { None }
    }

    /// Checks that a signed checkpoint is one of the log with these keys, and that the quorum has seen it. Lines by keys that the
    /// policy does not have are passed over, as are times outside the window; of each witness at most one counts.
    ///
    /// Where the policy names logs, one of the keys must be among them; others may be those that it was handed over to.
    ///
    /// # Errors
    /// The first reason why it is not.
    pub fn check(&self, text: &str, keys: &PublicKeys, window: TimeWindow) -> Result<Witnessed, Unwitnessed> {
        if !self.logs.is_empty() && !self.logs.iter().any(|log| keys.contains(&log.key)) {
            return Err(Unwitnessed::UnnamedLog);
        }
        let checkpoint = Checkpoint::open(text, keys).map_err(Unwitnessed::Checkpoint)?;
        let seen = self.seen(text, &checkpoint, window)?;
        if self.can_be_met_by(|witness| !seen.missing.contains(&witness.name)) {
            Ok(Witnessed { checkpoint, seen })
        } else {
            Err(Unwitnessed::NoQuorum { checkpoint: Box::new(checkpoint), seen })
        }
    }

    fn seen(&self, note: &str, checkpoint: &Checkpoint, window: TimeWindow) -> Result<SeenBy, Unwitnessed> {
        let malformed = Unwitnessed::Checkpoint(CheckpointError::Malformed);
        if note.len() > note::MAX_BYTES {
            return Err(malformed);
        }
        let lines: Vec<&str> = note::signature_lines(note).ok_or(malformed)?.collect();
        let mut seen = SeenBy::default();
        for witness in &self.witnesses {
            let (mut newest, mut misdated): (Option<Cosignature>, Option<Cosignature>) = (None, None);
            for line in &lines {
                match Cosignature::read(line, &witness.key, checkpoint) {
                    CosignatureLine::Foreign => {}
                    CosignatureLine::Bad => {
                        return Err(Unwitnessed::BadCosignature { witness: witness.name.clone() });
                    }
                    CosignatureLine::Good(read) if !window.contains(read.time()) => misdated = Some(read),
                    CosignatureLine::Good(read) => {
                        newest = Some(newest.filter(|newest| newest.time() >= read.time()).unwrap_or(read));
                    }
                }
            }
            let by = |cosignature| CosignedBy { name: witness.name.clone(), cosignature };
            match newest {
                Some(cosignature) => seen.cosigned.push(by(cosignature)),
                None => {
                    seen.missing.push(witness.name.clone());
                    seen.misdated.extend(misdated.map(by));
                }
            }
        }
        Ok(seen)
    }

    /// Whether the quorum is met when these of the witnesses cosigned. Groups come in the order of the file, so that each is
    /// known when one above it asks.
    fn is_met_by(&self, has_cosigned: &[bool]) -> bool {
        let mut groups: Vec<bool> = Vec::with_capacity(self.groups.len());
        let stands = |member: &GroupMember, groups: &[bool]| match member {
            GroupMember::Witness(at) => has_cosigned.get(*at).copied().unwrap_or(false),
            GroupMember::Group(at) => groups.get(*at).copied().unwrap_or(false),
        };
        for group in &self.groups {
            let met = group.members.iter().filter(|member| stands(member, &groups)).count();
            groups.push(met >= group.threshold);
        }
        self.quorum.is_none_or(|quorum| stands(&quorum, &groups))
    }
}

impl Witnessed {
    #[must_use]
    pub const fn checkpoint(&self) -> &Checkpoint {
        &self.checkpoint
    }

    #[must_use]
    pub const fn seen(&self) -> &SeenBy {
        &self.seen
    }
}

impl SeenBy {
    /// How many cosigned, of how many.
    #[must_use]
    pub fn count(&self) -> (usize, usize) {
        (self.cosigned.len(), self.cosigned.len() + self.missing.len())
    }

    /// When the first of those that count cosigned, in seconds of POSIX.
    #[must_use]
    pub fn oldest(&self) -> Option<u64> {
        self.cosigned.iter().map(|by| by.cosignature.time()).min()
    }
}

/// "2 of 3 witnesses cosigned the state; missing: c". Names are escaped.
impl fmt::Display for SeenBy {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (cosigned, all) = self.count();
        write!(formatter, "{cosigned} of {all} witnesses cosigned the state")?;
        for (at, name) in self.missing.iter().enumerate() {
            let before = if at == 0 { "; missing: " } else { ", " };
            write!(formatter, "{before}{}", name.escape_default())?;
            if let Some(by) = self.misdated.iter().find(|by| by.name == *name) {
                write!(
                    formatter,
                    " (its cosignature is dated {} seconds since 1970, which does not count)",
                    by.cosignature.time()
                )?;
            }
        }
        Ok(())
    }
}

impl Unwitnessed {
    /// The name that stays.
    #[must_use]
    pub const fn code(&self) -> &'static str {
        self.reason().code()
    }

    const fn reason(&self) -> UnwitnessedReason {
        match self {
            Self::Checkpoint(_) => UnwitnessedReason::Checkpoint,
            Self::UnnamedLog => UnwitnessedReason::UnnamedLog,
            Self::BadCosignature { .. } => UnwitnessedReason::BadCosignature,
            Self::NoQuorum { .. } => UnwitnessedReason::NoQuorum,
        }
    }
}

impl UnwitnessedReason {
    /// In the order in which they are checked.
    pub const ALL: [Self; 4] = [Self::UnnamedLog, Self::Checkpoint, Self::BadCosignature, Self::NoQuorum];

    /// The name that stays.
    #[must_use]
    pub const fn code(self) -> &'static str {
        self.facts().0
    }

    /// What it means.
    #[must_use]
    pub const fn meaning(self) -> &'static str {
        self.facts().1
    }

    const fn facts(self) -> (&'static str, &'static str) {
        match self {
            Self::UnnamedLog => {
                ("policy-other-log", "the policy names logs, and none of your keys is a key of one of them")
            }
            Self::Checkpoint => {
                ("checkpoint-refused", "the checkpoint is malformed, or none of your keys of the log signed this text")
            }
            Self::BadCosignature => (
                "cosignature-wrong",
                "a line names the key of a witness of the policy, and that key did not sign this state",
            ),
            Self::NoQuorum => {
                ("quorum-lacking", "too few witnesses cosigned this state at a time that counts to meet the quorum")
            }
        }
    }
}

impl fmt::Display for Unwitnessed {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Checkpoint(refused) => write!(formatter, "the checkpoint is refused: {}", refused.reason()),
            Self::UnnamedLog => formatter.write_str("the policy names logs, and none with a key of this one"),
            Self::BadCosignature { witness } => write!(
                formatter,
                "a line of the checkpoint names the key of witness `{}`, and that key did not sign this state",
                witness.escape_default()
            ),
            Self::NoQuorum { checkpoint, seen } => {
                write!(
                    formatter,
                    "the quorum of the policy is lacking for the state of {} records: {seen}",
                    checkpoint.size()
                )
            }
        }
    }
}

impl std::error::Error for Unwitnessed {}
