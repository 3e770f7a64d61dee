//! What a log sends to a witness (C2SP tlog-witness, `add-checkpoint`): a signed state, and the proof that the log has grown
//! into it from the state that the witness saw last.

use data_encoding::BASE64;
use svc_proof::{
    checkpoint::Checkpoint,
    fault::{JournalFault, JournalFaultKind},
    tree::{Hash, prove_growth},
};

use crate::store::{NodesOf, Store};

/// The longest request: a note of the greatest length, and the most hashes.
pub const MAX_BYTES: usize = 64 * 1024;

/// The path below a witness's address.
pub const PATH: &str = "/add-checkpoint";

/// The media type of the answer that tells which state the witness saw last.
pub const SIZE_TYPE: &str = "text/x.tlog.size";

/// The specification's bound.
const MAX_HASHES: usize = 63;

/// A request to a witness, as far as it was read.
#[derive(Clone, Debug, PartialEq)]
pub struct AddCheckpoint {
    /// The size of the state that the witness saw last, as the log believes.
    pub old: u64,
    pub proof: Vec<Hash>,
    /// The checkpoint as text; nothing of it is known to hold.
    pub checkpoint: String,
}

impl AddCheckpoint {
    /// The request for a state of a store.
    ///
    /// # Errors
    /// When the state is smaller than the old one, or the store cannot be read.
    pub fn make(store: &dyn Store, checkpoint: &Checkpoint, old: u64) -> Result<Self, JournalFault> {
        if old > checkpoint.size() {
            let detail = format!("the log has {} records, and a witness saw {old}", checkpoint.size());
            return Err(JournalFault::new(JournalFaultKind::Rewound, detail));
        }
        let proof = prove_growth(old, checkpoint.size(), &NodesOf(store))?;
        Ok(Self { old, proof, checkpoint: checkpoint.text().as_str().to_owned() })
    }

    #[must_use]
    pub fn to_text(&self) -> String {
        let hashes: String = self.proof.iter().map(|hash| format!("{}\n", BASE64.encode(&hash.0))).collect();
        format!("old {}\n{hashes}\n{}", self.old, self.checkpoint)
    }

    /// Reads a request; each has one spelling.
    #[must_use]
    pub fn parse(bytes: &[u8]) -> Option<Self> {
        let text = str::from_utf8(bytes).ok().filter(|text| text.len() <= MAX_BYTES)?;
        let (head, checkpoint) = text.split_once("\n\n")?;
        let mut lines = head.split('\n');
        let old = read_size(lines.next()?.strip_prefix("old ")?)?;
        let hashes = lines.map(|line| {
            let bytes = BASE64.decode(line.as_bytes()).ok()?;
            Some(Hash(<[u8; 32]>::try_from(bytes.as_slice()).ok()?))
        });
        let proof: Vec<Hash> = hashes.take(MAX_HASHES + 1).collect::<Option<_>>()?;
        let fits = proof.len() <= MAX_HASHES;
        fits.then(|| Self { old, proof, checkpoint: checkpoint.to_owned() })
    }
}

/// The answer with the size that a witness saw last.
#[must_use]
pub fn size_line(size: u64) -> String {
    format!("{size}\n")
}

/// Reads such an answer.
#[must_use]
pub fn parse_size_line(bytes: &[u8]) -> Option<u64> {
    read_size(str::from_utf8(bytes).ok()?.strip_suffix('\n')?)
}

/// A number in decimal, without leading zeroes.
fn read_size(digits: &str) -> Option<u64> {
    digits.parse().ok().filter(|size: &u64| size.to_string() == digits)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_request_has_one_spelling_and_anything_else_is_none() {
        let request = AddCheckpoint {
            old: 20,
            proof: vec![Hash([1; 32]), Hash([2; 32])],
            checkpoint: "a\n8\nAAAA\n\n\u{2014} a sig\n".to_owned(),
        };
        let text = request.to_text();
        assert_eq!(AddCheckpoint::parse(text.as_bytes()), Some(request.clone()));
        let bare = AddCheckpoint { old: 0, proof: Vec::new(), ..request };
        assert_eq!(AddCheckpoint::parse(bare.to_text().as_bytes()), Some(bare.clone()));
        for (from, to) in [
            ("old 20", "old 020"),
            ("old 20", "old +20"),
            ("old 20", "old -1"),
            ("old 20", "old "),
            ("old 20", "old 18446744073709551616"),
            ("old 20", "Old 20"),
            ("old 20", "old  20"),
            ("old 20\n", "old 20\r\n"),
            ("AQE=\n", "AQ==\n"),
            ("AQE=\n", "AQE= \n"),
            ("\n\n", "\n"),
        ] {
            let changed = text.replace(from, to);
            assert_ne!(changed, text, "{from}");
            assert_eq!(AddCheckpoint::parse(changed.as_bytes()), None, "{from} {to}");
        }
        let many = |count| AddCheckpoint { proof: vec![Hash([1; 32]); count], ..bare.clone() }.to_text();
        assert!(AddCheckpoint::parse(many(63).as_bytes()).is_some());
        assert!(AddCheckpoint::parse(many(64).as_bytes()).is_none());
        assert!(AddCheckpoint::parse(&[b"old 0\n\n".as_slice(), &vec![b'a'; MAX_BYTES]].concat()).is_none());
    }

    #[test]
    fn a_size_is_one_line_of_digits() {
        assert_eq!(parse_size_line(size_line(7).as_bytes()), Some(7));
        for wrong in ["", "7", "07\n", "7\r\n", "7\n\n", " 7\n", "x\n"] {
            assert_eq!(parse_size_line(wrong.as_bytes()), None, "{wrong:?}");
        }
    }
}
