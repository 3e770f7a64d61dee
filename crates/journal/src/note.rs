//! Signed notes (C2SP signed-note), opened: who signed, and what the lines say.

use signed_note::{Note, NoteError, Signature};

use crate::{
    fault::{JournalFault, JournalFaultKind},
    key::PublicKeys,
};

/// Why a text is not a note of a log.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum NoteRefusal {
    Malformed,
    UnknownKey,
    BadSignature,
}

impl NoteRefusal {
    /// The fault of a note that is not the log's.
    pub(crate) fn fault(self, what: &str) -> JournalFault {
        let (kind, reason) = match self {
            Self::Malformed => (JournalFaultKind::Corrupt, "it has another form"),
            Self::BadSignature => (JournalFaultKind::Corrupt, "its signature does not fit its text"),
            Self::UnknownKey => (JournalFaultKind::WrongKey, "none of the given public keys signed it"),
        };
        JournalFault::new(kind, format!("{what} is refused: {reason}"))
    }
}

/// The text of a note. Every signature by a key that is known must hold, and there must be one. Each is looked at by itself:
/// of several lines by one key the library looks at the first alone.
pub(crate) fn open(text: &str, keys: &PublicKeys) -> Result<Vec<u8>, NoteRefusal> {
    let note = Note::from_bytes(text.as_bytes()).map_err(|_| NoteRefusal::Malformed)?;
    let lines = text.rsplit_once("\n\n").and_then(|(_, lines)| lines.strip_suffix('\n'));
    let verifiers = keys.verifiers();
    let mut verdict = Err(NoteRefusal::UnknownKey);
    for line in lines.ok_or(NoteRefusal::Malformed)?.split('\n') {
        let one = Signature::from_bytes(line.as_bytes()).and_then(|signature| Note::new(note.text(), &[signature]));
        match one.and_then(|one| one.verify(&verifiers)) {
            Ok(_) => verdict = Ok(()),
            Err(NoteError::UnverifiedNote) => {}
            Err(NoteError::InvalidSignature { .. }) => return Err(NoteRefusal::BadSignature),
            Err(
                NoteError::MalformedNote
                | NoteError::InvalidSigner
                | NoteError::MismatchedVerifier
                | NoteError::VerificationError(_)
                | NoteError::SignatureError(_),
            ) => return Err(NoteRefusal::Malformed),
        }
    }
    verdict.map(|()| note.text().to_vec())
}

/// The second line of a note of two lines, the first of which is the log's name with this ending.
pub(crate) fn open_line(text: &str, keys: &PublicKeys, ending: &str) -> Result<String, NoteRefusal> {
    let opened = String::from_utf8(open(text, keys)?).map_err(|_| NoteRefusal::Malformed)?;
    let (first, rest) = opened.split_once('\n').ok_or(NoteRefusal::Malformed)?;
    let line = rest.strip_suffix('\n').filter(|line| !line.contains('\n'));
    let is_ours = first.strip_suffix(ending) == Some(keys.origin());
    line.filter(|_| is_ours).map(str::to_owned).ok_or(NoteRefusal::Malformed)
}
