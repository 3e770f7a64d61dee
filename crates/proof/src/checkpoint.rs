//! Checkpoints: the size and root of the log at a moment, signed.
//!
//! The text is a C2SP checkpoint (`origin`, size in decimal, root hash in base64, a line each, no extension lines) inside
//! a C2SP signed note. What is signed begins with the log's name, so that a signature over it is one over nothing else.

use std::io;

use data_encoding::{BASE64, HEXLOWER};
use svc_core::journal::{receipt::CheckpointText, scalars::Count};
use tlog_tiles::checkpoint;

use crate::{
    fault::{JournalFault, JournalFaultKind},
    note::{self, NoteRefusal},
    public_key::PublicKeys,
    tree::Hash,
};

/// A checkpoint whose signature was found to be the log's.
#[derive(Clone, Debug, PartialEq)]
pub struct Checkpoint {
    size: u64,
    root: Hash,
    text: CheckpointText,
}

/// Why a text is not a checkpoint of a log.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CheckpointError {
    /// It is not a signed checkpoint.
    Malformed,
    /// Nobody who is known signed it.
    UnknownKey,
    /// The signature is not one of this text.
    BadSignature,
    /// It is a checkpoint of another log.
    OtherLog,
}

impl Checkpoint {
    /// Reads a checkpoint and its signature. Where cosignatures of witnesses make it longer than a receipt may hold, it is kept
    /// without them.
    ///
    /// # Errors
    /// When it is not one of the log whose keys these are.
    pub fn open(text: &str, keys: &PublicKeys) -> Result<Self, CheckpointError> {
        let short = || CheckpointText::parse(&note::signed_by(text, keys.origin())?);
        let kept = CheckpointText::parse(text).or_else(short).ok_or(CheckpointError::Malformed)?;
        let opened = note::open(text, keys)?;
        let read = checkpoint::Checkpoint::from_bytes(&opened).ok();
        let read = read.filter(|read| read.extension().is_empty() && Count::new(read.size()).is_some());
        let read = read.ok_or(CheckpointError::Malformed)?;
        if read.origin() != keys.origin() {
            return Err(CheckpointError::OtherLog);
        }
        Ok(Self { size: read.size(), root: *read.hash(), text: kept })
    }

    /// How many records the log had.
    #[must_use]
    pub const fn size(&self) -> u64 {
        self.size
    }

    #[must_use]
    pub const fn root(&self) -> &Hash {
        &self.root
    }

    #[must_use]
    pub fn text(&self) -> &CheckpointText {
        &self.text
    }

    /// What is signed: the text without its signatures.
    pub fn body(&self) -> &str {
        note::body(self.text.as_str()).unwrap_or_default()
    }
}

/// A state of this log that none of its keys has signed is one of a key that came later, as far as anybody can tell.
#[must_use]
pub fn of_a_later_key(by: &str, text: &str, keys: &PublicKeys, refused: CheckpointError) -> Option<JournalFault> {
    let signers = signers(text);
    // A key has the name of its log, and a signature that is damaged may not.
    let has_name = |signer: &String| signer.rsplit_once('+').is_some_and(|(name, _)| name == keys.origin());
    let is_of_log = refused == CheckpointError::UnknownKey && text.lines().next() == Some(keys.origin());
    let is_of_log = is_of_log && signers.iter().any(has_name);
    is_of_log.then(|| {
        let detail = format!(
            "{by} is signed by {}, which is none of the keys here: this copy of the log is from before a change of keys, unless \
             that state is another log's",
            signers.join(", ")
        );
        JournalFault::new(JournalFaultKind::Rewound, detail)
    })
}

/// The keys that a checkpoint says it is signed with, each as `NAME+ID`. Nothing is checked.
#[must_use]
pub fn signers(text: &str) -> Vec<String> {
    let id = |signature: &str| Some(HEXLOWER.encode(BASE64.decode(signature.as_bytes()).ok()?.get(..4)?));
    let signer = |line: &str| {
        let (name, signature) = line.strip_prefix("\u{2014} ")?.split_once(' ')?;
        Some(format!("{name}+{}", id(signature)?))
    };
    note::signature_lines(text).map(|lines| lines.filter_map(signer).collect()).unwrap_or_default()
}

impl From<NoteRefusal> for CheckpointError {
    fn from(refused: NoteRefusal) -> Self {
        match refused {
            NoteRefusal::Malformed => Self::Malformed,
            NoteRefusal::UnknownKey => Self::UnknownKey,
            NoteRefusal::BadSignature => Self::BadSignature,
        }
    }
}

impl CheckpointError {
    /// The reason in words.
    #[must_use]
    pub const fn reason(self) -> &'static str {
        match self {
            Self::Malformed => "it must be a signed checkpoint (C2SP tlog-checkpoint), and has another form",
            Self::UnknownKey => "none of the given public keys signed it",
            Self::BadSignature => "its signature does not fit its text",
            Self::OtherLog => "it is a checkpoint of another log",
        }
    }
}

impl From<CheckpointError> for JournalFault {
    fn from(refused: CheckpointError) -> Self {
        let kind = match refused {
            CheckpointError::Malformed | CheckpointError::BadSignature => JournalFaultKind::Corrupt,
            CheckpointError::UnknownKey | CheckpointError::OtherLog => JournalFaultKind::WrongKey,
        };
        Self::new(kind, format!("the checkpoint is refused: {}", refused.reason()))
    }
}

impl From<CheckpointError> for io::Error {
    fn from(refused: CheckpointError) -> Self {
        Self::other(refused.reason())
    }
}
