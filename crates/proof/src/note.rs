//! Signed notes (C2SP signed-note), opened: who signed, and what the lines say.

use signed_note::{Note, NoteError, Signature};

use crate::{
    fault::{JournalFault, JournalFaultKind},
    public_key::PublicKeys,
    signed_text::NEXT_KEY,
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
    let verifiers = keys.verifiers();
    let mut verdict = Err(NoteRefusal::UnknownKey);
    for line in signature_lines(text).ok_or(NoteRefusal::Malformed)? {
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

/// Notes longer than this are none: a hundred signatures with long names have room.
pub const MAX_BYTES: usize = 64 * 1024;

/// What a note signs: its text, with the line break at its end.
pub fn body(text: &str) -> Option<&str> {
    let at = text.rfind("\n\n")?;
    text.get(..=at)
}

/// The lines of a note that sign it, each without its line break.
#[must_use]
pub fn signature_lines(text: &str) -> Option<impl Iterator<Item = &str>> {
    let (_, lines) = text.rsplit_once("\n\n")?;
    Some(lines.strip_suffix('\n')?.split('\n'))
}

/// The same note with the signatures of one name alone.
pub(crate) fn signed_by(text: &str, name: &str) -> Option<String> {
    if text.len() > MAX_BYTES {
        return None;
    }
    let prefix = format!("\u{2014} {name} ");
    let lines = signature_lines(text)?.filter(|line| line.starts_with(&prefix));
    Some(lines.fold(format!("{}\n", body(text)?), |note, line| note + line + "\n"))
}

/// The name of the log whose next key a note names, by its first line. Nothing is checked.
#[must_use]
pub fn next_key_of(first_line: &str) -> Option<&str> {
    first_line.strip_suffix(NEXT_KEY)
}

/// The second line of a note of two lines, the first of which is the log's name with this ending.
pub(crate) fn open_line(text: &str, keys: &PublicKeys, ending: &str) -> Result<String, NoteRefusal> {
    let opened = String::from_utf8(open(text, keys)?).map_err(|_| NoteRefusal::Malformed)?;
    let (first, rest) = opened.split_once('\n').ok_or(NoteRefusal::Malformed)?;
    let line = rest.strip_suffix('\n').filter(|line| !line.contains('\n'));
    let is_ours = first.strip_suffix(ending) == Some(keys.origin());
    line.filter(|_| is_ours).map(str::to_owned).ok_or(NoteRefusal::Malformed)
}
