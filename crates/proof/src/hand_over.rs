//! From key to key: the old key of a log signs the public half of its next one.
//!
//! So whoever pinned an old key can follow the log to the newest by themselves. The note is there before the log changes its
//! key: until then the next key is *announced*, and both sign. Where the old key was lost, nobody can sign, and the new key is
//! one that the log has *without hand-over*: whoever pinned the old one has to ask the operator.

use crate::{
    fault::{JournalFault, JournalFaultKind},
    note,
    public_key::{PublicKey, PublicKeys},
    signed_text::NEXT_KEY,
};

/// The most changes of a key that a file names.
const MAX_NOTES: usize = 1000;

/// A note that names the next key, signed by one that is known.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KeyHandOver {
    next: PublicKey,
    text: String,
}

impl KeyHandOver {
    /// Reads a note that one of these keys signed.
    ///
    /// # Errors
    /// When none did, or it is no note of this log.
    pub fn open(text: &str, keys: &PublicKeys) -> Result<Self, JournalFault> {
        let line =
            note::open_line(text, keys, NEXT_KEY).map_err(|refused| refused.fault("the hand-over of the key"))?;
        let next = PublicKey::parse(&line)?;
        if next.origin() != keys.origin() {
            return Err(JournalFault::corrupt("the hand-over names a key of another log"));
        }
        Ok(Self { next, text: text.to_owned() })
    }

    #[must_use]
    pub const fn next(&self) -> &PublicKey {
        &self.next
    }

    /// The signed note.
    #[must_use]
    pub fn text(&self) -> &str {
        &self.text
    }
}

/// The notes of a file, one after the other, the oldest first. Nothing is said yet of who signed them.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct HandOverNotes(Vec<String>);

impl HandOverNotes {
    #[must_use]
    pub fn new(notes: Vec<String>) -> Self {
        Self(notes)
    }

    /// Reads a file. A note ends with its signatures, which begin with a dash and a blank, as no other line does.
    ///
    /// # Errors
    /// When there are too many.
    pub fn parse(file: &str) -> Result<Self, JournalFault> {
        let mut notes: Vec<String> = Vec::new();
        let mut is_over = true;
        for line in file.split_inclusive('\n') {
            let signs = line.starts_with("\u{2014} ");
            if is_over && !signs {
                notes.push(String::new());
            }
            is_over = signs;
            if let Some(note) = notes.last_mut() {
                note.push_str(line);
            }
        }
        if notes.len() > MAX_NOTES {
            return Err(JournalFault::corrupt(format!(
                "a log has at most {MAX_NOTES} hand-overs, and the file has more"
            )));
        }
        Ok(Self(notes))
    }

    #[must_use]
    pub fn to_file(&self) -> String {
        self.0.concat()
    }

    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    #[must_use]
    pub fn as_slice(&self) -> &[String] {
        &self.0
    }

    /// These notes, and those of others that are not among them.
    #[must_use]
    pub fn with(mut self, others: &Self) -> Self {
        for note in &others.0 {
            if !self.0.contains(note) {
                self.0.push(note.clone());
            }
        }
        self
    }

    /// Those of the notes that one of these keys signed.
    #[must_use]
    pub fn signed_by(self, keys: &PublicKeys) -> Self {
        Self(self.0.into_iter().filter(|note| KeyHandOver::open(note, keys).is_ok()).collect())
    }

    /// The keys that these lead to: each note that a known key signed adds the key that it names. Those that nobody who is
    /// known signed are passed over, as they may come from a time before.
    ///
    /// # Errors
    /// When a note is damaged, or a key was handed over to two.
    pub fn extend(&self, keys: &PublicKeys) -> Result<PublicKeys, JournalFault> {
        let mut known = keys.clone();
        for key in keys.as_slice() {
            self.next_of(key)?;
        }
        while let Some(next) = self.unknown_next(&known)? {
            known = known.with_newer(next)?;
        }
        Ok(known)
    }

    /// How each key but the first came to be one of the log, the newest first.
    ///
    /// # Errors
    /// When a note is damaged, or a key was handed over to two.
    pub fn changes(&self, keys: &PublicKeys) -> Result<Vec<KeyChange>, JournalFault> {
        let pairs = keys.as_slice().windows(2).filter_map(|pair| pair.first().zip(pair.get(1)));
        let change = |(newer, older): (&PublicKey, &PublicKey)| {
            let handed_over = self.next_of(older)?.as_ref() == Some(newer);
            Ok(KeyChange { key: newer.clone(), handed_over })
        };
        pairs.map(change).collect()
    }

    /// The key that the newest of these keys announced as the next, and which is not among them.
    ///
    /// # Errors
    /// When a note is damaged, or a key was handed over to two.
    pub fn announced(&self, keys: &PublicKeys) -> Result<Option<PublicKey>, JournalFault> {
        let next = keys.as_slice().first().map_or(Ok(None), |newest| self.next_of(newest))?;
        Ok(next.filter(|next| !keys.contains(next)))
    }

    /// The note with which a key named another as the next.
    #[must_use]
    pub fn note_between(&self, from: &PublicKey, to: &PublicKey) -> Option<&str> {
        let signer = PublicKeys::one(from.clone());
        let is_it = |text: &&String| KeyHandOver::open(text, &signer).is_ok_and(|note| note.next() == to);
        self.0.iter().find(is_it).map(String::as_str)
    }

    fn unknown_next(&self, known: &PublicKeys) -> Result<Option<PublicKey>, JournalFault> {
        for key in known.as_slice() {
            if let Some(next) = self.next_of(key)?
                && !known.contains(&next)
            {
                return Ok(Some(next));
            }
        }
        Ok(None)
    }

    /// The key that a key was handed over to.
    fn next_of(&self, key: &PublicKey) -> Result<Option<PublicKey>, JournalFault> {
        let signer = PublicKeys::one(key.clone());
        let mut next: Option<PublicKey> = None;
        for text in &self.0 {
            let named = match KeyHandOver::open(text, &signer) {
                Ok(note) => note.next,
                Err(fault) if fault.kind == JournalFaultKind::WrongKey => continue,
                Err(fault) => return Err(fault),
            };
            if next.as_ref().is_some_and(|next| *next != named) {
                let detail = "a key of the log was handed over to two others: whoever has it signed twice";
                return Err(JournalFault::new(JournalFaultKind::Rewound, detail));
            }
            next = Some(named);
        }
        Ok(next)
    }
}

/// How a log came to a key.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KeyChange {
    pub key: PublicKey,
    /// Whether the key before signed it.
    pub handed_over: bool,
}
