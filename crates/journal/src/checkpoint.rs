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
    key::{LogKey, PublicKeys},
    note::{self, NoteRefusal},
    signed_text::SignedText,
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
    /// Signs the state of the log. The state must be durable: a signature cannot be taken back.
    ///
    /// # Errors
    /// When the key does not sign.
    pub fn sign(key: &LogKey, size: u64, root: &Hash) -> Result<Self, JournalFault> {
        let text = CheckpointText::parse(&key.sign(&SignedText::Checkpoint { size, root })?);
        let failed =
            || JournalFault::new(JournalFaultKind::WrongKey, "the secret key cannot sign a checkpoint of this log");
        Ok(Self { size, root: *root, text: text.ok_or_else(failed)? })
    }

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
    pub(crate) fn body(&self) -> &str {
        note::body(self.text.as_str()).unwrap_or_default()
    }
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tree::MerkleTree;

    fn signed() -> (LogKey, Checkpoint) {
        let key = LogKey::from_seed("svc-journal-test", &[7; 32]).unwrap();
        let root = *MerkleTree::empty().grow(&["one", "two"]).unwrap().root();
        let checkpoint = Checkpoint::sign(&key, 2, &root).unwrap();
        (key, checkpoint)
    }

    #[test]
    fn every_changed_byte_is_refused() {
        let (key, checkpoint) = signed();
        let keys = PublicKeys::one(key.public().clone());
        let text = checkpoint.text().as_str();
        assert_eq!(Checkpoint::open(text, &keys), Ok(checkpoint.clone()));
        for at in 0..text.len() {
            for bit in 0..8 {
                let mut changed = text.as_bytes().to_vec();
                changed[at] ^= 1 << bit;
                let Ok(changed) = String::from_utf8(changed) else { continue };
                assert!(Checkpoint::open(&changed, &keys).is_err(), "byte {at}, bit {bit}");
            }
            assert!(!text.is_char_boundary(at) || Checkpoint::open(&text[..at], &keys).is_err(), "cut at {at}");
        }
    }

    #[test]
    fn a_second_signature_of_the_key_must_hold_too() {
        let (key, checkpoint) = signed();
        let keys = PublicKeys::one(key.public().clone());
        let text = checkpoint.text().as_str();
        let line = text.lines().last().unwrap();
        let other = Checkpoint::sign(&key, 3, checkpoint.root()).unwrap();
        let bad = other.text().as_str().lines().last().unwrap().to_owned();
        let stranger = LogKey::from_seed("svc-journal-test", &[8; 32]).unwrap();
        let unknown = Checkpoint::sign(&stranger, 3, checkpoint.root()).unwrap();
        let unknown = unknown.text().as_str().lines().last().unwrap().to_owned();
        let head = text.strip_suffix(&format!("{line}\n")).unwrap();
        let open = |lines: &[&str]| {
            let lines: String = lines.iter().map(|line| format!("{line}\n")).collect();
            Checkpoint::open(&format!("{head}{lines}"), &keys).map(|found| found.size())
        };
        for lines in [[line, &bad], [&bad, line]] {
            assert_eq!(open(&lines), Err(CheckpointError::BadSignature), "{lines:?}");
        }
        assert_eq!(open(&[line, "no signature"]), Err(CheckpointError::Malformed));
        assert_eq!(open(&[&bad, "no signature"]), Err(CheckpointError::Malformed), "the form comes first");
        assert_eq!((open(&[line, line]), open(&[&unknown, line])), (Ok(2), Ok(2)));
        assert_eq!(open(&[&unknown]), Err(CheckpointError::UnknownKey));
    }

    #[test]
    fn a_size_that_json_cannot_count_is_none() {
        let (key, checkpoint) = signed();
        let keys = PublicKeys::one(key.public().clone());
        for (size, opens) in [((1 << 53) - 1, true), (1 << 53, false), (u64::MAX, false)] {
            let text = Checkpoint::sign(&key, size, checkpoint.root()).unwrap().text().as_str().to_owned();
            assert_eq!(Checkpoint::open(&text, &keys).is_ok(), opens, "{size}");
        }
    }

    #[test]
    fn another_key_and_another_log_are_told_apart() {
        let (key, checkpoint) = signed();
        let text = checkpoint.text().as_str();
        let stranger = LogKey::from_seed("svc-journal-test", &[8; 32]).unwrap();
        let other = LogKey::from_seed("svc-journal-other", &[7; 32]).unwrap();
        let open = |key: &LogKey| Checkpoint::open(text, &PublicKeys::one(key.public().clone()));
        assert_eq!(open(&stranger), Err(CheckpointError::UnknownKey));
        assert_eq!(open(&other), Err(CheckpointError::UnknownKey));
        let rotated = PublicKeys::one(key.public().clone()).with_newer(stranger.public().clone()).unwrap();
        assert_eq!(Checkpoint::open(text, &rotated), Ok(checkpoint));
    }

    #[test]
    fn a_signed_note_that_is_no_checkpoint_of_the_log_is_refused() {
        let (key, _) = signed();
        let keys = PublicKeys::one(key.public().clone());
        for text in ["svc-journal-test\n", "svc-journal-else\n2\nAAAA\n", "svc-journal-test\n02\nAAAA\n", "hello\n"] {
            assert!(Checkpoint::open(&key.sign_anything(text.as_bytes()), &keys).is_err(), "{text}");
        }
    }
}
