//! Receipts: made from what was just appended, and checked by anyone, offline.
//!
//! The check takes nothing on trust but the log's public key. In order: that nothing in the file claims to be open, the form
//! (core's parse, which admits nothing but noes), the place, the leaf hash, the checkpoint's signature, the tree that it signs, the audit path. Where the receipt
//! comes inside an answer, every other word of the answer has to be the one on record, and the record has to agree with it.

use serde_json::Value;
use svc_core::{
    journal::{
        receipt::{MOST_HASHES, Receipt},
        record::Record,
        scalars::Count,
    },
    open_claim,
};
use svc_json::{canonical, tree as json_tree, typed};
use tlog_tiles::tlog;

use crate::{
    checkpoint::{Checkpoint, CheckpointError},
    fault::JournalFault,
    public_key::PublicKeys,
    recorded_answer::{Contradiction, answer_digest, contradiction},
    tree::{self, GrownTree, Hash, leaf_hash, to_digest},
};

/// The most bytes of a file that holds a receipt: an answer of the registry, for an index of a thousand entries.
pub const MOST_BYTES: usize = 16 * 1024 * 1024;

/// Why a receipt proves nothing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unproven {
    /// The file is not a receipt, nor an answer that holds one.
    Malformed,
    /// The record is not the record of a no.
    NotARefusal,
    /// The place is not the one that the record names.
    OtherPlace,
    /// The leaf hash is not the record's.
    OtherLeaf,
    /// The checkpoint is not a signed checkpoint.
    MalformedCheckpoint,
    /// Nobody who is known signed the checkpoint.
    UnknownKey,
    /// The checkpoint's signature is not one of its text.
    BadSignature,
    /// The checkpoint is one of another tree.
    OtherTree,
    /// The path does not lead from the leaf to the root.
    BadPath,
    /// The answer around the receipt is not the one on record.
    OtherAnswer,
    /// The record is about another answer, although it has the digest of this one.
    Contradicted(Contradiction),
}

impl Unproven {
    /// Every reason, in the order of the checks.
    pub fn all() -> impl Iterator<Item = Self> {
        let by_itself = [
            Self::Malformed,
            Self::NotARefusal,
            Self::OtherPlace,
            Self::OtherLeaf,
            Self::MalformedCheckpoint,
            Self::UnknownKey,
            Self::BadSignature,
            Self::OtherTree,
            Self::BadPath,
            Self::OtherAnswer,
        ];
        by_itself.into_iter().chain(Contradiction::ALL.iter().copied().map(Self::Contradicted))
    }

    /// The word that machines read.
    #[must_use]
    pub const fn code(self) -> &'static str {
        match self {
            Self::Malformed => "malformed",
            Self::NotARefusal => "not-a-refusal",
            Self::OtherPlace => "other-place",
            Self::OtherLeaf => "other-leaf",
            Self::MalformedCheckpoint => "malformed-checkpoint",
            Self::UnknownKey => "unknown-key",
            Self::BadSignature => "bad-signature",
            Self::OtherTree => "other-tree",
            Self::BadPath => "bad-path",
            Self::OtherAnswer => "other-answer",
            Self::Contradicted(member) => member.code(),
        }
    }

    #[must_use]
    pub const fn reason(self) -> &'static str {
        match self {
            Self::Malformed => "the file must be a receipt, or an answer that holds one",
            Self::NotARefusal => {
                "the record, or the answer around it, leaves out a part of the no or says something else"
            }
            Self::OtherPlace => "the index must be the sequence of the record, and differs",
            Self::OtherLeaf => "the leaf hash must be the hash of the record, and differs",
            Self::MalformedCheckpoint => "the checkpoint must be a signed checkpoint, and has another form",
            Self::UnknownKey => "none of the given public keys signed the checkpoint",
            Self::BadSignature => "the signature of the checkpoint does not fit its text",
            Self::OtherTree => "the checkpoint is of another tree: its size or root differs",
            Self::BadPath => "the audit path does not lead from the record to the root",
            Self::OtherAnswer => "the answer around the receipt is not the recorded one",
            Self::Contradicted(member) => member.reason(),
        }
    }
}

impl From<CheckpointError> for Unproven {
    fn from(refused: CheckpointError) -> Self {
        match refused {
            CheckpointError::Malformed => Self::MalformedCheckpoint,
            CheckpointError::UnknownKey => Self::UnknownKey,
            CheckpointError::BadSignature => Self::BadSignature,
            CheckpointError::OtherLog => Self::OtherTree,
        }
    }
}

#[derive(Clone, Debug, PartialEq)]
pub struct Proven {
    pub record: Record,
    /// The checkpoint that it is under.
    pub checkpoint: Checkpoint,
    /// Whether the file was a whole answer, and is the one on record.
    pub with_answer: bool,
}

/// A record at its place, read or written, and the hash of its bytes.
#[derive(Clone, Debug)]
pub struct RecordLeaf {
    /// Its place in the log, from zero.
    pub place: Count,
    pub record: Record,
    pub hash: Hash,
}

impl RecordLeaf {
    /// Makes the receipt of a record that was just appended. The proof was checked on the way.
    ///
    /// # Errors
    /// When the record is not among the new ones, or the tree does not hold.
    pub fn receipt(self, grown: &GrownTree, checkpoint: &Checkpoint) -> Result<Receipt, JournalFault> {
        let (proven, proof) = grown.prove(self.place.get())?;
        if proven != self.hash {
            return Err(JournalFault::corrupt("the log holds another record at this index"));
        }
        self.proven_by(&proof, checkpoint)
    }

