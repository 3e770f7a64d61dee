//! From key to key: the old key of a log signs the public half of its next one.
//!
//! So whoever pinned an old key can follow the log to the newest by themselves. The note is there before the log changes its
//! key: until then the next key is *announced*, and both sign. Where the old key was lost, nobody can sign, and the new key is
//! one that the log has *without hand-over*: whoever pinned the old one has to ask the operator.

use crate::{
    fault::{JournalFault, JournalFaultKind},
    key::{LogKey, PublicKey, PublicKeys},
    note,
    signed_text::{NEXT_KEY, SignedText},
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
    /// Signs the next key of a log with the one that it has.
    ///
    /// # Errors
    /// When the key does not sign, or the next one is of another log.
    pub fn sign(key: &LogKey, next: &PublicKey) -> Result<Self, JournalFault> {
        if next.origin() != key.origin() || next == key.public() {
            return Err(JournalFault::new(
                JournalFaultKind::WrongKey,
                "the next key must be another one of the same log",
            ));
        }
        let text = key.sign(&SignedText::NextKey { public: next.as_str() })?;
        Ok(Self { next: next.clone(), text })
    }

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
    pub(crate) fn signed_by(self, keys: &PublicKeys) -> Self {
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
    pub(crate) fn note_between(&self, from: &PublicKey, to: &PublicKey) -> Option<&str> {
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

#[cfg(test)]
mod tests {
    use super::*;

    fn key(seed: u8) -> LogKey {
        LogKey::from_seed("registry.example/journal", &[seed; 32]).unwrap()
    }

    fn handed(from: u8, to: u8) -> String {
        KeyHandOver::sign(&key(from), key(to).public()).unwrap().text().to_owned()
    }

    fn keys(seeds: &[u8]) -> PublicKeys {
        PublicKeys::parse(&seeds.iter().map(|seed| format!("{}\n", key(*seed).public().as_str())).collect::<String>())
            .unwrap()
    }

    #[test]
    fn a_pinned_key_leads_to_the_newest_and_to_no_other() {
        let notes = HandOverNotes::parse(&[handed(1, 2), handed(2, 3)].concat()).unwrap();
        assert_eq!(notes.as_slice().len(), 2);
        assert_eq!(notes.extend(&keys(&[1])).unwrap(), keys(&[3, 2, 1]));
        assert_eq!(notes.extend(&keys(&[2])).unwrap(), keys(&[3, 2]));
        assert_eq!(notes.extend(&keys(&[9])).unwrap(), keys(&[9]), "a stranger is led nowhere");
        let gap = HandOverNotes::new(vec![handed(2, 3)]);
        assert_eq!(gap.extend(&keys(&[1])).unwrap(), keys(&[1]));
        let handed_over = |notes: &HandOverNotes| -> Vec<bool> {
            notes.changes(&keys(&[3, 2, 1])).unwrap().iter().map(|change| change.handed_over).collect()
        };
        assert_eq!((handed_over(&notes), handed_over(&gap)), (vec![true, true], vec![true, false]));
    }

    #[test]
    fn a_key_that_was_handed_over_twice_and_a_changed_note_are_refused() {
        let twice = HandOverNotes::new(vec![handed(1, 2), handed(1, 3)]);
        assert_eq!(twice.extend(&keys(&[1])).unwrap_err().kind, JournalFaultKind::Rewound);
        let text = handed(1, 2);
        let whole = HandOverNotes::parse(&text).unwrap().extend(&keys(&[1])).unwrap();
        for at in 0..text.len() {
            let mut changed = text.as_bytes().to_vec();
            changed[at] ^= 1;
            let changed = String::from_utf8_lossy(&changed).into_owned();
            let led = HandOverNotes::parse(&changed).and_then(|notes| notes.extend(&keys(&[1])));
            assert!(led.is_err() || led == Ok(keys(&[1])), "byte {at} leads to {whole:?}");
        }
        let other = LogKey::from_seed("registry.example/other", &[2; 32]).unwrap();
        assert!(KeyHandOver::sign(&key(1), other.public()).is_err());
        assert!(KeyHandOver::sign(&key(1), key(1).public()).is_err());
    }
}
