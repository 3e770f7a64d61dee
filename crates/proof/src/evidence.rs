//! Evidence against a log that somebody else serves: what was seen, kept so that a stranger can judge it.
//!
//! Some of it is proven by the log's own signatures, and needs nobody's word: two signed states that cannot be of one log, a
//! key that was handed over to two others, a record of a yes under a signed state. The rest is what the one who watched says:
//! that a state came after another, or that a file was not served. [`LogEvidence::weigh`] tells the one from the other.

use serde::{Deserialize, Serialize};

use crate::{
    checkpoint::Checkpoint,
    fault::{JournalFault, JournalFaultKind},
    hand_over::HandOverNotes,
    public_key::PublicKeys,
    receipt::is_path,
    record_bytes::is_open,
    spans::SpanHashes,
    tlog_proof::TlogProof,
    tree::leaf_hash,
};

/// What was found against a log.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum EvidenceKind {
    /// Two signed states of one size have different roots.
    LogForkedStates,
    /// The larger of two signed states does not begin with the records of the smaller.
    LogForkedHistory,
    /// One key signed two next keys.
    LogForkedKeys,
    /// A record of the log claims something else than no.
    LogOpenClaim,
    /// A smaller state was served after a larger one.
    LogShrank,
    /// No hashes were served that lead from the known state to the one that is signed now.
    LogUnproven,
    /// A file was served that is not the log's.
    LogDamaged,
    /// The state that is served is not signed by a key of the log.
    LogUnsigned,
}

/// What evidence amounts to once its signatures were checked.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum EvidenceWeight {
    /// The log's own signatures show it; nobody's word is needed.
    Proven,
    /// What is signed is signed; that it happened as told is the word of whoever wrote it down.
    Claimed,
}

/// What was seen, byte for byte.
#[derive(Clone, Debug, PartialEq)]
pub struct LogEvidence {
    pub kind: EvidenceKind,
    /// The signed state that was known before.
    pub first: Option<String>,
    /// The state that was served then.
    pub second: Option<Vec<u8>>,
    /// The hashes of the larger state before the size of the smaller one, and after it.
    pub hashes: Option<SpanHashes>,
    /// The notes from key to key, as they are known and were served.
    pub hand_overs: HandOverNotes,
    /// A record that claims something else than no, and the path from it to the state: C2SP tlog-proof.
    pub proof: Option<String>,
    /// The file that the fault was seen in.
    pub file: Option<Vec<u8>>,
}

/// The words of a kind.
struct Facts {
    code: &'static str,
    what: &'static str,
    proven: &'static str,
    claimed: &'static str,
}

impl EvidenceKind {
    pub const ALL: &'static [Self] = &[
        Self::LogForkedStates,
        Self::LogForkedHistory,
        Self::LogForkedKeys,
        Self::LogOpenClaim,
        Self::LogShrank,
        Self::LogUnproven,
        Self::LogDamaged,
        Self::LogUnsigned,
    ];

    /// The word that machines read.
    #[must_use]
    pub const fn code(self) -> &'static str {
        self.facts().code
    }

    /// What was found, in words.
    #[must_use]
    pub const fn what(self) -> &'static str {
        self.facts().what
    }

    /// What the signatures show to anybody who has the log's public key.
    #[must_use]
    pub const fn proven(self) -> &'static str {
        self.facts().proven
    }

    /// What rests on the word of whoever wrote it down.
    #[must_use]
    pub const fn claimed(self) -> &'static str {
        self.facts().claimed
    }

    const fn facts(self) -> Facts {
        match self {
            Self::LogForkedStates => Facts {
                code: "log-forked-states",
                what: "the log signed two states of one size with different roots",
                proven: "that the holder of the log's key signed two histories: no log has two roots at one size",
                claimed: "when and where each state was served",
            },
            Self::LogForkedHistory => Facts {
                code: "log-forked-history",
                what: "the log signed two states, and the larger does not begin with the records of the smaller",
                proven: "that the holder of the log's key signed two histories: the hashes lead to the root of the larger state, \
                         and the part of them before the smaller state leads to another root than it has",
                claimed: "when and where each state was served",
            },
            Self::LogForkedKeys => Facts {
                code: "log-forked-keys",
                what: "one key of the log signed two next keys",
                proven: "that the holder of a key of the log handed it over twice",
                claimed: "when and where each note was served",
            },
            Self::LogOpenClaim => Facts {
                code: "log-open-claim",
                what: "a record of the log claims something else than no",
                proven: "with a path in the file `proof`: that the record is in a state that the log signed",
                claimed: "without a path: that this record was served as a part of the log",
            },
            Self::LogShrank => Facts {
                code: "log-shrank",
                what: "the log served a smaller state than one that it signed before",
                proven: "that the log signed both states",
                claimed: "that the smaller one was served after the larger one",
            },
            Self::LogUnproven => Facts {
                code: "log-unproven",
                what: "the log does not serve the hashes that lead from one signed state to the next",
                proven: "that the log signed both states",
                claimed: "that the hashes between them were asked for and not served, or did not lead to the root",
            },
            Self::LogDamaged => Facts {
                code: "log-damaged",
                what: "the log serves a file that is not the one that it signed",
                proven: "that the log signed the state",
                claimed: "that the file was served as a part of it",
            },
            Self::LogUnsigned => Facts {
                code: "log-unsigned",
                what: "the log serves a state that no key of it signed",
                proven: "that no given key signed the second state",
                claimed: "that it was served as the log's: anybody can write such a text",
            },
        }
    }
}