    fn proven_by(self, proof: &[Hash], checkpoint: &Checkpoint) -> Result<Receipt, JournalFault> {
        Ok(Receipt {
            checkpoint: checkpoint.text().clone(),
            index: self.place,
            leaf_hash: to_digest(&self.hash),
            proof: proof.iter().map(to_digest).collect(),
            record: self.record,
            root_hash: to_digest(checkpoint.root()),
            tree_size: counted(checkpoint.size())?,
        })
    }
}

/// A number of records, or a place.
///
/// # Errors
/// When there are more than JSON can count.
pub fn counted(number: u64) -> Result<Count, JournalFault> {
    Count::new(number).ok_or_else(|| JournalFault::corrupt("the log has more than 2^53 - 1 records"))
}

/// Checks a file: a receipt, or an answer of the registry with one inside.
///
/// # Errors
/// The first reason why it proves nothing.
pub fn check_file(bytes: &[u8], keys: &PublicKeys) -> Result<Proven, Unproven> {
    if bytes.len() > MOST_BYTES {
        return Err(Unproven::Malformed);
    }
    let Ok(document) = json_tree::read(bytes) else { return Err(Unproven::Malformed) };
    // Whatever else is wrong with it: what claims to be open is told as that.
    if open_claim::is_open(&document.root) {
        return Err(Unproven::NotARefusal);
    }
    if !document.faults.is_empty() {
        return Err(Unproven::Malformed);
    }
    if document.root.get("receipt").is_none() {
        return check(&read(bytes)?, keys);
    }
    if !open_claim::is_whole_no(&document.root) {
        return Err(Unproven::NotARefusal);
    }
    let answer: Value = serde_json::from_slice(bytes).map_err(|_| Unproven::Malformed)?;
    let inner = answer.get("receipt").map(canonical::to_bytes).unwrap_or_default();
    let mut proven = check(&read(&inner)?, keys)?;
    if answer_digest(&answer).as_ref() != Some(proven.record.answer_digest()) {
        return Err(Unproven::OtherAnswer);
    }
    if let Some(member) = contradiction(&proven.record, &answer) {
        return Err(Unproven::Contradicted(member));
    }
    proven.with_answer = true;
    Ok(proven)
}

/// Checks a receipt.
///
/// # Errors
/// The first reason why it proves nothing.
pub fn check(receipt: &Receipt, keys: &PublicKeys) -> Result<Proven, Unproven> {
    let record = &receipt.record;
    if !record.holds() {
        return Err(Unproven::NotARefusal);
    }
    if receipt.index.get() != record.sequence() {
        return Err(Unproven::OtherPlace);
    }
    let leaf = leaf_hash(&record.to_bytes());
    if to_digest(&leaf) != receipt.leaf_hash {
        return Err(Unproven::OtherLeaf);
    }
    let checkpoint = Checkpoint::open(receipt.checkpoint.as_str(), keys)?;
    if checkpoint.size() != receipt.tree_size.get() || to_digest(checkpoint.root()) != receipt.root_hash {
        return Err(Unproven::OtherTree);
    }
    let proof: Vec<Hash> = receipt.proof.iter().map(|digest| Hash(*digest.as_bytes())).collect();
    if !is_path(&proof, checkpoint.size(), checkpoint.root(), receipt.index.get(), leaf) {
        return Err(Unproven::BadPath);
    }
    Ok(Proven { record: record.clone(), checkpoint, with_answer: false })
}

/// Whether an audit path leads from a leaf to a root (RFC 6962, section 2.1.1).
#[must_use]
pub fn is_path(proof: &[Hash], size: u64, root: &Hash, place: u64, leaf: Hash) -> bool {
    let in_range = Count::new(size).is_some() && place < size;
    in_range && tlog::check_record(&proof.to_vec(), size, *root, place, leaf).is_ok()
}

/// Whether a proof shows that a log has grown from one tree into another (RFC 6962, section 2.1.2).
#[must_use]
pub fn is_growth(proof: &[Hash], earlier: (u64, &Hash), later: (u64, &Hash)) -> bool {
    if Count::new(later.0).is_none() || earlier.0 > later.0 {
        return false;
    }
    if earlier.0 == 0 {
        return proof.is_empty();
    }
    tlog::check_tree(&proof.to_vec(), later.0, *later.1, earlier.0, *earlier.1).is_ok()
}

/// Reads a receipt. A claim to be open was told before.
fn read(bytes: &[u8]) -> Result<Receipt, Unproven> {
    let read: Option<Receipt> = typed::from_slice(bytes).ok();
    read.filter(|receipt| receipt.proof.len() <= MOST_HASHES as usize).ok_or(Unproven::Malformed)
}

/// A proof for a record that has been in the log for a while, over nodes that are kept elsewhere.
pub fn of_kept<R: tlog::HashReader>(
    record: Record,
    tree: &tree::MerkleTree,
    checkpoint: &Checkpoint,
    nodes: &R,
) -> Result<Receipt, JournalFault> {
    let (place, hash) = (record.sequence(), leaf_hash(&record.to_bytes()));
    let proof = tree::prove_in(tree, checkpoint.root(), place, hash, nodes)?;
    RecordLeaf { place: counted(place)?, record, hash }.proven_by(&proof, checkpoint)
}
