//! Proofs as text, in the form of C2SP tlog-proof: for tools that know nothing of svc.
//!
//! The record goes with the proof as `extra`. Nothing signs that line, and nothing has to: the leaf is computed from it.

use data_encoding::BASE64;
use svc_core::{
    journal::{receipt::MOST_HASHES, record::Record},
    open_claim,
};
use svc_json::tree as json_tree;

use crate::{
    checkpoint::Checkpoint,
    public_key::PublicKeys,
    receipt::{Proven, Unproven, is_path},
    tree::{Hash, leaf_hash},
};

const FIRST_LINE: &str = "c2sp.org/tlog-proof@v1";
const FAMILY: &[u8] = b"c2sp.org/tlog-proof@";

pub const MEDIA_TYPE: &str = "text/plain; charset=utf-8";

/// A proof that a leaf is in a log, as far as it was read.
#[derive(Clone, Debug, PartialEq)]
pub struct TlogProof {
    /// The record. It is missing when it was pruned, and in proofs that others wrote.
    pub record: Option<Vec<u8>>,
    pub index: u64,
    pub hashes: Vec<Hash>,
    /// The checkpoint as text; nothing of it is known to hold.
    pub checkpoint: String,
}

impl TlogProof {
    /// Whether a file means to be of this form.
    #[must_use]
    pub fn is_meant(bytes: &[u8]) -> bool {
        bytes.starts_with(FAMILY)
    }

    #[must_use]
    pub fn to_text(&self) -> String {
        let extra =
            self.record.as_ref().map_or_else(String::new, |record| format!("extra {}\n", BASE64.encode(record)));
        let hashes: String = self.hashes.iter().map(|hash| format!("{}\n", BASE64.encode(&hash.0))).collect();
        format!("{FIRST_LINE}\n{extra}index {}\n{hashes}\n{}", self.index, self.checkpoint)
    }

    /// Reads a proof; each has one spelling.
    #[must_use]
    pub fn parse(bytes: &[u8]) -> Option<Self> {
        let text = std::str::from_utf8(bytes).ok()?;
        let (head, checkpoint) = text.split_once("\n\n")?;
        let mut lines = head.split('\n').peekable();
        lines.next().filter(|line| *line == FIRST_LINE)?;
        let extra = lines.next_if(|line| line.starts_with("extra ")).and_then(|line| line.strip_prefix("extra "));
        let record = match extra {
            Some(extra) => Some(BASE64.decode(extra.as_bytes()).ok()?),
            None => None,
        };
        let digits = lines.next()?.strip_prefix("index ")?;
        let index: u64 = digits.parse().ok().filter(|index: &u64| index.to_string() == digits)?;
        let hashes = lines.map(|line| {
            let bytes = BASE64.decode(line.as_bytes()).ok()?;
            Some(Hash(<[u8; 32]>::try_from(bytes.as_slice()).ok()?))
        });
        let hashes: Vec<Hash> = hashes.take(MOST_HASHES as usize + 1).collect::<Option<_>>()?;
        let fits = hashes.len() <= MOST_HASHES as usize;
        fits.then(|| Self { record, index, hashes, checkpoint: checkpoint.to_owned() })
    }

    /// Checks that a record of a no is in the log.
    ///
    /// # Errors
    /// The first reason why it proves nothing.
    pub fn check(&self, record: &[u8], keys: &PublicKeys) -> Result<Proven, Unproven> {
        let document = json_tree::read(record).map_err(|_| Unproven::Malformed)?;
        if open_claim::is_open(&document.root) {
            return Err(Unproven::NotARefusal);
        }
        let read = Record::parse(record).ok_or(Unproven::Malformed)?;
        if !read.holds() {
            return Err(Unproven::NotARefusal);
        }
        if read.sequence() != self.index {
            return Err(Unproven::OtherPlace);
        }
        let checkpoint = Checkpoint::open(&self.checkpoint, keys)?;
        if !is_path(&self.hashes, checkpoint.size(), checkpoint.root(), self.index, leaf_hash(record)) {
            return Err(Unproven::BadPath);
        }
        Ok(Proven { record: read, checkpoint, with_answer: false })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_proof_has_one_spelling_and_anything_else_is_none() {
        let proof = TlogProof {
            record: Some(b"{}".to_vec()),
            index: 7,
            hashes: vec![Hash([1; 32]), Hash([2; 32])],
            checkpoint: "a\n8\nAAAA\n\n— a sig\n".to_owned(),
        };
        let text = proof.to_text();
        assert_eq!(TlogProof::parse(text.as_bytes()), Some(proof.clone()));
        let bare = TlogProof { record: None, hashes: Vec::new(), ..proof };
        assert_eq!(TlogProof::parse(bare.to_text().as_bytes()), Some(bare));
        for (from, to) in [
            ("@v1", "@v2"),
            ("index 7", "index 07"),
            ("index 7", "index +7"),
            ("index 7", "index"),
            ("index 7", "index 18446744073709551616"),
            ("extra e30=", "extra e30"),
            ("extra e30=", "extra e30=\nextra e30="),
            ("AQE=\n", "AQ==\n"),
            ("AQE=\n", "AQE= \n"),
            ("\n\n", "\n"),
            ("c2sp", " c2sp"),
        ] {
            let changed = text.replace(from, to);
            assert_ne!(changed, text, "{from}");
            assert_eq!(TlogProof::parse(changed.as_bytes()), None, "{from} {to}");
        }
        let long =
            text.replace("index 7\n", &format!("index 7\n{}", format!("{}\n", BASE64.encode(&[1; 32])).repeat(70)));
        assert_eq!(TlogProof::parse(long.as_bytes()), None);
    }
}