impl LogEvidence {
    /// What is kept of a kind, with nothing beside it.
    #[must_use]
    pub fn of(kind: EvidenceKind) -> Self {
        Self {
            kind,
            first: None,
            second: None,
            hashes: None,
            hand_overs: HandOverNotes::default(),
            proof: None,
            file: None,
        }
    }

    /// Checks it with nothing but public keys of the log.
    ///
    /// # Errors
    /// When it is not what it says: a signature does not hold, or what is signed contradicts nothing.
    pub fn weigh(&self, keys: &PublicKeys) -> Result<EvidenceWeight, JournalFault> {
        if self.kind == EvidenceKind::LogForkedKeys {
            return match self.hand_overs.extend(keys) {
                Err(fault) if fault.kind == JournalFaultKind::Rewound => Ok(EvidenceWeight::Proven),
                Err(fault) => Err(fault),
                Ok(_) => Err(shows_nothing("each key was handed over to one other at most")),
            };
        }
        let keys = self.hand_overs.extend(keys)?;
        match self.kind {
            EvidenceKind::LogForkedStates => {
                let (first, second) = self.both(&keys)?;
                let is_fork = first.size() == second.size() && first.root() != second.root();
                proven_if(is_fork, "the two states are not of one size with different roots")
            }
            EvidenceKind::LogForkedHistory => self.weigh_history(&keys),
            EvidenceKind::LogShrank => {
                let (first, second) = self.both(&keys)?;
                claimed_if(second.size() < first.size(), "the second state is not smaller than the first")
            }
            EvidenceKind::LogUnproven => {
                let (first, second) = self.both(&keys)?;
                claimed_if(first.size() < second.size(), "the second state is not larger than the first")
            }
            EvidenceKind::LogDamaged => self.second(&keys).map(|_| EvidenceWeight::Claimed),
            EvidenceKind::LogUnsigned => {
                claimed_if(self.second(&keys).is_err(), "a given key did sign the second state")
            }
            EvidenceKind::LogOpenClaim => self.weigh_open_claim(&keys),
            // It was weighed before the keys were extended, which it contradicts.
            EvidenceKind::LogForkedKeys => Err(shows_nothing("it holds no two notes of one key")),
        }
    }

    fn weigh_history(&self, keys: &PublicKeys) -> Result<EvidenceWeight, JournalFault> {
        let (first, second) = self.both(keys)?;
        let (small, large) = if first.size() < second.size() { (&first, &second) } else { (&second, &first) };
        let roots = self.hashes.as_ref().and_then(|hashes| hashes.roots(small.size(), large.size()));
        let (before, all) = roots.ok_or_else(|| shows_nothing("it has other hashes than the two sizes ask for"))?;
        if all != *large.root() {
            return Err(shows_nothing("its hashes do not lead to the root of the larger state"));
        }
        proven_if(before != *small.root(), "the larger state begins with the records of the smaller")
    }

    fn weigh_open_claim(&self, keys: &PublicKeys) -> Result<EvidenceWeight, JournalFault> {
        let Some(text) = &self.proof else {
            let is_claim = self.file.as_deref().is_some_and(is_open);
            return self.second(keys).and_then(|_| claimed_if(is_claim, "the record in it claims nothing but no"));
        };
        let proof = TlogProof::parse(text.as_bytes()).ok_or_else(|| shows_nothing("its proof has another form"))?;
        let record = proof.record.as_deref().filter(|record| is_open(record));
        let record = record.ok_or_else(|| shows_nothing("the record in it claims nothing but no"))?;
        let state = Checkpoint::open(&proof.checkpoint, keys)?;
        let leads = is_path(&proof.hashes, state.size(), state.root(), proof.index, leaf_hash(record));
        proven_if(leads, "the path does not lead from the record to the signed root")
    }

    fn both(&self, keys: &PublicKeys) -> Result<(Checkpoint, Checkpoint), JournalFault> {
        let first = self.first.as_deref().ok_or_else(|| shows_nothing("it has no first state"))?;
        Ok((Checkpoint::open(first, keys)?, self.second(keys)?))
    }

    fn second(&self, keys: &PublicKeys) -> Result<Checkpoint, JournalFault> {
        let bytes = self.second.as_deref().ok_or_else(|| shows_nothing("it has no second state"))?;
        let text = std::str::from_utf8(bytes).map_err(|_| shows_nothing("its second state is no text"))?;
        Ok(Checkpoint::open(text, keys)?)
    }
}

fn proven_if(holds: bool, otherwise: &str) -> Result<EvidenceWeight, JournalFault> {
    if holds { Ok(EvidenceWeight::Proven) } else { Err(shows_nothing(otherwise)) }
}

fn claimed_if(holds: bool, otherwise: &str) -> Result<EvidenceWeight, JournalFault> {
    if holds { Ok(EvidenceWeight::Claimed) } else { Err(shows_nothing(otherwise)) }
}

fn shows_nothing(why: &str) -> JournalFault {
    JournalFault::corrupt(format!("the evidence shows nothing: {why}"))
}
